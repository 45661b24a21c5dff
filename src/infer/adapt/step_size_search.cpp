// Differs from [hoffman2014, alg. 4]: the threshold is 0.8 for 0.5, and every trial has a momentum
// of its own, so that one unlucky momentum doesn't decide.
#include "infer/adapt/step_size_search.hpp"

#include "base/error.hpp"

namespace credo::infer {
namespace {
constexpr double kLargest = 1e60;

void check_step_size(double step_size) {
  if (step_size > kLargest)
    throw Error(ErrorCode::evaluation, "every step size up to 1e60 is accepted", "step size search",
                "the density has no finite mass; give the parameters proper priors");
  if (step_size == 0.0) throw no_step_is_accepted();
}
}  // namespace

Error no_step_is_accepted() {
  return Error(ErrorCode::evaluation, "no step size is small enough to be accepted",
               "step size search",
               "the gradient may be wrong or the density discontinuous at the initial point");
}

Step<Nothing> search_step_size(HmcSettings& settings, const HmcState& state, PhasePoints& points,
                               Rng rng) {
  PhasePoint &start = points[0], &end = points[1];
  double factor = 0.0;  // 2 or 1/2 once the first trial has been judged
  for (;;) {
    begin_at(start, state, settings.metric, rng);
    first_half(start, end, settings.step_size, settings.metric);
    end.log_density = (co_await evaluate(end.position, end.gradient)).log_density;
    second_half(end, settings.step_size, settings.metric);
    const double error = energy_error(end.energy, start.energy);
    const bool accepted = -error > kLogAcceptedTrial;
    if (factor == 0.0) factor = accepted ? 2.0 : 0.5;
    if (accepted != (factor > 1.0)) co_return Nothing{};
    settings.step_size *= factor;
    check_step_size(settings.step_size);
  }
}

}  // namespace credo::infer
