#include "infer/finite/chain_distributions.hpp"

#include <fmt/format.h>

namespace credo::infer::finite {
namespace {
// Stationary distribution of an irreducible matrix, which is destroyed [grassmann1985]: the last state is
// left out, its visits are handed to the others; the probability of leaving it is the sum of where
// it goes, never one minus the rest. Then states come back in reverse order.
std::vector<double> eliminate(RowMatrix p) {
  const Index n = p.rows;
  for (Index k = n - 1; k > 0; --k) {
    double leaves = 0.0;
    for (Index j = 0; j < k; ++j) leaves += p(k, j);
    for (Index i = 0; i < k; ++i) {
      const double visits = p(i, k) /= leaves;
      if (visits == 0.0) continue;
      for (Index j = 0; j < k; ++j) p(i, j) += visits * p(k, j);
    }
  }
  std::vector<double> weights(n);
  weights[0] = 1.0;
  for (Index k = 1; k < n; ++k) {
    for (Index i = 0; i < k; ++i) weights[k] += weights[i] * p(i, k);
  }
  return distribution_from_weights(weights);
}

RowMatrix part(const FiniteChain& chain, std::span<const Index> states) {
  RowMatrix matrix(ssize(states));
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.rows; ++j) matrix(i, j) = chain(states[i], states[j]);
  }
  return matrix;
}

void check_size(std::span<const double> distribution, Index num_states, const char* what) {
  if (ssize(distribution) == num_states) return;
  throw Error(ErrorCode::data,
              fmt::format("{} probabilities for {} states", distribution.size(), num_states), what);
}
}  // namespace

double total_variation(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
  return 0.5 * sum;
}

std::vector<double> distribution_after(const FiniteChain& chain,
                                       std::span<const double> distribution, Index num_steps) {
  check_size(distribution, chain.num_states(), "distribution");
  if (num_steps > 64 * chain.num_states())
    return multiply(distribution, power(chain, num_steps).matrix());
  std::vector<double> result(distribution.begin(), distribution.end());
  for (Index t = 0; t < num_steps; ++t) result = multiply(result, chain.matrix());
  return result;
}

std::vector<std::vector<double>> stationary_distributions(const FiniteChain& chain,
                                                          const Structure& structure) {
  std::vector<std::vector<double>> distributions;
  for (const CommunicatingClass& one : structure.classes) {
    if (!one.closed) continue;
    const std::vector<double> inside = eliminate(part(chain, one.states));
    std::vector<double> distribution(chain.num_states());
    for (std::size_t i = 0; i < inside.size(); ++i) distribution[one.states[i]] = inside[i];
    distributions.push_back(std::move(distribution));
  }
  return distributions;
}

std::vector<double> stationary_distribution(const FiniteChain& chain) {
  auto distributions = stationary_distributions(chain, structure_of(chain));
  if (distributions.size() == 1) return std::move(distributions[0]);
  throw Error(
      ErrorCode::data,
      fmt::format("the chain has {} closed classes, so its stationary distribution isn't unique",
                  distributions.size()),
      {}, "stationary_distributions() returns one for each class");
}

// Transient states are eliminated one by one like above; the rest leads to closed classes only.
std::vector<double> absorption_probabilities(const FiniteChain& chain, const Structure& structure,
                                             Index start) {
  std::vector<Index> place(structure.classes.size(), -1), transient;
  Index num_closed = 0;
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (structure.classes[k].closed) place[k] = num_closed++;
  }
  std::vector<double> result(num_closed);
  if (const Index own = place[structure.class_of[start]]; own >= 0) {
    result[own] = 1.0;
    return result;
  }
  transient.push_back(start);  // eliminated last
  for (Index x = 0; x < chain.num_states(); ++x) {
    if (x != start && place[structure.class_of[x]] < 0) transient.push_back(x);
  }
  RowMatrix p = part(chain, transient);
  std::vector<std::vector<double>> ends(transient.size(), result);
  for (Index i = 0; i < p.rows; ++i) {
    for (Index y = 0; y < chain.num_states(); ++y) {
      const Index closed = place[structure.class_of[y]];
      if (closed >= 0) ends[i][closed] += chain(transient[i], y);
    }
  }
  for (Index k = p.rows - 1; k > 0; --k) {
    double leaves = std::accumulate(ends[k].begin(), ends[k].end(), 0.0);
    for (Index j = 0; j < k; ++j) leaves += p(k, j);
    for (Index i = 0; i < k; ++i) {
      const double visits = p(i, k) / leaves;
      for (Index j = 0; j < k; ++j) p(i, j) += visits * p(k, j);
      for (Index c = 0; c < num_closed; ++c) ends[i][c] += visits * ends[k][c];
    }
  }
  return distribution_from_weights(ends[0]);
}

std::optional<std::vector<double>> limiting_distribution(const FiniteChain& chain, Index start) {
  const Structure structure = structure_of(chain);
  const auto distributions = stationary_distributions(chain, structure);
  const auto ends = absorption_probabilities(chain, structure, start);
  std::vector<double> limit(chain.num_states());
  std::size_t k = 0;
  for (const CommunicatingClass& one : structure.classes) {
    if (!one.closed) continue;
    if (ends[k] > 0.0 && one.period > 1) return std::nullopt;
    for (std::size_t i = 0; i < limit.size(); ++i) limit[i] += ends[k] * distributions[k][i];
    ++k;
  }
  return limit;
}

const FiniteChain& Squarings::operator[](Index k) {
  while (ssize(powers_) <= k) powers_.push_back(power(powers_.back(), 2));
  return powers_[k];
}

WorstStart worst_start(const FiniteChain& power, std::span<const double> distribution) {
  constexpr double kTie = 1e-9;  // among equals the first is named, despite rounding
  WorstStart worst;
  for (Index x = 0; x < power.num_states(); ++x) {
    const double distance = total_variation(power.row(x), distribution);
    if (distance > worst.distance * (1.0 + kTie)) worst.start = x;
    worst.distance = std::max(worst.distance, distance);
  }
  return worst;
}

namespace {
// The first t with far(P^t) false, given that far() never comes back. `Position` is P^t or one of
// its rows; advance(position, k) goes 2^k steps on.
template <class Position, class Far, class Advance>
std::optional<Index> first_near(Position position, const Far& far, const Advance& advance,
                                Index max_time) {
  if (!far(position)) return 0;
  Index k = 0;
  while (far(advance(position, k))) {
    if (Index{1} << k >= max_time) return std::nullopt;
    ++k;
  }
  Index time = 0;
  for (; k >= 0; --k) {
    Position next = advance(position, k);
    if (!far(next)) continue;
    position = std::move(next);
    time += Index{1} << k;
  }
  return time + 1;
}
}  // namespace

std::optional<Index> mixing_time(Squarings& powers, std::span<const double> distribution,
                                 const MixingOptions& options) {
  const Index n = powers[0].num_states();
  check_size(distribution, n, "distribution");
  const auto far = [&](const std::optional<FiniteChain>& at) {
    if (at) return worst_start(*at, distribution).distance > options.epsilon;
    return 1.0 - *std::min_element(distribution.begin(), distribution.end()) > options.epsilon;
  };
  const auto advance = [&](const std::optional<FiniteChain>& at, Index k) {
    return std::optional<FiniteChain>(at ? cycle(std::array{*at, powers[k]}) : powers[k]);
  };
  return first_near(std::optional<FiniteChain>(), far, advance, options.max_time);
}

std::optional<Index> mixing_time_from(Squarings& powers, std::span<const double> distribution,
                                      Index start, const MixingOptions& options) {
  const Index n = powers[0].num_states();
  check_size(distribution, n, "distribution");
  const auto far = [&](const std::vector<double>& at) {
    return total_variation(at, distribution) > options.epsilon;
  };
  const auto advance = [&](const std::vector<double>& at, Index k) {
    return multiply(at, powers[k].matrix());
  };
  return first_near(point_distribution(n, start), far, advance, options.max_time);
}

InvarianceError invariance_error(const FiniteChain& chain, std::span<const double> target) {
  check_size(target, chain.num_states(), "target");
  const std::vector<double> distribution = distribution_from_weights(target);
  const std::vector<double> after = multiply(distribution, chain.matrix());
  InvarianceError worst;
  for (Index y = 0; y < chain.num_states(); ++y) {
    const double difference = std::fabs(after[y] - distribution[y]);
    worst.absolute = std::max(worst.absolute, difference);
    const double relative = difference == 0.0 ? 0.0 : difference / distribution[y];
    if (relative > worst.relative) worst.relative = relative, worst.state = y;
  }
  return worst;
}

BalanceError balance_error(const FiniteChain& chain, std::span<const double> target) {
  constexpr double kRounding = 1e-15;
  check_size(target, chain.num_states(), "target");
  const std::vector<double> distribution = distribution_from_weights(target);
  BalanceError worst;
  for (Index x = 0; x < chain.num_states(); ++x) {
    for (Index y = 0; y < x; ++y) {
      if (chain(x, y) < kRounding && chain(y, x) < kRounding) continue;
      const double there = distribution[x] * chain(x, y), back = distribution[y] * chain(y, x);
      const double difference = std::fabs(there - back);
      worst.absolute = std::max(worst.absolute, difference);
      const double relative = difference == 0.0 ? 0.0 : difference / std::max(there, back);
      if (relative <= worst.relative) continue;
      worst.relative = relative;
      worst.from = there > back ? x : y, worst.to = there > back ? y : x;
    }
  }
  return worst;
}

Verdict judge(const FiniteChain& chain, std::span<const double> target, double tolerance) {
  const Structure structure = structure_of(chain);
  Verdict verdict{.irreducible = structure.irreducible(),
                  .aperiodic = structure.aperiodic(),
                  .invariance = invariance_error(chain, target),
                  .balance = balance_error(chain, target),
                  .faults = {}};
  verdict.leaves_target = verdict.invariance.relative <= tolerance;
  verdict.reversible = verdict.balance.relative <= tolerance;
  if (!verdict.leaves_target) {
    verdict.faults += fmt::format(
        "one step changes the probability of state {} by a factor of 1 +- {:.3g}, so the target "
        "isn't invariant\n",
        chain.name(verdict.invariance.state), verdict.invariance.relative);
  }
  if (!verdict.reversible) {
    verdict.faults += fmt::format(
        "the flows {0} -> {1} and {1} -> {0} differ by {2:.3g} of the larger, so detailed balance "
        "doesn't hold\n",
        chain.name(verdict.balance.from), chain.name(verdict.balance.to), verdict.balance.relative);
  }
  if (!verdict.irreducible) {
    verdict.faults +=
        fmt::format("{} classes of states don't reach each other\n", structure.classes.size());
  }
  if (!verdict.aperiodic) verdict.faults += "returns are periodic\n";
  return verdict;
}

}  // namespace credo::infer::finite
