#include "infer/initialise.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/group.hpp"

namespace credo::infer {
namespace {
// What became of the tries.
struct Failures {
  RefusalCounts refused;
  Index num_bad_gradients = 0;
  Index bad_component = 0;  // of the last bad gradient
};

bool draws_anything(const InitOptions& options) {
  const bool all_given =
      !options.given.empty() && std::none_of(options.given.begin(), options.given.end(),
                                             [](double x) { return std::isnan(x); });
  return options.spread > 0.0 || (!all_given && options.radius > 0.0);
}

void draw_position(std::span<double> position, const InitOptions& options, Index attempt) {
  Rng rng({.seed = options.seed,
           .purpose = purpose::kInitialPoint,
           .chain = static_cast<std::uint32_t>(options.chain),
           .iteration = static_cast<std::uint32_t>(attempt)});
  for (std::size_t d = 0; d < position.size(); ++d) {
    const double drawn = rng.uniform(-options.radius, options.radius);
    const bool given = !options.given.empty() && !std::isnan(options.given[d]);
    const bool is_fixed = given || options.radius == 0.0;
    position[d] = given ? options.given[d] : drawn;
    if (is_fixed && options.spread > 0.0)
      position[d] += rng.uniform(-options.spread, options.spread);
  }
}

bool judge(const Evaluation& at, std::span<const double> gradient, Failures& failures) {
  if (!at.status.ok() || !std::isfinite(at.log_density)) {
    failures.refused.add(at.status);
    return false;
  }
  for (std::size_t d = 0; d < gradient.size(); ++d) {
    if (std::isfinite(gradient[d])) continue;
    ++failures.num_bad_gradients;
    failures.bad_component = static_cast<Index>(d);
    return false;
  }
  return true;
}

std::string reasons(const Failures& failures, const density::LogDensity& density) {
  std::string text;
  for (const auto& [status, count] : failures.refused.entries())
    text += fmt::format("\n  {} × {}", count,
                        status.ok() ? "the log density is not finite" : density.describe(status));
  if (failures.num_bad_gradients > 0)
    text += fmt::format("\n  {} × the gradient is not finite, last in component {}",
                        failures.num_bad_gradients, failures.bad_component + 1);
  return text;
}

Error no_initial_point(const InitOptions& options, Index tries, const Failures& failures,
                       const density::LogDensity& density) {
  const std::string what = draws_anything(options)
                               ? fmt::format("none of {} initial points in (-{}, {}) has", tries,
                                             options.radius, options.radius)
                               : std::string("the given initial point does not have");
  return Error(ErrorCode::evaluation,
               what + " a finite log density and gradient:" + reasons(failures, density),
               fmt::format("chain {}", options.chain + 1),
               "give initial values inside the support or a smaller init radius");
}
}  // namespace

Step<Index> find_initial_point(PointState& state, InitOptions options,
                               const density::LogDensity& density) {
  Failures failures;
  const Index max_tries = draws_anything(options) ? kMaxInitTries : 1;
  for (Index attempt = 0; attempt < max_tries; ++attempt) {
    draw_position(state.position, options, attempt);
    const Evaluation at = co_await evaluate(state.position, state.gradient);
    state.log_density = at.log_density;
    if (judge(at, state.gradient, failures)) co_return attempt + 1;
  }
  throw no_initial_point(options, max_tries, failures, density);
}

}  // namespace credo::infer
