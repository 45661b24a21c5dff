// Help with names that are wrong: the nearest right one, and what replaced a removed function.
#pragma once
#include "base/std.hpp"

namespace credo::lang {

// Least number of insertions, deletions, replacements and swaps of neighbours that turns a into b,
// no part edited twice (optimal string alignment). O(|a| |b|).
int edit_distance(std::string_view a, std::string_view b);

// The candidate a misspelt name probably means: least edit distance, at most a third of the name's
// length (at least 1) and less than all of it; the first of several equal ones. Before those, one
// that differs by small and capital letters only. None if nothing is near.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates);
// "did you mean sigma?", or empty: ready to be a hint.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

// What to write here for a distribution (dnorm, gaussian) or a function (nrow, ifelse) of other
// languages; empty for any other name.
std::string_view distribution_elsewhere(std::string_view name);
std::string_view function_elsewhere(std::string_view name);

// What to write instead of a built-in function that the language no longer has: for "fabs" it is
// "abs(x)". Empty for any other name. A program may define a function of such a name itself, so ask
// only when the name is unknown.
std::string_view replacement_of_removed_function(std::string_view name);

}  // namespace credo::lang
