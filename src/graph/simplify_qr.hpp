// The triangular factor of a tall matrix, by Householder reflections [golub2013, alg. 5.2.1] of
// blocks of rows under the factor so far. |C p| = |R p| for every p, without the cancellation of
// normal equations.
#pragma once
#include "base/std.hpp"
#include "base/types.hpp"

namespace credo::graph {

// `columns`: k columns of one length. Returns R, k x k, column-major, upper triangular.
std::vector<double> triangular_factor(std::span<const std::vector<double>* const> columns);

}  // namespace credo::graph
