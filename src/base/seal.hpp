// Bytes with a check sum behind them, for data that must be as they were saved, and back. Protects against
// accidents only: the sum isn't secret.
#pragma once
#include "base/std.hpp"

namespace credo {

// Other bytes, or another start, have another sum: surely where they differ in one word of eight
// bytes, else except for one in 2^64. 20 GB/s.
std::uint64_t check_sum(std::string_view bytes, std::uint64_t start);

std::string sealed(std::string bytes);
// Throws Error(io) that names `source` if they aren't the sealed bytes.
std::string_view unsealed(std::string_view bytes, const std::string& source);

}  // namespace credo
