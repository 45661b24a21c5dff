// Numbers and names in sentences.
#pragma once
#include "base/types.hpp"

namespace credo::verdict {

std::string number(double value);                         // three digits
std::string whole(double value);                          // "1234", rounded down
std::string r_hat_text(double value);                     // "1.004"
std::string counted(Index count, std::string_view what);  // "1 chain", "2 chains"
std::string percent(double share);                        // "2.5 %"
std::string first_sentence(const std::string& text);      // with its full stop
// Advice for populations of particles only.
inline constexpr const char* kBetterPopulations =
    "take more particles (--draws), go in smaller steps (--conditional-ess 0.95), or move them "
    "more "
    "(--num-moves)";
// "a, b and c", "a, b, c and 7 more".
std::string listed(std::span<const std::string> names, std::size_t most = 4);

}  // namespace credo::verdict
