// Bytes with a check sum behind them, for what must be as it was saved, and back. Against
// accidents: anybody can make the sum.
#pragma once
#include "base/std.hpp"

namespace credo {

// Other bytes, or another start, have another sum: surely where they differ in one word of eight
// bytes, else but for one in 2^64. 20 GB/s.
std::uint64_t check_sum(std::string_view bytes, std::uint64_t start);

std::string sealed(std::string bytes);
// Throws Error(io) that names `source` where they aren't what was sealed.
std::string_view unsealed(std::string_view bytes, const std::string& source);

}  // namespace credo
