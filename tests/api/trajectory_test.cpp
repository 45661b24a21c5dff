// The table of integrators: each row has the properties that it states, and only these.
#include "credo/trajectory.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "credo/error.hpp"

namespace credo::trajectory_test {
namespace {
using Numbers = std::vector<double>;
const Numbers kInverseMetric{1.5, 0.4, 0.4, 0.8};

// Normal with the precision (2, 0.5; 0.5, 1): its motion is linear.
double normal(std::span<const double> x, std::span<double> gradient) {
  gradient[0] = -2.0 * x[0] - 0.5 * x[1];
  gradient[1] = -0.5 * x[0] - x[1];
  return 0.5 * (x[0] * gradient[0] + x[1] * gradient[1]);
}

Eigen::Vector4d end_of(std::string_view integrator, const Eigen::Vector4d& start, double step_size,
                       Index num_steps) {
  const std::vector<PhaseState> path =
      trajectory(normal, {start[0], start[1]}, {start[2], start[3]},
                 {.integrator = std::string(integrator),
                  .step_size = step_size,
                  .num_steps = num_steps,
                  .inverse_metric = kInverseMetric});
  const PhaseState& end = path.back();
  return {end.position[0], end.position[1], end.momentum[0], end.momentum[1]};
}

// exp(t A) of the linear motion (position, momentum)' = A (position, momentum).
Eigen::Vector4d exact_end(const Eigen::Vector4d& start, double time) {
  Eigen::Matrix4d a = Eigen::Matrix4d::Zero(), sum = Eigen::Matrix4d::Identity(), term = sum;
  a.topRightCorner<2, 2>() << 1.5, 0.4, 0.4, 0.8;
  a.bottomLeftCorner<2, 2>() << -2.0, -0.5, -0.5, -1.0;
  for (int k = 1; k < 60; ++k) sum += term = (term * a * time / k).eval();
  return sum * start;
}

const Eigen::Vector4d kStart{0.7, -0.3, 0.2, 1.1};

TEST(trajectory, every_integrator_has_the_order_that_it_states) {
  for (const IntegratorRow& row : integrators()) {
    const auto error_of = [&](Index num_steps) {
      return (end_of(row.name, kStart, 1.0 / static_cast<double>(num_steps), num_steps) -
              exact_end(kStart, 1.0))
          .norm();
    };
    // Halving the step divides the error by 2^order, up to terms of relative size step.
    EXPECT_NEAR(std::log2(error_of(64) / error_of(128)), static_cast<double>(row.order), 0.1)
        << row.name;
  }
}

TEST(trajectory, integrators_lead_back_only_if_they_are_reversible) {
  for (const IntegratorRow& row : integrators()) {
    Eigen::Vector4d there = end_of(row.name, kStart, 0.2, 10);
    there.tail<2>() *= -1.0;
    Eigen::Vector4d back = end_of(row.name, there, 0.2, 10);
    back.tail<2>() *= -1.0;
    EXPECT_EQ((back - kStart).norm() < 1e-12, row.is_reversible) << row.name;
  }
}

TEST(trajectory, integrators_preserve_volume_only_if_they_say_so) {
  for (const IntegratorRow& row : integrators()) {
    Eigen::Matrix4d step;  // a linear map
    for (int k = 0; k < 4; ++k) step.col(k) = end_of(row.name, Eigen::Vector4d::Unit(k), 0.3, 1);
    EXPECT_EQ(std::fabs(step.determinant() - 1.0) < 1e-12, row.preserves_volume) << row.name;
  }
}

TEST(trajectory, the_root_of_the_metric_leads_along_the_positions_of_leapfrog) {
  EXPECT_LT((end_of("sqrt_metric", kStart, 0.2, 20) - end_of("leapfrog", kStart, 0.2, 20)).norm(),
            1e-12);
}

TEST(trajectory, keeps_its_energy_as_well_as_the_order_says) {
  const auto path = trajectory(normal, {0.7, -0.3}, {0.2, 1.1}, {.step_size = 0.01});
  ASSERT_EQ(path.size(), 101u);
  EXPECT_NEAR(path[0].energy, 0.5 * (2 * 0.49 - 0.21 + 0.09) + 0.5 * (0.04 + 1.21), 1e-14);
  for (const PhaseState& at : path) EXPECT_NEAR(at.energy, path[0].energy, 1e-4);  // step²
}

TEST(trajectory, says_what_does_not_fit) {
  const auto message = [](const Numbers& momentum,
                          const TrajectoryOptions& options) -> std::string {
    try {
      (void)trajectory(normal, {0, 0}, momentum, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({0, 0}, {.integrator = "leapfrogg"}).find("did you mean leapfrog"),
            std::string::npos);
  EXPECT_NE(message({0}, {}).find("momentum has 1 numbers, position has 2"), std::string::npos);
  EXPECT_NE(message({0, 0}, {.inverse_metric = {1, 1, 1}}).find("must have 2 or 4"),
            std::string::npos);
  EXPECT_NE(message({0, 0}, {.inverse_metric = {1, 2, 2, 1}}).find("positive definite"),
            std::string::npos);
}

}  // namespace
}  // namespace credo::trajectory_test
