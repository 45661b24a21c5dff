#include "verdict/case.hpp"

#include <boost/math/special_functions/gamma.hpp>

#include "base/stop.hpp"
#include "base/tasks.hpp"
#include "diagnose/convergence.hpp"
#include "infer/core/table.hpp"
#include "infer/variational/approximation.hpp"
#include "numerics/radix_sort.hpp"
#include "verdict/certificate.hpp"
#include "verdict/mass_gaps.hpp"
#include "verdict/scouts.hpp"

namespace credo::verdict {
namespace {
constexpr Index kBatchValues = (Index{256} << 20) / 8;  // values that are read at once
constexpr Index kJudgeAll = 1000;       // outputs that get R-hat and ESS without asking
constexpr Index kJudgeWorst = 300;      // of more: those that look worst
constexpr Index kProbedDraws = 128;     // for the density around them
constexpr Index kMostKept = 4'000'000;  // values of probed draws in memory
constexpr Index kMostOrders = (Index{64} << 20) / 4;  // places in the orders of columns

std::vector<double> within_ess(const diagnose::Chains& chains);
double p_value_of(const diagnose::Chains& normalised);
}  // namespace

Case::Case(const Evidence& e)
    : evidence(e), num_draws(e.draws->num_draws()), num_chains(e.draws->num_chains()) {
  for (std::size_t v = 0; v < e.variables.size(); ++v)
    variable_.insert(variable_.end(), static_cast<std::size_t>(e.variables[v].count), v);
  if (is_short()) return;
  measure();
  judge_columns();
  judge_log_density();
}

Case::~Case() = default;

const Variable& Case::variable_of(Index column) const {
  return evidence.variables[variable_[static_cast<std::size_t>(column)]];
}

std::optional<density::Place> Case::place_of(Index column) const {
  return place_of(variable_of(column).name);
}

std::optional<density::Place> Case::place_of(std::string_view name) const {
  if (evidence.program == nullptr) return std::nullopt;
  const auto* output = evidence.program->find_output(name.substr(0, name.find_first_of(".:")));
  const bool is_known = output != nullptr && output->declared.line > 0;
  return is_known ? std::optional(output->declared) : std::nullopt;
}

// With its neighbours, which are often asked next: a file is gone through once for all of them.
diagnose::ChainsCopy Case::draws(Index column) const {
  constexpr Index kNeighbours = 128;
  if (!is_read(column)) {
    const Index count =
        std::clamp(kBatchValues / std::max<Index>(1, num_total()), Index{1}, kNeighbours);
    first_read_ = column / count * count;
    read_ = evidence.draws->read(first_read_,
                                 std::min(count, ssize(evidence.draws->outputs()) - first_read_));
  }
  const auto values = read_.quantity(column - first_read_);
  return {{values.begin(), values.end()}, num_draws, num_chains};
}

const std::vector<double>& Case::statistic(std::string_view name) const {
  const auto known = statistics_.find(name);
  if (known != statistics_.end()) return known->second;
  return statistics_[std::string(name)] = evidence.draws->statistic(name);
}

const std::vector<double>& Case::median_log_densities() const {
  if (median_log_densities_) return *median_log_densities_;
  std::vector<double>& medians = median_log_densities_.emplace();
  const std::vector<double>& density = statistic("log_density");
  if (density.empty()) return medians;
  const diagnose::Chains all{density, num_draws, num_chains};
  for (Index c = 0; c < num_chains; ++c) medians.push_back(diagnose::quantile(all.chain(c), 0.5));
  return medians;
}

// Within one distribution the log density varies by the root of D / 2, and a place that is wider by a factor of
// 100 in every coordinate makes up for 5 nats each.
bool Case::has_late_chains() const {
  constexpr double kBelow = 20.0, kBelowEach = 5.0;
  const std::vector<double>& medians = median_log_densities();
  if (medians.empty()) return false;
  const auto [lowest, highest] = std::minmax_element(medians.begin(), medians.end());
  return *highest - *lowest > kBelow + kBelowEach * static_cast<double>(sampled.size());
}

bool Case::is_of_particles() const {
  const auto rows = infer::samplers();
  return evidence.run != nullptr &&
         std::any_of(rows.begin(), rows.end(), [&](const infer::SamplerSpec* row) {
           return row->name == evidence.run->sampler && row->family == infer::Family::particles;
         });
}

bool Case::is_of_approximation() const {
  return evidence.run != nullptr && infer::is_approximation(evidence.run->sampler);
}

bool Case::has_mixed_well() const {
  constexpr double kRHat = 1.01, kEnough = 400.0,
                   kShare = 0.1;  // [vehtari2021]; kShare: share of the draws
  const double least = std::max(kEnough, kShare * static_cast<double>(num_total()));
  return std::none_of(sampled.begin(), sampled.end(), [&](Index k) {
    const Column& column = columns[static_cast<std::size_t>(k)];
    return column.r_hat > kRHat || std::fmin(column.ess_bulk, column.ess_tail) < least;
  });
}

double Case::share_cut_off() const {
  const std::vector<double>& depths = statistic("tree_depth");
  if (depths.empty()) return 0.0;
  const double most = static_cast<double>(evidence.max_tree_depth);
  const auto deep =
      std::count_if(depths.begin(), depths.end(), [&](double d) { return d >= most; });
  return static_cast<double>(deep) / static_cast<double>(depths.size());
}

const Probe* Case::probe() const {
  if (!probe_) {
    std::vector<Index> indices;
    for (const Column& column : columns)
      if (column.sampled) indices.push_back(column.index);
    const bool all_kept = ssize(kept_) == ssize(indices);
    probe_ = all_kept ? Probe::make(evidence, indices, kept_) : nullptr;
  }
  return probe_->get();
}

const std::vector<TailOrder>& Case::tail_orders() const {
  constexpr Index kEvaluationsEach = 24;
  if (tail_orders_) return *tail_orders_;
  tail_orders_.emplace();
  if (const Probe* asked = probe())
    for (Index d = 0; d < asked->dimension() && asked->budget() > kEvaluationsEach; ++d)
      tail_orders_->push_back(tail_order(*asked, d));
  return *tail_orders_;
}

const std::vector<MassCheck>& Case::mass_checks() const {
  if (mass_checks_ == nullptr)
    mass_checks_ = std::make_unique<std::vector<MassCheck>>(check_masses(*this));
  return *mass_checks_;
}

const Certificate& Case::certificate() const {
  if (certificate_ == nullptr)
    certificate_ = std::make_unique<Certificate>(make_certificate(*this));
  return *certificate_;
}

const ModeSearch& Case::mode_search() const {
  if (mode_search_ == nullptr) mode_search_ = std::make_unique<ModeSearch>(search_modes(*this));
  return *mode_search_;
}

Dilation Case::heaviest_dilation() const {
  constexpr Index kEvaluationsEach = 16, kMostScales = 50, kMostCarried = 200;
  constexpr double kPower = 10.0;  // a tail of this order has light ones however much goes along
  Dilation heaviest;
  const Probe* asked = probe();
  if (asked == nullptr) return heaviest;
  const auto ask = [&](Index d, std::vector<Index> along) {
    const double order = dilation_order(*asked, d, along);
    if (order < heaviest.order) heaviest = {d, std::move(along), order};
  };
  const std::vector<TailOrder>& alone = tail_orders();
  const std::vector<Index> linear = linear_coordinates(*asked);
  const Index count = std::min(asked->dimension(), kMostScales);
  for (Index d = 0; d < count && asked->budget() > kEvaluationsEach; ++d) {
    ask(d, linear);
    const bool is_power = d < ssize(alone) && alone[static_cast<std::size_t>(d)].upper < kPower;
    if (asked->reach(d) == Reach::exponential && is_power && ssize(linear) <= kMostCarried &&
        asked->budget() > kEvaluationsEach + 2 * ssize(linear))
      ask(d, carried_along(*asked, d));
  }
  return heaviest;
}

// ---- figures of every output

void Case::measure() {
  const auto& names = evidence.draws->outputs();
  const Index batch = std::max<Index>(1, kBatchValues / std::max<Index>(1, num_total()));
  for (Index first = 0; first < ssize(names); first += batch) {
    const Index count = std::min(batch, ssize(names) - first);
    density::Draws part = evidence.draws->read(first, count);
    const auto chains = [&](Index k) {
      return diagnose::Chains{part.quantity(k), num_draws, num_chains};
    };
    columns.resize(columns.size() + static_cast<std::size_t>(count));
    side_by_side(count, [&](Index k) {
      columns[static_cast<std::size_t>(first + k)] = measured(first + k, chains(k));
    });
    for (Index k = 0; k < count; ++k) keep_points(first + k, chains(k));
    if (count == ssize(names)) read_ = std::move(part);
  }
  if (num_total() * ssize(names) <= kMostOrders) orders_.resize(names.size());
}

// Few values are computed in this thread, because starting others would take longer.
void Case::side_by_side(Index count, const std::function<void(Index)>& work) const {
  constexpr Index kWorthThreads = 50'000;  // values
  std::vector<std::function<void()>> tasks;
  for (Index k = 0; k < count; ++k) tasks.emplace_back([&work, k] { work(k); });
  if (num_total() * count < kWorthThreads)
    for (const auto& task : tasks) task();
  else
    do_all(tasks);
  stop_if_asked();
}

Column Case::measured(Index index, const diagnose::Chains& chains) const {
  Column column{.name = evidence.draws->outputs()[static_cast<std::size_t>(index)],
                .index = index,
                .sampled = variable_of(index).sampled};
  column.num_missing = std::count_if(chains.values.begin(), chains.values.end(),
                                     [](double x) { return std::isnan(x); });
  column.constant = diagnose::is_degenerate(chains.values);
  if (column.constant) return column;
  column.mean = diagnose::mean(chains.values);
  column.sd = std::sqrt(diagnose::variance(chains.values));
  const auto [low, high] = std::minmax_element(chains.values.begin(), chains.values.end());
  column.lowest = *low, column.highest = *high;
  column.chain_mean = diagnose::means(chains);
  column.chain_sd = diagnose::variances(chains, column.chain_mean);
  for (double& sd : column.chain_sd) sd = std::sqrt(sd);
  column.screen = diagnose::plain_r_hat(diagnose::split(chains));
  return column;
}

// Draws spread evenly over all chains.
void Case::keep_points(Index index, const diagnose::Chains& chains) {
  if (!variable_of(index).sampled || evidence.model == nullptr) return;
  const Index count = std::min(kProbedDraws, num_total());
  if ((ssize(kept_) + 1) * count > kMostKept) return;
  std::vector<double> values;
  for (Index m = 0; m < count; ++m)
    values.push_back(
        chains.values[static_cast<std::size_t>((2 * m + 1) * num_total() / (2 * count))]);
  kept_.push_back(std::move(values));
}

void Case::judge_columns() {
  std::vector<Index> order;
  for (const Column& column : columns) {
    if (column.constant) continue;
    order.push_back(column.index);
    if (column.sampled) sampled.push_back(column.index);
  }
  if (ssize(order) > kJudgeAll) {
    std::stable_sort(order.begin(), order.end(), [this](Index a, Index b) {
      return columns[static_cast<std::size_t>(a)].screen >
             columns[static_cast<std::size_t>(b)].screen;
    });
    order.resize(kJudgeWorst);
  }
  num_judged = ssize(order);
  std::vector<Index> unknown;
  for (const Index k : order) {
    const auto known = evidence.figures ? evidence.figures(k) : std::nullopt;
    known ? take(columns[static_cast<std::size_t>(k)], *known) : unknown.push_back(k);
  }
  std::sort(unknown.begin(), unknown.end());  // in the order of the file
  each_column(unknown, [&](std::size_t at, const diagnose::Chains& chains) {
    take(columns[static_cast<std::size_t>(unknown[at])], diagnose::convergence(chains));
  });
}

// The order is computed once. Called for different columns at the same time.
diagnose::Chains Case::with_order(Index column, std::span<const double> values) const {
  if (orders_.empty()) return {values, num_draws, num_chains};
  std::vector<std::uint32_t>& order = orders_[static_cast<std::size_t>(column)];
  if (order.empty()) order = numerics::order_of(values);
  return {values, num_draws, num_chains, order};
}

// Each batch gives the threads enough work; its values are copied unless all outputs are in memory.
void Case::each_column(
    std::span<const Index> indices,
    const std::function<void(std::size_t place, const diagnose::Chains& draws)>& work) const {
  constexpr std::size_t kAtOnce = 64;
  const std::size_t most = static_cast<std::size_t>(
      std::clamp(kBatchValues / std::max<Index>(1, num_total()), Index{1}, ssize(indices) + 1));
  const std::size_t step = std::min(most, kAtOnce);
  for (std::size_t first = 0; first < indices.size(); first += step) {
    const auto part = indices.subspan(first, std::min(step, indices.size() - first));
    const bool are_read = read_.num_quantities() == ssize(columns);
    std::vector<diagnose::ChainsCopy> copies;
    if (!are_read)
      for (const Index k : part) copies.push_back(draws(k));
    side_by_side(ssize(part), [&](Index k) {
      const auto i = static_cast<std::size_t>(k);
      work(first + i, with_order(part[i], are_read ? read_.quantity(part[i]) : copies[i].values));
    });
  }
}

void Case::take(Column& column, const diagnose::Convergence& figures) const {
  column.r_hat = is_of_approximation() ? kNaN : figures.r_hat;
  column.ess_bulk = figures.ess_bulk;
  column.ess_tail = figures.ess_tail;
}

void Case::judge_log_density() {
  const std::vector<double>& values = statistic("log_density");
  if (!values.empty() && !diagnose::is_degenerate(values))
    take(log_density_, diagnose::convergence({values, num_draws, num_chains}));
}

// ---- chains against their own noise

double mixing_p_value(const diagnose::Chains& chains) {
  if (diagnose::is_degenerate(chains.values) || chains.num_draws < 20) return kNaN;
  const double location = p_value_of(diagnose::rank_normalise(diagnose::split(chains)));
  const double spread =
      p_value_of(diagnose::rank_normalise(diagnose::split(diagnose::fold(chains))));
  return std::min(1.0, 2.0 * std::min(location, spread));
}

namespace {
// Effective sample size of each chain alone.
std::vector<double> within_ess(const diagnose::Chains& chains) {
  std::vector<double> sizes;
  for (Index c = 0; c < chains.num_chains; ++c) {
    const double ess = diagnose::plain_ess({chains.chain(c), chains.num_draws, 1});
    sizes.push_back(std::isnan(ess) ? 1.0
                                    : std::clamp(ess, 1.0, static_cast<double>(chains.num_draws)));
  }
  return sizes;
}

// Σ n_c (x̄_c - x̄)² / s² with the effective sizes n_c: chi-square with C - 1 degrees of freedom
// under one distribution. The sizes are estimates from short chains; their mean is steadier than each.
double p_value_of(const diagnose::Chains& chains) {
  const std::vector<double> sizes = within_ess(chains);
  const double size =
      std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
  double within = 0.0;
  for (Index c = 0; c < chains.num_chains; ++c) within += diagnose::variance(chains.chain(c));
  within /= static_cast<double>(chains.num_chains);
  const double freedom = static_cast<double>(chains.num_chains - 1);
  const double statistic = freedom * size * diagnose::variance_of_means(chains) / within;
  if (!(statistic > 0.0)) return 1.0;
  return std::isinf(statistic) ? 0.0 : boost::math::gamma_q(freedom / 2.0, statistic / 2.0);
}
}  // namespace

}  // namespace credo::verdict
