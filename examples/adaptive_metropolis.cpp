// Random-walk Metropolis: dimension (E8), steps (E9), and two ways to learn them (E11 of the
// catalogue's file 000).
#include "density/function_density.hpp"
#include "diagnose/autocorrelation.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/mcmc/walk/rwm.hpp"

namespace {
using namespace credo;
using examples::Estimate;

constexpr Index kChains = 20;

std::shared_ptr<const density::LogDensity> standard_normal(Index dimension) {
  return density::make_density(dimension,
                               [](std::span<const double> x, std::span<double> gradient) {
                                 double sum = 0.0;
                                 for (std::size_t d = 0; d < x.size(); ++d)
                                   gradient[d] = -x[d], sum -= 0.5 * x[d] * x[d];
                                 return sum;
                               });
}

std::vector<std::vector<double>> exact_starts(Index dimension) {
  std::vector<std::vector<double>> starts(kChains);
  for (std::uint32_t c = 0; c < kChains; ++c) {
    Rng rng({.seed = 8, .purpose = purpose::kTest, .chain = c});
    for (Index d = 0; d < dimension; ++d) starts[c].push_back(rng.normal());
  }
  return starts;
}

// A column of the sampler's report, its mean by chain.
std::vector<double> column_means(const infer::StoredDraws& store, std::string_view name) {
  std::vector<double> means;
  for (std::size_t k = 0; k < store.columns.size(); ++k)
    if (store.columns[k].name == name)
      for (Index c = 0; c < store.info.num_chains(); ++c)
        means.push_back(
            diagnose::mean(diagnose::quantity(store.info, static_cast<Index>(k)).chain(c)));
  return means;
}

// ---- E8 ----

// A walk of steps σ z accepts on average E[2 Φ(-σ |z| / 2)]: given |z| the log ratio is normal with
// the variance σ² |z|² and minus half of it as its mean. By quadrature over |z|, chi-distributed.
double exact_acceptance(double sigma, Index dimension) {
  const double d = static_cast<double>(dimension), log_norm = std::lgamma(0.5 * d);
  const double width = 0.002;
  double sum = 0.0;
  for (double r = 0.5 * width; r < std::sqrt(d) + 8.0; r += width) {
    const double log_density =
        (d - 1.0) * std::log(r) - 0.5 * r * r - (0.5 * d - 1.0) * std::log(2.0) - log_norm;
    sum += width * std::exp(log_density) * std::erfc(0.5 * sigma * r / std::sqrt(2.0));
  }
  return sum;
}

struct Walk {
  Estimate acceptance, time;
};
Walk walk(Index dimension, double sigma) {
  const infer::SampleOptions options{
      .sampler = "rwm",
      .num_chains = kChains,
      .num_warmup = 0,
      .num_draws = 8000,
      .seed = 8,
      .num_threads = 1,
      .init = exact_starts(dimension),
      .kernel = infer::RwmOptions{.scale = sigma, .metric = infer::MetricKind::unit}};
  infer::StoredDraws store;
  infer::run_chains(*standard_normal(dimension), options, store);
  std::vector<double> times;
  for (Index d = 0; d < std::min<Index>(dimension, 10); ++d)
    times.push_back(
        diagnose::integrated_autocorrelation_time(diagnose::quantity(store.draws, d)).time);
  return {examples::mean_of(column_means(store, "accept_stat")), examples::mean_of(times)};
}

void claim_dimensions(examples::Experiment& experiment) {
  const double fixed = infer::optimal_walk_scale(5);
  examples::Table& table = experiment.table("dimension", {"d", "time", "accept", "accept_fixed"});
  std::map<Index, Walk> scaled;
  for (const Index d : {5, 10, 20, 40}) {
    const double sigma = infer::optimal_walk_scale(d);
    const Walk found = scaled[d] = walk(d, sigma), same_step = walk(d, fixed);
    const std::string name = std::to_string(d) + " dimensions";
    experiment.within(name + ": acceptance", found.acceptance.mean, exact_acceptance(sigma, d),
                      4.0 * found.acceptance.error);
    experiment.within(name + ": acceptance of the step of 5", same_step.acceptance.mean,
                      exact_acceptance(fixed, d), 4.0 * same_step.acceptance.error);
    table.row({static_cast<double>(d), found.time.mean, found.acceptance.mean,
               same_step.acceptance.mean});
  }
  experiment.at_least("acceptance in 40 / in 5 dimensions",
                      scaled[40].acceptance.mean / scaled[5].acceptance.mean, 0.8);
  experiment.at_most("the same with the step of 5",
                     exact_acceptance(fixed, 40) / exact_acceptance(fixed, 5), 0.01);
  // Time ∝ dimension, with corrections of the order 1 / d as the acceptance has them: 10 %.
  const Walk &low = scaled[10], &high = scaled[40];
  const double ratio = high.time.mean / low.time.mean;
  const double error =
      ratio * std::hypot(high.time.error / high.time.mean, low.time.error / low.time.mean);
  experiment.within("time in 40 / in 10 dimensions", ratio, 4.0, 4.0 * error + 0.4);
}

// ---- E9 ----

constexpr double kRho = 0.95;

std::shared_ptr<const density::LogDensity> narrow() {
  return density::make_density(2, [](std::span<const double> x, std::span<double> gradient) {
    const double rest = 1.0 - kRho * kRho;
    gradient[0] = -(x[0] - kRho * x[1]) / rest;
    gradient[1] = -(x[1] - kRho * x[0]) / rest;
    return 0.5 * (x[0] * gradient[0] + x[1] * gradient[1]);
  });
}

struct Steps {
  std::string name;
  double variance, correlation;
};

void claim_steps(examples::Experiment& experiment) {
  const double best = 2.38 * 2.38 / 2.0;
  const std::vector<Steps> all = {{"small", 0.01, 0.0},
                                  {"large", 25.0, 0.0},
                                  {"wrong shape", best, -kRho},
                                  {"right shape", best, kRho}};
  std::map<std::string, double> times, accepts;
  examples::Table& traces =
      experiment.table("steps", {"x1", "y1", "x2", "y2", "x3", "y3", "x4", "y4"});
  std::vector<std::vector<double>> rows(300);
  for (const Steps& steps : all) {
    const double covariance = steps.correlation * steps.variance;
    const infer::SampleOptions options{
        .sampler = "rwm",
        .num_chains = kChains,
        .num_warmup = 0,
        .num_draws = 20'000,
        .seed = 9,
        .num_threads = 1,
        .init = {{0.0, 0.0}},
        .inv_metric = {steps.variance, covariance, covariance, steps.variance},
        .kernel = infer::RwmOptions{.scale = 1.0, .metric = infer::MetricKind::dense}};
    infer::StoredDraws store;
    infer::run_chains(*narrow(), options, store);
    const diagnose::Chains x = diagnose::quantity(store.draws, 0);
    times[steps.name] = diagnose::integrated_autocorrelation_time(x).time;
    accepts[steps.name] = examples::mean_of(column_means(store, "accept_stat")).mean;
    experiment.note(steps.name + ": acceptance", accepts[steps.name]);
    experiment.note(steps.name + ": autocorrelation time of x", times[steps.name]);
    for (std::size_t s = 0; s < rows.size(); ++s)
      for (Index d = 0; d < 2; ++d) rows[s].push_back(store.draws(static_cast<Index>(s), 0, d));
  }
  for (const std::vector<double>& row : rows) traces.row(row);
  experiment.at_least("small steps: acceptance", accepts["small"], 0.8);
  experiment.at_most("large steps: acceptance", accepts["large"], 0.05);
  for (const char* other : {"small", "large", "wrong shape"})
    experiment.at_least(std::string(other) + ": time / time of the right shape",
                        times[other] / times["right shape"], 3.0);
}

// ---- E11 ----

// x = A z with A lower triangular: the covariance A Aᵀ.
constexpr std::array<std::array<double, 3>, 3> kA = {
    {{2.0, 0.0, 0.0}, {1.5, 0.5, 0.0}, {-0.6, 0.3, 0.2}}};
double covariance(std::size_t i, std::size_t j) {
  double sum = 0.0;
  for (std::size_t k = 0; k < 3; ++k) sum += kA[i][k] * kA[j][k];
  return sum;
}

std::shared_ptr<const density::LogDensity> sheared() {
  return density::make_density(3, [](std::span<const double> x, std::span<double> gradient) {
    std::array<double, 3> z{};
    for (std::size_t i = 0; i < 3; ++i) {
      z[i] = x[i];
      for (std::size_t k = 0; k < i; ++k) z[i] -= kA[i][k] * z[k];
      z[i] /= kA[i][i];
    }
    std::fill(gradient.begin(), gradient.end(), 0.0);  // random walks don't ask for it
    return -0.5 * (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  });
}

struct Learnt {
  std::vector<std::vector<double>> covariances;  // by chain, of the proposal but for a factor
  std::vector<double> acceptance;                // after warm-up
};
Learnt learn(const std::string& sampler, const infer::KernelOptions& kernel) {
  infer::SampleOptions options{.sampler = sampler,
                               .num_chains = kChains,
                               .num_warmup = 20'000,
                               .num_draws = 5000,
                               .seed = 11,
                               .num_threads = 1,
                               .kernel = kernel};
  for (const std::vector<double>& z : exact_starts(3)) {
    std::vector<double> x(3);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) x[i] += kA[i][k] * z[k];
    options.init.push_back(x);
  }
  infer::StoredDraws store;
  const infer::RunResult run = infer::run_chains(*sheared(), options, store);
  Learnt learnt{.covariances = {}, .acceptance = column_means(store, "accept_stat")};
  for (const infer::ChainResult& chain : run.chains)
    for (const infer::TunedSetting& setting : chain.tuned)
      if (setting.name == "covariance") learnt.covariances.push_back(setting.values);
  return learnt;
}

template <class Function>
Estimate over_chains(const Learnt& learnt, Function&& function) {
  std::vector<double> values;
  for (const std::vector<double>& matrix : learnt.covariances) values.push_back(function(matrix));
  return examples::mean_of(values);
}

void claim_adaptation(examples::Experiment& experiment) {
  const Learnt haario = learn("adaptive_metropolis", infer::HaarioOptions{});
  const Learnt robust = learn("ram", infer::RamOptions{.target_accept = 0.3});
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const Estimate entry = over_chains(haario, [&](auto& m) { return m[3 * j + i]; });
      const std::string place = std::to_string(i + 1) + std::to_string(j + 1);
      experiment.within("Haario: covariance " + place, entry.mean, covariance(i, j),
                        4.0 * entry.error + 1e-6);  // the jitter
      if (i == j) continue;
      // RAM finds the shape: correlations, and ratios of variances. Factors still move by some
      // percent, so ratios are off by their square, less than the error.
      const Estimate correlation = over_chains(
          robust, [&](auto& m) { return m[3 * j + i] / std::sqrt(m[4 * i] * m[4 * j]); });
      experiment.within("RAM: correlation " + place, correlation.mean,
                        covariance(i, j) / std::sqrt(covariance(i, i) * covariance(j, j)),
                        4.0 * correlation.error);
      const Estimate ratio =
          over_chains(robust, [&](auto& m) { return std::log(m[4 * i] / m[4 * j]); });
      experiment.within("RAM: log ratio of variances " + place, ratio.mean,
                        std::log(covariance(i, i) / covariance(j, j)), 4.0 * ratio.error);
    }
  // Frozen scales err by some percent to both sides; the acceptance's curvature makes that 0.002.
  const Estimate acceptance = examples::mean_of(robust.acceptance);
  experiment.within("RAM: acceptance", acceptance.mean, 0.3, 4.0 * acceptance.error + 0.002);
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Random walks: dimension, steps, adaptation", argc, argv);
  claim_dimensions(experiment);
  claim_steps(experiment);
  claim_adaptation(experiment);
  return experiment.finish();
}
