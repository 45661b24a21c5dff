#include "results/estimates/exact_run.hpp"

#include <fmt/format.h>

#include <set>

#include "base/choice.hpp"
#include "base/error.hpp"
#include "base/memory.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "diagnose/convergence.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "results/draws/fit_points.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {
constexpr std::uint32_t kExactDraws = stream("exact.draws", 15);  // iteration: the draw
using numerics::FactorProduct;
using numerics::FactorTables;
constexpr MemoryUse kExactTables{"the tables of the elimination",
                                 "give values of some parameters: --given"};

std::string entries_text(std::int64_t entries) {
  return entries >= numerics::kBeyondTables ? "more than 4e18" : fmt::format("{}", entries);
}

numerics::EliminationPlan plan_within(const FactorTables& tables, const DiscreteNames& names,
                                      std::int64_t most_entries) {
  numerics::EliminationPlan plan = numerics::plan_of(tables);
  if (plan.num_entries <= most_entries) return plan;
  throw Error(
      ErrorCode::program,
      fmt::format("the discrete parameters can't be summed out exactly: {} of them meet at "
                  "once, and the tables have {} entries together, the largest {}; the limit is {}",
                  plan.width + 1, entries_text(plan.num_entries), entries_text(plan.largest_table),
                  most_entries),
      names.title(0),
      "raise --most-entries where there is memory (16 bytes an entry), give values of some "
      "(--given), or draw them: credo sample --discrete gibbs");
}

FactorProduct product_of(const FactorTables& tables, numerics::EliminationPlan plan,
                         const DiscreteNames& names) {
  FactorProduct product(tables, std::move(plan));
  if (product.log_sum() > -kInfinity) return product;
  throw Error(ErrorCode::evaluation, "no configuration of the discrete parameters is possible",
              names.title(0), "check the data, and the given values");
}

bool any_is_given(const DiscreteNames& names) {
  return std::ranges::any_of(names.given, [](std::int32_t value) { return value >= 0; });
}

// Those that are given count from 0 as the others do.
void put_given(const DiscreteNames& names, std::vector<std::int32_t>& values) {
  for (std::size_t m = 0; m < values.size(); ++m)
    if (names.given[m] >= 0) values[m] = names.given[m];
}

std::vector<std::vector<double>> marginals_of(FactorProduct& product, const DiscreteNames& names) {
  std::vector<std::vector<double>> all = product.marginals();
  for (std::size_t m = 0; m < all.size(); ++m) {
    if (names.given[m] < 0) continue;
    all[m].assign(static_cast<std::size_t>(names.upper[m] - names.lower[m] + 1), 0.0);
    all[m][static_cast<std::size_t>(names.given[m])] = 1.0;
  }
  return all;
}

// A table of them alone may be too large for memory, before any order is chosen.
void require_joints(const FactorTables& tables, const DiscreteNames& names,
                    const ExactOptions& options) {
  for (const numerics::Scope& scope : options.joints) {
    std::int64_t size = 1;
    for (const std::int32_t v : scope) {
      const auto m = static_cast<std::size_t>(v);
      if (names.given[m] >= 0)
        throw Error(ErrorCode::usage, names.title(m) + " is given", "--joint",
                    "name parameters whose values aren't known");
      size = size > options.most_entries ? size : size * tables.sizes[m];
    }
    if (size > options.most_entries)
      throw Error(ErrorCode::usage,
                  fmt::format("a table of the {} parameters has more than {} entries", scope.size(),
                              options.most_entries),
                  "--joint", "name fewer, or raise --most-entries where there is memory");
  }
}

std::vector<JointDistribution> joint_distributions_of(FactorProduct& product,
                                                      std::span<const numerics::Scope> scopes) {
  std::vector<JointDistribution> distributions;
  for (const numerics::Scope& scope : scopes)
    distributions.push_back({scope, product.joint(scope)});
  return distributions;
}

// `scopes`: those of the program's terms, without what --joint keeps together.
std::vector<JointDistribution> pair_distributions_of(FactorProduct& product,
                                                     std::span<const numerics::Scope> scopes) {
  std::set<numerics::Scope> pairs;
  for (const numerics::Scope& scope : scopes)
    for (std::size_t i = 0; i < scope.size(); ++i)
      for (std::size_t j = i + 1; j < scope.size(); ++j) pairs.insert({scope[i], scope[j]});
  return joint_distributions_of(product, std::vector<numerics::Scope>(pairs.begin(), pairs.end()));
}

std::vector<std::vector<std::int32_t>> exact_draws_of(const FactorProduct& product,
                                                      const DiscreteNames& names,
                                                      const ExactOptions& options) {
  std::vector<std::vector<std::int32_t>> draws;
  std::vector<double> weights;
  for (Index s = 0; s < options.num_draws; ++s) {
    stop_if_asked();
    Rng rng(
        {.seed = options.seed, .purpose = kExactDraws, .iteration = static_cast<std::uint32_t>(s)});
    draws.push_back(product.draw([&](std::span<const double> log_weights) {
      weights.assign(log_weights.begin(), log_weights.end());
      numerics::weights_of_largest(weights);
      return static_cast<std::int32_t>(choose_by_weight(weights, rng.uniform()));
    }));
    put_given(names, draws.back());
    for (std::size_t m = 0; m < draws.back().size(); ++m) draws.back()[m] += names.lower[m];
  }
  return draws;
}
}  // namespace

ExactRun exact_distribution(const FactorTables& all, DiscreteNames names,
                            const ExactOptions& options) {
  const MemoryScope memory(kExactTables);
  const bool conditions = any_is_given(names);
  require_joints(all, names, options);
  const FactorTables terms = conditions ? numerics::given(all, names.given) : all;
  const FactorTables tables = numerics::joined(terms, options.joints);
  const numerics::EliminationPlan plan = plan_within(tables, names, options.most_entries);
  if (options.on_plan) options.on_plan(plan);
  FactorProduct product = product_of(tables, plan, names);
  ExactRun run{.program = {},
               .names = std::move(names),
               .width = plan.width,
               .largest_table = plan.largest_table,
               .num_entries = plan.num_entries,
               .marginals = {}};
  run.log_sum = product.log_sum();
  if (conditions && options.is_normalised)
    run.log_given = run.log_sum;
  else if (conditions)
    run.log_given =
        run.log_sum -
        product_of(all, plan_within(all, run.names, options.most_entries), run.names).log_sum();
  run.marginals = marginals_of(product, run.names);
  numerics::Configuration best = numerics::most_probable(tables, plan);
  run.log_most_probable = best.log_product;
  run.most_probable = std::move(best.values);
  put_given(run.names, run.most_probable);
  for (std::size_t m = 0; m < run.most_probable.size(); ++m)
    run.most_probable[m] += run.names.lower[m];
  if (options.pairs) run.pairs = pair_distributions_of(product, terms.scopes);
  run.joints = joint_distributions_of(product, options.joints);
  run.draws = exact_draws_of(product, run.names, options);
  return run;
}

// ---- at the draws of a fit

namespace {
// A probability of each value of each parameter, one after another, by draw: S × C each.
struct ProbabilitiesByDraw {
  std::vector<std::size_t> first;  // by parameter
  std::vector<std::vector<double>> probabilities, drawn;
};

ProbabilitiesByDraw probabilities_by_draw(const Fit& fit, const density::Model& model,
                                          const TablesAt& tables_at, ExactRun& run,
                                          const ExactOptions& options) {
  ProbabilitiesByDraw all;
  std::size_t size = 0;
  for (std::size_t m = 0; m < run.names.lower.size(); ++m) {
    all.first.push_back(size);
    size += static_cast<std::size_t>(run.names.upper[m] - run.names.lower[m] + 1);
  }
  all.probabilities.resize(size), all.drawn.resize(size);
  const FitPoints points(fit, model);
  std::optional<numerics::EliminationPlan> plan;
  constexpr Index kTogether = 64;
  for (Index c = 0; c < fit.num_chains(); ++c)
    for (Index s = 0; s < fit.num_draws(false); s += kTogether)
      for (const auto& at : points.read(c, s, std::min(kTogether, fit.num_draws(false) - s))) {
        stop_if_asked();
        const FactorTables tables = tables_at(at);
        if (!plan) plan = plan_within(tables, run.names, options.most_entries);
        FactorProduct product = product_of(tables, *plan, run.names);
        const auto marginals = marginals_of(product, run.names);
        for (std::size_t m = 0; m < marginals.size(); ++m) {
          const double drawn = at[at.size() - marginals.size() + m] - run.names.lower[m];
          for (std::size_t k = 0; k < marginals[m].size(); ++k) {
            all.probabilities[all.first[m] + k].push_back(marginals[m][k]);
            all.drawn[all.first[m] + k].push_back(drawn == static_cast<double>(k) ? 1.0 : 0.0);
          }
        }
      }
  run.width = plan->width;
  run.largest_table = plan->largest_table, run.num_entries = plan->num_entries;
  return all;
}

// The mean and its error; the error is 0 if all draws are the same.
std::pair<double, double> mean_by_draw(const std::vector<double>& values, const Fit& fit) {
  const diagnose::Chains chains{values, fit.num_draws(false), fit.num_chains()};
  const double error = diagnose::mcse_mean(chains);
  return {diagnose::mean(values), diagnose::is_degenerate(values) ? 0.0 : error};
}
}  // namespace

ExactRun exact_marginals(const Fit& fit, const density::Model& model, const TablesAt& tables_at,
                         DiscreteNames names, const ExactOptions& options) {
  static constexpr MemoryUse kUse{"the probabilities at each draw", "thin the draws"};
  const MemoryScope memory(kUse);
  if (!log_weights_of(fit).empty())
    throw Error(ErrorCode::usage, "the draws have weights", fit.origin().source,
                "take a fit whose draws count the same");
  if (fit.num_draws(false) == 0)
    throw Error(ErrorCode::data, "the fit has no draw after warm-up", fit.origin().source);
  ExactRun run{.program = {}, .names = std::move(names), .marginals = {}};
  const ProbabilitiesByDraw all = probabilities_by_draw(fit, model, tables_at, run, options);
  MarginalsOfFit of{.num_draws = fit.num_draws(false), .num_chains = fit.num_chains()};
  for (std::size_t m = 0; m < all.first.size(); ++m) {
    const auto size = static_cast<std::size_t>(run.names.upper[m] - run.names.lower[m] + 1);
    for (auto* figures : {&run.marginals, &of.errors, &of.frequencies, &of.frequency_errors})
      figures->emplace_back();
    for (std::size_t k = 0; k < size; ++k) {
      const auto [mean, error] = mean_by_draw(all.probabilities[all.first[m] + k], fit);
      const auto [frequency, by_count] = mean_by_draw(all.drawn[all.first[m] + k], fit);
      run.marginals[m].push_back(mean), of.errors[m].push_back(error);
      of.frequencies[m].push_back(frequency), of.frequency_errors[m].push_back(by_count);
    }
  }
  run.of_fit = std::move(of);
  return run;
}

}  // namespace credo::results
