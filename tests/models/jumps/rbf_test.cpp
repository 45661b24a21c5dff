// Radial basis networks with an unknown number of centres: the two forms against each other,
// against quadrature, and on data with two bumps.
#include "models/jumps/rbf_network.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "density/function_density.hpp"
#include "infer/jumps/reversible_jump.hpp"
#include "support/kernel_checks.hpp"
#include "support/share.hpp"

namespace credo::models::jumps_rbf_test {
namespace {
using namespace credo::infer;
using namespace credo::infer::rj;

// Two bumps at -1 and 1 on a line, of width 0.4, with noise.
SharedRbf two_bumps(Index num_points, Index max_centres, double expected) {
  RbfProblem problem{.x = {},
                     .y = {},
                     .width = 0.4,
                     .max_centres = max_centres,
                     .expected_centres = expected,
                     .centre_sd = 1.2};
  Rng rng({.seed = 20, .purpose = purpose::kTest});
  for (Index i = 0; i < num_points; ++i) {
    const double x = rng.uniform(-2.0, 2.0);
    const double at[] = {x}, left[] = {-1.0}, right[] = {1.0};
    problem.x.push_back(x);
    problem.y.push_back(0.3 + 0.2 * x + 1.5 * problem.basis(at, left) +
                        1.2 * problem.basis(at, right) + 0.3 * rng.normal());
  }
  return make_rbf(std::move(problem));
}

SharedRbf plane(Index max_centres) {
  RbfProblem problem{.x = {}, .y = {}, .num_inputs = 2, .width = 0.8, .max_centres = max_centres};
  Rng rng({.seed = 21, .purpose = purpose::kTest});
  for (Index i = 0; i < 12; ++i) {
    problem.x.push_back(rng.normal());
    problem.x.push_back(rng.normal());
    problem.y.push_back(rng.normal());
  }
  return make_rbf(std::move(problem));
}

double log_density_at(const density::LogDensity& density, std::span<const double> x,
                      std::span<double> gradient = {}) {
  const auto evaluator = density.make_evaluator();
  Evaluate question = infer::evaluate(x, gradient);
  testing::answer(*evaluator, question);
  return question.request.log_density;
}

std::vector<double> random_full_point(const RbfProblem& problem, Index k, std::uint32_t number) {
  Rng rng({.seed = 3, .purpose = purpose::kTest, .iteration = number});
  std::vector<double> x(static_cast<std::size_t>(problem.full_layout().begin(k)));
  for (double& value : x) value = 0.7 * rng.normal();
  return x;
}

TEST(rbf_network, gradient_is_that_of_central_differences) {
  const SharedRbf problem = plane(3);
  const auto density = full_rbf(problem, 3);
  std::vector<double> x = random_full_point(*problem, 3, 0), gradient(x.size());
  log_density_at(*density, x, gradient);
  for (std::size_t d = 0; d < x.size(); ++d) {
    const double centre = x[d], h = 1e-5;
    x[d] = centre + h;
    const double above = log_density_at(*density, x);
    x[d] = centre - h;
    const double below = log_density_at(*density, x);
    x[d] = centre;
    // third derivatives up to some hundreds times h^2 / 6, rounding 1e-14 |log p| / h
    EXPECT_NEAR(gradient[d], (above - below) / (2.0 * h), 1e-6 * (1.0 + std::fabs(gradient[d])))
        << d;
  }
}

// p(y, c, s | mu) / p(c, s | y, mu) is the same for all c and s: the normal inverse-gamma distribution,
// written down with an independent linear algebra.
double log_conditional(const RbfProblem& p, std::span<const double> x) {
  const ComponentLayout layout = p.full_layout();
  const Index k = layout.count(x), d = p.num_inputs, columns = 1 + d + k, n = p.num_points();
  Eigen::MatrixXd design(n, columns);
  Eigen::VectorXd y(n), c(columns), precision(columns);
  for (Index i = 0; i < n; ++i) {
    y[i] = p.y[static_cast<std::size_t>(i)];
    design(i, 0) = 1.0;
    for (Index l = 0; l < d; ++l) design(i, 1 + l) = p.point(i)[static_cast<std::size_t>(l)];
    for (Index j = 0; j < k; ++j)
      design(i, 1 + d + j) =
          p.basis(p.point(i), layout.component(x, j).first(static_cast<std::size_t>(d)));
  }
  for (Index j = 0; j < columns; ++j) {
    c[j] = j <= d ? x[static_cast<std::size_t>(1 + j)] : layout.component(x, j - 1 - d).back();
    precision[j] = std::pow(j <= d ? p.line_scale : p.bump_scale, -2.0);
  }
  const Eigen::MatrixXd a = design.transpose() * design + Eigen::MatrixXd(precision.asDiagonal());
  const Eigen::VectorXd mean = a.ldlt().solve(design.transpose() * y);
  const double shape = p.noise.shape + 0.5 * static_cast<double>(n);
  const double rate = p.noise.rate + 0.5 * (y.squaredNorm() - mean.dot(a * mean));
  const double log_sd = x[0], q = (c - mean).dot(a * (c - mean));
  const double log_coefficients = -static_cast<double>(columns) * (0.91893853320467274 + log_sd) +
                                  0.5 * std::log(a.determinant()) -
                                  0.5 * q * std::exp(-2.0 * log_sd);
  return log_coefficients + shape * std::log(rate) - std::lgamma(shape) - 2.0 * shape * log_sd -
         rate * std::exp(-2.0 * log_sd) + std::log(2.0);
}

TEST(rbf_network, collapsed_is_full_over_the_distribution_of_coefficients_and_noise) {
  for (const Index k : {0, 1, 3}) {
    const SharedRbf problem = plane(3);
    const ComponentLayout layout = problem->full_layout();
    const auto full = full_rbf(problem, k), collapsed = collapsed_rbf(problem, k);
    for (std::uint32_t number = 0; number < 5; ++number) {
      const std::vector<double> x = random_full_point(*problem, k, number);
      std::vector<double> centres;
      for (Index j = 0; j < k; ++j)
        for (const double coordinate : layout.component(x, j).first(2))
          centres.push_back(coordinate);
      const double expected = log_density_at(*full, x) - log_conditional(*problem, x);
      EXPECT_NEAR(log_density_at(*collapsed, centres), expected,
                  1e-10 * (1.0 + std::fabs(expected)));
    }
  }
}

TEST(rbf_network, predicts_with_the_mean_of_the_coefficients) {
  const SharedRbf problem = two_bumps(30, 2, 1.0);
  CollapsedPredictor predictor(problem);
  const std::vector<double> centres = {-1.0, 1.0};
  predictor.condition(centres);
  for (const double x : {-1.0, 0.0, 1.0}) {
    const double at[] = {x};
    const double truth = 0.3 + 0.2 * x + 1.5 * std::exp(-3.125 * (x + 1.0) * (x + 1.0)) +
                         1.2 * std::exp(-3.125 * (x - 1.0) * (x - 1.0));
    EXPECT_NEAR(predictor(at), truth, 0.35);  // noise of 0.3 on some six points around each bump
  }
}

// ---- p(k | D) ----

// Evidence of k = 0, 1, 2 centres on a line by the trapezium rule over the centres, which lies far
// below the errors of the chains for a smooth integrand that vanishes at both ends.
std::vector<double> number_by_quadrature(const SharedRbf& problem) {
  constexpr int kNodes = 161;
  const double reach = 6.0 * problem->centre_sd, step = 2.0 * reach / (kNodes - 1);
  const std::vector<double> log_prior = problem->log_prior_of_number();
  std::vector<double> weight = {
      std::exp(log_prior[0] + log_density_at(*collapsed_rbf(problem, 0), {})), 0.0, 0.0};
  const auto one = collapsed_rbf(problem, 1), two = collapsed_rbf(problem, 2);
  for (int i = 0; i < kNodes; ++i) {
    const double a[] = {-reach + step * i};
    weight[1] += step * std::exp(log_prior[1] + log_density_at(*one, a));
    for (int j = 0; j < kNodes; ++j) {
      const double ab[] = {a[0], -reach + step * j};
      weight[2] += step * step * std::exp(log_prior[2] + log_density_at(*two, ab));
    }
  }
  const double sum = weight[0] + weight[1] + weight[2];
  for (double& value : weight) value /= sum;
  return weight;
}

Visits visits_with(const Family& family, const std::vector<Jump>& moves, std::uint64_t seed,
                   Index num_draws) {
  const Jumps jumps(family, moves);
  StoredDraws store;
  run(jumps, {.num_chains = 4, .num_warmup = 500, .num_draws = num_draws, .seed = seed}, store);
  return visits_of(store.draws, family.num_models());
}

TEST(rbf_network, visits_numbers_of_centres_as_quadrature_says_in_both_forms) {
  const SharedRbf problem = two_bumps(14, 2, 2.0);
  const std::vector<double> exact = number_by_quadrature(problem);
  const RbfMoveOptions moves{.alpha = 1.5};
  const Visits collapsed = visits_with(collapsed_family(problem, kernel("slice")),
                                       collapsed_rbf_jumps(problem, moves), 1, 20'000);
  const Visits full =
      visits_with(full_family(problem, kernel("nuts")), full_rbf_jumps(problem, moves), 2, 20'000);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GT(exact[k], 0.01) << "no test of k = " << k;
    EXPECT_NEAR(collapsed.probability[k], exact[k], 4.0 * collapsed.mcse[k]) << k;
    EXPECT_NEAR(full.probability[k], exact[k], 4.0 * full.mcse[k]) << k;
    EXPECT_LT(full.mcse[k], 0.03) << k;
  }
}

LONG_TEST(rbf_network, finds_two_centres_for_two_bumps_in_both_forms_alike) {
  const SharedRbf problem = two_bumps(60, 6, 1.0);
  const RbfMoveOptions moves{.alpha = 1.0};
  const Visits collapsed = visits_with(collapsed_family(problem, kernel("slice")),
                                       collapsed_rbf_jumps(problem, moves), 3, 5'000);
  const Visits full =
      visits_with(full_family(problem, kernel("nuts")), full_rbf_jumps(problem, moves), 4, 10'000);
  for (const Visits* visits : {&collapsed, &full}) {
    const auto& p = visits->probability;
    EXPECT_EQ(std::max_element(p.begin(), p.end()) - p.begin(), 2);
  }
  for (std::size_t k = 2; k < 5; ++k)
    EXPECT_NEAR(collapsed.probability[k], full.probability[k],
                4.0 * std::hypot(collapsed.mcse[k], full.mcse[k]))
        << k;
}

// Log acceptance ratios of one move with coefficients of any size in place of the drawn ones; none
// where the chain couldn't come back.
std::vector<double> ratios_of(const Jumps& jumps, const Move& move, std::span<const double> from,
                              Rng& rng) {
  const auto evaluator = jumps.family().make_evaluator();
  Proposer proposer(jumps);
  std::vector<double> to(from.size()), ratios;
  proposer.propose(move, from, to, rng);
  const Label label = proposer.label();
  std::vector<double> u(proposer.auxiliary().begin(), proposer.auxiliary().end());
  const auto num_coefficients =
      std::min<std::size_t>(u.size(), jumps.name(move) == "split" ? 2 : 1);
  const double here = testing::state_at(*evaluator, from).log_density;
  for (int i = 0; i < 4; ++i) {
    for (std::size_t c = u.size() - num_coefficients; c < u.size(); ++c) u[c] = rng.normal();
    const double terms = proposer.propose_with(move, from, to, label, u).sum();
    if (!std::isfinite(terms)) return {};
    ratios.push_back(testing::state_at(*evaluator, to).log_density - here + terms);
  }
  return ratios;
}

// Coefficients come from their distributions given all the rest: the ratio has only what they leave.
TEST(rbf_network, accepts_a_jump_alike_whatever_coefficients_it_draws) {
  const SharedRbf problem = plane(4);
  const Family family = full_family(problem, {});
  const Jumps jumps(family, full_rbf_jumps(problem, {.alpha = 0.7}));
  std::vector<double> from = random_full_point(*problem, 3, 1);
  from.insert(from.begin(), 3.0);
  from.resize(static_cast<std::size_t>(family.dimension()));
  Rng rng({.seed = 4, .purpose = purpose::kTest});
  for (const Move& move : jumps.moves_of(3)) {
    std::vector<double> ratios;
    for (int i = 0; i < 50 && ratios.empty(); ++i) ratios = ratios_of(jumps, move, from, rng);
    EXPECT_FALSE(ratios.empty()) << jumps.name(move);
    // some hundreds of roundings of terms that cancel, of size 1000
    for (const double ratio : ratios) EXPECT_NEAR(ratio, ratios[0], 1e-10) << jumps.name(move);
  }
}

// A run without data in two dimensions, where the determinant is (2 alpha)^2.
SharedRbf plane_without_data() {
  return make_rbf({.x = {}, .y = {}, .num_inputs = 2, .max_centres = 3, .expected_centres = 1.5});
}

double worst_z_of_prior(const SharedRbf& problem, const std::vector<Jump>& moves) {
  const std::vector<double> log_prior = problem->log_prior_of_number();
  const Visits visits = visits_with(full_family(problem, kernel("slice")), moves, 5, 10'000);
  double worst = 0.0;
  for (std::size_t k = 0; k < log_prior.size(); ++k) {
    EXPECT_GT(visits.mcse[k], 0.0) << k;
    worst =
        std::max(worst, std::fabs(visits.probability[k] - std::exp(log_prior[k])) / visits.mcse[k]);
  }
  return worst;
}

TEST(rbf_network, of_the_plane_follows_its_prior_without_data) {
  const SharedRbf problem = plane_without_data();
  EXPECT_LT(worst_z_of_prior(problem, full_rbf_jumps(problem, {.alpha = 0.7})), 4.0);
}

// The ratio of the text, which has neither the coefficients' own proposals nor the density of u.
TEST(rbf_network, whose_splits_leave_out_how_coefficients_are_proposed_is_rejected) {
  const SharedRbf problem = plane_without_data();
  std::vector<Jump> jumps = full_rbf_jumps(problem, {.alpha = 0.7});
  const auto ball = uniform_in_ball(2);
  for (Jump& jump : jumps) {
    if (jump.name != "split") continue;
    jump.there.auxiliary = make_auxiliary(
        4,
        [distribution = jump.there.auxiliary](auto x, const Label& label, auto u, Rng& rng) {
          distribution->draw(x, label, u, rng);
        },
        [ball](auto x, const Label& label, auto u) {
          return ball->log_density(x, label, u.first(2));
        });
    jump.back.auxiliary = make_auxiliary(
        1,
        [distribution = jump.back.auxiliary](auto x, const Label& label, auto u, Rng& rng) {
          distribution->draw(x, label, u, rng);
        },
        [](auto, const Label&, auto) { return 0.0; });
  }
  EXPECT_GT(worst_z_of_prior(problem, jumps), 4.0);
}

TEST(rbf_network, splits_by_the_determinant_of_two_alpha_to_the_d) {
  for (const Index d : {1, 2, 3}) {
    const SharedRbf problem = make_rbf({.x = {}, .y = {}, .num_inputs = d, .max_centres = 2});
    const Family family = full_family(problem, {});
    const Jumps jumps(family, full_rbf_jumps(problem, {.alpha = 0.7}));
    Proposer proposer(jumps);
    std::vector<double> from(static_cast<std::size_t>(family.dimension())), to(from.size());
    Rng rng({.seed = 1, .purpose = purpose::kTest});
    for (double& value : from) value = rng.normal();
    from[0] = 1.0;
    for (const Move& move : jumps.moves_of(1)) {
      if (jumps.name(move) != "split") continue;
      EXPECT_NEAR(proposer.propose(move, from, to, rng).jacobian,
                  static_cast<double>(d) * std::log(1.4), 1e-13);
    }
  }
}

TEST(rbf_network, refuses_sizes_and_settings_that_make_no_sense) {
  EXPECT_THROW(make_rbf({.x = {1.0, 2.0}, .y = {1.0}}), Error);
  EXPECT_THROW(make_rbf({.x = {1.0}, .y = {1.0}, .width = 0.0}), Error);
  EXPECT_THROW(make_rbf({.x = {1.0}, .y = {kNaN}}), Error);
  const SharedRbf problem = make_rbf({.x = {}, .y = {}});
  EXPECT_THROW(full_rbf_jumps(problem, {.alpha = 0.0}), Error);
  EXPECT_THROW(collapsed_rbf_jumps(problem, {.alpha = kNaN}), Error);
  EXPECT_THROW(collapsed_rbf_jumps(problem, {.share = 0.3}), Error);
}

}  // namespace
}  // namespace credo::models::jumps_rbf_test
