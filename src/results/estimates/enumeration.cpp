// Exact inference by enumeration: the log weight of each configuration is computed, and sums run over all of them. It has no
// step in common with elimination, so each of the two is a check of the other.
#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "results/estimates/exact_run.hpp"

namespace credo::results {
namespace {
using numerics::FactorTables;
using numerics::Scope;
constexpr std::uint32_t kEnumeratedDraws = stream("exact.enumerated");  // iteration: the draw
constexpr MemoryUse kConfigurations{"the configurations",
                                    "give values of some parameters: --given"};

// The configurations where parameters have the given values; values count from 0, the last parameter is fastest.
class Configurations {
 public:
  // Throws Error(program) if there are more than `most`.
  Configurations(const FactorTables& tables, const DiscreteNames& names, bool conditions,
                 std::int64_t most)
      : tables_(tables), values_(tables.sizes.size(), 0) {
    for (std::size_t m = 0; m < values_.size(); ++m) {
      const bool fixed = conditions && names.given[m] >= 0;
      if (fixed) values_[m] = names.given[m];
      if (!fixed) moving_.push_back(m);
      if (!fixed) count_ = count_ > most ? count_ : count_ * tables.sizes[m];
    }
    if (count_ > most) refuse(names, most);
  }

  std::int64_t count() const { return count_; }
  Index num_moving() const { return ssize(moving_); }

  // Calls visit(k, values) for each configuration, in their order.
  template <class Visit>
  void for_each(const Visit& visit) {
    constexpr std::int64_t kBetweenStops = 65536;
    for (const std::size_t m : moving_) values_[m] = 0;
    for (std::int64_t k = 0; k < count_; ++k) {
      if (k % kBetweenStops == 0) stop_if_asked();
      visit(static_cast<std::size_t>(k), std::span<const std::int32_t>(values_));
      for (std::size_t d = moving_.size(); d-- > 0;) {
        if (++values_[moving_[d]] < tables_.sizes[moving_[d]]) break;
        values_[moving_[d]] = 0;
      }
    }
  }

  std::vector<std::int32_t> values_at(std::int64_t k) const {
    std::vector<std::int32_t> values = values_;
    for (std::size_t d = moving_.size(); d-- > 0;) {
      const std::int32_t size = tables_.sizes[moving_[d]];
      values[moving_[d]] = static_cast<std::int32_t>(k % size);
      k /= size;
    }
    return values;
  }

  std::vector<double> log_weights() {
    std::vector<double> all(static_cast<std::size_t>(count_));
    for_each(
        [&](std::size_t k, std::span<const std::int32_t> values) { all[k] = log_weight(values); });
    return all;
  }

  // Place of the values of a scope, the last one fastest.
  std::size_t place(const Scope& scope, std::span<const std::int32_t> values) const {
    std::size_t place = 0;
    for (const std::int32_t v : scope) {
      const auto m = static_cast<std::size_t>(v);
      place =
          place * static_cast<std::size_t>(tables_.sizes[m]) + static_cast<std::size_t>(values[m]);
    }
    return place;
  }

 private:
  double log_weight(std::span<const std::int32_t> values) const {
    double sum = tables_.constant;
    for (std::size_t f = 0; f < tables_.scopes.size(); ++f)
      sum += tables_.tables[f][place(tables_.scopes[f], values)];
    return sum;
  }

  [[noreturn]] void refuse(const DiscreteNames& names, std::int64_t most) const {
    throw Error(ErrorCode::program,
                fmt::format("the {} discrete parameters have more than {} configurations",
                            moving_.size(), most),
                names.layout.element_name(0),
                "take --method elimination, raise --most-states, or give values of some (--given)");
  }

  const FactorTables& tables_;
  std::vector<std::int32_t> values_;
  std::vector<std::size_t> moving_;  // parameters that aren't given
  std::int64_t count_ = 1;
};

// Replaces log weights by probabilities and returns the log of their sum. Throws Error(evaluation) if all are -infinity.
double normalise(std::vector<double>& weights, const DiscreteNames& names) {
  const double largest = *std::ranges::max_element(weights);
  if (!(largest > -kInfinity))
    throw Error(ErrorCode::evaluation, "no configuration of the discrete parameters is possible",
                names.layout.element_name(0), "check the data, and the given values");
  double sum = 0.0;
  for (double& w : weights) sum += w = std::exp(w - largest);
  for (double& w : weights) w /= sum;
  return largest + std::log(sum);
}

std::vector<Scope> pairs_of(const FactorTables& tables, const DiscreteNames& names) {
  std::set<Scope> pairs;
  const auto is_given = [&](std::int32_t v) {
    return names.given[static_cast<std::size_t>(v)] >= 0;
  };
  for (const Scope& scope : tables.scopes)
    for (std::size_t i = 0; i < scope.size(); ++i)
      for (std::size_t j = i + 1; j < scope.size(); ++j)
        if (!is_given(scope[i]) && !is_given(scope[j])) pairs.insert({scope[i], scope[j]});
  return {pairs.begin(), pairs.end()};
}

JointDistribution sums_over(Configurations& all, const std::vector<double>& probabilities,
                            const FactorTables& tables, const Scope& scope) {
  std::size_t size = 1;
  for (const std::int32_t v : scope)
    size *= static_cast<std::size_t>(tables.sizes[static_cast<std::size_t>(v)]);
  JointDistribution joint{scope, std::vector<double>(size, 0.0)};
  all.for_each([&](std::size_t k, std::span<const std::int32_t> values) {
    joint.probabilities[all.place(scope, values)] += probabilities[k];
  });
  return joint;
}

std::vector<std::vector<double>> marginals_over(Configurations& all,
                                                const std::vector<double>& probabilities,
                                                const FactorTables& tables) {
  std::vector<std::vector<double>> sums;
  for (const std::int32_t size : tables.sizes)
    sums.emplace_back(static_cast<std::size_t>(size), 0.0);
  all.for_each([&](std::size_t k, std::span<const std::int32_t> values) {
    for (std::size_t m = 0; m < sums.size(); ++m)
      sums[m][static_cast<std::size_t>(values[m])] += probabilities[k];
  });
  return sums;
}

std::vector<std::int32_t> named_values(const Configurations& all, std::int64_t k,
                                       const DiscreteNames& names) {
  std::vector<std::int32_t> values = all.values_at(k);
  for (std::size_t m = 0; m < values.size(); ++m) values[m] += names.lower[m];
  return values;
}

// By inversion of the cumulated probabilities. Rounding may leave their sum below a uniform: then the last possible configuration.
std::vector<std::vector<std::int32_t>> draws_of(const Configurations& all,
                                                const std::vector<double>& probabilities,
                                                const DiscreteNames& names,
                                                const ExactOptions& options) {
  if (options.num_draws == 0) return {};
  std::vector<double> cumulated(probabilities.size());
  std::partial_sum(probabilities.begin(), probabilities.end(), cumulated.begin());
  const double total = cumulated.back();
  const auto last = std::ranges::lower_bound(cumulated, total);  // the last with a probability
  std::vector<std::vector<std::int32_t>> draws;
  for (Index s = 0; s < options.num_draws; ++s) {
    stop_if_asked();
    Rng rng({.seed = options.seed,
             .purpose = kEnumeratedDraws,
             .iteration = static_cast<std::uint32_t>(s)});
    const auto found = std::min(std::ranges::upper_bound(cumulated, rng.uniform() * total), last);
    draws.push_back(named_values(all, found - cumulated.begin(), names));
  }
  return draws;
}

void require_unknown(const DiscreteNames& names, const ExactOptions& options) {
  for (const Scope& scope : options.joints)
    for (const std::int32_t v : scope)
      if (names.given[static_cast<std::size_t>(v)] >= 0)
        throw Error(ErrorCode::usage, names.layout.element_name(v) + " is given", "--joint",
                    "name parameters whose values aren't known");
}
}  // namespace

ExactRun enumerated_distribution(const FactorTables& tables, DiscreteNames names,
                                 const ExactOptions& options) {
  const MemoryScope memory(kConfigurations);
  require_unknown(names, options);
  const bool conditions = std::ranges::any_of(names.given, [](auto value) { return value >= 0; });
  Configurations all(tables, names, conditions, options.most_entries);
  std::vector<double> weights = all.log_weights();
  const auto best = std::ranges::max_element(weights) - weights.begin();
  const double log_best = weights[static_cast<std::size_t>(best)];
  ExactRun run{.program = {}, .method = "enumeration", .names = std::move(names)};
  run.width = std::max<Index>(0, all.num_moving() - 1);
  run.num_entries = run.largest_table = all.count();
  run.log_sum = normalise(weights, run.names);
  run.log_most_probable = log_best;
  run.most_probable = named_values(all, best, run.names);
  if (conditions) {
    std::vector<double> whole =
        Configurations(tables, run.names, false, options.most_entries).log_weights();
    run.log_given = run.log_sum - normalise(whole, run.names);
  }
  run.marginals = marginals_over(all, weights, tables);
  if (options.pairs)
    for (const Scope& pair : pairs_of(tables, run.names))
      run.pairs.push_back(sums_over(all, weights, tables, pair));
  for (const Scope& scope : options.joints)
    run.joints.push_back(sums_over(all, weights, tables, scope));
  run.draws = draws_of(all, weights, run.names, options);
  return run;
}

}  // namespace credo::results
