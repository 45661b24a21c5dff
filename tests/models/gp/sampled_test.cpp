// Draws of processes with outcomes that aren't normal: derivatives of their density, and agreement with quadrature and with exact answers.
#include "models/gp/outcomes/sampled.hpp"
#include "base/error.hpp"
#include "density/log_density.hpp"
#include "models/gp/gp_predictions.hpp"
#include "models/gp/outcome_cases.hpp"

namespace credo::models::gp_outcomes_test {
namespace {
// The same case with hyperparameters that are known.
OutcomeCase with_known(OutcomeCase c) {
  std::vector<CovarianceParameter> parameters = c.problem.covariance.parameters();
  for (CovarianceParameter& one : parameters) one.is_fixed = true;
  c.problem.covariance = Covariance(c.problem.covariance.root(), parameters);
  return c;
}
GpMoments mixed_moments(SampledGp& sampled, const OutcomeCase& c, const CovariancePoints& at) {
  GpMoments all;
  const numerics::DenseMatrix h(at.count, 0);
  double total = 0.0;
  for (std::size_t k = 0; k < sampled.points.thetas.size(); ++k) {
    total += 1.0;
    add_to_mixture(all,
                   sampled.solver->posterior(sampled.points.thetas[k])
                       ->moments(c.problem.covariance.root(), at, &h),
                   1.0 / total);
  }
  return all;
}

double density_at(const density::LogDensity& density, const std::vector<double>& at,
                  std::vector<double>& gradient) {
  density::Request request{.position = at, .gradient = gradient, .status = {}};
  density.make_evaluator()->evaluate(density::Want::gradient, std::array{&request});
  return request.log_density;
}
TEST(gp_sampled, has_the_derivatives_of_its_density) {
  constexpr double step = 1e-5;
  for (const OutcomeFamily* family : single_families()) {
    const OutcomeCase c = drawn_case(*family, 12, 1, 31);
    const auto density = sampled_density(c.problem, c.outcome);
    Rng rng({.seed = testing::test_seed(32)});
    std::vector<double> at, gradient(static_cast<std::size_t>(density->dimension())),
        ignored = gradient;
    for (Index k = 0; k < density->dimension(); ++k) at.push_back(0.4 * rng.normal());
    density_at(*density, at, gradient);
    for (std::size_t k = 0; k < at.size(); ++k) {
      std::vector<double> up = at, down = at;
      up[k] += step, down[k] -= step;
      // the factor of K has a condition of 1e4, and differences of step 1e-5 enlarge its rounding
      EXPECT_NEAR(
          gradient[k],
          (density_at(*density, up, ignored) - density_at(*density, down, ignored)) / (2 * step),
          1e-4 * (1.0 + std::abs(gradient[k])))
          << family->name << " " << k;
    }
  }
}
TEST(gp_sampled, normal_outcomes_have_the_exact_posterior) {
  const OutcomeCase c = with_known(drawn_case(*find_outcome_family("normal", ""), 8, 0, 33));
  SampledGp sampled = sample_gp(c.problem, c.outcome, {.num_kept = 1000, .seed = 3});
  const CovariancePoints at =
      c.problem.covariance.points(std::vector<std::vector<double>>{{0.3, 2.2}});
  const numerics::DenseMatrix h(2, 0);
  const GpMoments exact = make_exact_solver(c.problem)->posterior(c.theta)->moments(
      c.problem.covariance.root(), at, &h);
  const GpMoments found = mixed_moments(sampled, c, at);
  for (std::size_t k = 0; k < 2; ++k) {
    const double error = std::sqrt(exact.variance[k] / std::max(sampled.ess, 100.0));
    EXPECT_NEAR(found.mean[k], exact.mean[k], 4.0 * error);
    EXPECT_NEAR(found.variance[k], exact.variance[k], 8.0 * error * std::sqrt(exact.variance[k]));
  }
}
// Expectation propagation errs by less than a hundredth of the standard deviation in such cases [rasmussen2006, section 3.7].
TEST(gp_sampled, agrees_with_expectation_propagation) {
  const OutcomeCase c =
      with_known(drawn_case(*find_outcome_family("bernoulli", "probit"), 20, 0, 34));
  SampledGp sampled = sample_gp(c.problem, c.outcome, {.num_kept = 1000, .seed = 3});
  EXPECT_LT(sampled.r_hat, 1.05);
  const CovariancePoints at =
      c.problem.covariance.points(std::vector<std::vector<double>>{{0.3, 2.2, 3.6}});
  const numerics::DenseMatrix h(3, 0);
  const auto ep = make_ep_solver(c.problem, c.outcome);
  const GpMoments f = ep->posterior(c.theta)->moments(c.problem.covariance.root(), at, &h),
                  found = mixed_moments(sampled, c, at);
  for (std::size_t k = 0; k < 3; ++k) {
    const double error = std::sqrt(f.variance[k] / std::max(sampled.ess, 100.0));
    EXPECT_NEAR(found.mean[k], f.mean[k], 4.0 * error + 0.02 * std::sqrt(f.variance[k]));
    EXPECT_NEAR(found.variance[k], f.variance[k],
                (8.0 * error + 0.05 * std::sqrt(f.variance[k])) * std::sqrt(f.variance[k]));
  }
}
// A row 6 standard deviations away draws the mean of normal outcomes, and hardly that of student ones.
TEST(gp_sampled, an_outlier_hardly_moves_student_outcomes) {
  std::vector<double> x;
  std::vector<OutcomeSite> sites;
  for (int i = 0; i < 15; ++i) {
    x.push_back(0.25 * i);
    sites.push_back({.y = i == 7 ? 6.0 : 0.1 * (i % 3 - 1)});
  }
  OutcomeCase student = outcome_case(*find_outcome_family("student", ""), x, sites),
              normal = outcome_case(*find_outcome_family("normal", ""), x, sites);
  student.problem.covariance = with_known(student).problem.covariance;
  normal.problem.covariance = with_known(normal).problem.covariance;
  SampledGp sampled = sample_gp(student.problem, student.outcome, {.seed = 3});
  const CovariancePoints at =
      student.problem.covariance.points(std::vector<std::vector<double>>{{1.75}});
  const numerics::DenseMatrix h(1, 0);
  const double plain = make_exact_solver(normal.problem)
                           ->posterior(normal.theta)
                           ->moments(normal.problem.covariance.root(), at, &h)
                           .mean[0];
  EXPECT_LT(mixed_moments(sampled, student, at).mean[0], 0.5 * plain);
}
TEST(gp_sampled, too_many_rows_are_refused) {
  const OutcomeCase c = drawn_case(*find_outcome_family("poisson", ""), 501, 0, 35);
  EXPECT_THROW(sample_gp(c.problem, c.outcome, {}), Error);
}
}  // namespace
}  // namespace credo::models::gp_outcomes_test
