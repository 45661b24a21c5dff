// Rain that nobody measured well: a rain generator, a gauge and the runoff of a reservoir (E16 of
// the catalogue's file 000). The rain itself is sampled, a window of it at a time.
//
//   z_t = m + φ (z_{t-1} - m) + sqrt(1 - φ²) ε_t,  rain r_t = max(z_t, 0)²   the generator
//   gauge_t ~ N(r_t, 0.5²)
//   storage S_t = (S_{t-1} + r_t) e^{-k},  runoff_t ~ N((S_{t-1} + r_t) (1 - e^{-k}), 0.3²)
//   q = (log k, z_1 .. z_T),  log k ~ N(log 0.5, 0.5²)
//
// On three days the posterior is a sum over a grid. On forty the inferred rain is better than
// the gauge's, and windows show how far a stretch can be drawn anew.
#include "density/function_density.hpp"
#include "diagnose/autocorrelation.hpp"
#include "diagnose/convergence.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/compose/compose.hpp"
#include "infer/mcmc/walk/proposals.hpp"

namespace {
using namespace credo;
using examples::Estimate;

constexpr double kMean = -0.3, kPhi = 0.8, kInnovation = 0.6;  // sqrt(1 - 0.8²)
constexpr double kGaugeSd = 0.5, kRunoffSd = 0.3, kRate = 0.35;
constexpr double kLogRateSd = 0.5;
const double kLogRateMean = std::log(0.5);
constexpr Index kChains = 20;

double rain(double z) { return z > 0.0 ? z * z : 0.0; }

// ---- the model ----

struct Record {
  std::vector<double> gauge, runoff;
  std::vector<double> truth;  // the rain
};

// z of days [begin, end) given the days around them; z[t] is day t + 1, counted from 0.
void regenerate(std::span<double> z, Index begin, Index end, Rng& rng) {
  for (Index t = begin; t < end; ++t) {
    const bool has_right = end < ssize(z);
    // z_t given the day before is N(m + φ (z - m), 1 - φ²), the first N(m, 1); the first day after
    // the window given z_t is N(m + φ^s (z_t - m), 1 - φ^2s)
    double precision = t > 0 ? 1.0 / (kInnovation * kInnovation) : 1.0;
    double weighted = t > 0 ? kPhi * (z[std::size_t(t - 1)] - kMean) * precision : 0.0;
    if (has_right) {
      const double power = std::pow(kPhi, static_cast<double>(end - t));
      const double variance = 1.0 - power * power;
      precision += power * power / variance;
      weighted += power * (z[std::size_t(end)] - kMean) / variance;
    }
    z[std::size_t(t)] = kMean + weighted / precision + rng.normal() / std::sqrt(precision);
  }
}

double log_generator(std::span<const double> z) {
  double sum = -0.5 * (z[0] - kMean) * (z[0] - kMean);
  for (std::size_t t = 1; t < z.size(); ++t) {
    const double off = (z[t] - kMean - kPhi * (z[t - 1] - kMean)) / kInnovation;
    sum -= 0.5 * off * off;
  }
  return sum;
}

double log_prior_of_rate(double log_rate) {
  const double off = (log_rate - kLogRateMean) / kLogRateSd;
  return -0.5 * off * off;
}

double log_likelihood(const Record& record, double log_rate, std::span<const double> z) {
  const double stays = std::exp(-std::exp(log_rate));
  double sum = 0.0, storage = 0.0;
  for (std::size_t t = 0; t < z.size(); ++t) {
    const double filled = storage + rain(z[t]);
    const double gauge = (record.gauge[t] - rain(z[t])) / kGaugeSd;
    const double runoff = (record.runoff[t] - filled * (1.0 - stays)) / kRunoffSd;
    sum -= 0.5 * (gauge * gauge + runoff * runoff);
    storage = filled * stays;
  }
  return sum;
}

Record simulate(Index num_days, std::uint64_t seed) {
  Rng rng({.seed = seed, .purpose = purpose::kTest});
  std::vector<double> z(static_cast<std::size_t>(num_days));
  regenerate(z, 0, num_days, rng);
  Record record;
  double storage = 0.0;
  for (const double value : z) {
    const double filled = storage + rain(value), stays = std::exp(-kRate);
    record.truth.push_back(rain(value));
    record.gauge.push_back(rain(value) + kGaugeSd * rng.normal());
    record.runoff.push_back(filled * (1.0 - stays) + kRunoffSd * rng.normal());
    storage = filled * stays;
  }
  return record;
}

std::shared_ptr<const density::LogDensity> posterior(const Record& record) {
  const Index dimension = 1 + ssize(record.gauge);
  return density::make_density(
      dimension, [record](std::span<const double> q, std::span<double> gradient) {
        std::fill(gradient.begin(), gradient.end(), 0.0);  // Metropolis doesn't ask for it
        const std::span<const double> z = q.subspan(1);
        return log_prior_of_rate(q[0]) + log_generator(z) + log_likelihood(record, q[0], z);
      });
}

infer::Generator generator(Index num_days, Index window) {
  return {.first = 1,
          .count = num_days,
          .window = window,
          .regenerate = [](std::span<double> q, Index begin, Index end,
                           Rng& rng) { regenerate(q.subspan(1), begin - 1, end - 1, rng); },
          .log_prior = [](std::span<const double> q) { return log_generator(q.subspan(1)); }};
}

infer::KernelMaker window_update(Index num_days, Index window) {
  return infer::metropolis(infer::regenerated_window(generator(num_days, window)));
}

// k by Metropolis with the rain as it is, then windows of the rain with k as it is; again and
// again.
infer::KernelMaker sweep(Index num_days, const std::vector<Index>& windows, Index num_rounds) {
  std::vector<infer::KernelMaker> parts;
  for (Index round = 0; round < num_rounds; ++round) {
    parts.push_back(infer::on_coordinates({0}, infer::kernel("rwm")));
    for (const Index window : windows) parts.push_back(window_update(num_days, window));
  }
  return infer::cycle(parts);
}

infer::StoredDraws run(const Record& record, const infer::KernelMaker& kernel, Index num_draws,
                       const std::vector<double>& start = {}) {
  infer::SampleOptions options{.num_chains = kChains,
                               .num_warmup = 2000,
                               .num_draws = num_draws,
                               .seed = 16,
                               .num_threads = 1};
  if (!start.empty()) options.init = {start};
  infer::StoredDraws store;
  infer::run_kernel(*posterior(record), options, kernel, store);
  return store;
}

// Mean of a function of draws over the chains.
template <class Function>
Estimate mean_over(const infer::StoredDraws& store, Function&& function) {
  std::vector<double> means;
  for (Index c = 0; c < kChains; ++c) {
    double sum = 0.0;
    for (Index s = 0; s < store.draws.num_draws(); ++s) sum += function(s, c);
    means.push_back(sum / static_cast<double>(store.draws.num_draws()));
  }
  return examples::mean_of(means);
}

// ---- three days, exactly ----

// Means of log k, its square, and the rain of each day.
using Moments = std::array<double, 5>;

// Midpoints at 0.15 from -5.1 to 5.1, so that z = 0, where the rain's second derivative jumps, is
// the side of a cell; log k in steps of 0.05. The rule's error for a smooth density is far below
// 1e-6, the jump's of the order of 0.15³ / 12, below 3e-4.
Moments moments_by_grid(const Record& record) {
  Moments sums{};
  double total = 0.0;
  std::array<double, 3> z{};
  const auto add_rates = [&] {
    const double path = log_generator(z);
    for (double u = -3.5; u < 1.5; u += 0.05) {
      const double weight = std::exp(path + log_prior_of_rate(u) + log_likelihood(record, u, z));
      total += weight;
      const Moments at = {u, u * u, rain(z[0]), rain(z[1]), rain(z[2])};
      for (std::size_t k = 0; k < at.size(); ++k) sums[k] += weight * at[k];
    }
  };
  const auto middle = [](int i) { return 0.15 * (i + 0.5); };
  for (int i = -34; i < 34; ++i)
    for (int j = -34; j < 34; ++j)
      for (int k = -34; k < 34; ++k) {
        z = {middle(i), middle(j), middle(k)};
        add_rates();
      }
  for (double& sum : sums) sum /= total;
  return sums;
}

void claim_three_days(examples::Experiment& experiment) {
  const Record record = simulate(3, 161);
  const Moments exact = moments_by_grid(record);
  for (const Index window : {1, 2, 3}) {
    const infer::StoredDraws store = run(record, sweep(3, {window, window, window}, 1), 10'000);
    const std::string name = "three days, windows of " + std::to_string(window);
    const auto within = [&](const std::string& what, std::size_t k, auto&& function) {
      const Estimate found = mean_over(store, function);
      experiment.within(name + what, found.mean, exact[k], 4.0 * found.error + 3e-4);
    };
    const density::Draws& q = store.draws;
    within(": log k", 0, [&](Index s, Index c) { return q(s, c, 0); });
    within(": its square", 1, [&](Index s, Index c) { return q(s, c, 0) * q(s, c, 0); });
    for (Index day = 1; day <= 3; ++day)
      within(": rain of day " + std::to_string(day), static_cast<std::size_t>(day + 1),
             [&](Index s, Index c) { return rain(q(s, c, day)); });
  }
}

// ---- forty days ----

constexpr Index kDays = 40;

void claim_rain(examples::Experiment& experiment, const Record& record,
                const infer::StoredDraws& store) {
  const density::Draws& q = store.draws;
  double of_mean = 0.0, of_gauge = 0.0;
  Index within_band = 0;
  examples::Table& table =
      experiment.table("series", {"day", "truth", "gauge", "mean", "low", "high"});
  for (Index day = 0; day < kDays; ++day) {
    const auto t = static_cast<std::size_t>(day);
    const auto all = q.quantity(day + 1);
    std::vector<double> drawn(all.begin(), all.end());
    for (double& value : drawn) value = rain(value);
    const double mean = diagnose::mean(drawn), low = diagnose::quantile(drawn, 0.05),
                 high = diagnose::quantile(drawn, 0.95);
    of_mean += (mean - record.truth[t]) * (mean - record.truth[t]);
    of_gauge += (record.gauge[t] - record.truth[t]) * (record.gauge[t] - record.truth[t]);
    within_band += record.truth[t] >= low && record.truth[t] <= high;
    table.row({static_cast<double>(day + 1), record.truth[t], record.gauge[t], mean, low, high});
  }
  experiment.at_most("error of the inferred rain / of the gauge", std::sqrt(of_mean / of_gauge),
                     0.8);
  // Neighbours hold together, so as if a third of the days were independent.
  const double expected = 0.9 * kDays;
  experiment.within("days within their 90 % band", static_cast<double>(within_band), expected,
                    4.0 * std::sqrt(3.0 * 0.1 * expected));
  const std::span<const double> log_rate = q.quantity(0);
  const double sd = std::sqrt(diagnose::variance(log_rate));
  experiment.within("log k", diagnose::mean(log_rate), std::log(kRate), 4.0 * sd);
  experiment.at_most("its standard deviation / before the data", sd / kLogRateSd, 0.6);
  experiment.note("sweeps for an independent log k",
                  diagnose::integrated_autocorrelation_time(diagnose::quantity(q, 0)).time);
  experiment.at_most("R-hat of log k", diagnose::r_hat(diagnose::quantity(q, 0)), 1.05);
}

// What one update of a window changes: a stretch of at most its length, and nothing else.
struct Change {
  bool is_a_window = true;
  double moved = 0.0;  // share of updates
};
Change change_of(const density::Draws& q, Index window) {
  Change change;
  for (Index c = 0; c < q.num_chains(); ++c)
    for (Index s = 1; s < q.num_draws(); ++s) {
      Index first = -1, last = -1;
      for (Index d = 0; d < q.num_quantities(); ++d)
        if (q(s, c, d) != q(s - 1, c, d)) last = d, first = first < 0 ? d : first;
      change.moved += last >= 0;
      if (first == 0 || last - first >= window) change.is_a_window = false;
    }
  change.moved /= static_cast<double>(q.num_chains() * (q.num_draws() - 1));
  return change;
}

void claim_windows(examples::Experiment& experiment, const Record& record,
                   const std::vector<double>& start) {
  examples::Table& table = experiment.table("windows", {"window", "accept"});
  double before = 1.0;
  for (const Index window : {1, 2, 4, 8, 16}) {
    const infer::StoredDraws store = run(record, window_update(kDays, window), 5000, start);
    const Change change = change_of(store.draws, window);
    const std::string name = "windows of " + std::to_string(window);
    experiment.holds(name + ": the rest of the rain and k stay", change.is_a_window);
    experiment.at_least(name + ": share of updates accepted", change.moved, 1e-4);
    experiment.at_most(name + ": the same / of the shorter window", change.moved / before, 0.9);
    table.row({static_cast<double>(window), change.moved});
    before = change.moved;
  }
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Rain from a gauge and from runoff, window by window", argc,
                                  argv);
  claim_three_days(experiment);
  const Record record = simulate(kDays, 162);
  // Single days where it rains hard, which a longer window hardly ever hits.
  const infer::StoredDraws store = run(record, sweep(kDays, {1, 1, 1, 1, 1, 1, 1, 1, 6}, 4), 4000);
  claim_rain(experiment, record, store);
  std::vector<double> last(static_cast<std::size_t>(1 + kDays));
  for (Index d = 0; d <= kDays; ++d) last[std::size_t(d)] = store.draws(3999, 0, d);
  claim_windows(experiment, record, last);
  return experiment.finish();
}
