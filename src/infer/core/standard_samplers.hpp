// The rows of the table that stand for their kind where none is named.
#pragma once
#include <string_view>

namespace credo::infer {

// The standard algorithms for chains, for chains without gradients, and for populations.
inline constexpr std::string_view kStandardSampler = "nuts", kStandardWithoutGradient = "slice",
                                  kStandardPopulation = "smc";

// Climbs to modes at kinks (infer/optimise/kinks.hpp).
inline constexpr std::string_view kKinkClimber = "proximal";

bool is_in_table(std::string_view name);  // false also of "composition"

}  // namespace credo::infer
