#include "infer/core/initialise.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/core/group.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
// Draws from the prior count as so many: enough to leave the absurd ones behind, few enough that
// the chains' starts differ as the prior says (measured in docs/design/infer.md).
constexpr double kCountAs = 2.0;
constexpr double kAbsurd = 1e5;  // nats below a uniform point

// Results of the tries.
struct Failures {
  RefusalCounts refused;
  Index num_bad_gradients = 0;
  Index bad_component = 0;  // component of the last bad gradient
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

// The stream continues after the position's numbers.
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

// A start that the density drew; its discrete block is drawn here.
void place(std::span<double> position, std::span<const double> drawn,
           const density::DiscreteBlock& block, Rng& rng) {
  std::copy(drawn.begin(), drawn.end(), position.begin());
  const std::size_t first_whole = position.size() - static_cast<std::size_t>(block.size());
  for (std::size_t d = first_whole; d < position.size(); ++d)
    position[d] = draw_whole(block, d - first_whole, rng);
}

// True if no value of the block is given.
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

// A search for a start, and whether the point tried last is one.
struct Finder {
  PointState& state;
  const InitOptions& options;
  const density::LogDensity& density;
  std::unique_ptr<density::DiscreteUpdates> updates = nullptr;
  Failures failures = {};
  bool found = false;
};

// Judges the state's position, which sweeps may change before it is given up.
Step<Nothing> try_point(Finder& finder, Rng rng) {
  PointState& state = finder.state;
  for (Index sweep = 0; sweep <= (finder.updates ? kInitSweeps : 0); ++sweep) {
    if (sweep > 0) sweep_once(*finder.updates, state.position, rng);
    const Evaluation at = co_await evaluate(state.position, state.gradient);
    state.log_density = at.log_density;
    finder.found = judge(at, state.gradient, finder.density, finder.failures);
    if (finder.found) break;
  }
  co_return Nothing{};
}

// Streams of the prior's draws are numbered behind those of uniform points.
Rng prior_stream(const InitOptions& options, Index number) {
  return Rng({.seed = options.seed,
              .purpose = purpose::kInitialPoint,
              .chain = static_cast<std::uint32_t>(options.chain),
              .iteration = static_cast<std::uint32_t>(kMaxInitTries + number)});
}

struct PriorStart {
  PointState state;
  double log_weight;  // log density minus log prior here
};

double effective_number(std::span<const PriorStart> starts, double power, double highest) {
  double sum = 0.0, squares = 0.0;
  for (const PriorStart& start : starts) {
    const double weight = numerics::exp(power * (start.log_weight - highest));
    sum += weight, squares += weight * weight;
  }
  return sum * sum / squares;
}

double highest_weight(std::span<const PriorStart> starts) {
  double highest = -kInfinity;
  for (const PriorStart& start : starts) highest = std::max(highest, start.log_weight);
  return highest;
}

// The largest power, at most 1, of the weights with which the starts still count as kCountAs.
double tempering(std::span<const PriorStart> starts) {
  const double highest = highest_weight(starts);
  if (effective_number(starts, 1.0, highest) >= kCountAs) return 1.0;
  double low = 0.0, high = 1.0;
  constexpr int kHalvings = 60;  // weights that differ by 1e9 leave a power of 1e-9
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (low + high);
    (effective_number(starts, middle, highest) >= kCountAs ? low : high) = middle;
  }
  return low;
}

std::size_t choose_start(std::span<const PriorStart> starts, Rng rng) {
  const double power = tempering(starts);
  std::vector<double> log_weights;
  for (const PriorStart& start : starts) log_weights.push_back(power * start.log_weight);
  RngChooser chooser(rng);
  return static_cast<std::size_t>(chooser.choose_log(log_weights));
}

// A vague prior, such as normal(0, 100) for a coefficient whose exp() is a rate, puts all of its draws
// in regions that no chain leaves. A uniform point takes the place of such a start.
Step<Nothing> leave_the_absurd(Finder& finder) {
  const PointState chosen = finder.state;
  co_await try_point(finder, draw_position(finder.state.position, finder.options, 0));
  const bool is_absurd = finder.found && finder.state.log_density > chosen.log_density + kAbsurd;
  if (!is_absurd) finder.state = chosen;
  finder.found = true;
  co_return Nothing{};
}

// Leaves a chosen start in the state, if one is possible. Returns the tries up to the first that
// is, or all of them; 0 where no prior is known.
Step<Index> try_prior_starts(Finder& finder) {
  std::vector<PriorStart> possible;
  Index tries = 0;
  for (Index k = 0; k < kPriorStarts; ++k) {
    Rng rng = prior_stream(finder.options, k);
    const auto drawn = finder.density.draw_start(rng, finder.options.radius);
    if (!drawn) break;
    place(finder.state.position, drawn->position, finder.options.discrete, rng);
    co_await try_point(finder, rng);
    if (possible.empty()) ++tries;
    const double log_weight = finder.state.log_density - drawn->log_density;
    if (finder.found && std::isfinite(log_weight)) possible.push_back({finder.state, log_weight});
  }
  finder.found = !possible.empty();
  if (finder.found) {
    finder.state =
        possible[choose_start(possible, prior_stream(finder.options, kPriorStarts))].state;
    co_await leave_the_absurd(finder);
  }
  co_return tries;
}
}  // namespace

Step<Index> find_initial_point(PointState& state, InitOptions options,
                               const density::LogDensity& density) {
  Finder finder{state, options, density};
  if (draws_block(options)) finder.updates = density.make_updates();
  const Index prior_tries = options.from_prior ? co_await try_prior_starts(finder) : 0;
  if (prior_tries > 0 && finder.found) co_return prior_tries;
  finder.failures = {};
  const Index max_tries = draws_anything(options) ? kMaxInitTries : 1;
  for (Index attempt = 0; attempt < max_tries; ++attempt) {
    co_await try_point(finder, draw_position(state.position, options, attempt));
    if (finder.found) co_return prior_tries + attempt + 1;
  }
  throw no_initial_point(options, max_tries, finder.failures);
}

}  // namespace credo::infer
