// The standard normal quantile.
#pragma once

namespace credo {

// x with Phi(x) = p, relative error about 1e-15 for p in (0, 1) [wichura1988, algorithm PPND16];
// -infinity at 0, +infinity at 1, NaN outside [0, 1].
double inv_phi(double p);

}  // namespace credo
