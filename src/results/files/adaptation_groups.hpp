// Data on a run beside the draws as groups of arrays, for later checks.
//
//   adaptation    by chain of the run (not walker): step_size, inv_metric, initial_point, counts,
//                 tuned_NAME; attributes metric, free_names, refusals, warnings, notes
//   divergences   chain, iteration, warmup, energy_error, start, end of each that was kept;
//                 positions are unconstrained values; no group without divergences
//
// No times: equal runs make equal files.
#pragma once
#include "results/arrays/arrays.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

void add_adaptation(const Fit& fit, ArrayList& arrays);
void add_divergences(const Fit& fit, ArrayList& arrays);

struct Adaptation {
  infer::RunResult result;
  std::vector<FitNote> notes;
  std::vector<std::string> free_names;
};
// Empty if the groups are missing. `source` is the file in messages.
Adaptation adaptation_of(const ArrayResult& arrays, const std::string& source);

}  // namespace credo::results
