#include "infer/variational/climbs/bound_figures.hpp"

#include "infer/variational/family_draws.hpp"

namespace credo::infer {

std::vector<TunedSetting> figures_of_bounds(const LogEvidence& bound, const FreshBounds& bounds) {
  return {{"bound", {bound.value}},
          {"bound_error", {bound.error}},
          {"upper_bound", {bounds.upper.value}},
          {"upper_bound_error", {bounds.upper.error}},
          {"eubo", {bounds.eubo.value}},
          {"eubo_error", {bounds.eubo.error}},
          {"evidence_by_weights", {bounds.weights.value}},
          {"evidence_by_weights_error", {bounds.weights.error}}};
}

std::vector<TunedSetting> bound_figures(const BestNormal& best) {
  std::vector<TunedSetting> figures = settings_of(*best.family);
  for (TunedSetting& one : figures_of_bounds(best.bound, best.bounds))
    figures.push_back(std::move(one));
  figures.push_back({"num_fit_evaluations", {static_cast<double>(best.num_evaluations)}});
  return figures;
}

std::string words_on_climb(const BestNormal& best) {
  return !best.took_steps
             ? "the bound was still rising when the iterations were used up: allow more with "
               "--max-iterations"
             : "the climb hadn't settled when the steps were used up: allow more with --max-steps";
}

}  // namespace credo::infer
