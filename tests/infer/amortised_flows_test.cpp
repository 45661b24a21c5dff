// Amortised flows of local values: log Jacobians, gradients, the start, and local posteriors that aren't normal, against quadrature.
#include <gtest/gtest.h>

#include "infer/family_checks.hpp"
#include "infer/variational/climbs/bound.hpp"
#include "infer/variational/climbs/local_rows.hpp"
#include "infer/variational/families/amortised_flow.hpp"
#include "infer/variational/families/graph_family.hpp"
#include "infer/variational/fits/amortised_flow_fit.hpp"

namespace credo::infer::amortised_flows_test {
namespace {
using namespace credo::testing;

std::vector<double> variates(std::size_t count, std::uint32_t number) {
  return family_normals(31, count, number);
}

// Nine values: two rows of three local ones, a point if there is one, and two or three others.
constexpr Index kDimension = 9;
AmortisedSetup setup_of_nine(Index num_hidden, CovarianceShape rest, bool has_point = false) {
  NetworkBlock block{
      .coordinates = {3, 1, 6, 5, 2, 8},
      .features = {.num_rows = 2, .num_features = 2, .values = {0.3, -1.0, 1.4, 0.2}}};
  AmortisedSetup setup{.blocks = {block}, .num_hidden = num_hidden, .rest = rest, .seed = 5};
  if (has_point) setup.points = {4};
  return setup;
}

// A fitted normal distribution away from its own start.
std::unique_ptr<AmortisedNormal> normal_of(const AmortisedSetup& setup) {
  const std::vector<double> mean{0.5, -1.0, 2.0, 0.3, 1.5, -0.7, 0.2, 0.9, 0.1},
      variances{1.2, 0.5, 0.8, 2.0, 0.3, 0.9, 1.1, 0.6, 0.7};
  auto normal = make_amortised_normal({.mean = mean, .covariance = variances}, setup);
  const std::vector<double> start = normal->start();
  normal->move_to(moved_by(start, 0.3, variates(start.size(), 1)));
  return normal;
}

std::vector<AmortisedSetup> setups() {
  return {setup_of_nine(0, CovarianceShape::full), setup_of_nine(4, CovarianceShape::full),
          setup_of_nine(4, CovarianceShape::diagonal)};
}

// Errors of differences as for flows (flows_test.cpp). Planted: no Jacobian, its sign, and values that see themselves.
TEST(amortised_flows, have_log_jacobians_of_their_determinants) {
  using Fault = FaultyMap::Fault;
  for (const AmortisedSetup& setup : setups()) {
    const auto map = make_amortised_flow(*normal_of(setup), setup, 3);
    const std::vector<double> start = map->start(),
                              at = moved_by(start, 1.0, variates(start.size(), 2));
    for (const Fault fault :
         {Fault::none, Fault::no_jacobian, Fault::other_sign, Fault::sees_itself}) {
      GraphFamily family(std::make_shared<FaultyMap>(map, fault));
      family.move_to(at);
      EXPECT_EQ(largest_error_of_log_q(family, 31, 20) < 1e-5, fault == Fault::none);
    }
  }
}

TEST(amortised_flows, have_the_gradients_of_their_differences) {
  constexpr std::size_t kDraws = 3;
  for (const bool has_point : {false, true}) {
    const AmortisedSetup setup = setup_of_nine(4, CovarianceShape::full, has_point);
    GraphFamily family(make_amortised_flow(*normal_of(setup), setup, 2));
    const auto base = static_cast<std::size_t>(family.num_base());
    EXPECT_EQ(base, has_point ? 8u : 9u);
    const std::vector<double> start = family.start(),
                              at = moved_by(start, 1.0, variates(start.size(), 3));
    EXPECT_LT(
        error_of_pull_back(family, at, variates(kDraws * base, 4), variates(kDraws * kDimension, 5),
                           std::vector<double>{0.5, -0.2, 1.3}),
        1e-6);
  }
}

// Steps that are half open take nothing away at the start: draws and log q are those of the normal distribution.
TEST(amortised_flows, begin_at_the_amortised_normal_distribution) {
  for (const AmortisedSetup& setup : setups()) {
    const auto normal = normal_of(setup);
    GraphFamily family(make_amortised_flow(*normal, setup, 3));
    const std::vector<double> z = variates(kDimension, 6);
    std::vector<double> x(kDimension), expected(kDimension);
    double log_q = 0.0;
    family.place_draws(z, x, std::span(&log_q, 1));
    normal->place(z, expected);
    for (std::size_t d = 0; d < x.size(); ++d) EXPECT_NEAR(x[d], expected[d], 1e-12) << d;
    EXPECT_NEAR(log_q, normal->log_density(x), 1e-11);
  }
}

// (z1, z2) ~ N(0, I) and y ~ N(z2 + z1², 0.4²) in each row: local posteriors are bent along parabolas.
constexpr double kNoise = 0.4;
double log_row(double y, double z1, double z2) {
  return normal_log_density(z1, 0.0, 1.0) + normal_log_density(z2, 0.0, 1.0) +
         normal_log_density(y, z2 + z1 * z1, kNoise);
}

struct RowPosterior {
  double log_evidence = 0.0, square = 0.0, mean = 0.0, product = 0.0;  // E z1², E z2, E z1² z2
};
// Sums over a grid that reaches 6 with steps of 0.02: the trapezium rule has errors below 1e-10 for smooth densities of that width.
RowPosterior by_quadrature(double y) {
  constexpr int kReach = 300;
  constexpr double kStep = 0.02;
  RowPosterior row;
  double whole = 0.0;
  for (int i = -kReach; i <= kReach; ++i)
    for (int j = -kReach; j <= kReach; ++j) {
      const double z1 = i * kStep, z2 = j * kStep,
                   weight = std::exp(log_row(y, z1, z2)) * kStep * kStep;
      whole += weight, row.square += weight * z1 * z1, row.mean += weight * z2;
      row.product += weight * z1 * z1 * z2;
    }
  row.square /= whole, row.mean /= whole, row.product /= whole;
  row.log_evidence = std::log(whole);
  return row;
}

struct BentRows {
  std::vector<double> y{-1.0, -0.4, 0.0, 0.4, 0.8, 1.2};
  std::shared_ptr<const density::LogDensity> density() const {
    return density::make_density(2 * ssize(y), [data = y](Values z, std::span<double> gradient) {
      double sum = 0.0;
      for (std::size_t n = 0; n < data.size(); ++n) {
        const double z1 = z[2 * n], z2 = z[2 * n + 1];
        sum += log_row(data[n], z1, z2);
        const double off = (data[n] - z2 - z1 * z1) / (kNoise * kNoise);
        if (!gradient.empty())
          gradient[2 * n] = -z1 + 2.0 * z1 * off, gradient[2 * n + 1] = -z2 + off;
      }
      return sum;
    });
  }
  AmortisedSetup setup() const {
    FeatureTable features{.num_rows = ssize(y), .num_features = 1, .values = y};
    standardise(features, scale_of(features));
    std::vector<Index> all(2 * y.size());
    std::iota(all.begin(), all.end(), 0);
    return {.blocks = {{all, features}}, .num_hidden = 16, .seed = test_seed(32)};
  }
};

// The bound comes within 0.05 nats of the evidence in each row, a fourth of what normal distributions leave, and moments of draws are those
// of quadrature up to what that leaves: 0.1. Planted: a fit to data of the wrong rows is far from these.
TEST(amortised_flow_fits, reach_local_posteriors_that_are_not_normal) {
  const BentRows rows;
  const auto density = rows.density();
  BoundOptions options{.covariance = CovarianceShape::diagonal, .seed = test_seed(32)};
  const BestNormal normal = climb_family(*density, options, [&](const FamilySetup& start) {
    return make_amortised_normal(start, rows.setup());
  });
  options.gradient = "reparam", options.optimizer = "adam", options.max_steps = 6000;
  const FittedAmortisedFlow flow = bend_amortised(*density, normal, rows.setup(), 4, options);
  double log_evidence = 0.0;
  std::vector<RowPosterior> exact;
  for (const double y : rows.y) exact.push_back(by_quadrature(y));
  for (const RowPosterior& row : exact) log_evidence += row.log_evidence;
  const double count = static_cast<double>(rows.y.size());
  EXPECT_FALSE(flow.is_start);
  EXPECT_LT(flow.bound.value, log_evidence + 4.0 * flow.bound.error);
  EXPECT_GT(flow.bound.value, log_evidence - 0.05 * count);
  EXPECT_LT(normal.bound.value, log_evidence - 0.2 * count);
  EXPECT_NEAR(flow.bounds.weights.value, log_evidence, 4.5 * flow.bounds.weights.error + 0.02);
  constexpr std::size_t kDraws = 20'000;
  const std::size_t n = 2 * rows.y.size();
  std::vector<double> x(kDraws * n), log_q(kDraws);
  flow.family->place_draws(variates(kDraws * n, 7), x, log_q);
  const auto worst_of = [&](std::size_t shift) {
    double worst = 0.0;
    for (std::size_t r = 0; r < rows.y.size(); ++r) {
      double square = 0.0, mean = 0.0, product = 0.0;
      for (std::size_t s = 0; s < kDraws; ++s) {
        const double z1 = x[s * n + 2 * r], z2 = x[s * n + 2 * r + 1];
        square += z1 * z1 / kDraws, mean += z2 / kDraws, product += z1 * z1 * z2 / kDraws;
      }
      const RowPosterior& own = exact[(r + shift) % rows.y.size()];
      worst = std::max({worst, std::abs(square - own.square), std::abs(mean - own.mean),
                        std::abs(product - own.product)});
    }
    return worst;
  };
  EXPECT_LT(worst_of(0), 0.1);
  EXPECT_GT(worst_of(1), 0.5);
}

}  // namespace
}  // namespace credo::infer::amortised_flows_test
