// A banana-shaped density: one global covariance against the stretch move of an ensemble (E12), and
// the detailed balance of that move (E13 of the catalogue's file 000).
//
//   x ~ N(0, 10²),  y = b (x² - 100) + z,  z ~ N(0, 1), b = 0.1; volume is kept, moments are known.
#include "density/function_density.hpp"
#include "diagnose/autocorrelation.hpp"
#include "diagnose/trace.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/core/sample.hpp"
#include "infer/ensemble/ensemble.hpp"
#include "infer/mcmc/walk/rwm.hpp"

namespace {
using namespace credo;
using examples::Estimate;

constexpr double kBend = 0.1, kSd = 10.0, kStretch = 2.0;
constexpr Index kChains = 20;

double log_density(double x, double y) {
  const double z = y - kBend * (x * x - kSd * kSd);
  return -0.5 * (x * x / (kSd * kSd) + z * z);
}
std::shared_ptr<const density::LogDensity> banana() {
  return density::make_density(2, [](std::span<const double> q, std::span<double> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);  // neither sampler asks for it
    return log_density(q[0], q[1]);
  });
}

// ---- E12 ----

struct Run {
  infer::StoredDraws store;
  Index num_walkers = 1;
};
Run run(const std::string& sampler, Index num_draws) {
  infer::SampleOptions options{.sampler = sampler,
                               .num_chains = kChains,
                               .num_warmup = 10'000,
                               .num_draws = num_draws,
                               .seed = 12,
                               .num_threads = 1,
                               .init_spread = 1.0};
  for (std::uint32_t c = 0; c < kChains; ++c) {
    Rng rng({.seed = 12, .purpose = purpose::kTest, .chain = c});
    const double x = kSd * rng.normal();
    options.init.push_back({x, kBend * (x * x - kSd * kSd) + rng.normal()});
  }
  Run result;
  result.num_walkers = infer::run_chains(*banana(), options, result.store).num_walkers;
  return result;
}

// Mean of a function over each chain, walkers of one ensemble together.
template <class Function>
Estimate mean_over(const Run& run, Function&& function) {
  const density::Draws& draws = run.store.draws;
  std::vector<double> means;
  for (Index first = 0; first < draws.num_chains(); first += run.num_walkers) {
    double sum = 0.0;
    for (Index c = first; c < first + run.num_walkers; ++c)
      for (Index s = 0; s < draws.num_draws(); ++s) sum += function(draws(s, c, 0), draws(s, c, 1));
    means.push_back(sum / static_cast<double>(run.num_walkers * draws.num_draws()));
  }
  return examples::mean_of(means);
}

void claim_moments(examples::Experiment& experiment, const std::string& name, const Run& run) {
  const auto within = [&](const char* what, double expected, auto&& function) {
    const Estimate found = mean_over(run, function);
    experiment.within(name + what, found.mean, expected, 4.0 * found.error);
  };
  within(": mean of x", 0.0, [](double x, double) { return x; });
  within(": mean of x^2", kSd * kSd, [](double x, double) { return x * x; });
  within(": mean of y", 0.0, [](double, double y) { return y; });
  within(": far end, share of |x| > 20", std::erfc(std::sqrt(2.0)),
         [](double x, double) { return std::fabs(x) > 2.0 * kSd ? 1.0 : 0.0; });
}

// Of x², which says where on the bend a draw is; both samplers evaluate once a draw.
double time_of(const Run& run) {
  const diagnose::Chains x = diagnose::quantity(run.store.draws, 0);
  std::vector<double> squares(x.values.begin(), x.values.end());
  for (double& value : squares) value *= value;
  return diagnose::integrated_autocorrelation_time({squares, x.num_draws, x.num_chains}).time;
}

double acceptance_of(const Run& run) {
  return diagnose::move_fraction(diagnose::quantity(run.store.draws, 0));
}

void claim_bend(examples::Experiment& experiment) {
  const Run global = run("adaptive_metropolis", 50'000), ensemble = run("ensemble", 5000);
  claim_moments(experiment, "one covariance", global);
  claim_moments(experiment, "ensemble", ensemble);
  // Steps of one covariance end beside the bend nearly always; the stretch move is as long as the
  // bend is wide where the walker is. In one dimension of bend that doesn't make it cheaper.
  experiment.at_most("one covariance: share of moves", acceptance_of(global), 0.1);
  experiment.at_least("ensemble: share of moves", acceptance_of(ensemble), 0.25);
  experiment.note("one covariance: evaluations for an independent x^2", time_of(global));
  experiment.note("ensemble: evaluations for an independent x^2", time_of(ensemble));

  examples::Table& draws = experiment.table("draws", {"x", "y", "x_ensemble", "y_ensemble"});
  const density::Draws &a = global.store.draws, &b = ensemble.store.draws;
  for (Index s = 0; s < 400; ++s)
    draws.row({a(s, 0, 0), a(s, 0, 1), b(s / 16, s % 16, 0), b(s / 16, s % 16, 1)});
}

// ---- E13 ----

// In one dimension, partner fixed at p: θ' = p + z (θ - p), z of density ∝ 1 / √z on [1/a, a]; as a
// density of θ' that is f(z) / |θ - p|. In D dimensions the same along the ray from p, whose
// measure is r^(D-1) dr; the acceptance has z^(D-1), and the flow is symmetric for this power only.
double flow(double from, double to, double power, Index dimension) {
  const double z = to / from;  // distances from the partner
  if (z < 1.0 / kStretch || z > kStretch) return 0.0;
  const auto weight = [&](double r) {  // the banana along a ray from (1, 2)
    return std::exp(log_density(1.0 + 0.8 * r, 2.0 + 0.6 * r)) *
           std::pow(r, static_cast<double>(dimension - 1));
  };
  const auto target = [&](double r) { return std::exp(log_density(1.0 + 0.8 * r, 2.0 + 0.6 * r)); };
  const double accept = std::min(1.0, std::pow(z, power) * target(to) / target(from));
  return weight(from) / std::sqrt(z) / from * accept;
}

double worst_imbalance(double power, Index dimension) {
  double worst = 0.0;
  for (double from = 0.05; from < 6.0; from += 0.05)
    for (double to = from + 0.05; to < 6.0; to += 0.05) {
      const double there = flow(from, to, power, dimension),
                   back = flow(to, from, power, dimension);
      if (there + back > 0.0) worst = std::max(worst, std::fabs(there - back) / (there + back));
    }
  return worst;
}

// Moves of walkers between eight cells of equal probability of x: as many there as back, in
// standard errors from the ensembles' spread.
double worst_flow(const Run& run) {
  constexpr std::size_t kCells = 8;
  std::array<std::array<std::vector<double>, kCells>, kCells> nets;
  const density::Draws& draws = run.store.draws;
  const auto cell = [](double x) {
    const double u = 0.5 * std::erfc(-x / kSd / std::sqrt(2.0));
    return std::min(static_cast<std::size_t>(u * kCells), kCells - 1);
  };
  for (Index first = 0; first < draws.num_chains(); first += run.num_walkers) {
    std::array<std::array<double, kCells>, kCells> count{};
    for (Index c = first; c < first + run.num_walkers; ++c)
      for (Index s = 1; s < draws.num_draws(); ++s)
        count[cell(draws(s - 1, c, 0))][cell(draws(s, c, 0))] += 1.0;
    for (std::size_t i = 0; i < kCells; ++i)
      for (std::size_t j = 0; j < i; ++j) nets[i][j].push_back(count[i][j] - count[j][i]);
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < kCells; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Estimate net = examples::mean_of(nets[i][j]);
      if (net.error > 0.0) worst = std::max(worst, std::fabs(net.mean) / net.error);
    }
  return worst;
}

void claim_balance(examples::Experiment& experiment) {
  for (const Index dimension : {1, 2, 5}) {
    const double right = static_cast<double>(dimension - 1);
    const std::string name = std::to_string(dimension) + " dimensions: imbalance of flows";
    experiment.at_most(name, worst_imbalance(right, dimension), 1e-12);
    experiment.at_least(name + " with a power of one more", worst_imbalance(right + 1.0, dimension),
                        0.1);
  }
  // 28 pairs; t of 19 degrees of freedom is above 5 with a probability of 8e-5.
  experiment.at_most("walkers: largest net flow, in its errors", worst_flow(run("ensemble", 5000)),
                     5.0);
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("A banana: one covariance, and an ensemble's stretch move", argc,
                                  argv);
  claim_bend(experiment);
  claim_balance(experiment);
  return experiment.finish();
}
