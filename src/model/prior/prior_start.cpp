// Starts from the prior (docs/design/infer.md, "Starts").
#include "base/error.hpp"
#include "model/generative.hpp"
#include "model/prior/prior_run.hpp"

namespace credo::model {

std::shared_ptr<const PriorPlan> Generative::prior_plan() const {
  const std::lock_guard lock(mutex_);
  if (prior_plan_ == nullptr)
    prior_plan_ = std::make_shared<const PriorPlan>(
        plan_priors(parts_.data.source().program, PriorForms::all));
  return prior_plan_;
}

std::shared_ptr<const PriorPlan> Generative::start_plan() const {
  const std::lock_guard lock(mutex_);
  if (start_plan_ == nullptr)
    start_plan_ = std::make_shared<const PriorPlan>(
        plan_priors(parts_.data.source().program, PriorForms::stated));
  return start_plan_;
}

std::optional<density::Start> Generative::draw_start(Rng& rng, double radius) const {
  const std::shared_ptr<const PriorPlan> plan = start_plan();
  if (plan->stages.empty()) return std::nullopt;
  std::vector<double> free(static_cast<std::size_t>(parts_.parameters.dimension()));
  for (double& x : free) x = rng.uniform(-radius, radius);
  // The statements that lead to a prior may not run without those around them, as where the size of a
  // local variable is a decision on parameters. Then no start is known; the density itself isn't asked.
  try {
    Uniforms uniforms(rng);
    return PriorRun(parts_, *plan, PriorUse::start, uniforms).start(std::move(free));
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace credo::model
