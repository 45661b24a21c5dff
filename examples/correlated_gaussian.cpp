// The case study of samplers on two normal variables of correlation 0.9 (X17 of the catalogue's
// files 002 and 003): autocorrelation times of x and of xy, and acceptances, beside the stated
// ones.
//
// Each time is the mean over 20 chains that start from exact draws; its error is their spread.
// Stated figures are exact, or from 2 million draws: those err by time sqrt(2 (2 M + 1) /
// 2,000,000) with a window M of three times, and are rounded. A claim holds within 4 of both errors
// and the rounding.
#include "density/function_density.hpp"
#include "diagnose/autocorrelation.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/compose/compose.hpp"
#include "infer/gibbs/discrete_gibbs.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/mcmc/walk/proposals.hpp"
#include "infer/mcmc/walk/rwm.hpp"

namespace {
using namespace credo;
using infer::gibbs::Pair;

constexpr double kBeta = 0.9;
constexpr Index kChains = 20, kDraws = 14'000, kStatedDraws = 2'000'000;
const double kSd = std::sqrt(1.0 - kBeta * kBeta);  // of a coordinate given the other

std::shared_ptr<const density::LogDensity> target() {
  return density::make_density(2, [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = -(x[0] - kBeta * x[1]) / (kSd * kSd);
    gradient[1] = -(x[1] - kBeta * x[0]) / (kSd * kSd);
    return 0.5 * (x[0] * gradient[0] + x[1] * gradient[1]);
  });
}

Pair exact_draw(Rng& rng) {
  const double x = rng.normal();
  return {x, kBeta * x + kSd * rng.normal()};
}

// ---- figures of a run ----

struct Figures {
  examples::Estimate time_x, time_xy, acceptance;
  examples::Estimate half_jump;  // 1 - lag-one autocorrelation of y - x, from its variogram
  std::vector<double> acf;       // of x
};

Figures figures_of(const density::Draws& draws, diagnose::WindowRule rule) {
  std::vector<double> x_times, xy_times, jumps;
  std::vector<double> product(static_cast<std::size_t>(draws.num_draws())), difference = product;
  for (Index c = 0; c < draws.num_chains(); ++c) {
    const auto x = diagnose::quantity(draws, 0).chain(c), y = diagnose::quantity(draws, 1).chain(c);
    for (std::size_t s = 0; s < product.size(); ++s)
      product[s] = x[s] * y[s], difference[s] = y[s] - x[s];
    jumps.push_back(diagnose::variogram({difference, draws.num_draws(), 1})[1] /
                    (4.0 * (1.0 - kBeta)));  // twice its variance
    const auto time = [&](std::span<const double> series) {
      return diagnose::integrated_autocorrelation_time({series, draws.num_draws(), 1},
                                                       {.rule = rule})
          .time;
    };
    x_times.push_back(time(x));
    xy_times.push_back(time(product));
  }
  return {.time_x = examples::mean_of(x_times),
          .time_xy = examples::mean_of(xy_times),
          .acceptance = {1.0, 0.0},
          .half_jump = examples::mean_of(jumps),
          .acf = diagnose::combined_autocorrelation(diagnose::quantity(draws, 0))};
}

// ---- runs ----

// Of a kernel(Pair&, Rng&); every `thin`-th state is kept.
template <class Kernel>
Figures run_pairs(Kernel&& kernel, Index thin = 1,
                  diagnose::WindowRule rule = diagnose::WindowRule::monotone_pairs) {
  density::Draws draws(2 * kDraws, kChains, 2);
  for (Index c = 0; c < kChains; ++c) {
    Rng rng({.seed = 17, .purpose = purpose::kTest, .chain = static_cast<std::uint32_t>(c)});
    Pair at = exact_draw(rng);
    for (Index s = 0; s < draws.num_draws(); ++s) {
      for (Index k = 0; k < thin; ++k) kernel(at, rng);
      draws.set(s, c, std::array{at.first, at.second});
    }
  }
  return figures_of(draws, rule);
}

infer::SampleOptions run_options(Index num_draws) {
  infer::SampleOptions options{
      .num_chains = kChains, .num_warmup = 0, .num_draws = num_draws, .seed = 17, .num_threads = 1};
  for (Index c = 0; c < kChains; ++c) {
    Rng rng({.seed = 18, .purpose = purpose::kTest, .chain = static_cast<std::uint32_t>(c)});
    const Pair at = exact_draw(rng);
    options.init.push_back({at.first, at.second});
  }
  return options;
}

Figures figures_of(const infer::StoredDraws& store) {
  Figures figures = figures_of(store.draws, diagnose::WindowRule::monotone_pairs);
  std::vector<double> accept;
  for (Index k = 0; k < ssize(store.columns); ++k)
    if (store.columns[static_cast<std::size_t>(k)].name == "accept_stat")
      for (Index c = 0; c < kChains; ++c)
        accept.push_back(diagnose::mean(diagnose::quantity(store.info, k).chain(c)));
  figures.acceptance = examples::mean_of(accept);
  return figures;
}

Figures run_walk(const std::vector<double>& covariance, Index num_draws) {
  infer::SampleOptions options = run_options(num_draws);
  options.sampler = "rwm";
  options.kernel = infer::RwmOptions{.scale = 1.0, .metric = infer::MetricKind::dense};
  options.inv_metric = covariance;
  infer::StoredDraws store;
  infer::run_chains(*target(), options, store);
  return figures_of(store);
}

Figures run_hmc(double step_size, Index num_leapfrog) {
  infer::SampleOptions options = run_options(kDraws);
  options.sampler = "hmc_static";
  options.kernel = infer::HmcStaticOptions{
      .step_size = step_size,
      .metric = infer::MetricKind::unit,
      .integration_time = step_size * (static_cast<double>(num_leapfrog) + 0.5)};  // rounded down
  infer::StoredDraws store;
  infer::run_chains(*target(), options, store);
  return figures_of(store);
}

// Draws from N(0, [[variance, covariance], [covariance, variance]]), whatever the current point.
class Independent final : public infer::Proposal {
 public:
  Independent(double variance, double covariance)
      : sd_(std::sqrt(variance)),
        slope_(covariance / variance),
        rest_(std::sqrt(variance - covariance * slope_)) {}
  void draw(std::span<const double>, std::span<double> to, Rng& rng) const override {
    to[0] = sd_ * rng.normal();
    to[1] = slope_ * to[0] + rest_ * rng.normal();
  }
  double log_ratio(std::span<const double> from, std::span<const double> to) const override {
    return log_density(from) - log_density(to);
  }

 private:
  double log_density(std::span<const double> x) const {
    const double first = x[0] / sd_, second = (x[1] - slope_ * x[0]) / rest_;
    return -0.5 * (first * first + second * second);
  }
  double sd_, slope_, rest_;
};

Figures run_independent(double variance, double covariance) {
  infer::StoredDraws store;
  infer::run_kernel(*target(), run_options(kDraws),
                    infer::metropolis(std::make_shared<Independent>(variance, covariance)), store);
  return figures_of(store);
}

// ---- claims ----

struct Stated {
  double value;
  double rounding = 0.0;  // half a unit of the last digit; 0: exact
};

double error_of_stated(const Stated& time) {
  if (time.rounding == 0.0) return 0.0;
  return time.value * std::sqrt(2.0 * (6.0 * std::max(time.value, 1.0) + 1.0) / kStatedDraws);
}

class Study {
 public:
  explicit Study(examples::Experiment& experiment) : experiment_(experiment) {}

  void time(const std::string& name, const examples::Estimate& found, const Stated& stated) {
    experiment_.within(name, found.mean, stated.value,
                       4.0 * (found.error + error_of_stated(stated)) + stated.rounding);
  }
  void times(const std::string& name, const Figures& found, const Stated& x, const Stated& xy) {
    time(name + ", x", found.time_x, x);
    time(name + ", xy", found.time_xy, xy);
  }
  void acceptance(const std::string& name, const Figures& found, const Stated& stated) {
    experiment_.within(name + ", acceptance", found.acceptance.mean, stated.value,
                       4.0 * found.acceptance.error + stated.rounding);
  }

 private:
  examples::Experiment& experiment_;
};

void update_first(Pair& at, Rng& rng) { at.first = kBeta * at.second + kSd * rng.normal(); }
void update_second(Pair& at, Rng& rng) { at.second = kBeta * at.first + kSd * rng.normal(); }
void random_scan(Pair& at, Rng& rng) {
  rng.index_below(2) == 0 ? update_first(at, rng) : update_second(at, rng);
}
void sweep(Pair& at, Rng& rng) {
  update_first(at, rng);
  update_second(at, rng);
}
void over_relaxed_sweep(Pair& at, Index num_draws, Rng& rng) {
  infer::RngChooser chooser(rng);
  const auto update = [&](double& value, double other) {
    value = infer::gibbs::over_relaxed(
        value, num_draws, [&] { return kBeta * other + kSd * rng.normal(); }, chooser);
  };
  update(at.first, at.second);
  update(at.second, at.first);
}
// (x + y) / √2 and (y - x) / √2 are independent, of variances 1 + β and 1 - β.
void draw_sum(Pair& turned, Rng& rng) { turned.first = std::sqrt(1.0 + kBeta) * rng.normal(); }
void draw_difference(Pair& turned, Rng& rng) {
  turned.second = std::sqrt(1.0 - kBeta) * rng.normal();
}

void gibbs_rows(Study& study, Figures& scan, Figures& swept) {
  scan = run_pairs(random_scan);
  study.times("Gibbs, random scan", scan, {37.105, 0.0005}, {20.0, 0.05});
  study.time("Gibbs, random scan, every second state, x", run_pairs(random_scan, 2).time_x,
             {18.587, 0.0005});
  swept = run_pairs(sweep);
  study.times("Gibbs, sweep", swept, {(1 + kBeta * kBeta) / (1 - kBeta * kBeta)}, {5.1, 0.05});
  study.times("Gibbs, rotated, random scan", run_pairs([](Pair& at, Rng& rng) {
                infer::gibbs::step_rotated(at, [&](Pair& turned) {
                  rng.index_below(2) == 0 ? draw_sum(turned, rng) : draw_difference(turned, rng);
                });
              }),
              {3.0}, {3.0});
  study.times("Gibbs, rotated, sweep", run_pairs([](Pair& at, Rng& rng) {
                infer::gibbs::step_rotated(at, [&](Pair& turned) {
                  draw_sum(turned, rng);
                  draw_difference(turned, rng);
                });
              }),
              {1.0}, {1.0});
}

// Sweeps that over-relax aren't reversible and their autocorrelations oscillate: no pairs.
void over_relaxation_rows(Study& study) {
  const std::vector<std::tuple<Index, Stated, Stated>> rows = {{3, {4.05, 0.005}, {2.5, 0.05}},
                                                               {7, {1.90, 0.005}, {1.9, 0.05}},
                                                               {15, {0.94, 0.005}, {2.1, 0.05}},
                                                               {31, {0.47, 0.005}, {3.4, 0.05}}};
  for (const auto& [num_draws, x, xy] : rows) {
    const auto kernel = [k = num_draws](Pair& at, Rng& rng) { over_relaxed_sweep(at, k, rng); };
    study.times("over-relaxation among " + std::to_string(num_draws),
                run_pairs(kernel, 1, diagnose::WindowRule::self_consistent), x, xy);
  }
}

void metropolis_rows(Study& study, Figures& large) {
  const Figures small = run_walk({0.05, 0.0, 0.0, 0.05}, 5 * kDraws);
  study.times("Metropolis 0.05 I", small, {193.0, 5.0}, {108.0, 0.5});
  study.acceptance("Metropolis 0.05 I", small, {0.76985, 5e-6});
  large = run_walk({1.5, 0.0, 0.0, 1.5}, kDraws);
  study.times("Metropolis 1.5 I", large, {25.0, 0.5}, {17.9, 0.05});
  study.acceptance("Metropolis 1.5 I", large, {0.25374, 5e-6});
  const Figures shaped = run_walk({1.0, kBeta, kBeta, 1.0}, kDraws);
  study.times("Metropolis S", shaped, {10.0, 0.05}, {7.1, 0.05});
  study.acceptance("Metropolis S", shaped, {1.0 - 0.5 / std::sqrt(1.25)});
  const double scale = 2.38 * 2.38 / 2.0;
  const Figures best = run_walk({scale, scale * kBeta, scale * kBeta, scale}, kDraws);
  study.times("Metropolis 2.38^2 / 2 S", best, {7.4, 0.05}, {6.3, 0.05});
  study.acceptance("Metropolis 2.38^2 / 2 S", best, {0.356, 5e-4});
}

// Weights of N(0, 1.5 I) have no bound along (1, 1), so chains stick now and then for long, and
// times vary more than a spread of 20 says: within 20 %.
void independence_rows(examples::Experiment& experiment, Study& study) {
  const Figures wide = run_independent(1.5, 0.0), same = run_independent(1.0, kBeta);
  experiment.within("independence 1.5 I, x", wide.time_x.mean, 7.4, 1.5);
  experiment.within("independence 1.5 I, xy", wide.time_xy.mean, 10.2, 2.0);
  study.acceptance("independence 1.5 I", wide, {0.315, 5e-4});
  study.times("independence S", same, {1.0}, {1.0});
  experiment.within("independence S, acceptance", same.acceptance.mean, 1.0, 1e-12);
}

struct HmcRow {
  double step_size;
  Index num_leapfrog;
  Stated x, xy, acceptance;
};
const HmcRow kHmc[] = {{0.1, 5, {28, 0.5}, {15, 0.5}, {0.992, 5e-4}},
                       {0.1, 10, {6.5, 0.05}, {3.8, 0.05}, {0.9996, 5e-5}},
                       {0.1, 20, {6.8, 0.05}, {1.3, 0.05}, {0.999, 5e-4}},
                       {0.2, 5, {6.6, 0.05}, {3.7, 0.05}, {0.997, 5e-4}},
                       {0.2, 10, {5.4, 0.05}, {1.2, 0.05}, {0.994, 5e-4}},
                       {0.2, 20, {1.9, 0.05}, {36, 0.5}, {0.990, 5e-4}},
                       {0.3, 5, {3.0, 0.05}, {1.7, 0.05}, {0.921, 5e-4}},
                       {0.3, 10, {0.30, 0.005}, {2.0, 0.05}, {0.964, 5e-4}},
                       {0.3, 20, {0.74, 0.005}, {1.4, 0.05}, {0.935, 5e-4}},
                       {0.5, 5, {0.74, 0.005}, {1.3, 0.05}, {0.901, 5e-4}},
                       {0.5, 10, {0.58, 0.005}, {9.0, 0.05}, {0.818, 5e-4}},
                       {0.5, 20, {4.7, 0.05}, {2.8, 0.05}, {0.714, 5e-4}}};

// Leapfrog turns x + y and y - x, of variances v, each by an angle of its own: cos a = 1 - h² / (2
// v) a step, q' = cos(L a) q + sin(L a) sqrt(v / (1 - h² / (4 v))) p.
double angle_of(const HmcRow& row, double variance) {
  const double step = std::acos(1.0 - row.step_size * row.step_size / (2.0 * variance));
  return static_cast<double>(row.num_leapfrog) * step;
}
// E (q' - q)² / (2 v), which is 1 - lag-one autocorrelation; rejections aside.
double half_jump(const HmcRow& row, double variance) {
  const double c = std::cos(angle_of(row, variance)), s = std::sin(angle_of(row, variance));
  const double squeeze = 1.0 - row.step_size * row.step_size / (4.0 * variance);
  return 0.5 * ((1.0 - c) * (1.0 - c) + s * s / squeeze);
}

// Trajectories of time 2 bring y - x, of variance 0.1, back to where it started. Sums of
// autocorrelations lose its part of x in their noise, and so did the stated times of x, 6.8 and
// 5.4. The time of a reversible chain is at least (1 + ρ(1)) / (1 - ρ(1)) (its spectral form and
// Jensen's inequality), and x has y - x with the weight 0.05: at least 42 and 7.8.
bool returns(const HmcRow& row) { return half_jump(row, 1.0 - kBeta) < 0.02; }

void claim_return(examples::Experiment& experiment, const HmcRow& row, const std::string& name,
                  const Figures& found) {
  experiment.note(name + ", x: found by a sum", found.time_x.mean);
  const double expected = half_jump(row, 1.0 - kBeta), jump = found.half_jump.mean;
  experiment.within(name + ", y - x: 1 - lag-one autocorrelation", jump, expected,
                    4.0 * found.half_jump.error + 3.0 * (1.0 - found.acceptance.mean) * expected);
  experiment.at_least(name + ", x: least time, above the stated one",
                      0.5 * (1.0 - kBeta) * (2.0 / jump - 1.0), row.x.value);
}

void hmc_rows(examples::Experiment& experiment, Study& study, Figures& antithetic) {
  for (const HmcRow& row : kHmc) {
    const std::string name = "HMC " + std::to_string(row.step_size).substr(0, 3) + " x " +
                             std::to_string(row.num_leapfrog);
    const Figures found = run_hmc(row.step_size, row.num_leapfrog);
    if (returns(row))
      claim_return(experiment, row, name, found);
    else
      study.times(name, found, row.x, row.xy);
    study.acceptance(name, found, row.acceptance);
    if (row.step_size == 0.3 && row.num_leapfrog == 10) antithetic = found;
  }
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Samplers on two normal variables of correlation 0.9", argc,
                                  argv);
  Study study(experiment);
  Figures scan, swept, large, antithetic;
  gibbs_rows(study, scan, swept);
  over_relaxation_rows(study);
  metropolis_rows(study, large);
  independence_rows(experiment, study);
  hmc_rows(experiment, study, antithetic);

  examples::Table& acf = experiment.table("acf", {"lag", "scan", "sweep", "metropolis", "hmc"});
  for (std::size_t t = 0; t <= 60; ++t)
    acf.row({static_cast<double>(t), scan.acf[t], swept.acf[t], large.acf[t], antithetic.acf[t]});
  return experiment.finish();
}
