// R's dump format, as dump() and rstan's stan_rdump() write it: `y <- c(1, 2)`, with structure(..., .Dim = c(2, 3)).
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {

// Assignments of numbers, c(...), a:b, integer(n), double(n), numeric(n), TRUE, FALSE, and structure() of these
// with .Dim or dim, or of a factor with its levels. Arrays lie in R by columns and are rows of rows here. NA is a
// missing value, and so is NaN in a real variable. Throws Error{data} (file:line:column).
DataTable parse_r_dump(std::string_view text, const std::string& source);

}  // namespace credo::io
