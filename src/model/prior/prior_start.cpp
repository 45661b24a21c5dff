// Starts from the prior (docs/design/infer.md, "Starts").
#include "base/error.hpp"
#include "base/rng.hpp"
#include "model/generative.hpp"
#include "model/prior/prior_run.hpp"
#include "model/queries/earlier_terms.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::model {
namespace {
// Values of an earlier posterior are drawn from it.
void draw_earlier(const density::EarlierPosterior& earlier, const density::Layout& free, Rng& rng,
                  std::span<double> position) {
  const Index n = earlier.dimension(), rank = earlier.rank();
  std::vector<double> off(static_cast<std::size_t>(n));
  for (double& z : off) z = rng.normal();
  if (!earlier.covariance.empty()) {
    off = numerics::times_factor(
        numerics::lower_factor(numerics::RowMatrix(n, n, earlier.covariance)), off);
  } else {
    for (std::size_t d = 0; d < off.size(); ++d) off[d] *= earlier.scales[d];
    for (Index k = 0; k < rank; ++k) {
      const double z = rng.normal();
      for (Index d = 0; d < n; ++d)
        off[static_cast<std::size_t>(d)] +=
            z * earlier.loadings[static_cast<std::size_t>(d + k * n)];
    }
  }
  const std::vector<std::int32_t> places = places_of(earlier, free);
  for (std::size_t d = 0; d < places.size(); ++d)
    position[static_cast<std::size_t>(places[d])] = earlier.mean[d] + off[d];
}
}  // namespace

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
  const density::EarlierPosterior* after = densities_.options().after.get();
  if (plan->stages.empty() && after == nullptr) return std::nullopt;
  std::vector<double> free(static_cast<std::size_t>(parts_.parameters.dimension()));
  for (double& x : free) x = rng.uniform(-radius, radius);
  if (after != nullptr && plan->stages.empty()) {
    draw_earlier(*after, parts_.parameters.free(), rng, free);
    return density::Start{.position = std::move(free), .log_density = 0.0};
  }
  // The statements that lead to a prior may not run without those around them, as where the size of a
  // local variable is a decision on parameters. Then no start is known; the density itself isn't asked.
  try {
    Uniforms uniforms(rng);
    auto start = PriorRun(parts_, *plan, PriorUse::start, uniforms).start(std::move(free));
    if (start && after != nullptr)
      draw_earlier(*after, parts_.parameters.free(), rng, start->position);
    return start;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace credo::model
