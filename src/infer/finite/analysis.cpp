#include "infer/finite/analysis.hpp"

#include <fmt/format.h>

namespace credo::infer::finite {
namespace {
FiniteChain restricted(const FiniteChain& chain, std::span<const Index> states) {
  RowMatrix matrix(ssize(states));
  std::vector<std::string> names;
  for (Index i = 0; i < matrix.rows; ++i) {
    names.push_back(chain.name(states[i]));
    for (Index j = 0; j < matrix.rows; ++j) matrix(i, j) = chain(states[i], states[j]);
  }
  return FiniteChain(std::move(matrix), std::move(names));
}

void check_options(const FiniteChain& chain, const AnalysisOptions& options) {
  const auto check_size = [&](std::span<const double> values, const char* what) {
    if (values.empty() || ssize(values) == chain.num_states()) return;
    throw Error(ErrorCode::data,
                fmt::format("{} values for {} states", values.size(), chain.num_states()), what,
                "give one value for each state");
  };
  check_size(options.target, "target");
  check_size(options.function, "function");
  for (const double value : options.function) {
    if (!std::isfinite(value))
      throw Error(ErrorCode::data, fmt::format("a value is {}, it must be finite", value),
                  "function");
  }
  if (!(options.epsilon > 0.0) || !(options.epsilon < 1.0)) {
    throw Error(ErrorCode::usage,
                fmt::format("must lie between 0 and 1, both excluded, is {}", options.epsilon),
                "epsilon", "it is the distance that still counts as far, 0.25 by default");
  }
}

Speed speed_of(const FiniteChain& chain, std::span<const Index> states,
               const AnalysisOptions& options, Analysis& analysis) {
  const FiniteChain part = restricted(chain, states);
  const std::vector<double> distribution = stationary_distribution(part);
  const RowMatrix fundamental = fundamental_matrix(part, distribution);
  Speed speed{.states = {states.begin(), states.end()},
              .spectrum = spectrum_of(part, distribution, options.tolerance),
              .bounds = {},
              .bottleneck = bottleneck_of(part, distribution, options.max_exact_states),
              .kemeny = kemeny_constant(fundamental),
              .worst_tau = kNaN};
  speed.bounds = mixing_bounds(speed.spectrum, distribution, options.epsilon);
  const double second = speed.spectrum.second_real;
  if (speed.spectrum.reversible) speed.worst_tau = (1.0 + second) / (1.0 - second);
  if (!options.function.empty()) {
    std::vector<double> f;
    for (const Index x : states) f.push_back(options.function[x]);
    analysis.tau = integrated_autocorrelation_time(fundamental, distribution, f);
    analysis.function_mean =
        std::inner_product(distribution.begin(), distribution.end(), f.begin(), 0.0);
  }
  return speed;
}

void follow_distances(const FiniteChain& chain, const AnalysisOptions& options,
                      Analysis& analysis) {
  constexpr double kFarBelow = 0.01;
  constexpr Index kMaxDoublings = 40;
  const std::vector<double>& distribution = analysis.distributions[0];
  Squarings powers(chain);
  analysis.distances.push_back(
      {0,
       worst_start(FiniteChain(numerics::diagonal_matrix(chain.num_states(), 1.0)), distribution)});
  if (!analysis.converges) return;
  for (Index k = 0; k <= kMaxDoublings; ++k) {
    const WorstStart worst = worst_start(powers[k], distribution);
    analysis.distances.push_back({Index{1} << k, worst});
    if (worst.distance < kFarBelow * options.epsilon) break;
  }
  analysis.mixing_time =
      mixing_time(powers, distribution, {.epsilon = options.epsilon, .max_time = options.max_time});
  if (analysis.mixing_time.value_or(0) > 0)
    analysis.slowest_start =
        worst_start(power(chain, *analysis.mixing_time - 1), distribution).start;
}
}  // namespace

Analysis analyse(const FiniteChain& chain, const AnalysisOptions& options) {
  check_options(chain, options);
  Analysis analysis{.structure = structure_of(chain),
                    .distributions = {},
                    .speed = {},
                    .balance = {},
                    .mixing_time = {},
                    .distances = {},
                    .tau = {},
                    .verdict = {}};
  analysis.distributions = stationary_distributions(chain, analysis.structure);
  if (!options.target.empty()) analysis.verdict = judge(chain, options.target, options.tolerance);
  if (analysis.distributions.size() > 1) return analysis;
  const auto& classes = analysis.structure.classes;
  const auto closed = std::find_if(classes.begin(), classes.end(),
                                   [](const CommunicatingClass& c) { return c.closed; });
  analysis.converges = closed->period == 1;
  analysis.balance = balance_error(chain, analysis.distributions[0]);
  analysis.reversible = analysis.balance.relative <= options.tolerance;
  analysis.speed = speed_of(chain, closed->states, options, analysis);
  follow_distances(chain, options, analysis);
  return analysis;
}

}  // namespace credo::infer::finite
