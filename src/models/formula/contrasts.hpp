// Contrasts of a factor: a row for each level, a column for each coefficient, as R's contr.treatment and others have them.
#pragma once
#include "base/types.hpp"

namespace credo::models {

using Columns = std::vector<std::vector<double>>;  // by column

struct Contrasts {
  Columns columns;                 // each with a value for each level
  std::vector<std::string> names;  // of the coefficients, behind the factor's name
};

inline constexpr std::array<std::string_view, 5> kContrastKinds{"treatment", "sum", "helmert",
                                                                "poly", "none"};
// `kind`: a name in kContrastKinds; "none" is one column for each level. `reference`: number of the level that treatment leaves out, from 0.
Contrasts contrasts_of(std::string_view kind, std::span<const std::string> levels,
                       std::size_t reference = 0);

}  // namespace credo::models
