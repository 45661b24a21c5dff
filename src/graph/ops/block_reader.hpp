// Hands out an operand as contiguous doubles in [element][lane] order, block by block. An operand that
// isn't contiguous in that order (a scalar, or data that all lanes share) is spread into
// a buffer first.
#pragma once
#include "graph/core/kernel.hpp"

namespace credo::graph {

class BlockReader {
 public:
  // shared: one value for all lanes, elements adjacent. repeated: one element for all.
  BlockReader(const double* data, Index lanes, bool shared, bool repeated)
      : data_(data),
        lanes_(lanes),
        shared_(shared),
        repeated_(repeated),
        linear_(!repeated && (!shared || lanes == 1)) {}
  BlockReader(const Call& call, Index k)
      : BlockReader(call.in(k), call.lanes, call.shared(k),
                    call.in_shape(k).is_scalar() && !call.shape.is_scalar()) {}

  // Doubles [begin, begin + count); begin is a multiple of kBlock.
  const double* block(Index begin, Index count) {
    if (linear_) return data_ + begin;
    if (repeated_) return spread_scalar(count);
    return replicate(data_ + begin / lanes_, count);  // kBlock is a multiple of the lanes
  }

 private:
  const double* spread_scalar(Index count) {
    if (filled_ >= count) return buffer_;
    if (shared_) {
      std::fill_n(buffer_, count, data_[0]);
    } else {
      for (Index i = 0; i < count; i += lanes_) std::copy_n(data_, lanes_, buffer_ + i);
    }
    filled_ = count;
    return buffer_;
  }
  const double* replicate(const double* elements, Index count) {
    for (Index i = 0; i < count; i += lanes_) std::fill_n(buffer_ + i, lanes_, *elements++);
    return buffer_;
  }

  const double* data_;
  Index lanes_;
  bool shared_, repeated_, linear_;
  Index filled_ = 0;
  alignas(64) double buffer_[kBlock];
};

}  // namespace credo::graph
