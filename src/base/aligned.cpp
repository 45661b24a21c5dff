#include "base/aligned.hpp"

#include <cstdlib>

#include "base/memory.hpp"
#include "base/stop.hpp"

namespace credo {
namespace {
constexpr std::size_t kAlignment = 64;
constexpr Index kPadding = 8;                         // one AVX-512 vector
constexpr std::size_t kPiece = std::size_t{1} << 26;  // the system takes its time for new memory
}  // namespace

AlignedArray::AlignedArray(Index size) : size_(size) {
  const std::size_t bytes = static_cast<std::size_t>(size + kPadding) * sizeof(double);
  std::unique_ptr<void, void (*)(void*)> memory(obtain_aligned(kAlignment, bytes), std::free);
  data_ = static_cast<double*>(memory.get());
  auto* const first = reinterpret_cast<std::byte*>(data_);
  for (std::size_t done = 0; done < bytes; done += kPiece) {
    if (done > 0) stop_if_asked();
    std::memset(first + done, 0, std::min(kPiece, bytes - done));
  }
  memory.release();
}

AlignedArray::~AlignedArray() { std::free(data_); }

}  // namespace credo
