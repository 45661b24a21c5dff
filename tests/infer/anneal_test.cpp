#include "infer/optimise/anneal.hpp"

#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/optimise/mode.hpp"

namespace credo::infer::anneal_test {
namespace {
using namespace credo::testing;

// log |peaks|: the surface with maxima 8.106 at (-0.01, 1.58) and 6.551 at (0.23, -1.63); outside
// of
// [-3, 3]² there is nothing.
double peaks(double x, double y) {
  return 3.0 * (1.0 - x) * (1.0 - x) * std::exp(-x * x - (y + 1.0) * (y + 1.0)) -
         10.0 * (x / 5.0 - x * x * x - std::pow(y, 5)) * std::exp(-x * x - y * y) -
         std::exp(-(x + 1.0) * (x + 1.0) - y * y) / 3.0;
}
std::shared_ptr<const LogDensity> peaks_density() {
  return density_of(2, [](Point x, Slope gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    if (std::fabs(x[0]) > 3.0 || std::fabs(x[1]) > 3.0) return -kInfinity;
    return std::log(std::fabs(peaks(x[0], x[1])));
  });
}

TEST(annealing, ends_near_the_highest_of_several_peaks) {
  const AnnealResult result = anneal(
      *peaks_density(),
      {.num_runs = 8, .num_steps = 20'000, .temperature = 1.0, .rate = 0.9995, .scale = 0.5});
  EXPECT_NEAR(result.best().best[0], -0.01, 0.03);
  EXPECT_NEAR(result.best().best[1], 1.58, 0.03);
  EXPECT_NEAR(std::exp(result.best().best_log_density), 8.106, 0.01);
  int near = 0;
  for (const AnnealRun& run : result.runs) near += std::exp(run.last_log_density) > 8.0;
  EXPECT_GE(near, 5);  // a run alone may end on the second peak
}

TEST(annealing, cools_geometrically_or_by_the_logarithm) {
  AnnealOptions options{.temperature = 2.0, .rate = 0.9};
  for (const Index t : {0, 1, 10})
    EXPECT_NEAR(temperature_at(options, t), 2.0 * std::pow(0.9, double(t)), 1e-14);
  options.cooling = Cooling::logarithmic;
  EXPECT_NEAR(temperature_at(options, 98), 2.0 * std::log(2.0) / std::log(100.0), 1e-14);
  options.rate = 0.0;
  options.cooling = Cooling::exponential;
  options.num_steps = 100;
  EXPECT_NEAR(temperature_at(options, 100), 2.0e-4, 1e-12);
}

// At a constant temperature it is Metropolis on p^(1/T): a normal's density has mean log density
// -T D/2 there, standard deviation T sqrt(D/2); one draw in some 15 counts.
double mean_log_density_at(double temperature) {
  double sum = 0.0, count = 0.0;
  anneal(*standard_normal(2).density, {.num_runs = 1,
                                       .num_steps = 100'000,
                                       .cooling = Cooling::constant,
                                       .temperature = temperature,
                                       .scale = 3.0,
                                       .seed = test_seed(1),
                                       .on_step = [&](Index, Index, double, double log_density) {
                                         sum += log_density, count += 1.0;
                                       }});
  return sum / count;
}
TEST(annealing, samples_the_tempered_density_at_a_constant_temperature) {
  const double error = 3.0 / std::sqrt(100'000.0 / 15.0);
  EXPECT_NEAR(mean_log_density_at(3.0), -3.0, 4.0 * error);
  EXPECT_GT(std::fabs(mean_log_density_at(3.4) + 3.0), 4.0 * error);  // a planted mutant
}

TEST(annealing, gives_the_same_result_for_any_number_of_threads) {
  const auto best = [](Index num_threads) {
    return anneal(*peaks_density(), {.num_steps = 300, .num_threads = num_threads}).best().best;
  };
  EXPECT_EQ(best(1), best(3));
}

// ---- modes ----

TEST(mode, is_found_on_a_banana_and_a_badly_scaled_normal) {
  const Mode bent = find_mode(*banana().density, {});
  EXPECT_TRUE(bent.converged);
  for (const double x : bent.position) EXPECT_NEAR(x, 0.0, 1e-6);
  const Mode scaled = find_mode(*scaled_normal().density, {});
  EXPECT_TRUE(scaled.converged);
  EXPECT_LT(scaled.num_evaluations, 300);
  for (const double x : scaled.position) EXPECT_NEAR(x, 0.0, 1e-3);
}

TEST(mode, is_where_chains_start_near_but_not_at) {
  const Target target = banana();
  const Mode mode = find_mode(*target.density, {});
  const auto points = points_near(*target.density, mode, 4, 0.1, 7);
  for (const auto& point : points) {
    EXPECT_NE(point, mode.position);
    EXPECT_LT(std::fabs(point[0] - mode.position[0]), 0.6);
  }
  StoredDraws store;
  const RunResult run = run_chains(*target.density, {.num_draws = 10, .init = points}, store);
  EXPECT_EQ(run.chains[2].initial_point, points[2]);
}

// Central differences with h = 6e-6 have an error of h² times a fourth derivative and of rounding
// over h, both 1e-10.
TEST(inverse_hessian, is_the_covariance_of_a_normal) {
  const std::vector<double> found =
      inverse_hessian(*correlated_normal(0.8).density, std::vector<double>{0.3, 0.1});
  const std::vector<double> covariance = {1.0, 2.4, 2.4, 9.0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], covariance[i], 1e-7);
}

TEST(inverse_hessian, refuses_a_place_that_is_not_like_a_mode) {
  EXPECT_THROW(inverse_hessian(*two_modes().density, std::vector<double>{-0.2, 0.0}), Error);
}

TEST(inverse_hessian, serves_as_the_metric_of_a_run_without_adaptation) {
  const Target target = correlated_normal(0.9);
  SampleOptions options{.num_warmup = 100, .num_draws = 2000, .seed = test_seed(3)};
  options.adapt.engaged = false;
  options.kernel = NutsOptions{.step_size = 0.8, .metric = MetricKind::dense};
  options.inv_metric = inverse_hessian(*target.density, find_mode(*target.density, {}).position);
  StoredDraws store;
  run_chains(*target.density, options, store);
  const diagnose::Chains x(store.draws.quantity(1), 2000, 4);
  EXPECT_GT(diagnose::ess_mean(x), 2000.0);
}

}  // namespace
}  // namespace credo::infer::anneal_test
