// Moves above a threshold, one replacement at a time: points that were uniform there still are.
#include <gtest/gtest.h>

#include "density/path_density.hpp"
#include "infer/evidence/constrained.hpp"
#include "infer/evidence_targets.hpp"
#include "infer/stated_targets.hpp"

namespace credo::infer::constrained_moves_test {
namespace {
using namespace credo::testing;

constexpr Index kNumPoints = 100, kNumMoved = 10;

// N(1, 0.3²) in each coordinate of the box (-5, 5), with a gradient.
StatedProblem gauss_with_gradient(Index dimension) {
  const auto prior = [](Values x, std::span<double>) {
    for (const double v : x)
      if (std::abs(v) > 5.0) return -kInfinity;
    return -static_cast<double>(x.size()) * std::log(10.0);
  };
  const auto likelihood = [](Values x, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) sum += add_normal(x[d], 1.0, 0.3, gradient, d);
    return sum;
  };
  const auto draw = [](Rng& rng, std::span<double> x) {
    for (double& value : x) value = rng.uniform(-5.0, 5.0);
  };
  return {"Gauss with a gradient", std::make_unique<Stated>(dimension, prior, likelihood, draw),
          -static_cast<double>(dimension) * std::log(10.0)};
}

// Of the ball in which the likelihood is above the threshold: where points are uniform before.
struct Ball {
  double radius = 4.0;  // standard deviations of the likelihood; the box ends at 13
  double log_top(Index dimension) const {
    return -static_cast<double>(dimension) * (std::log(0.3) + kLogRootTwoPi);
  }
  double threshold(Index dimension) const { return log_top(dimension) - 0.5 * radius * radius; }
  // -log ξ, ξ the share of the ball within: exponential of mean 1.
  double depth(double log_likelihood, Index dimension) const {
    const double square = -2.0 * (log_likelihood - log_top(dimension));
    return -0.5 * static_cast<double>(dimension) * std::log(square / (radius * radius));
  }
};

LivePoints uniform_in(const Ball& ball, const density::LogDensity& prior, Index dimension,
                      Rng& rng) {
  LivePoints live(kNumPoints, dimension, dimension);
  for (Index i = 0; i < kNumPoints; ++i) {
    std::span<double> x = live.coordinates.position(i);
    double square = 0.0;
    for (double& v : x) v = rng.normal(), square += v * v;
    const double r = ball.radius * std::pow(rng.uniform(), 1.0 / static_cast<double>(dimension));
    for (double& v : x) v = 1.0 + 0.3 * v * r / std::sqrt(square);
    std::ranges::copy(x, live.at.position(i).begin());
    live.log_likelihood(i) = ball.log_top(dimension) - 0.5 * r * r;
    live.at.log_density(i) = live.coordinates.log_density(i) = value_of(prior, x);
  }
  return live;
}

void run(Step<Nothing> step, const density::LogDensity& density) {
  const auto evaluator = density.make_evaluator();
  for (step.resume(); !step.done(); step.resume()) {
    Evaluate& asked = *step.pending();
    density::Request* one[] = {&asked.request};
    evaluator->evaluate(asked.want,
                        asked.many.empty() ? std::span<density::Request* const>(one) : asked.many);
  }
}

struct Fault {
  bool wrong_fold = false;       // the covariance is that of a fold that has the start in it
  double lower_threshold = 0.0;  // in nats: points are drawn above a lower one
};

// The mean depth of points after so many moves, as a standard score.
double score_of_depths(ConstrainedMove move, Index num_moves, Index dimension, Index num_sets,
                       const Fault& fault = {}) {
  const StatedProblem problem = gauss_with_gradient(dimension);
  const auto prior = problem.density->prior();
  const density::PathDensity path(*prior, *problem.density);
  const auto draws = prior->make_exact_draws();
  const NestedOptions options{.move = move, .num_moves = num_moves};
  const PriorSpace space(*draws, options, dimension);
  const Ball ball;
  double sum = 0.0;
  for (Index set = 0; set < num_sets; ++set) {
    Rng rng({.seed = test_seed(5),
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(set)});
    LivePoints live = uniform_in(ball, *prior, dimension, rng);
    ConstrainedMoves moves(space, options);
    moves.shape_by(live, rng);
    std::vector<Index> which;
    std::vector<Rng> streams;
    for (Index j = 0; j < kNumMoved; ++j) {
      const Index origin = kNumMoved + rng.index_below(kNumPoints - kNumMoved);
      which.push_back(j);
      live.copy(origin, j);
      if (fault.wrong_fold) live.folds[static_cast<std::size_t>(j)] = (live.fold(j) + 1) % 5;
      streams.push_back(Rng({.seed = test_seed(6),
                             .purpose = purpose::kTest,
                             .chain = static_cast<std::uint32_t>(j),
                             .iteration = static_cast<std::uint32_t>(set)}));
    }
    run(moves.move(live, which, streams, ball.threshold(dimension) - fault.lower_threshold), path);
    for (const Index j : which) sum += ball.depth(live.log_likelihood(j), dimension) - 1.0;
  }
  return sum / std::sqrt(static_cast<double>(num_sets * kNumMoved));
}

constexpr Index kDimension = 20, kNumSets = 400;

// After five moves points are still near their start, so that what shapes the moves must not know it.
TEST(constrained_moves, keep_points_uniform_however_few_they_are) {
  for (const Index num_moves : {1, 5})
    for (const auto move : {ConstrainedMove::slice, ConstrainedMove::walk,
                            ConstrainedMove::galilean, ConstrainedMove::hamiltonian})
      EXPECT_LT(std::abs(score_of_depths(move, num_moves, kDimension, kNumSets)), 4.0)
          << kConstrainedMoveNames[static_cast<std::size_t>(move)] << ' ' << num_moves;
}

// The planted fault is what nested sampling had: each covariance is of all live points.
TEST(constrained_moves, are_rejected_where_their_covariance_knows_the_start) {
  EXPECT_GT(score_of_depths(ConstrainedMove::slice, 5, kDimension, kNumSets, {.wrong_fold = true}),
            4.0);
}

TEST(constrained_moves, are_rejected_where_they_leave_what_is_above) {
  for (const auto move : {ConstrainedMove::slice, ConstrainedMove::walk, ConstrainedMove::galilean,
                          ConstrainedMove::hamiltonian})
    EXPECT_LT(score_of_depths(move, move == ConstrainedMove::walk ? 60 : 5, kDimension, kNumSets,
                              {.lower_threshold = 0.1}),
              -4.0)
        << kConstrainedMoveNames[static_cast<std::size_t>(move)];
}

// ---- a prior that isn't flat

// x ~ N(0, 1) in each of two coordinates, the likelihood exp(x₀): above the threshold exp(1) the prior's share beyond x₀ is
// Φ(-x₀) / Φ(-1) of what is there. `knows_value`: planted fault, the prior's gradient without its value.
StatedProblem normal_tail(bool knows_value) {
  const auto prior = [knows_value](Values x, std::span<double> gradient) {
    double sum = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) sum += add_normal(x[d], 0.0, 1.0, gradient, d);
    return knows_value ? sum : 0.0;
  };
  const auto likelihood = [](Values x, std::span<double> gradient) {
    if (!gradient.empty()) gradient[0] += 1.0;
    return x[0];
  };
  const auto draw = [](Rng& rng, std::span<double> x) {
    for (double& value : x) value = rng.normal();
  };
  return {"tail", std::make_unique<Stated>(2, prior, likelihood, draw), 0.5};
}

// The mean depth -log of that share after moves from exact draws, as a standard score.
double score_of_tail(ConstrainedMove move, bool knows_value) {
  constexpr double kThreshold = 1.0;
  const StatedProblem problem = normal_tail(knows_value);
  const auto prior = problem.density->prior();
  const density::PathDensity path(*prior, *problem.density);
  const auto draws = prior->make_exact_draws();
  const NestedOptions options{.move = move, .num_moves = 5};
  const PriorSpace space(*draws, options, 2);
  const auto share_beyond = [](double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); };
  double sum = 0.0;
  for (Index set = 0; set < kNumSets; ++set) {
    Rng rng({.seed = test_seed(7),
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(set)});
    LivePoints live(kNumPoints, 2, 2);
    for (Index i = 0; i < kNumPoints; ++i) {
      const std::span<double> x = live.coordinates.position(i);
      do x[0] = rng.normal();
      while (x[0] <= kThreshold);
      x[1] = rng.normal();
      std::ranges::copy(x, live.at.position(i).begin());
      live.log_likelihood(i) = x[0];
      live.at.log_density(i) = live.coordinates.log_density(i) = value_of(*prior, x);
    }
    ConstrainedMoves moves(space, options);
    moves.shape_by(live, rng);
    std::vector<Index> which;
    std::vector<Rng> streams;
    for (Index j = 0; j < kNumMoved; ++j) {
      which.push_back(j);
      streams.push_back(Rng({.seed = test_seed(8),
                             .purpose = purpose::kTest,
                             .chain = static_cast<std::uint32_t>(j),
                             .iteration = static_cast<std::uint32_t>(set)}));
    }
    run(moves.move(live, which, streams, kThreshold), path);
    for (const Index j : which)
      sum += std::log(share_beyond(kThreshold) / share_beyond(live.log_likelihood(j))) - 1.0;
  }
  return sum / std::sqrt(static_cast<double>(kNumSets * kNumMoved));
}

TEST(constrained_moves, keep_the_prior_where_it_is_not_flat) {
  for (const auto move :
       {ConstrainedMove::slice, ConstrainedMove::galilean, ConstrainedMove::hamiltonian})
    EXPECT_LT(std::abs(score_of_tail(move, true)), 4.0)
        << kConstrainedMoveNames[static_cast<std::size_t>(move)];
  EXPECT_GT(std::abs(score_of_tail(ConstrainedMove::hamiltonian, false)), 4.0);
}

// ---- ellipsoids

// Uniform points of an L of two arms of the unit square.
std::vector<double> points_of_an_l(Index count, Rng& rng) {
  std::vector<double> points;
  for (Index i = 0; i < count; ++i) {
    const double along = rng.uniform(0.1, 0.8), across = rng.uniform(0.1, 0.2);
    points.push_back(i % 2 == 0 ? along : across);
    points.push_back(i % 2 == 0 ? across : along);
  }
  return points;
}

TEST(bounding_ellipsoids, draw_uniformly_from_their_union) {
  Rng rng({.seed = test_seed(31), .purpose = purpose::kTest});
  BoundingEllipsoids bounds(2);
  ASSERT_TRUE(bounds.fit(points_of_an_l(400, rng), rng));
  ASSERT_GT(bounds.size(), 1);
  constexpr Index kDraws = 40'000;
  std::vector<double> x(2);
  double drawn = 0.0;
  for (Index k = 0; k < kDraws; ++k) {
    bounds.draw(rng, x);
    drawn += bounds.num_holding(x) > 1 ? 1.0 / kDraws : 0.0;
  }
  // By points of a square around: how much is in one, and in several; and in several as often as these hold it.
  double inside = 0.0, shared = 0.0, counted = 0.0;
  for (Index k = 0; k < 4 * kDraws; ++k) {
    for (double& u : x) u = rng.uniform(-0.5, 1.5);
    const auto holding = static_cast<double>(bounds.num_holding(x));
    inside += holding > 0.0 ? 1.0 : 0.0, counted += holding;
    shared += holding > 1.0 ? 1.0 : 0.0;
  }
  const double expected = shared / inside;
  const double error = std::sqrt(expected * (1.0 - expected) / kDraws + expected / inside);
  ASSERT_GT(shared, 100.0);
  EXPECT_NEAR(drawn, expected, 4.0 * error);
  EXPECT_GT(std::abs(drawn - 2.0 * shared / counted), 4.0 * error);  // each ellipsoid for itself
  EXPECT_NEAR(std::exp(bounds.log_volume()), 4.0 * counted / (4.0 * kDraws),
              4.0 * 4.0 * std::sqrt(counted) / (4.0 * kDraws) * 2.0);
}

// Uniform in the ball of radius 0.4 around the middle of the cube.
std::vector<double> point_of_a_ball(Index dimension, Rng& rng) {
  std::vector<double> x(static_cast<std::size_t>(dimension));
  double square = 0.0;
  for (double& v : x) v = rng.normal(), square += v * v;
  const double r = 0.4 * std::pow(rng.uniform(), 1.0 / static_cast<double>(dimension));
  for (double& v : x) v = 0.5 + v * r / std::sqrt(square);
  return x;
}

// A share m of the region that no ellipsoid holds shifts log Z by about m H, which is to be below half of its error √(H / N): of
// H = 10 nats and N = 100 points m < 1.6 %. As they are before they are enlarged, ellipsoids miss more.
TEST(bounding_ellipsoids, hold_the_region_that_their_points_are_from_once_enlarged) {
  constexpr Index kBall = 5, kSets = 40, kFresh = 200;
  double missed = 0.0, missed_before = 0.0;
  std::vector<double> work;
  for (Index set = 0; set < kSets; ++set) {
    Rng rng({.seed = test_seed(33),
             .purpose = purpose::kTest,
             .iteration = static_cast<std::uint32_t>(set)});
    std::vector<double> points;
    for (Index i = 0; i < kNumPoints; ++i) {
      const std::vector<double> x = point_of_a_ball(kBall, rng);
      points.insert(points.end(), x.begin(), x.end());
    }
    BoundingEllipsoids bounds(kBall);
    ASSERT_TRUE(bounds.fit(points, rng));
    for (Index k = 0; k < kFresh; ++k) {
      const std::vector<double> x = point_of_a_ball(kBall, rng);
      missed += bounds.holds(x) ? 0.0 : 1.0;
      const bool was_held =
          std::any_of(bounds.all().begin(), bounds.all().end(), [&](const auto& one) {
            return one.distance(x, work) * bounds.enlargement() <= one.square_radius;
          });
      missed_before += was_held ? 0.0 : 1.0;
    }
  }
  constexpr double kMost = 0.016 * kSets * kFresh;
  std::printf("missed: %.4f, before %.4f\n", missed / kSets / kFresh,
              missed_before / kSets / kFresh);
  EXPECT_LT(missed, kMost);
  EXPECT_GT(missed_before, kMost);
}

TEST(bounding_ellipsoids, part_what_is_apart) {
  Rng rng({.seed = test_seed(32), .purpose = purpose::kTest});
  std::vector<double> points;
  for (Index i = 0; i < 200; ++i) {
    const double centre = i % 2 == 0 ? 0.2 : 0.8;
    for (int d = 0; d < 3; ++d) points.push_back(centre + 0.05 * (rng.uniform() - 0.5));
  }
  BoundingEllipsoids bounds(3);
  ASSERT_TRUE(bounds.fit(points, rng));
  EXPECT_EQ(bounds.size(), 2);
  EXPECT_FALSE(bounds.holds(std::vector<double>{0.5, 0.5, 0.5}));
  std::vector<double> flat;
  for (Index i = 0; i < 100; ++i) flat.insert(flat.end(), {rng.uniform(), rng.uniform(), 0.5});
  EXPECT_FALSE(bounds.fit(flat, rng));
}

}  // namespace
}  // namespace credo::infer::constrained_moves_test
