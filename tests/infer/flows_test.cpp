// Families that are stated as expressions, and the layers of flows: one suite over all rows of layers.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "infer/family_checks.hpp"
#include "infer/maps/flow.hpp"
#include "infer/maps/flow_layers.hpp"
#include "infer/variational/families/graph_family.hpp"
#include "infer/variational/fits/flow_fit.hpp"

namespace credo::infer::flows_test {
namespace {
using namespace credo::testing;
using graph::Expr;

constexpr std::uint64_t kSeed = 11;
std::vector<double> normals(std::size_t count, std::uint32_t number) {
  return family_normals(kSeed, count, number);
}

FlowSpec spec_of(std::string_view layers, Index dimension) {
  FlowSpec spec{.layers = std::string(layers), .hidden = 5, .centre = {}, .root = {}};
  for (Index i = 0; i < dimension; ++i) {
    spec.centre.push_back(0.3 - 0.2 * static_cast<double>(i));
    for (Index j = 0; j < dimension; ++j)
      spec.root.push_back(j > i ? 0.0 : i == j ? 0.8 + 0.1 * static_cast<double>(i) : -0.2);
  }
  return spec;
}

// λ away from the start.
std::vector<double> away(const GraphMap& map) {
  const std::vector<double> start = map.start();
  return moved_by(start, 0.2, normals(start.size(), 1));
}

std::vector<std::string> stacks() {
  std::vector<std::string> all;
  for (const FlowLayerSpec& row : flow_layers()) all.push_back(std::string(row.name) + ":2");
  all.emplace_back("iaf,spline,planar,affine:2,maf");
  return all;
}

constexpr double kDifferences = 1e-6;  // of steps of 1e-5: 1e-10 of curvature, 1e-11 of rounding

// Differences of a step of 1e-5 have errors of 1e-10 times the third derivatives, which are up to 1e4 where scales are exponentials of exponentials.
TEST(flows, have_log_jacobians_of_their_determinants) {
  for (const std::string& layers : stacks())
    for (const Index dimension : {1, 2, 3, 4}) {
      GraphFamily family(make_flow(spec_of(layers, dimension)));
      family.move_to(away(family.map()));
      EXPECT_LT(largest_error_of_log_q(family, kSeed, 20), 1e-5) << layers << " of " << dimension;
    }
  using Fault = FaultyMap::Fault;
  for (const Fault fault :
       {Fault::none, Fault::no_jacobian, Fault::other_sign, Fault::sees_itself}) {
    const auto map = make_flow(spec_of("iaf:2", 3));
    GraphFamily family(std::make_shared<FaultyMap>(map, fault));
    family.move_to(away(*map));
    EXPECT_EQ(largest_error_of_log_q(family, kSeed, 20) < 1e-5, fault == Fault::none);
  }
}

TEST(flows, are_the_normal_distribution_at_their_start) {
  for (const std::string& layers : stacks()) {
    const FlowSpec spec = spec_of(layers, 3);
    GraphFamily family(make_flow(spec));
    const std::vector<double> z = normals(12, 31);
    std::vector<double> x(12), log_q(4);
    family.place_draws(z, x, log_q);
    for (std::size_t s = 0; s < 4; ++s)
      for (std::size_t i = 0; i < 3; ++i) {
        double expected = spec.centre[i];
        for (std::size_t j = 0; j <= i; ++j) expected += spec.root[3 * i + j] * z[3 * s + j];
        EXPECT_NEAR(x[3 * s + i], expected, 2e-9) << layers;
      }
  }
}

TEST(flows, lead_back_by_their_inverses) {
  for (const std::string& layers : stacks()) {
    GraphFamily family(make_flow(spec_of(layers, 4)));
    family.move_to(away(family.map()));
    EXPECT_EQ(family.has_log_density(), layers.find("planar") == std::string::npos);
    if (!family.has_log_density()) continue;
    GraphTransport transport(make_flow(spec_of(layers, 4)), family.parameters());
    for (std::uint32_t k = 0; k < 10; ++k) {
      const std::vector<double> z = normals(4, 40 + k);
      std::vector<double> x(4), back(4);
      double log_q = 0.0;
      family.place_draws(z, x, std::span(&log_q, 1));
      EXPECT_NEAR(family.log_density(x), log_q, 1e-8) << layers;
      transport.invert(x, back);
      for (std::size_t d = 0; d < 4; ++d) EXPECT_NEAR(back[d], z[d], 1e-8) << layers;
    }
  }
}

// By λ, of draws that move with it and of points that don't; and by z. Draws are placed alone, and in lanes.
TEST(flows, have_the_gradients_of_their_differences) {
  constexpr std::size_t kDraws = 3, kDimension = 3;
  const std::vector<double> z = normals(kDraws * kDimension, 51),
                            v = normals(kDraws * kDimension, 52), w{0.5, -0.2, 1.3};
  for (const std::string& layers : stacks()) {
    GraphFamily family(make_flow(spec_of(layers, kDimension)));
    const std::vector<double> at = away(family.map());
    EXPECT_LT(error_of_pull_back(family, at, z, v, w), kDifferences) << layers;
    GraphTransport transport(make_flow(spec_of(layers, kDimension)), at);
    const std::vector<double> first(z.begin(), z.begin() + kDimension),
        own_v(v.begin(), v.begin() + kDimension);
    std::vector<double> by_z(kDimension);
    transport.pull_back(first, own_v, by_z);
    const auto at_z = [&](std::span<const double> y) {
      std::vector<double> x(kDimension);
      double log_jacobian = 0.0;
      transport.place(y, x, std::span(&log_jacobian, 1));
      return std::inner_product(own_v.begin(), own_v.end(), x.begin(), 0.0) + log_jacobian;
    };
    EXPECT_LT(error_against_differences(first, by_z, at_z), kDifferences) << layers;
    if (!family.has_log_density()) continue;
    family.move_to(at);
    const std::vector<double> x{0.2, -0.4, 0.9};
    std::vector<double> gradient(at.size(), 0.0);
    family.add_parameter_scores(x, std::vector<double>{1.0}, gradient);
    const auto log_q = [&](std::span<const double> parameters) {
      family.move_to(parameters);
      return family.log_density(x);
    };
    EXPECT_LT(error_against_differences(at, gradient, log_q), kDifferences) << layers;
  }
}

// Sum over a grid that reaches 10, of steps of 0.1. The density of a spline has kinks at knots: errors of h² / 12 times the jumps of its slope,
// of which there are some ten of size 1, by steps of h = 0.05.
TEST(flows, have_normalised_log_densities) {
  for (const std::string& layers : stacks()) {
    GraphFamily family(make_flow(spec_of(layers, 2)));
    if (!family.has_log_density()) continue;
    family.move_to(away(family.map()));
    const bool has_kinks = layers.find("spline") != std::string::npos;
    const int reach = has_kinks ? 200 : 100;
    const double step = 10.0 / reach;
    double sum = 0.0;
    for (int i = -reach; i <= reach; ++i) {
      std::vector<double> points, log_q(static_cast<std::size_t>(2 * reach + 1));
      for (int j = -reach; j <= reach; ++j) points.insert(points.end(), {i * step, j * step});
      family.log_densities(points, log_q);
      for (const double own : log_q) sum += std::exp(own) * step * step;
    }
    EXPECT_NEAR(sum, 1.0, has_kinks ? 2e-3 : 1e-5) << layers;
  }
}

TEST(flows, have_equal_draws_alone_and_in_lanes) {
  GraphFamily family(make_flow(spec_of("iaf:2,maf", 3)));
  family.move_to(away(family.map()));
  const std::vector<double> z = normals(30, 61);
  std::vector<double> x(30), log_q(10), own(3);
  family.place_draws(z, x, log_q);
  const auto copy = family.clone_family();
  for (std::size_t s = 0; s < 10; ++s) {
    double alone = 0.0;
    copy->place_draws(std::span(z).subspan(3 * s, 3), own, std::span(&alone, 1));
    EXPECT_EQ(alone, log_q[s]);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(own[d], x[3 * s + d]);
  }
}

TEST(flows, are_refused_by_names_that_there_are_not) {
  EXPECT_EQ(parse_layers("iaf:2,planar"), (std::vector<std::string>{"iaf", "iaf", "planar"}));
  for (const char* text : {"", "iaf:", "iaf:0", "iaf:2.5", "iaf,,maf", "nice:3", "iaf:2000"})
    EXPECT_THROW(parse_layers(text), Error) << text;
}

// x1 ~ N(0, 2²), x2 | x1 ~ N(x1² / 2, 0.5²), and a constant: bent, with a known evidence.
constexpr double kLogEvidence = 1.7;
std::shared_ptr<const density::LogDensity> banana() {
  return density::make_density(2, [](Values x, std::span<double> gradient) {
    const double off = (x[1] - 0.5 * x[0] * x[0]) / 0.25;
    if (!gradient.empty()) gradient[0] = -0.25 * x[0] + off * x[0], gradient[1] = -off;
    return kLogEvidence + normal_log_density(x[0], 0.0, 2.0) +
           normal_log_density(x[1], 0.5 * x[0] * x[0], 0.5);
  });
}

// The bound is below the evidence, above the normal distribution's by far, and the mean weight is the evidence, except for tails of y that draws don't reach:
// weights grow there, and 0.05 is allowed for them.
TEST(flow_fits, of_a_bent_target_have_bounds_near_its_evidence) {
  for (const char* layers : {"iaf:3", "spline:4"}) {
    FlowOptions options{.layers = layers, .hidden = 16};
    options.climb.max_steps = 4000;
    options.climb.seed = test_seed(12);
    const FittedFlow flow = fit_flow(*banana(), options);
    EXPECT_LT(flow.bounds.elbo.value, kLogEvidence + 4.0 * flow.bounds.elbo.error) << layers;
    EXPECT_GT(flow.bounds.elbo.value, kLogEvidence - 0.15) << layers;
    EXPECT_LT(flow.bounds_of_normal.elbo.value, kLogEvidence - 0.7) << layers;
    EXPECT_NEAR(flow.bounds.weights.value, kLogEvidence, 4.5 * flow.bounds.weights.error + 0.05)
        << layers;
    EXPECT_FALSE(flow.is_start);
  }
}

}  // namespace
}  // namespace credo::infer::flows_test
