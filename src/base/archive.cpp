#include "base/archive.hpp"

#include <fmt/format.h>

namespace credo {

void ArchiveWriter::whole(std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8)
    bytes_.push_back(static_cast<char>(value >> shift & 0xff));
}

std::uint64_t ArchiveReader::whole() {
  if (bytes_.size() - next_ < sizeof(std::uint64_t)) refuse("it ends too early");
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 8)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[next_++])) << shift;
  return value;
}

void ArchiveReader::expect(char kind) {
  if (next_ >= bytes_.size()) refuse("it ends too early");
  if (bytes_[next_] != kind)
    refuse(fmt::format("a value of kind '{}' stands where '{}' belongs", bytes_[next_], kind));
  ++next_;
}

// A length that the bytes can hold, before anything is allocated for it.
std::size_t ArchiveReader::length(std::size_t least_bytes) {
  const std::uint64_t size = whole();
  if (size > (bytes_.size() - next_) / least_bytes) refuse("a length is beyond its end");
  return static_cast<std::size_t>(size);
}

void ArchiveReader::finish() const {
  if (next_ != bytes_.size()) refuse("something is left over");
}

void ArchiveReader::refuse(std::string_view why) const {
  throw Error(
      ErrorCode::io,
      fmt::format("a saved state can't be read: {} (byte {} of {})", why, next_, bytes_.size()),
      source_, "it was written by another version, or the file is damaged");
}

}  // namespace credo
