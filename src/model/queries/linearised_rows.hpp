// The rows of a program's likelihood, linearised (density/linearised_rows.hpp): the densities of the outcomes with the expected information of their
// arguments (model/queries/information.hpp), the row's number being an input of the graph. Decisions on parameters
// that take another path trace it anew.
#pragma once
#include "density/linearised_rows.hpp"
#include "model/densities.hpp"

namespace credo::model {

// Program of the rows at a point; its input are D unconstrained values, then the number of the row and 1. Outputs: ∇ℓ, each ∇η, and the
// upper triangle of the information by columns.
struct TracedRows {
  std::unique_ptr<graph::Program> program;
  Index num_rows = 0, num_numbers = 0;
  TracedDensity path;  // failures and sources only
};

}  // namespace credo::model
