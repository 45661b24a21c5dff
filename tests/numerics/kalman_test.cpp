// The Kalman filter and smoother against the joint normal distribution of all states and outcomes, written out.
#include "numerics/kalman.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <random>

namespace credo::numerics::kalman_test {
namespace {
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

std::vector<double> numbers(const Matrix& m) { return {m.data(), m.data() + m.size()}; }
Matrix matrix(const std::vector<double>& v, Index rows) {
  return Eigen::Map<const Matrix>(v.data(), rows,
                                  static_cast<Index>(v.size()) / std::max<Index>(rows, 1));
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  Matrix normal(Index rows, Index cols) {
    Matrix m(rows, cols);
    for (Index k = 0; k < m.size(); ++k) m.data()[k] = distribution_(engine_);
    return m;
  }
  Matrix covariance(Index n) {
    const Matrix a = normal(n, n);
    return a * a.transpose() / double(n) + 0.1 * Matrix::Identity(n, n);
  }

 private:
  std::mt19937 engine_;
  std::normal_distribution<double> distribution_;
};

// Time-varying matrices, three elements of the state and two of the outcome; one whole outcome and a single number are missing, and
// one transition has a singular noise.
std::vector<LinearGaussianStep> example(unsigned seed, Index num_times = 6) {
  constexpr Index d = 3, m = 2;
  Random random(seed);
  std::vector<LinearGaussianStep> steps;
  for (Index t = 0; t < num_times; ++t) {
    LinearGaussianStep s{.matrix = numbers(0.6 * random.normal(d, d)),
                         .offset = numbers(random.normal(d, 1)),
                         .noise = numbers(random.covariance(d)),
                         .observation = numbers(random.normal(m, d)),
                         .observation_offset = numbers(random.normal(m, 1)),
                         .observation_noise = numbers(random.covariance(m)),
                         .outcome = numbers(2.0 * random.normal(m, 1))};
    if (t == 2) s.outcome = {kNaN, kNaN};
    if (t == 3) s.outcome[0] = kNaN;
    if (t == 4) {
      const Matrix a = random.normal(d, 1);
      s.noise = numbers(a * a.transpose());
    }
    steps.push_back(s);
  }
  return steps;
}

// The joint distribution of x_1, ..., x_T and of the outcomes that are there.
struct Joint {
  Vector state_mean, outcome_mean, outcomes;
  Matrix state_cov, cross, outcome_cov;  // cross: states by outcomes
  std::vector<Index> time_of;            // of each outcome number
};
Joint joint_of(const std::vector<LinearGaussianStep>& steps) {
  const Index d = static_cast<Index>(steps[0].offset.size()), T = static_cast<Index>(steps.size());
  Joint j;
  j.state_mean.resize(T * d);
  j.state_cov = Matrix::Zero(T * d, T * d);
  for (Index t = 0; t < T; ++t) {
    const auto& s = steps[static_cast<std::size_t>(t)];
    j.state_mean.segment(t * d, d) = matrix(s.offset, d);
    j.state_cov.block(t * d, t * d, d, d) = matrix(s.noise, d);
    if (t == 0) continue;
    const Matrix a = matrix(s.matrix, d);
    j.state_mean.segment(t * d, d) += a * j.state_mean.segment((t - 1) * d, d);
    j.state_cov.block(t * d, 0, d, t * d) = a * j.state_cov.block((t - 1) * d, 0, d, t * d);
    j.state_cov.block(0, t * d, t * d, d) = j.state_cov.block(t * d, 0, d, t * d).transpose();
    j.state_cov.block(t * d, t * d, d, d) +=
        a * j.state_cov.block((t - 1) * d, (t - 1) * d, d, d) * a.transpose();
  }
  std::vector<Index> element;
  for (Index t = 0; t < T; ++t)
    for (std::size_t i = 0; i < steps[static_cast<std::size_t>(t)].outcome.size(); ++i)
      if (!std::isnan(steps[static_cast<std::size_t>(t)].outcome[i]))
        j.time_of.push_back(t), element.push_back(static_cast<Index>(i));
  const Index n = static_cast<Index>(element.size());
  Matrix design = Matrix::Zero(n, T * d), noise = Matrix::Zero(n, n);
  j.outcome_mean.resize(n);
  j.outcomes.resize(n);
  for (Index r = 0; r < n; ++r) {
    const auto& s = steps[static_cast<std::size_t>(j.time_of[static_cast<std::size_t>(r)])];
    const Index m = static_cast<Index>(s.outcome.size()), i = element[static_cast<std::size_t>(r)];
    design.block(r, j.time_of[static_cast<std::size_t>(r)] * d, 1, d) =
        matrix(s.observation, m).row(i);
    j.outcome_mean[r] = s.observation_offset[static_cast<std::size_t>(i)];
    j.outcomes[r] = s.outcome[static_cast<std::size_t>(i)];
    for (Index q = 0; q < n; ++q)
      if (j.time_of[static_cast<std::size_t>(q)] == j.time_of[static_cast<std::size_t>(r)])
        noise(r, q) = matrix(s.observation_noise, m)(i, element[static_cast<std::size_t>(q)]);
  }
  j.outcome_mean += design * j.state_mean;
  j.cross = j.state_cov * design.transpose();
  j.outcome_cov = design * j.cross + noise;
  return j;
}
// Outcomes of times before `end`.
Index count_before(const Joint& j, Index end) {
  return std::count_if(j.time_of.begin(), j.time_of.end(), [&](Index t) { return t < end; });
}
double log_density(const Joint& j, Index n) {
  const Eigen::LLT<Matrix> llt(j.outcome_cov.topLeftCorner(n, n));
  const Vector e = j.outcomes.head(n) - j.outcome_mean.head(n);
  const Matrix l = llt.matrixL();
  return -0.5 * e.dot(llt.solve(e)) - l.diagonal().array().log().sum() -
         0.5 * double(n) * std::log(2.0 * M_PI);
}
void expect_distribution(const GaussianState& state, const Joint& j, Index t, Index n) {
  const Index d = static_cast<Index>(state.mean.size());
  const Eigen::LLT<Matrix> llt(j.outcome_cov.topLeftCorner(n, n));
  const Matrix cross = j.cross.block(t * d, 0, d, n);
  const Vector mean = j.state_mean.segment(t * d, d) +
                      cross * llt.solve(j.outcomes.head(n) - j.outcome_mean.head(n));
  const Matrix cov = j.state_cov.block(t * d, t * d, d, d) - cross * llt.solve(cross.transpose());
  // Two routes of some hundred operations each, and a condition number of about 1e3: 1e-16 x 1e3 x 1e2.
  EXPECT_LT((matrix(state.mean, d) - mean).cwiseAbs().maxCoeff(), 1e-11) << t;
  EXPECT_LT((matrix(state.covariance(), d) - cov).cwiseAbs().maxCoeff(), 1e-11) << t;
}

TEST(kalman, conditions_the_joint_distribution_of_states_and_outcomes) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    const auto steps = example(seed);
    const Joint j = joint_of(steps);
    const KalmanResult result = kalman_filter(steps);
    EXPECT_NEAR(result.log_likelihood, log_density(j, j.outcomes.size()), 1e-10);
    for (Index t = 0; t < 6; ++t) {
      const Index before = count_before(j, t), with = count_before(j, t + 1);
      EXPECT_NEAR(result.log_increments[static_cast<std::size_t>(t)],
                  log_density(j, with) - log_density(j, before), 1e-10);
      expect_distribution(result.predicted[static_cast<std::size_t>(t)], j, t, before);
      expect_distribution(result.filtered[static_cast<std::size_t>(t)], j, t, with);
    }
    const auto smoothed = rts_smoother(steps, result);
    for (Index t = 0; t < 6; ++t)
      expect_distribution(smoothed[static_cast<std::size_t>(t)], j, t, j.outcomes.size());
  }
}

// A path is an affine map of standard normal numbers: its value at none and at each of them gives its mean and its covariance, which
// are those of the joint distribution of all states given all outcomes.
TEST(kalman, draws_paths_of_the_smoothed_distribution) {
  const auto steps = example(4);
  const Joint j = joint_of(steps);
  const KalmanResult filtered = kalman_filter(steps);
  const auto distributions = backward_distributions(steps, filtered);
  const Index size = j.state_mean.size();
  Vector z = Vector::Zero(size);
  const Vector centre = matrix(smoothed_path(filtered, distributions, numbers(z)), size);
  Matrix map(size, size);
  for (Index k = 0; k < size; ++k) {
    z.setZero();
    z[k] = 1.0;
    map.col(k) = matrix(smoothed_path(filtered, distributions, numbers(z)), size) - centre;
  }
  const Eigen::LLT<Matrix> llt(j.outcome_cov);
  const Vector mean = j.state_mean + j.cross * llt.solve(j.outcomes - j.outcome_mean);
  const Matrix cov = j.state_cov - j.cross * llt.solve(j.cross.transpose());
  EXPECT_LT((centre - mean).cwiseAbs().maxCoeff(), 1e-11);  // as expect_distribution has it
  EXPECT_LT((map * map.transpose() - cov).cwiseAbs().maxCoeff(), 1e-11);
}

// A local level: x_1 unknown. Nothing is known of the first outcome then, and the diffuse log likelihood is that of the others
// given the first, with x_2 ~ N(y_1, r + q).
TEST(kalman, begins_a_local_level_at_its_first_outcome) {
  const double q = 1.3, r = 0.7;
  const std::vector<double> y{1.1, 0.2, kNaN, 2.4, 1.9};
  std::vector<LinearGaussianStep> steps, rest;
  for (std::size_t t = 0; t < y.size(); ++t)
    steps.push_back({.matrix = {1.0},
                     .offset = {0.0},
                     .noise = {t == 0 ? 0.0 : q},
                     .observation = {1.0},
                     .observation_offset = {0.0},
                     .observation_noise = {r},
                     .outcome = {y[t]}});
  rest.assign(steps.begin() + 1, steps.end());
  rest[0].offset = {y[0]};
  rest[0].noise = {r + q};
  const KalmanResult diffuse = diffuse_kalman_filter(steps, std::vector{1.0}),
                     known = kalman_filter(rest);
  EXPECT_NEAR(diffuse.log_likelihood, known.log_likelihood, 1e-13);
  EXPECT_TRUE(std::isnan(diffuse.predicted[0].mean[0]));
  for (std::size_t t = 1; t < y.size(); ++t) {
    EXPECT_NEAR(diffuse.filtered[t].mean[0], known.filtered[t - 1].mean[0], 1e-13);
    EXPECT_NEAR(diffuse.filtered[t].covariance()[0], known.filtered[t - 1].covariance()[0], 1e-13);
  }
}

// Two unknowns of three elements: the limit of wide normal distributions, at kappa = 1e6 with an error of the order of
// 1 / kappa.
TEST(kalman, starts_diffusely_as_the_limit_of_wide_distributions) {
  const double kappa = 1e6;
  const auto steps = example(5);
  const Matrix unknown = Random(7).normal(3, 2);
  auto wide = steps;
  wide[0].noise = numbers(matrix(steps[0].noise, 3) + kappa * unknown * unknown.transpose());
  const KalmanResult exact = diffuse_kalman_filter(steps, numbers(unknown)),
                     near = kalman_filter(wide);
  EXPECT_NEAR(exact.log_likelihood, near.log_likelihood + std::log(2.0 * M_PI * kappa), 1e-4);
  for (std::size_t t = 1; t < steps.size(); ++t) {
    EXPECT_LT((matrix(exact.filtered[t].mean, 3) - matrix(near.filtered[t].mean, 3))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-3)
        << t;
    EXPECT_LT((matrix(exact.filtered[t].covariance(), 3) - matrix(near.filtered[t].covariance(), 3))
                  .cwiseAbs()
                  .maxCoeff(),
              1e-3)
        << t;
  }
}

// 50,000 steps of a nearly deterministic level keep a covariance, where its direct update may become negative.
TEST(kalman, keeps_covariances_over_many_steps) {
  std::vector<LinearGaussianStep> steps(50000, {.matrix = {1.0, 0.0, 1.0, 1.0},
                                                .offset = {0.0, 0.0},
                                                .noise = {1e-14, 0.0, 0.0, 1e-14},
                                                .observation = {1.0, 0.0},
                                                .observation_offset = {0.0},
                                                .observation_noise = {1e-8},
                                                .outcome = {0.0}});
  steps[0].noise = {1e6, 0.0, 0.0, 1e6};
  const KalmanResult result = kalman_filter(steps);
  EXPECT_TRUE(std::isfinite(result.log_likelihood));
  const auto last = result.filtered.back().covariance();
  EXPECT_GT(last[0], 0.0);
  EXPECT_GT(last[0] * last[3] - last[1] * last[2], 0.0);
}

}  // namespace
}  // namespace credo::numerics::kalman_test
