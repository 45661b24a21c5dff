#include "base/aligned.hpp"

#include <cstdlib>
#include <new>

namespace credo {
namespace {
constexpr std::size_t kAlignment = 64;
constexpr Index kPadding = 8;  // one AVX-512 vector
}  // namespace

AlignedArray::AlignedArray(Index size) : size_(size) {
  const std::size_t bytes =
      (static_cast<std::size_t>(size + kPadding) * sizeof(double) + kAlignment - 1) / kAlignment *
      kAlignment;
  data_ = static_cast<double*>(std::aligned_alloc(kAlignment, bytes));
  if (data_ == nullptr) throw std::bad_alloc();
  std::memset(data_, 0, bytes);
}

AlignedArray::~AlignedArray() { std::free(data_); }

}  // namespace credo
