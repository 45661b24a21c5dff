#include "infer/initialise.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/gibbs/site_sweep.hpp"
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
  const bool moves = options.radius > 0.0 || options.discrete.size() > 0;
  return options.spread > 0.0 || (!all_given && moves);
}

double draw_whole(const density::DiscreteBlock& block, std::size_t m, Rng& rng) {
  const double lower = block.lower[m];
  return lower + static_cast<double>(rng.index_below(Index{block.upper[m]} - block.lower[m] + 1));
}

// The stream goes on behind the position.
Rng draw_position(std::span<double> position, const InitOptions& options, Index attempt) {
  Rng rng({.seed = options.seed,
           .purpose = purpose::kInitialPoint,
           .chain = static_cast<std::uint32_t>(options.chain),
           .iteration = static_cast<std::uint32_t>(attempt)});
  const std::size_t first_whole =
      position.size() - static_cast<std::size_t>(options.discrete.size());
  for (std::size_t d = 0; d < position.size(); ++d) {
    const bool whole = d >= first_whole;
    const double drawn = whole ? draw_whole(options.discrete, d - first_whole, rng)
                               : rng.uniform(-options.radius, options.radius);
    const bool given = !options.given.empty() && !std::isnan(options.given[d]);
    const bool is_fixed = given || options.radius == 0.0;
    position[d] = given ? options.given[d] : drawn;
    if (is_fixed && !whole && options.spread > 0.0)
      position[d] += rng.uniform(-options.spread, options.spread);
  }
  return rng;
}

// None of the block is given.
bool draws_block(const InitOptions& options) {
  const auto first =
      options.given.size() -
      std::min(options.given.size(), static_cast<std::size_t>(options.discrete.size()));
  return options.discrete.size() > 0 &&
         std::all_of(options.given.begin() + static_cast<std::ptrdiff_t>(first),
                     options.given.end(), [](double x) { return std::isnan(x); });
}

// A value that is impossible wherever the others are leaves with the first sweep.
constexpr Index kInitSweeps = 2;
void sweep_once(density::DiscreteUpdates& updates, std::span<double> position, Rng& rng) {
  RngChooser chooser(rng);
  sweep_sites(updates, position, chooser);
}

bool judge(const Evaluation& at, std::span<const double> gradient,
           const density::LogDensity& density, Failures& failures) {
  if (!at.status.ok() || !std::isfinite(at.log_density)) {
    failures.refused.add(at.status, density);
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

std::string reasons(const Failures& failures) {
  std::string text;
  for (const Refusal& refusal : failures.refused.entries())
    text += fmt::format("\n  {} × {}", refusal.count,
                        refusal.source == 0 ? "the log density is not finite" : refusal.reason);
  if (failures.num_bad_gradients > 0)
    text += fmt::format("\n  {} × the gradient is not finite, last in component {}",
                        failures.num_bad_gradients, failures.bad_component + 1);
  return text;
}

Error no_initial_point(const InitOptions& options, Index tries, const Failures& failures) {
  const std::string what = draws_anything(options)
                               ? fmt::format("none of {} initial points in (-{}, {}) has", tries,
                                             options.radius, options.radius)
                               : std::string("the given initial point does not have");
  return Error(ErrorCode::evaluation,
               what + " a finite log density and gradient:" + reasons(failures),
               fmt::format("chain {}", options.chain + 1),
               "give initial values inside the support or a smaller init radius");
}
}  // namespace

Step<Index> find_initial_point(PointState& state, InitOptions options,
                               const density::LogDensity& density) {
  Failures failures;
  const Index max_tries = draws_anything(options) ? kMaxInitTries : 1;
  const auto updates = draws_block(options) ? density.make_updates() : nullptr;
  for (Index attempt = 0; attempt < max_tries; ++attempt) {
    Rng rng = draw_position(state.position, options, attempt);
    for (Index sweep = 0; sweep <= (updates ? kInitSweeps : 0); ++sweep) {
      if (sweep > 0) sweep_once(*updates, state.position, rng);
      const Evaluation at = co_await evaluate(state.position, state.gradient);
      state.log_density = at.log_density;
      if (judge(at, state.gradient, density, failures)) co_return attempt + 1;
    }
  }
  throw no_initial_point(options, max_tries, failures);
}

}  // namespace credo::infer
