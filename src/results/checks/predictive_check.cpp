#include "results/checks/predictive_check.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "diagnose/convergence.hpp"
#include "results/draws/chosen_draws.hpp"
#include "results/draws/fit_points.hpp"
#include "results/draws/simulate.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {
constexpr std::array<std::string_view, 4> kEndings{"_rep", "_sim", "_tilde", "_pred"};

// The variables that are drawn, each with the elements that are.
std::vector<Replicated> frames_of(const density::Replicates& replicates) {
  std::vector<Replicated> all;
  const density::Layout& layout = replicates.layout();
  const std::vector<Index> num_censored = replicates.num_censored();
  for (std::size_t v = 0; v < layout.variables().size(); ++v) {
    const density::Variable& variable = layout.variables()[v];
    Replicated& one = all.emplace_back(Replicated{.name = variable.name,
                                                  .source = {},
                                                  .is_whole = variable.kind == density::Kind::whole,
                                                  .observed = {},
                                                  .elements = {},
                                                  .draws = {}});
    for (Index e = layout.first(static_cast<Index>(v)); e < layout.first(static_cast<Index>(v) + 1);
         ++e) {
      if (replicates.is_drawn()[static_cast<std::size_t>(e)] == 0) continue;
      one.observed.push_back(replicates.observed()[static_cast<std::size_t>(e)]);
      one.elements.push_back(layout.element_name(e));
    }
    if (v < num_censored.size()) one.num_censored = num_censored[v];
  }
  return all;
}

void take_draw(std::vector<Replicated>& all, const density::Replicates& replicates,
               std::span<const double> values) {
  const density::Layout& layout = replicates.layout();
  for (std::size_t v = 0; v < all.size(); ++v) {
    std::vector<double>& own = all[v].draws.emplace_back();
    for (Index e = layout.first(static_cast<Index>(v)); e < layout.first(static_cast<Index>(v) + 1);
         ++e)
      if (replicates.is_drawn()[static_cast<std::size_t>(e)] != 0)
        own.push_back(values[static_cast<std::size_t>(e)]);
  }
}

// Replicates from the statements of the likelihood, at the draws of a fit.
std::vector<Replicated> from_statements(const Fit& fit, const density::Model& model,
                                        const ChosenDraws& chosen, std::uint64_t seed) {
  const FitPoints points(fit, model);
  const density::GenerativeSide& side = model.generative_side().require(model.name());
  const auto replicates = side.make_replicates(points.read(0, chosen.draw(0, 0), 1).front());
  std::vector<Replicated> all = frames_of(*replicates);
  for (Index c = 0; c < fit.num_chains(); ++c)
    for (Index k = 0; k < chosen.count(); ++k) {
      stop_if_asked();
      Rng rng({.seed = seed,
               .purpose = purpose::kReplicate,
               .chain = static_cast<std::uint32_t>(5 + c),
               .iteration = static_cast<std::uint32_t>(k)});
      std::string note;
      const std::vector<double> values =
          replicates->draw(points.read(c, chosen.draw(c, k), 1).front(), rng.bits(), &note);
      if (values.empty())
        throw Error(ErrorCode::evaluation,
                    fmt::format("no data can be drawn at draw {} of chain {}: {}",
                                chosen.draw(c, k) + 1, c + 1, note),
                    model.name());
      take_draw(all, *replicates, values);
    }
  return all;
}

// The output that replicates a data variable; null unless the fit has this name in the same shape.
const density::Variable* twin_of(const Fit& fit, const density::Variable& data,
                                 std::string_view name) {
  const auto at = fit.layout().find_variable(name);
  if (!at) return nullptr;
  const density::Variable& found = fit.layout().variables()[static_cast<std::size_t>(*at)];
  return found.dims == data.dims ? &found : nullptr;
}

// DATA=GENERATED, taken apart; both must be there, of one shape.
std::pair<std::string, std::string> pair_of(const Fit& fit, const std::string& pair,
                                            std::span<const density::ObservedVariable> data) {
  const std::size_t sign = pair.find('=');
  if (sign == std::string::npos)
    throw Error(ErrorCode::usage, "must be of the form DATA=GENERATED, is " + pair, "--pair",
                "--pair y=y_rep");
  const std::string name = pair.substr(0, sign), twin = pair.substr(sign + 1);
  const auto it = std::find_if(data.begin(), data.end(),
                               [&](const auto& one) { return one.variable.name == name; });
  if (it == data.end())
    throw Error(ErrorCode::usage, fmt::format("the data of the program have no {}", name), "--pair",
                "name a variable of the data block, then a generated quantity");
  if (twin_of(fit, it->variable, twin) == nullptr)
    throw Error(ErrorCode::usage, fmt::format("the fit has no {} of the shape of {}", twin, name),
                "--pair", "name a generated quantity of the same shape");
  return {name, twin};
}

std::string twin_by_ending(const Fit& fit, const density::Variable& data) {
  for (const std::string_view ending : kEndings)
    if (twin_of(fit, data, data.name + std::string(ending)) != nullptr)
      return data.name + std::string(ending);
  return {};
}

// Data with the outputs that replicate them: named by the user, or by their endings. If the program
// has a density of data, endings are looked up for those data alone; otherwise for all data.
std::vector<std::pair<density::ObservedVariable, std::string>> twins_of(
    const Fit& fit, const density::Model& model, std::span<const std::string> pairs) {
  const std::vector<density::ObservedVariable> data = all_data(model),
                                               observed = observed_data(model);
  std::map<std::string, std::string> named;
  for (const std::string& pair : pairs) named.insert(pair_of(fit, pair, data));
  std::vector<std::pair<density::ObservedVariable, std::string>> twins;
  for (const density::ObservedVariable& one : data) {
    const std::string& name = one.variable.name;
    const bool is_outcome =
        observed.empty() || std::any_of(observed.begin(), observed.end(), [&](const auto& other) {
          return other.variable.name == name;
        });
    const auto it = named.find(name);
    const std::string twin = it != named.end() ? it->second
                             : is_outcome      ? twin_by_ending(fit, one.variable)
                                               : std::string();
    if (!twin.empty()) twins.emplace_back(one, twin);
  }
  return twins;
}

void take_outputs(Replicated& one, const Fit& fit, const std::string& twin,
                  const ChosenDraws& chosen) {
  one.source = twin;
  one.draws.clear();
  const Index variable = *fit.layout().find_variable(twin);
  const Index first = fit.layout().first(variable),
              count = fit.layout().first(variable + 1) - first;
  for (Index c = 0; c < fit.num_chains(); ++c) {
    const density::Draws draws = fit.read(
        {.first = first_output(fit) + first, .count = count, .first_chain = c, .num_chains = 1});
    for (Index k = 0; k < chosen.count(); ++k) {
      std::vector<double>& own = one.draws.emplace_back();
      for (Index e = 0; e < count; ++e) own.push_back(draws(chosen.draw(c, k), 0, e));
    }
  }
}
}  // namespace

std::vector<Replicated> replicate_fit(const Fit& fit, const density::Model& model,
                                      const CheckOptions& options) {
  const ChosenDraws chosen(fit, options.num_draws);
  std::vector<Replicated> all;
  for (const auto& [data, twin] : twins_of(fit, model, options.pairs)) {
    Replicated& one =
        all.emplace_back(Replicated{.name = data.variable.name,
                                    .source = twin,
                                    .is_whole = data.variable.kind == density::Kind::whole,
                                    .observed = data.values,
                                    .elements = density::Layout({data.variable}).element_names(),
                                    .draws = {}});
    take_outputs(one, fit, twin, chosen);
  }
  if (!all.empty()) return all;
  return from_statements(fit, model, chosen, options.seed);
}

std::vector<Replicated> replicate_prior(const density::Model& model, const CheckOptions& options) {
  Simulator simulator(model);
  std::vector<Replicated> all = frames_of(simulator.replicates());
  for (Index k = 0; k < options.num_draws; ++k) {
    stop_if_asked();
    simulator.draw(options.seed, k);
    take_draw(all, simulator.replicates(), simulator.replicates().last());
  }
  return all;
}

double PredictiveCheck::share_within(double probability) const {
  const double edge = 0.5 * (1.0 - probability);
  const auto inside = std::count_if(places.begin(), places.end(),
                                    [&](double p) { return p >= edge && p <= 1.0 - edge; });
  return static_cast<double>(inside) / static_cast<double>(places.size());
}

namespace {
// 1 above, 1/2 at, 0 below.
double above(double replicate, double observed) {
  return replicate > observed ? 1.0 : replicate == observed ? 0.5 : 0.0;
}

// p-value from the share `tail` of n draws on one side; the Monte Carlo error gives the number of independent draws.
double two_sided_p(double tail, double error, double n) {
  const double p = std::min(tail, 1.0 - tail);
  const bool is_known = p > 0.0 && std::isfinite(error) && error > 0.0;
  const double independent = is_known ? std::clamp(p * (1.0 - p) / (error * error), 1.0, n) : n;
  return std::min(1.0, 2.0 * (p * independent + 1.0) / (independent + 1.0));
}

// Compares values of a statistic in each draw, those of replicates and those of the data.
StatisticCheck compare(std::string name, std::span<const double> values,
                       std::span<const double> observed, Index num_chains) {
  StatisticCheck check{.statistic = std::move(name), .observed = diagnose::mean(observed)};
  std::vector<double> tails;
  for (std::size_t s = 0; s < values.size(); ++s) tails.push_back(above(values[s], observed[s]));
  check.mean = diagnose::mean(values);
  check.q5 = diagnose::quantile(values, 0.05), check.q95 = diagnose::quantile(values, 0.95);
  check.tail = diagnose::mean(tails);
  const double error = diagnose::mcse_mean({tails, ssize(tails) / num_chains, num_chains});
  // If no one of n draws is on one side, the share there is below 3 / n with probability 0.95.
  check.error = std::isfinite(error) ? error : 1.5 / static_cast<double>(tails.size());
  check.p_value = two_sided_p(check.tail, error, static_cast<double>(tails.size()));
  return check;
}

StatisticCheck check_statistic(const TestStatistic& statistic, const Replicated& replicated,
                               Index num_chains) {
  std::vector<double> values;
  for (const std::vector<double>& draw : replicated.draws) values.push_back(statistic.value(draw));
  const double observed = statistic.value(replicated.observed);
  StatisticCheck check = compare(std::string(statistic.name), values,
                                 std::vector<double>(values.size(), observed), num_chains);
  check.observed = observed;
  return check;
}
}  // namespace

std::vector<Index> draws_of_replicates(const Fit& fit, Index most) {
  const ChosenDraws chosen(fit, most);
  std::vector<Index> draws;
  for (Index c = 0; c < fit.num_chains(); ++c)
    for (Index k = 0; k < chosen.count(); ++k)
      draws.push_back(c * fit.num_draws(false) + chosen.draw(c, k));
  return draws;
}

namespace {
const density::Variable& output_named(const Fit& fit, const std::string& name) {
  const auto at = fit.layout().find_variable(name);
  if (!at)
    throw Error(ErrorCode::usage, "the fit has no output " + name, "--pair-statistic",
                "compute it in generated quantities");
  return fit.layout().variables()[static_cast<std::size_t>(*at)];
}

// An element of an output in each draw, where all count the same.
std::vector<double> values_of(const Fit& fit, Index quantity, std::span<const Index> same_weight) {
  const density::Draws draws = fit.quantities(false, quantity, 1);
  const auto values = draws.quantity(0);
  if (same_weight.empty()) return {values.begin(), values.end()};
  std::vector<double> chosen;
  for (const Index draw : same_weight) chosen.push_back(values[static_cast<std::size_t>(draw)]);
  return chosen;
}
}  // namespace

PredictiveCheck check_pairs(const Fit& fit, std::span<const std::string> pairs) {
  PredictiveCheck check{
      .name = "own statistics", .source = {}, .statistics = {}, .places = {}, .elements = {}};
  check.num_draws = fit.num_draws(false) * fit.num_chains();
  const std::vector<Index> same_weight = equally_weighted(fit);
  for (const std::string& pair : pairs) {
    const std::size_t sign = pair.find('=');
    if (sign == std::string::npos)
      throw Error(ErrorCode::usage, "must be of the form REPLICATED=OBSERVED, is " + pair,
                  "--pair-statistic", "--pair-statistic T_rep=T_obs");
    const density::Variable &replicated = output_named(fit, pair.substr(0, sign)),
                            &observed = output_named(fit, pair.substr(sign + 1));
    if (replicated.dims != observed.dims)
      throw Error(ErrorCode::usage,
                  fmt::format("{} and {} have other sizes", replicated.name, observed.name),
                  "--pair-statistic", "compute both in the same shape");
    for (Index e = 0; e < replicated.size(); ++e) {
      const auto values = [&](const density::Variable& variable) {
        return values_of(fit, *find_quantity(fit, variable.element_name(e)), same_weight);
      };
      check.statistics.push_back(compare(replicated.element_name(e), values(replicated),
                                         values(observed), fit.num_chains()));
    }
  }
  return check;
}

namespace {
constexpr std::size_t kMostBars = 50;

std::vector<ValueCheck> bars_of(const Replicated& replicated) {
  std::map<double, ValueCheck> bars;
  for (const double x : replicated.observed) ++bars[x].observed;
  for (const std::vector<double>& draw : replicated.draws) {
    for (const double x : draw) bars[x];
    if (bars.size() > kMostBars) return {};
  }
  std::vector<ValueCheck> all;
  for (auto& [value, bar] : bars) {
    bar.value = value;
    std::vector<double> counts;
    for (const std::vector<double>& draw : replicated.draws)
      counts.push_back(static_cast<double>(std::count(draw.begin(), draw.end(), value)));
    bar.mean = diagnose::mean(counts);
    bar.q5 = diagnose::quantile(counts, 0.05), bar.q95 = diagnose::quantile(counts, 0.95);
    all.push_back(bar);
  }
  return all;
}

Index num_compared(std::span<const PredictiveCheck> checks) {
  Index count = 0;
  for (const PredictiveCheck& check : checks) count += ssize(check.statistics);
  return count;
}
}  // namespace

void mark_extremes(std::span<PredictiveCheck> checks) {
  const auto count = static_cast<double>(num_compared(checks));
  for (PredictiveCheck& check : checks)
    for (StatisticCheck& s : check.statistics) s.is_far_out = s.p_value * count <= kAccusedTogether;
}

Index replicates_needed(std::span<const PredictiveCheck> checks) {
  const double count = 2.0 * static_cast<double>(num_compared(checks));
  return static_cast<Index>(std::ceil(count / kAccusedTogether)) - 1;  // p = 2 / (n + 1)
}

std::vector<Replicated> by_groups(const Replicated& replicated,
                                  const density::ObservedVariable& groups,
                                  const std::function<std::string(double value)>& label_of) {
  if (groups.values.size() != replicated.observed.size())
    throw Error(ErrorCode::usage,
                fmt::format("{} has {} values, and {} has {} that are drawn", groups.variable.name,
                            groups.values.size(), replicated.name, replicated.observed.size()),
                "--group", "name a variable of the data with a value for each outcome");
  std::map<double, std::vector<std::size_t>> members;
  for (std::size_t e = 0; e < groups.values.size(); ++e) members[groups.values[e]].push_back(e);
  std::vector<Replicated> all;
  for (const auto& [group, elements] : members) {
    const auto chosen = [&](const auto& values) {
      std::decay_t<decltype(values)> own;
      for (const std::size_t e : elements) own.push_back(values[e]);
      return own;
    };
    Replicated& one = all.emplace_back(Replicated{
        .name = fmt::format("{}[{} = {}]", replicated.name, groups.variable.name, label_of(group)),
        .source = replicated.source,
        .is_whole = replicated.is_whole,
        .observed = chosen(replicated.observed),
        .elements = chosen(replicated.elements),
        .draws = {}});
    for (const std::vector<double>& draw : replicated.draws) one.draws.push_back(chosen(draw));
  }
  return all;
}

namespace {
bool is_binary(const Replicated& replicated) {
  const auto all_binary = [](std::span<const double> values) {
    return std::ranges::all_of(values, [](double x) { return x == 0.0 || x == 1.0; });
  };
  return replicated.is_whole && all_binary(replicated.observed) &&
         std::ranges::all_of(replicated.draws, all_binary);
}
// Rows in the order of the outcome: neighbours are alike for that reason, whatever the model is.
bool is_sorted(std::span<const double> values) {
  return std::ranges::is_sorted(values) || std::ranges::is_sorted(values, std::greater<>());
}
}  // namespace

PredictiveCheck check_replicated(const Replicated& replicated, Index num_chains,
                                 std::span<const std::string> statistics) {
  PredictiveCheck check{.name = replicated.name,
                        .source = replicated.source,
                        .num_draws = ssize(replicated.draws),
                        .is_binary = is_binary(replicated),
                        .statistics = {},
                        .places = {},
                        .elements = replicated.elements};
  if (replicated.observed.empty()) return check;
  for (const std::string& name : statistics)
    check.statistics.push_back(check_statistic(find_test_statistic(name), replicated, num_chains));
  if (statistics.empty())
    for (const TestStatistic& statistic : test_statistics())
      if ((check.is_binary ? statistic.of_binary : !statistic.of_counts || replicated.is_whole) &&
          !(statistic.of_order && is_sorted(replicated.observed)))
        check.statistics.push_back(check_statistic(statistic, replicated, num_chains));
  for (std::size_t e = 0; e < replicated.observed.size(); ++e) {
    double sum = 0.0;
    for (const std::vector<double>& draw : replicated.draws)
      sum += 1.0 - above(draw[e], replicated.observed[e]);
    check.places.push_back(sum / static_cast<double>(replicated.draws.size()));
  }
  check.num_censored = replicated.num_censored;
  if (replicated.is_whole) check.bars = bars_of(replicated);
  mark_extremes(std::span(&check, 1));
  return check;
}

}  // namespace credo::results
