// Help with names of other languages, and what replaced a removed function.
#pragma once
#include "base/nearest_name.hpp"

namespace credo::lang {

// Name to write here for a distribution (dnorm, gaussian) or a function (nrow, ifelse) from other
// languages; empty for any other name.
std::string_view distribution_elsewhere(std::string_view name);
std::string_view function_elsewhere(std::string_view name);

// Replacement of a built-in function that the language no longer has: for "fabs" it is
// "abs(x)". Empty for any other name. A program may define a function of such a name itself, so call this
// only if the name is unknown.
std::string_view replacement_of_removed_function(std::string_view name);

}  // namespace credo::lang
