// Compares the function of expectations with the program: a rewrite that is wrong is refused, never believed.
#pragma once
#include "model/messages/moment_form.hpp"

namespace credo::model {

// `traced`: the log density of declared values. `linear`: g with weighted sums in the place of log_sum_exp (graph::Expectations::is_linear).
// At three random points g is the log density; and for each step, with the values of its blocks at either of two places, the mean of the
// log densities (with the same weighted sums) is g at the mean of the statistics. Throws Error(internal).
void prove_moments(const density::MomentForm& form, const Densities& densities,
                   const graph::Traced& traced, const graph::Traced& linear,
                   const DeclaredParameters& declared);

}  // namespace credo::model
