// Arrays of doubles aligned to a cache line, with room for one full SIMD vector behind the last
// element, so that a kernel may load (never store) past the end.
#pragma once
#include "base/types.hpp"

namespace credo {

class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(Index size);  // zeros
  AlignedArray(AlignedArray&& other) noexcept { swap(other); }
  AlignedArray& operator=(AlignedArray&& other) noexcept {
    swap(other);
    return *this;
  }
  AlignedArray(const AlignedArray&) = delete;
  AlignedArray& operator=(const AlignedArray&) = delete;
  ~AlignedArray();

  double* data() { return data_; }
  const double* data() const { return data_; }
  Index size() const { return size_; }
  double& operator[](Index i) { return data_[i]; }
  double operator[](Index i) const { return data_[i]; }
  std::span<double> span() { return {data_, static_cast<std::size_t>(size_)}; }
  std::span<const double> span() const { return {data_, static_cast<std::size_t>(size_)}; }

 private:
  void swap(AlignedArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }
  double* data_ = nullptr;
  Index size_ = 0;
};

}  // namespace credo
