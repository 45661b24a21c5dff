// Two normals at -20 and 20: random walks with three step sizes and Gibbs sampling of point and
// label (X1 and X6 of the catalogue's chapter 12).
//
// Chains that start with exact draws are stationary, so means over many of them have exact
// expectations; the walks' autocorrelations come from their exact matrices on a grid.
#include <fmt/core.h>

#include "density/function_density.hpp"
#include "diagnose/convergence.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/finite/kernels.hpp"
#include "infer/finite/times.hpp"
#include "infer/mcmc/walk/rwm.hpp"
#include "models/mixture/gaussian_mixture.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using examples::Estimate, examples::Experiment, examples::Table;

constexpr double kVariance = 436.0;
constexpr Index kChains = 1600, kDraws = 1000, kLongChains = 40, kLongDraws = 10'000;
constexpr Index kShown = 250;  // draws of each trace in the figure

struct Walk {
  double step, accepted, time;  // as stated: acceptance, autocorrelation time
};
constexpr std::array<Walk, 3> kWalks{
    {{1.0, 0.972, 3.5e3}, {8.0, 0.793, 57.0}, {500.0, 0.044, 43.0}}};

double density_at(double x) {
  const auto normal = [&](double mean) { return std::exp(-0.005 * (x - mean) * (x - mean)); };
  return (0.3 * normal(-20.0) + 0.7 * normal(20.0)) / (10.0 * std::sqrt(2.0 * std::numbers::pi));
}

// Integral of p(x) N(y | x, step) min(1, p(y) / p(x)): the steps of y are fine beside both scales.
double exact_acceptance(double step) {
  std::vector<double> p;
  for (double x = -80.0; x <= 80.0; x += 0.1) p.push_back(density_at(x));
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) {
      const double z = 0.1 * (static_cast<double>(i) - static_cast<double>(j)) / step;
      if (z * z < 80.0) sum += std::min(p[i], p[j]) * std::exp(-0.5 * z * z);
    }
  }
  return 0.01 * sum / (step * std::sqrt(2.0 * std::numbers::pi));
}

using Starts = std::vector<std::vector<double>>;

Starts exact_starts(Rng& rng) {
  Starts starts;
  for (Index c = 0; c < kChains; ++c) {
    const double mean = rng.uniform() < 0.3 ? -20.0 : 20.0;
    starts.push_back({mean + 10.0 * rng.normal()});
  }
  return starts;
}
// Four chains of one repetition start in both modes.
Starts spread_starts(Index num_chains) {
  Starts starts;
  for (Index c = 0; c < num_chains; ++c) starts.push_back({-30.0 + 20.0 * double(c % 4)});
  return starts;
}

// ---- the samplers ----

struct Run {
  density::Draws draws;
  std::vector<double> acceptance;  // of each chain
};

Run walk(double step, Starts starts, Index num_draws) {
  const auto density = density::make_value_density(
      1, [](std::span<const double> x) { return std::log(density_at(x[0])); });
  StoredDraws store;
  run_chains(*density,
             {.sampler = "rwm",
              .num_chains = ssize(starts),
              .num_warmup = 0,
              .num_draws = num_draws,
              .num_threads = 1,
              .init = starts,
              .kernel = RwmOptions{.scale = step, .metric = MetricKind::unit}},
             store);
  Run run{.draws = std::move(store.draws), .acceptance = {}};
  for (Index c = 0; c < ssize(starts); ++c)
    run.acceptance.push_back(diagnose::mean(store.info.chain(c, 1)));
  return run;
}

// How often labels were left, and how long they were held: the visible runs within a mode.
struct Labels {
  std::vector<double> held_first, held_second, left_first, left_second;  // of each chain
};

density::Draws alternate(const Starts& starts, Index num_draws, Labels* labels = nullptr) {
  using namespace credo::models;
  const GaussianMixture mixture{
      .weights = {0.3, 0.7},
      .means = {{-20.0}, {20.0}},
      .covariances = {numerics::diagonal_matrix(1, 100.0), numerics::diagonal_matrix(1, 100.0)}};
  density::Draws draws(num_draws, ssize(starts), 1);
  for (Index c = 0; c < ssize(starts); ++c) {
    Rng rng({.seed = 1, .purpose = purpose::kTransition, .chain = static_cast<std::uint32_t>(c)});
    const std::vector<double>& start = starts[static_cast<std::size_t>(c)];
    LabelledPoint at{.x = start,
                     .label = RngChooser(rng).choose_log(log_label_weights(mixture, start))};
    std::array<double, 2> held{}, left{};
    for (Index s = 0; s < num_draws; ++s) {
      const auto before = static_cast<std::size_t>(at.label);
      step_known(mixture, at, rng);
      draws(s, c, 0) = at.x[0];
      held[before] += 1.0;
      left[before] += static_cast<std::size_t>(at.label) == before ? 0.0 : 1.0;
    }
    if (labels == nullptr) continue;
    labels->held_first.push_back(held[0]), labels->left_first.push_back(left[0]);
    labels->held_second.push_back(held[1]), labels->left_second.push_back(left[1]);
  }
  return draws;
}

// ---- what is looked at ----

double exact_gibbs_autocorrelation(Index lag) {
  return lag == 0 ? 1.0 : 0.7706 * std::pow(0.92629, static_cast<double>(lag - 1));
}

using Curve = std::function<double(Index)>;

// Of stationary chains.
void judge_autocorrelations(Experiment& experiment, const std::string& name,
                            const density::Draws& draws, const Curve& exact) {
  std::vector<std::vector<double>> rho;
  for (Index c = 0; c < kChains; ++c)
    rho.push_back(examples::autocorrelations(draws.chain(c, 0), kVariance));
  for (const Index lag : {1, 5, 20, 50}) {
    std::vector<double> values;
    for (const auto& chain : rho) values.push_back(chain[lag]);
    const Estimate seen = examples::mean_of(values);
    experiment.within(fmt::format("{}: autocorrelation {}", name, lag), seen.mean, exact(lag),
                      4.0 * seen.error);
  }
}

// Median over the repetitions, of four chains each.
double median_r_hat(const density::Draws& draws) {
  std::vector<double> values;
  const auto four = static_cast<std::size_t>(4 * draws.num_draws());
  for (std::size_t from = 0; from < draws.quantity(0).size(); from += four)
    values.push_back(
        diagnose::r_hat({draws.quantity(0).subspan(from, four), draws.num_draws(), 4}));
  return examples::median(values);
}

// Total variation between the histogram of one chain, with bins of width 4, and the target.
double roughness(std::span<const double> chain) {
  std::array<double, 40> seen{};
  for (const double x : chain)
    seen[static_cast<std::size_t>(std::clamp((x + 80.0) / 4.0, 0.0, 39.0))] += 1.0;
  double sum = 0.0;
  for (std::size_t bin = 0; bin < seen.size(); ++bin) {
    double expected = 0.0;
    for (int k = 0; k < 20; ++k)
      expected += 0.2 * density_at(-80.0 + 4.0 * static_cast<double>(bin) + 0.2 * k + 0.1);
    sum += 0.5 * std::fabs(expected - seen[bin] / static_cast<double>(chain.size()));
  }
  return sum;
}
double median_roughness(const density::Draws& draws) {
  std::vector<double> values;
  for (Index c = 0; c < 200; ++c) values.push_back(roughness(draws.chain(c, 0)));
  return examples::median(values);
}

// Share of the chains from 10 and 30 that never come below -20.
double share_that_misses(const density::Draws& draws) {
  double missed = 0.0, count = 0.0;
  for (Index c = 0; c < draws.num_chains(); ++c) {
    if (c % 4 < 2) continue;
    const auto chain = draws.chain(c, 0);
    missed += *std::min_element(chain.begin(), chain.end()) > -20.0 ? 1.0 : 0.0;
    count += 1.0;
  }
  return missed / count;
}

struct OnGrid {
  OnGrid(double step, Index cells)
      : grid{.lo = -80.0, .hi = 80.0, .num_cells = cells},
        chain(finite::random_walk_on_grid(
            grid, [](double x) { return std::log(density_at(x)); }, step)),
        distribution(finite::stationary_distribution(chain)) {
    for (Index k = 0; k < grid.num_cells; ++k) centres.push_back(grid.centre(k));
  }
  double time() const {
    return finite::integrated_autocorrelation_time(finite::fundamental_matrix(chain, distribution),
                                                   distribution, centres);
  }
  double autocorrelation(Index lag) const {
    return finite::autocovariance(chain, distribution, centres, lag) /
           finite::autocovariance(chain, distribution, centres, 0);
  }

  finite::Grid grid;
  finite::FiniteChain chain;
  std::vector<double> distribution, centres;
};

// Of one sampler, from spread starts.
struct Verdict {
  density::Draws draws;
  double r_hat = 0.0, long_r_hat = 0.0, roughness = 0.0;
};

Verdict verdict_of(Experiment& experiment, const std::string& name, density::Draws draws,
                   const density::Draws& long_draws) {
  Verdict verdict;
  verdict.draws = std::move(draws);
  verdict.r_hat = median_r_hat(verdict.draws);
  verdict.long_r_hat = median_r_hat(long_draws);
  verdict.roughness = median_roughness(verdict.draws);
  experiment.note(name + ": median R-hat, 4 x 1000 draws", verdict.r_hat);
  experiment.note(name + ": median R-hat, 4 x 10000 draws", verdict.long_r_hat);
  experiment.note(name + ": median distance of the histogram, 1000 draws", verdict.roughness);
  return verdict;
}

Verdict judge_walk(Experiment& experiment, const Walk& w, const OnGrid& grid, const Starts& exact) {
  const std::string name = fmt::format("step {}", w.step);
  const double acceptance = exact_acceptance(w.step);
  experiment.within(name + ": acceptance, exact and as stated", acceptance, w.accepted, 5e-4);
  const Run run = walk(w.step, exact, kDraws);
  const Estimate rate = examples::mean_of(run.acceptance);
  experiment.within(name + ": acceptance of the chains", rate.mean, acceptance, 4.0 * rate.error);
  judge_autocorrelations(experiment, name, run.draws,
                         [&](Index lag) { return grid.autocorrelation(lag); });
  experiment.within(name + ": autocorrelation time, 400 and 200 cells", grid.time(),
                    OnGrid(w.step, 200).time(), 1e-3 * grid.time());
  // Stated as about 3.5e3, 57 and 43: figures of simulations.
  experiment.within(name + ": autocorrelation time, as stated", grid.time(), w.time, 0.15 * w.time);
  return verdict_of(experiment, name, walk(w.step, spread_starts(kChains), kDraws).draws,
                    walk(w.step, spread_starts(kLongChains), kLongDraws).draws);
}

// Of leaving a label that was held: the differences from it are martingales.
void judge_rate(Experiment& experiment, const std::string& what, double rate,
                std::span<const double> held, std::span<const double> left) {
  std::vector<double> excess;
  for (std::size_t c = 0; c < held.size(); ++c) excess.push_back(left[c] - rate * held[c]);
  const double mean_held = diagnose::mean(held);
  experiment.within(what, diagnose::mean(left) / mean_held, rate,
                    4.0 * examples::mean_of(excess).error / mean_held);
  experiment.note("  so a run lasts, draws", mean_held / diagnose::mean(left));
}

// The sum of N stationary draws has variance N variance (1 + 2 sum over l of (1 - l / N) rho(l)).
void judge_moments(Experiment& experiment, const density::Draws& draws) {
  std::vector<double> means, squares, deviations;
  for (Index c = 0; c < kChains; ++c) {
    const auto chain = draws.chain(c, 0);
    means.push_back(diagnose::mean(chain));
    double sum = 0.0;
    for (const double x : chain) sum += (x - 8.0) * (x - 8.0) / static_cast<double>(kDraws);
    squares.push_back(sum);
    deviations.push_back((means.back() - 8.0) * (means.back() - 8.0) * kDraws / kVariance);
  }
  const Estimate mean = examples::mean_of(means), variance = examples::mean_of(squares),
                 time = examples::mean_of(deviations);
  experiment.within("mean of the target", mean.mean, 8.0, 4.0 * mean.error);
  experiment.within("its variance", variance.mean, kVariance, 4.0 * variance.error);
  double exact = 1.0, expected = 1.0;
  for (Index lag = 1; lag < kDraws; ++lag) {
    const double rho = exact_gibbs_autocorrelation(lag);
    exact += 2.0 * rho;
    expected += 2.0 * rho * (1.0 - static_cast<double>(lag) / kDraws);
  }
  experiment.within("Gibbs: autocorrelation time, as stated", exact, 21.9, 0.05);
  experiment.within("Gibbs: time, by the means of chains of 1000", time.mean, expected,
                    4.0 * time.error);
}

Verdict judge_gibbs(Experiment& experiment, const Starts& exact) {
  Labels labels;
  const density::Draws draws = alternate(exact, kDraws, &labels);
  judge_autocorrelations(experiment, "Gibbs", draws, exact_gibbs_autocorrelation);
  judge_moments(experiment, draws);
  judge_rate(experiment, "Gibbs: from the first mode to the second", 0.05159, labels.held_first,
             labels.left_first);
  judge_rate(experiment, "Gibbs: from the second to the first", 0.02211, labels.held_second,
             labels.left_second);
  return verdict_of(experiment, "Gibbs", alternate(spread_starts(kChains), kDraws),
                    alternate(spread_starts(kLongChains), kLongDraws));
}

constexpr std::array kNames{"step 1", "step 8", "step 500", "Gibbs"};

// In the order of kWalks, Gibbs last.
void compare(Experiment& experiment, std::span<const Verdict> by) {
  experiment.holds("R-hat of 1000 draws: step 1 > 500 > 8 > Gibbs", by[0].r_hat > by[2].r_hat &&
                                                                        by[2].r_hat > by[1].r_hat &&
                                                                        by[1].r_hat > by[3].r_hat);
  // Between 500 and 8 there is no more than this: the first two are refused at 1.05.
  for (const std::size_t k : {0, 2})
    experiment.at_least(fmt::format("R-hat, {}, 1000 draws", kNames[k]), by[k].r_hat, 1.05);
  for (const std::size_t k : {1, 3})
    experiment.at_most(fmt::format("R-hat, {}, 1000 draws", kNames[k]), by[k].r_hat, 1.05);
  experiment.at_least("R-hat, step 1, 10000 draws", by[0].long_r_hat, 1.05);
  for (const std::size_t k : {1, 2, 3})
    experiment.at_most(fmt::format("R-hat, {}, 10000 draws", kNames[k]), by[k].long_r_hat, 1.01);
  experiment.at_least("step 1: share of chains that miss the mode at -20",
                      share_that_misses(by[0].draws), 0.5);
  experiment.at_most("Gibbs: the same", share_that_misses(by[3].draws), 0.01);
  experiment.at_least("histograms of 1000 draws: distance of step 500 / step 8",
                      by[2].roughness / by[1].roughness, 2.0);
}

void draw(Experiment& experiment, std::span<const OnGrid> grids, std::span<const Verdict> by) {
  Table& traces = experiment.table("traces", {"draw", "step1", "step8", "step500", "gibbs"});
  for (Index s = 0; s < kShown; ++s) {
    std::vector<double> row{static_cast<double>(s)};
    for (const Verdict& verdict : by) row.push_back(verdict.draws(s, 3, 0));
    traces.row(row);
  }
  Table& curves = experiment.table("curves", {"lag", "step1", "step8", "step500", "gibbs"});
  for (Index lag = 0; lag <= 100; lag += 4) {
    std::vector<double> row{static_cast<double>(lag)};
    for (const OnGrid& grid : grids) row.push_back(grid.autocorrelation(lag));
    row.push_back(exact_gibbs_autocorrelation(lag));
    curves.row(row);
  }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("A mixture of two normals: random walks and Gibbs sampling", argc, argv);
  Rng rng({.seed = 12, .purpose = purpose::kInitialPoint});
  const Starts exact = exact_starts(rng);
  std::vector<OnGrid> grids;
  std::vector<Verdict> verdicts;
  for (const Walk& w : kWalks) {
    grids.emplace_back(w.step, 400);
    verdicts.push_back(judge_walk(experiment, w, grids.back(), exact));
  }
  verdicts.push_back(judge_gibbs(experiment, exact));
  for (const auto& [lag, bound] : {std::pair{5, 1.3}, {20, 2.0}, {50, 5.0}})
    for (const OnGrid& grid : grids)
      experiment.at_least(fmt::format("lag {}: autocorrelation of a walk / of Gibbs", lag),
                          grid.autocorrelation(lag) / exact_gibbs_autocorrelation(lag), bound);
  for (std::size_t k = 0; k < grids.size(); ++k)
    experiment.note(fmt::format("step {}: of 1000 draws, independent", kWalks[k].step),
                    1000.0 / grids[k].time());
  // A sticky walk isn't worse in the long run: stated, and so.
  experiment.at_most("step 500: autocorrelation time / that of step 8",
                     grids[2].time() / grids[1].time(), 1.0);
  compare(experiment, verdicts);
  draw(experiment, grids, verdicts);
  return experiment.finish();
}
