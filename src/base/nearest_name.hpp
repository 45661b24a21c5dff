// Help with names that are wrong: the nearest right one.
#pragma once
#include "base/std.hpp"

namespace credo {

bool is_same_in_any_case(std::string_view a, std::string_view b);

// Least number of insertions, deletions, replacements and swaps of neighbours that turns a into b,
// no part edited twice (optimal string alignment). O(|a| |b|).
int edit_distance(std::string_view a, std::string_view b);

// The candidate a misspelt name probably means: least edit distance, at most a third of the name's
// length (at least 1) and less than all of it; the first of several equal ones. Before those, one
// that differs by small and capital letters only. Nullopt if no name is near.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates);
// "did you mean sigma?", or empty: ready to be a hint.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace credo
