#include "models/paths/path_posterior.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "diagnose/convergence.hpp"
#include "models/paths/tank.hpp"
#include "models/paths/tank_reference.hpp"
#include "support/kernel_checks.hpp"
#include "support/share.hpp"

namespace credo::models::paths_path_posterior_test {
namespace {
using namespace credo::infer;
using credo::testing::LogMoments;
using credo::testing::TankReference;

constexpr std::array kSchemes = {TankScheme::euler, TankScheme::log_euler};
constexpr std::array kCoordinates = {PathCoordinates::plain, PathCoordinates::staged};

// Ten steps, unevenly observed, the first and the last not.
TankData small_data(TankScheme scheme) {
  return {.scheme = scheme,
          .time_step = 0.2,
          .rain = {1.0, 0.5, 0.0, 2.0, 1.0, 1.5, 1.0, 0.2, 0.0, 1.0},
          .observed_at = {1, 5, 6, 9},
          .observed = {0.9, 1.4, 1.2, 0.7},
          .initial = {.log_mean = 0.1, .log_sd = 0.7},
          .prior = {{{0.0, 0.4}, {-1.0, 0.5}, {-2.0, 0.3}}}};
}
std::shared_ptr<const TankModel> model_of(TankData data) {
  return std::make_shared<const TankModel>(std::move(data));
}

std::vector<double> some_position(const PathPosterior& posterior, std::uint32_t number) {
  Rng rng({.seed = 3, .purpose = purpose::kTest, .iteration = number});
  std::vector<double> position;
  for (Index d = 0; d < posterior.dimension(); ++d) position.push_back(0.4 * rng.normal());
  return position;
}

double log_density(const PathPosterior& posterior, std::span<const double> position,
                   std::vector<double>* gradient = nullptr) {
  const auto evaluator = posterior.make_evaluator();
  const PointState state = credo::testing::state_at(*evaluator, position);
  if (gradient) *gradient = state.gradient;
  return state.log_density;
}

// ---- the density ----

double normal_log(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return -0.5 * z * z - std::log(sd) - 0.5 * std::log(2.0 * 3.14159265358979323846);
}

// Written down term by term; the Jacobians are those of x = e^u and of θ = e^(log θ).
double by_hand(const TankData& data, std::span<const double> position) {
  const double rate = std::exp(position[0]), noise = std::exp(position[1]),
               sd = std::exp(position[2]), dt = data.time_step;
  double sum = 0.0;
  for (std::size_t p = 0; p < 3; ++p)
    sum += normal_log(position[p], data.prior[p].log_mean, data.prior[p].log_sd);
  const auto u = position.subspan(3);
  sum += normal_log(u[0], data.initial.log_mean, data.initial.log_sd);
  for (std::size_t i = 0; i < data.rain.size(); ++i) {
    const double x = std::exp(u[i]), next = std::exp(u[i + 1]), s = std::sqrt(rate * noise * dt);
    sum +=
        data.scheme == TankScheme::euler
            ? normal_log(next, x + dt * (data.rain[i] - rate * x), s * x) + u[i + 1]
            : normal_log(u[i + 1], u[i] + dt * (data.rain[i] / x - rate - 0.5 * rate * noise), s);
  }
  for (std::size_t k = 0; k < data.observed.size(); ++k)
    sum += normal_log(data.observed[k], std::exp(u[std::size_t(data.observed_at[k])]), sd);
  return sum;
}

TEST(path_posterior, is_the_product_of_its_normals) {
  for (const TankScheme scheme : kSchemes) {
    const PathPosterior posterior(model_of(small_data(scheme)), PathCoordinates::plain);
    for (std::uint32_t i = 0; i < 5; ++i) {
      const std::vector<double> position = some_position(posterior, i);
      const double expected = by_hand(small_data(scheme), position);
      EXPECT_NEAR(log_density(posterior, position), expected, 1e-11 * std::fabs(expected));
    }
  }
}

// Central differences with step h: error h² |f'''| / 6 + |f| ε / h, some 1e-8 of the largest slope.
TEST(path_posterior, has_the_gradient_of_central_differences) {
  for (const TankScheme scheme : kSchemes)
    for (const PathCoordinates coordinates : kCoordinates) {
      const PathPosterior posterior(model_of(small_data(scheme)), coordinates);
      for (std::uint32_t i = 0; i < 3; ++i) {
        std::vector<double> position = some_position(posterior, i), gradient;
        const double value = log_density(posterior, position, &gradient);
        const double h = 1e-5;
        for (std::size_t d = 0; d < position.size(); ++d) {
          const double at = position[d];
          position[d] = at + h;
          const double up = log_density(posterior, position);
          position[d] = at - h;
          const double down = log_density(posterior, position);
          position[d] = at;
          EXPECT_NEAR(gradient[d], (up - down) / (2.0 * h),
                      1e-6 * (1.0 + std::fabs(gradient[d]) + std::fabs(value)))
              << d;
        }
      }
    }
}

TEST(path_posterior, finds_the_position_of_a_path_and_back) {
  for (const PathCoordinates coordinates : kCoordinates) {
    const PathPosterior posterior(model_of(small_data(TankScheme::euler)), coordinates);
    const std::vector<double> position = some_position(posterior, 1);
    const std::vector<double> again = posterior.position_of(posterior.at(position));
    for (std::size_t d = 0; d < position.size(); ++d) EXPECT_NEAR(again[d], position[d], 1e-13);
  }
}

// The same posterior in other coordinates: the log densities differ by log |∂ plain / ∂ staged|.
TEST(path_posterior, differs_between_its_coordinates_by_their_jacobian) {
  for (const TankScheme scheme : kSchemes) {
    const auto model = model_of(small_data(scheme));
    const PathPosterior plain(model, PathCoordinates::plain),
        staged(model, PathCoordinates::staged);
    EXPECT_EQ(staged.num_anchors(), 6);
    std::vector<double> position = some_position(staged, 2);
    const auto n = static_cast<Eigen::Index>(position.size());
    Eigen::MatrixXd jacobian(n, n);
    const double h = 1e-6;
    for (std::size_t d = 0; d < position.size(); ++d) {
      std::vector<double> up = position, down = position;
      up[d] += h, down[d] -= h;
      const auto a = plain.position_of(staged.at(up)), b = plain.position_of(staged.at(down));
      for (std::size_t e = 0; e < position.size(); ++e)
        jacobian(Eigen::Index(e), Eigen::Index(d)) = (a[e] - b[e]) / (2.0 * h);
    }
    const double expected = log_density(plain, plain.position_of(staged.at(position))) +
                            std::log(std::fabs(jacobian.determinant()));
    EXPECT_NEAR(log_density(staged, position), expected, 1e-7 * std::fabs(expected));
  }
}

// Without rain the drift of u is constant, so that of the path's terms only -½ z² knows z.
TEST(path_posterior, has_uncoupled_oscillators_of_precision_one_in_staged_coordinates) {
  TankData data = small_data(TankScheme::log_euler);
  std::fill(data.rain.begin(), data.rain.end(), 0.0);
  const PathPosterior staged(model_of(data), PathCoordinates::staged);
  const std::vector<double> precision = staged.precision();
  std::vector<double> position = some_position(staged, 4), gradient;
  log_density(staged, position, &gradient);
  for (std::size_t d = 0; d < position.size(); ++d) {
    const bool is_stage = d >= std::size_t(3 + staged.num_anchors());
    const bool is_observed = d > 3 && d + 1 < std::size_t(3 + staged.num_anchors());
    EXPECT_EQ(precision[d], is_stage || is_observed ? 1.0 : 0.0);
    if (is_stage) {
      EXPECT_NEAR(gradient[d], -position[d], 1e-12) << d;
    }
  }
}

TEST(path_posterior, starts_on_one_path_in_both_coordinates) {
  const auto model = model_of(small_data(TankScheme::euler));
  const PathPosterior plain(model, PathCoordinates::plain), staged(model, PathCoordinates::staged);
  const std::vector<double> parameters = {1.0, 0.3, 0.1}, logs = {-0.1, 0.3, 0.2, -0.4};
  const auto a = plain.at(plain.initial_point(parameters, logs, 5));
  const auto b = staged.at(staged.initial_point(parameters, logs, 5));
  for (std::size_t i = 0; i < a.path.size(); ++i) EXPECT_NEAR(a.path[i], b.path[i], 1e-13);
  EXPECT_NEAR(a.path[5], 0.3, 1e-15);
  EXPECT_THROW(plain.initial_point(parameters, std::vector<double>{0.0}, 5), Error);
}

// ---- samplers on it, against the grid ----

TankData grid_data(TankScheme scheme) {
  return {.scheme = scheme,
          .time_step = 0.25,
          .rain = std::vector<double>(9, 1.0),
          .observed_at = {0, 3, 6, 9},
          .observed = {1.2, 0.8, 1.5, 1.1},
          .initial = {.log_mean = 0.0, .log_sd = 0.5},
          .prior = {{{0.0, 0.4}, {-1.0, 0.4}, {-1.6, 0.4}}}};
}
const LogMoments& grid_posterior(TankScheme scheme) {
  static const std::array<LogMoments, 2> moments = {
      TankReference(grid_data(TankScheme::euler), {}).moments(),
      TankReference(grid_data(TankScheme::log_euler), {}).moments()};
  return moments[scheme == TankScheme::euler ? 0 : 1];
}

LONG_TEST(tank_reference, does_not_change_on_a_finer_and_wider_grid) {
  for (const TankScheme scheme : kSchemes) {
    const LogMoments finer =
        TankReference(grid_data(scheme),
                      {.lo = -3.0, .hi = 3.0, .spacing = 0.04, .num_parameters = 19, .width = 4.0})
            .moments();
    for (std::size_t p = 0; p < 3; ++p) {
      EXPECT_NEAR(grid_posterior(scheme).mean[p], finer.mean[p], 1e-3 * finer.sd(p));
      EXPECT_NEAR(grid_posterior(scheme).sd(p), finer.sd(p), 3e-3 * finer.sd(p));
    }
  }
}

struct Sampler {
  std::string sampler;
  KernelOptions options;
};

// The largest distance of mean and square of the log parameters from the grid's, in standard
// errors.
double worst_z(const density::LogDensity& density, const std::vector<double>& init,
               const Sampler& run, const LogMoments& expected) {
  StoredDraws store;
  run_chains(density,
             {.sampler = run.sampler,
              .num_chains = 4,
              .num_draws = 3000,
              .seed = testing::test_seed(17),
              .init = {init},
              .kernel = run.options},
             store);
  double worst = 0.0;
  for (Index p = 0; p < 3; ++p) {
    const auto j = static_cast<std::size_t>(p);
    diagnose::ChainsCopy chains{{}, 3000, 4};
    for (const double x : store.draws.quantity(p)) chains.values.push_back(x);
    worst = testing::worse(worst, std::fabs(diagnose::mean(chains.values) - expected.mean[j]) /
                                      diagnose::mcse_mean(chains));
    for (double& x : chains.values) x *= x;
    worst = testing::worse(worst, std::fabs(diagnose::mean(chains.values) - expected.square[j]) /
                                      diagnose::mcse_mean(chains));
  }
  return worst;
}

std::vector<double> start_of(const PathPosterior& posterior) {
  return posterior.initial_point({1.0, 0.4, 0.2}, std::vector<double>{0.2, -0.2, 0.4, 0.1}, 1);
}

LONG_TEST(path_posterior, sampled_by_nuts_and_static_hmc_is_that_of_the_grid) {
  for (const TankScheme scheme : kSchemes)
    for (const PathCoordinates coordinates : kCoordinates) {
      const PathPosterior posterior(model_of(grid_data(scheme)), coordinates);
      for (const Sampler& run :
           {Sampler{"nuts", {}}, Sampler{"hmc_static", HmcStaticOptions{.integration_time = 2.0}}})
        EXPECT_LE(worst_z(posterior, start_of(posterior), run, grid_posterior(scheme)), 4.0)
            << run.sampler;
    }
}

TEST(path_posterior, sampled_by_split_hmc_is_that_of_the_grid) {
  for (const TankScheme scheme : kSchemes) {
    const PathPosterior posterior(model_of(grid_data(scheme)), PathCoordinates::staged);
    SplitHmcOptions options = posterior.split_options();
    options.integration_time = 2.5;
    EXPECT_LE(
        worst_z(posterior, start_of(posterior), {"split_hmc", options}, grid_posterior(scheme)),
        4.0);
  }
}

// The posterior with a term taken away that it owes to a change of variables.
enum class Missing { nothing, parameters, path, observed };

std::unique_ptr<density::LogDensity> mutant(const PathPosterior& posterior, Missing missing) {
  return density::make_density(
      posterior.dimension(), [&posterior, missing](std::span<const double> x, std::span<double> g) {
        std::vector<double> gradient;
        double sum = log_density(posterior, x, &gradient);
        const double stages = double(posterior.dimension() - 3 - posterior.num_anchors());
        const double observed = double(posterior.model().observed().size());
        for (std::size_t j = 0; j < 3; ++j) {
          const double by = missing == Missing::parameters           ? 1.0
                            : missing == Missing::path && j < 2      ? 0.5 * stages  // log s
                            : missing == Missing::observed && j == 2 ? observed
                                                                     : 0.0;
          sum -= by * x[j];
          gradient[j] -= by;
        }
        std::copy(gradient.begin(), gradient.end(), g.begin());
        return sum;
      });
}

TEST(path_posterior, without_one_of_its_jacobians_is_rejected_by_the_grid) {
  const PathPosterior posterior(model_of(grid_data(TankScheme::euler)), PathCoordinates::staged);
  const Sampler run{"split_hmc", posterior.split_options()};
  const auto z = [&](Missing missing) {
    return worst_z(*mutant(posterior, missing), start_of(posterior), run,
                   grid_posterior(TankScheme::euler));
  };
  EXPECT_LE(z(Missing::nothing), 4.0);
  EXPECT_GT(z(Missing::parameters), 4.0);
  EXPECT_GT(z(Missing::path), 4.0);
  EXPECT_GT(z(Missing::observed), 4.0);
}

// ---- calibration: parameters from the prior, a path and data from them, the posterior of each
// ----

// Ranks of the true values among draws that are nearly independent are uniform on 0 … kRanks: the
// statistic of chi² in ten bins exceeds 36 with probability 4e-5 (9 degrees of freedom).
LONG_TEST(path_posterior, is_calibrated_over_data_sets_from_its_prior) {
  constexpr std::uint32_t kSets = 150;
  constexpr Index kRanks = 99, kThin = 6;
  std::array<std::array<double, 10>, 3> counts{};
  for (std::uint32_t set = 0; set < kSets; ++set) {
    Rng rng({.seed = 31, .purpose = purpose::kTest, .chain = set});
    TankData data = grid_data(TankScheme::log_euler);
    data.rain.assign(20, 1.0);
    std::array<double, 3> truth{};
    for (std::size_t p = 0; p < 3; ++p)
      truth[p] = std::exp(data.prior[p].log_mean + data.prior[p].log_sd * rng.normal());
    const TankRun run = simulate_tank(data, {truth[0], truth[1], truth[2]}, 5,
                                      {.seed = 32, .purpose = purpose::kTest, .chain = set});
    const PathPosterior posterior(model_of(run.data), PathCoordinates::staged);
    std::vector<double> logs;
    for (const double y : run.data.observed) logs.push_back(std::log(std::max(y, 0.2)));
    SplitHmcOptions options = posterior.split_options();
    options.integration_time = 2.5;
    StoredDraws store;
    run_chains(posterior,
               {.sampler = "split_hmc",
                .num_chains = 1,
                .num_warmup = 500,
                .num_draws = kRanks * kThin,
                .thin = kThin,
                .seed = set + 1,
                .init = {posterior.initial_point({1.0, 0.4, 0.2}, logs, set)},
                .kernel = options},
               store);
    for (Index p = 0; p < 3; ++p) {
      const double log_truth = std::log(truth[static_cast<std::size_t>(p)]);
      Index rank = 0;
      for (const double x : store.draws.quantity(p)) rank += x < log_truth ? 1 : 0;
      ++counts[static_cast<std::size_t>(p)][static_cast<std::size_t>(rank * 10 / (kRanks + 1))];
    }
  }
  for (const auto& bins : counts) {
    double chi_square = 0.0;
    for (const double count : bins)
      chi_square += (count - kSets / 10.0) * (count - kSets / 10.0) / (kSets / 10.0);
    EXPECT_LE(chi_square, 36.0);
  }
}

}  // namespace
}  // namespace credo::models::paths_path_posterior_test
