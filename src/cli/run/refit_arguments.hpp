// Options of commands that fit a model anew, as a fit was made, and their output.
#pragma once
#include "cli/command.hpp"
#include "cli/results.hpp"
#include "infer/core/sample.hpp"
#include "results/files/fit.hpp"

namespace credo::cli {

class RefitArguments {
 public:
  void describe(Arguments& arguments);

  // Options of the fit's run, except those that are given here. Chains begin at draws of the fit, with its metric if it has
  // one. Fits whose files don't name their run's settings (CSV) are repeated by nuts.
  infer::SampleOptions options_for(const Fit& fit, const density::Model& model) const;

  std::uint64_t seed = 1;
  Index num_threads = 0;
  std::string file = {};
  bool is_quiet = false;

 private:
  Index num_chains_ = 0, num_warmup_ = -1, num_draws_ = 0;
};

}  // namespace credo::cli
