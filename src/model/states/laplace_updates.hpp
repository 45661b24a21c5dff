// Normal distributions at modes, for states that are N(m, P) before an outcome of any density is seen [koyama2010;
// murphy2023, 13.4.2].
#pragma once
#include "model/states/normal_reader.hpp"

namespace credo::model {

// For each state N(m, P) the distribution N(mode, -H^-1) for f(x) = log p(outcome | x) + log N(x; m, P). The mode by
// Newton's method in z = S'^-1 (x - m), P = S' S, with halved steps; second derivatives are differences of the
// program's gradients, and negative curvature of the outcome counts as none, so that each distribution is at most as
// wide as N(m, P). A state at whose m the outcome has no density, or one without a gradient, stays N(m, P).
std::vector<numerics::GaussianState> laplace_updates(
    NormalReader& reader, Index time, std::span<const numerics::GaussianState> predicted);

}  // namespace credo::model
