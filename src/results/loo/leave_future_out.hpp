// Leave-future-out cross-validation: how well a model predicts what comes next from what came before [burkner2020]. It is
// fitted again only where importance weights can't take the draws of an earlier fit on to later data.
#pragma once
#include "results/loo/refit.hpp"

namespace credo::results {

// The prediction of times `time` ... time + ahead - 1 from those before.
struct FutureStep {
  Index time = 0;       // from 0
  Index fitted_at = 0;  // the draws are of a fit of the times before this one
  double elpd = kNaN, mcse = kNaN;
  double pareto_k = kNaN;  // Pareto k of the weights since the last fit; -infinity at a refit
  double r_hat = kNaN;     // of the fit
  Index num_divergent = 0;
  bool is_refit() const { return fitted_at == time; }

  static void saved(auto& self, auto&& field) {
    field(self.time);
    field(self.fitted_at);
    for (auto* figure : {&self.elpd, &self.mcse, &self.pareto_k, &self.r_hat}) field(*figure);
    field(self.num_divergent);
  }
};

struct FutureOptions {
  Index first = 0;                // times that are given from the beginning, at least 1
  Index ahead = 1;                // times that are predicted together
  infer::SampleOptions run = {};  // of each fit
  std::uint64_t seed = 1;
  std::map<Index, FutureStep> done = {};  // by step; these aren't done again
  std::function<void(Index number, const FutureStep&)> on_done = nullptr;
  // Keeps states of fits, under negative numbers, as long as a step needs them; may be null.
  infer::FilterCheckpoints* states = nullptr;
};

// Steps of times first ... T - ahead, where time t is row t of each statement of the likelihood and they have T rows each,
// which `num_times` and `num_statements` say. Throws Error(usage) where no time is left to predict, Error(program)
// where rows can't be left out, and what fits throw.
std::vector<FutureStep> leave_future_out(const density::Model& model, Index num_statements,
                                         Index num_times, std::span<const double> point,
                                         const FutureOptions& options);

}  // namespace credo::results
