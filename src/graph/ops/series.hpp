// The log likelihood of one series under a state-space model as one row (numerics/series_likelihood.hpp).
#pragma once
#include "graph/core/op.hpp"

namespace credo::graph {

struct SeriesModel {
  Expr design;                     // z: n x T, or n x 1
  Expr transition;                 // A: n x (n * kinds)
  Expr state_noise;                // q: n x kinds
  Expr noise;                      // r: T numbers, or one
  Expr mean, covariance, unknown;  // m, P, E
  Expr kinds;                      // T numbers from 1
};
// Complete. `y`: T numbers, NaN without an outcome. It can be differentiated once.
Expr series_log_density(const Expr& y, const SeriesModel& m);

namespace ops {
std::span<const Op* const> series_rows();
}
}  // namespace credo::graph
