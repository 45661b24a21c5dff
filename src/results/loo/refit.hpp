// Fits of a model without some rows of its data, and how probable these rows are given the others: exact leave-one-out,
// K-fold and leave-group-out cross-validation.
#pragma once
#include "density/model.hpp"
#include "infer/core/sample.hpp"
#include "infer/smc/filter_checkpoints.hpp"

namespace credo::results {

// Rows that a fit lacks, ascending, and those whose density is requested; in the order of the likelihood's rows.
struct Fold {
  std::vector<Index> without, asked;
};

// Results for one fold. Natural logarithms, with their Monte Carlo standard errors.
struct Refit {
  std::vector<double> elpd = {}, mcse = {};  // log densities of requested rows, given fitted ones
  double joint = kNaN, joint_mcse = kNaN;    // of all rows asked at once
  double r_hat =
      kNaN;  // the larger of those of the log density and of the log likelihood of the rows asked
  double pareto_k = kNaN;  // Pareto k of the draws' weights, if they have any
  Index num_divergent = 0;
  std::string failure = {};  // why it couldn't be fitted; then there are no figures

  static void saved(auto& self, auto&& field) {
    field(self.elpd);
    field(self.mcse);
    for (auto* figure : {&self.joint, &self.joint_mcse, &self.r_hat, &self.pareto_k})
      field(*figure);
    field(self.num_divergent);
    field(self.failure);
  }
};

struct RefitOptions {
  infer::SampleOptions run = {};  // options of each fit, on one thread; seeded by fold
  Index num_threads = 0;          // 0: as many as the machine has. Never changes a number
  std::uint64_t seed = 1;
  std::map<Index, Refit> done = {};  // by number; these aren't done again
  std::function<void(Index number, const Refit&)> on_done = nullptr;  // as in SbcOptions
  infer::FilterCheckpoints* states = nullptr;  // keeps states of fits in progress; may be null
};

// Throws Error(program) where the model has no density without these rows, with what to write.
void require_without(const density::Model& model, std::span<const Index> rows,
                     std::span<const double> point);
// A seed of its own for each number.
std::uint64_t refit_seed(std::uint64_t seed, Index number);

// Fits the model once for each fold. `point`: an unconstrained point at which the model computes its rows.
std::vector<Refit> refit_all(const density::Model& model, std::span<const Fold> folds,
                             std::span<const double> point, const RefitOptions& options);

}  // namespace credo::results
