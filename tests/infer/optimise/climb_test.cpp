// Climbs to modes: closed forms, what is no maximum, and that a run may break anywhere.
#include "infer/optimise/climb.hpp"

#include <gtest/gtest.h>

#include "density/matrix_field.hpp"
#include "infer/core/table.hpp"
#include "infer/optimise/anneal.hpp"
#include "support/kernel_checks.hpp"
#include "support/targets.hpp"

namespace credo::infer::optimise_climb_test {
namespace {
using namespace credo::testing;

std::vector<const SamplerSpec*> methods() {
  std::vector<const SamplerSpec*> all;
  for (const SamplerSpec* row : samplers())
    if (row->family == Family::optimum && !row->needs_program) all.push_back(row);
  return all;
}

// What a start says, by name.
struct Found {
  RunResult run;
  StoredDraws store;

  double column(std::string_view name, Index chain = 0) const {
    for (std::size_t k = 0; k < store.columns.size(); ++k)
      if (store.columns[k].name == name) return store.info(0, chain, static_cast<Index>(k));
    return kNaN;
  }
  ClimbEnd end(Index chain = 0) const {
    return static_cast<ClimbEnd>(static_cast<int>(column("end", chain)));
  }
  double mode(Index d, Index chain = 0) const { return store.draws(0, chain, d); }
};

std::unique_ptr<Found> climb(const LogDensity& density, SampleOptions options) {
  auto found = std::make_unique<Found>();
  found->run = run_chains(density, options, found->store);
  return found;
}
std::unique_ptr<Found> lbfgs(const LogDensity& density, std::vector<double> from = {}) {
  SampleOptions options{.sampler = "lbfgs", .num_chains = 2, .seed = 3, .num_threads = 1};
  if (!from.empty()) options.init = {std::move(from)};
  return climb(density, options);
}

// -(1 - x)² - 100 (y - x²)²: the mode is (1, 1), with the inverse curvature (½, 1; 1, 2.005)
// there.
std::shared_ptr<const LogDensity> rosenbrock() {
  return density_of(2, [](Point x, Slope gradient) {
    const double a = 1.0 - x[0], b = x[1] - x[0] * x[0];
    gradient[0] = 2.0 * a + 400.0 * x[0] * b;
    gradient[1] = -200.0 * b;
    return -a * a - 100.0 * b * b;
  });
}

std::shared_ptr<const LogDensity> rosenbrock_with_hessian() {
  return density::with_hessian(rosenbrock(), {.value =
                                                  [](Point x, Slope matrix) {
                                                    matrix[0] =
                                                        -2.0 + 400.0 * x[1] - 1200.0 * x[0] * x[0];
                                                    matrix[1] = matrix[2] = 400.0 * x[0];
                                                    matrix[3] = -200.0;
                                                  },
                                              .slope = nullptr});
}

// With its Gauss-Newton matrix as the expected information, which is positive definite everywhere.
std::shared_ptr<const LogDensity> rosenbrock_with_matrices() {
  return density::with_information(rosenbrock_with_hessian(),
                                   {.value =
                                        [](Point x, Slope matrix) {
                                          matrix[0] = 2.0 + 800.0 * x[0] * x[0];
                                          matrix[1] = matrix[2] = -400.0 * x[0];
                                          matrix[3] = 200.0;
                                        },
                                    .slope = nullptr});
}

std::vector<double> hessian_at(const LogDensity& density, std::vector<double> point, bool exact) {
  PointState at = make_point(density.dimension(), true);
  at.position = std::move(point);
  std::vector<double> hessian(at.position.size() * at.position.size());
  EXPECT_TRUE(run_alone(find_hessian(at, exact, hessian), *density.make_evaluator()));
  return hessian;
}

// Central differences with h = 6e-6 of cubic gradients: h² times a sixth of 2400, and rounding, 1e-16
// of terms of 300 over h.
TEST(hessian, by_differences_is_that_of_the_closed_form) {
  const std::vector<double> exact = hessian_at(*rosenbrock_with_hessian(), {-1.2, 1.0}, true),
                            found = hessian_at(*rosenbrock(), {-1.2, 1.0}, false);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], exact[k], 2e-8);
}

TEST(hessian, is_turned_uphill_where_it_has_values_of_both_signs) {
  const std::vector<double> inverse = modified_inverse(std::vector<double>{4.0, 0.0, 0.0, -1.0}, 2);
  const std::vector<double> expected = {0.25, 0.0, 0.0, 1.0};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(inverse[k], expected[k], 1e-15);
}

TEST(climb, ends_at_the_mode_of_a_banana_valley_with_its_curvature) {
  const auto found = lbfgs(*rosenbrock(), {-1.2, 1.0});
  EXPECT_EQ(found->end(), ClimbEnd::gain);
  // A gain of 1e-12 nats is 1.4e-6 standard deviations.
  EXPECT_NEAR(found->mode(0), 1.0, 1.4e-6 * std::sqrt(0.5));
  EXPECT_NEAR(found->mode(1), 1.0, 1.4e-6 * std::sqrt(2.005));
  const std::vector<double> inverse = {0.5, 1.0, 1.0, 2.005};
  ASSERT_EQ(found->run.chains[0].inv_metric.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k)
    EXPECT_NEAR(found->run.chains[0].inv_metric[k], inverse[k], 1e-5);
}

TEST(climb, finds_the_covariance_of_a_normal_whatever_its_units) {
  const auto found = lbfgs(*scaled_normal().density);
  const std::vector<double>& covariance = found->run.chains[0].inv_metric;
  for (std::size_t d = 0; d < 5; ++d) {
    const double sd = std::pow(10.0, double(d) - 2.0);
    EXPECT_NEAR(found->mode(Index(d)) / sd, 0.0, 1.5e-6);
    EXPECT_NEAR(covariance[d * 5 + d] / (sd * sd), 1.0, 1e-6);
  }
}

// log gamma(a, b) of x = exp(u): with the Jacobian a u - b exp(u), without (a - 1) u - b exp(u).
TEST(climb, moves_by_the_jacobian_as_the_closed_form_says) {
  const double a = 3.0, b = 2.0;
  for (const double power : {a, a - 1.0}) {
    const auto density = density_of(1, [=](Point u, Slope gradient) {
      gradient[0] = power - b * std::exp(u[0]);
      return power * u[0] - b * std::exp(u[0]);
    });
    const auto found = lbfgs(*density);
    EXPECT_NEAR(std::exp(found->mode(0)), power / b, 1.5e-6 * std::sqrt(power) / b);
    EXPECT_NEAR(found->run.chains[0].inv_metric[0], 1.0 / power, 1e-7);
  }
}

// ---- what is no mode

// Of one outcome y with mean m and standard deviation exp(u): it rises for ever at m = y.
std::shared_ptr<const LogDensity> one_outcome() {
  return density_of(2, [](Point x, Slope gradient) {
    const double z = (0.3 - x[0]) * std::exp(-x[1]);
    gradient[0] = z * std::exp(-x[1]);
    gradient[1] = z * z - 1.0;
    return -x[1] - 0.5 * z * z;
  });
}

TEST(climb, never_calls_converged_what_rises_without_bound) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SampleOptions options{.sampler = "lbfgs", .num_chains = 1, .seed = seed};
    const auto found = climb(*one_outcome(), options);
    EXPECT_EQ(found->end(), ClimbEnd::unbounded) << seed;
    EXPECT_EQ(found->column("converged"), 0.0);
  }
}

TEST(climb, says_that_a_linear_density_is_unbounded) {
  const auto density = density_of(1, [](Point, Slope gradient) { return gradient[0] = 1.0; });
  const auto rising = density_of(1, [](Point x, Slope gradient) {
    gradient[0] = 1.0;
    return x[0];
  });
  const auto found = lbfgs(*rising);
  EXPECT_EQ(found->end(), ClimbEnd::unbounded);
  EXPECT_LE(found->column("num_iterations"), 2.0);
  EXPECT_NE(lbfgs(*density)->end(), ClimbEnd::gain);  // its gradient is wrong
}

TEST(climb, says_that_a_density_that_levels_off_has_no_maximum_at_a_finite_distance) {
  const auto density = density_of(1, [](Point x, Slope gradient) {  // log of the logistic function
    gradient[0] = 1.0 / (1.0 + std::exp(x[0]));
    return -std::log1p(std::exp(-x[0]));
  });
  EXPECT_EQ(lbfgs(*density)->end(), ClimbEnd::infinity);
}

TEST(climb, names_the_directions_in_which_a_ridge_is_flat) {
  const auto density = density_of(3, [](Point x, Slope gradient) {
    const double sum = x[0] + 2.0 * x[1];
    gradient[0] = -sum, gradient[1] = -2.0 * sum, gradient[2] = -x[2];
    return -0.5 * (sum * sum + x[2] * x[2]);
  });
  const auto found = lbfgs(*density);
  EXPECT_EQ(found->column("curvature"), static_cast<double>(Curvature::Shape::flat));
  EXPECT_TRUE(found->run.chains[0].inv_metric.empty());
  const std::vector<double>& limits = found->run.chains[0].tuned.at(2).values;
  ASSERT_EQ(limits.size(), 3u);
  EXPECT_NEAR(std::fabs(limits[0]), 1.0, 1e-6);
  EXPECT_NEAR(limits[1] / limits[0], -0.5, 1e-6);
  EXPECT_NEAR(limits[2], 0.0, 1e-6);
}

TEST(climb, tells_a_saddle_from_a_mode) {
  const auto density = density_of(2, [](Point x, Slope gradient) {  // two modes, at x = ±1
    gradient[0] = x[0] - x[0] * x[0] * x[0];
    gradient[1] = -x[1];
    return 0.5 * x[0] * x[0] - 0.25 * std::pow(x[0], 4) - 0.5 * x[1] * x[1];
  });
  EXPECT_EQ(lbfgs(*density, {0.0, 1.0})->end(), ClimbEnd::saddle);
  EXPECT_EQ(lbfgs(*density, {0.1, 1.0})->end(), ClimbEnd::gain);
}

TEST(climb, stops_at_an_edge_and_does_not_call_it_a_mode) {
  const auto density = density_of(1, [](Point x, Slope gradient) {
    gradient[0] = 1.0;
    return x[0] > 2.0 ? -kInfinity : x[0];
  });
  const auto found = lbfgs(*density, {0.0});
  EXPECT_EQ(found->end(), ClimbEnd::line_search);
  EXPECT_NEAR(found->mode(0), 2.0, 1e-9);
}

TEST(climb, stops_at_a_kink_and_does_not_say_that_it_is_flat) {
  const auto density = density_of(1, [](Point x, Slope gradient) {
    gradient[0] = x[0] > 0.0 ? -1.0 : 1.0;
    return -std::fabs(x[0]);
  });
  const auto found = lbfgs(*density);
  EXPECT_EQ(found->column("converged"), 0.0);
  EXPECT_NEAR(found->mode(0), 0.0, 1e-9);
}

TEST(climb, uses_no_more_iterations_than_it_may) {
  SampleOptions options{.sampler = "lbfgs", .num_chains = 1};
  options.kernel = find_sampler("lbfgs").options();
  set_field(options.kernel, "max_iterations", "5");
  options.init = {{-1.2, 1.0}};
  const auto found = climb(*rosenbrock(), options);
  EXPECT_EQ(found->end(), ClimbEnd::max_iterations);
  EXPECT_EQ(found->column("num_iterations"), 5.0);
}

// ---- every method

TEST(every_method, finds_the_mode_of_a_banana_valley) {
  for (const SamplerSpec* row : methods()) {
    const auto found =
        climb(*rosenbrock_with_matrices(), {.sampler = std::string(row->name), .seed = 5});
    for (Index c = 0; c < 4; ++c) {
      EXPECT_EQ(found->column("converged", c), 1.0) << row->name;
      EXPECT_NEAR(found->mode(0, c), 1.0, 1.4e-6 * std::sqrt(0.5)) << row->name;
      // The curvature is that where the climb ended: 1e-6 aside, it differs by 400 times as much.
      EXPECT_NEAR(found->run.chains[std::size_t(c)].inv_metric[3], 2.005, 4e-4) << row->name;
    }
  }
}

std::vector<std::uint64_t> bits_of(const Found& found) {
  std::vector<std::uint64_t> bits;
  for (Index c = 0; c < found.store.draws.num_chains(); ++c) {
    for (Index d = 0; d < found.store.draws.num_quantities(); ++d)
      bits.push_back(std::bit_cast<std::uint64_t>(found.mode(d, c)));
    for (Index k = 0; k < found.store.info.num_quantities(); ++k)
      bits.push_back(std::bit_cast<std::uint64_t>(found.store.info(0, c, k)));
    for (const double x : found.run.chains[std::size_t(c)].inv_metric)
      bits.push_back(std::bit_cast<std::uint64_t>(x));
  }
  return bits;
}

TEST(every_method, gives_the_same_bits_for_any_number_of_threads) {
  for (const SamplerSpec* row : methods()) {
    const auto bits = [&](Index threads) {
      return bits_of(
          *climb(*rosenbrock_with_matrices(),
                 {.sampler = std::string(row->name), .num_chains = 5, .num_threads = threads}));
    };
    EXPECT_EQ(bits(1), bits(2)) << row->name;
    EXPECT_EQ(bits(1), bits(5)) << row->name;
  }
}

// Keeps the states of all chains after so many steps, and the rows of the table of iterations.
class Tape final : public DrawSink {
 public:
  explicit Tape(Index num_steps, Index num_chains)
      : states(std::size_t(num_chains)), rows(states.size()), num_steps_(num_steps) {}
  void draw(const DrawRecord& record) override {
    draws[record.chain].assign(record.position.begin(), record.position.end());
    draws[record.chain].insert(draws[record.chain].end(), record.info.begin(), record.info.end());
  }
  void row(const RowRecord& record) override {
    rows[std::size_t(record.chain)].emplace_back(record.values.begin(), record.values.end());
  }
  bool wants_state(Index, Index num_steps, bool finished) override {
    most = std::max(most, num_steps);
    return num_steps == num_steps_ || (finished && num_steps < num_steps_);
  }
  void state(const StateRecord& record) override {
    states[std::size_t(record.chain)] = record.bytes;
  }

  std::map<Index, std::vector<double>> draws;
  std::vector<std::string> states;
  std::vector<std::vector<std::vector<double>>> rows;  // chain, iteration, column
  Index most = 0;

 private:
  Index num_steps_;
};

void expect_resumable(const LogDensity& density, const SampleOptions& options) {
  for (Index num_steps = 1, most = 1; num_steps <= most; ++num_steps) {
    Tape whole(num_steps, options.num_chains), rest(-1, options.num_chains);
    run_chains(density, options, whole);
    most = whole.most;
    SampleOptions later = options;
    later.states = whole.states;
    run_chains(density, later, rest);
    for (const auto& [chain, draw] : rest.draws) {
      const std::vector<double>& before = whole.draws.at(chain);
      EXPECT_EQ(std::memcmp(draw.data(), before.data(), draw.size() * sizeof(double)), 0)
          << num_steps;
      const auto& now = rest.rows[std::size_t(chain)];
      const auto& all = whole.rows[std::size_t(chain)];
      ASSERT_LE(now.size(), all.size());
      EXPECT_TRUE(std::equal(now.rbegin(), now.rend(), all.rbegin())) << num_steps;
    }
    EXPECT_EQ(rest.draws.empty(), num_steps >= most) << num_steps;
  }
}

TEST(every_method, goes_on_with_equal_bits_after_every_step) {
  for (const SamplerSpec* row : methods()) {
    SCOPED_TRACE(std::string(row->name));
    SampleOptions options{.sampler = std::string(row->name), .num_chains = 2, .seed = 9};
    options.kernel = row->options();
    if (row->name == "anneal") set_field(options.kernel, "num_steps", "950");
    expect_resumable(*rosenbrock_with_matrices(), options);
  }
}

TEST(every_method, refuses_the_state_of_another_density_and_one_that_was_cut) {
  for (const SamplerSpec* row : methods()) {
    SCOPED_TRACE(std::string(row->name));
    SampleOptions options{.sampler = std::string(row->name), .num_chains = 1};
    Tape whole(2, 1), rest(-1, 1);
    run_chains(*rosenbrock_with_matrices(), options, whole);
    options.states = whole.states;
    ASSERT_FALSE(options.states[0].empty());
    const auto other = density::with_hessian(standard_normal(3).density,
                                             {.value =
                                                  [](Point, Slope matrix) {
                                                    std::fill(matrix.begin(), matrix.end(), 0.0);
                                                    for (std::size_t d = 0; d < 3; ++d)
                                                      matrix[4 * d] = -1.0;
                                                  },
                                              .slope = nullptr});
    EXPECT_THROW(run_chains(*other, options, rest), Error);
    options.states[0].pop_back();
    EXPECT_THROW(run_chains(*rosenbrock_with_matrices(), options, rest), Error);
  }
}

// ---- one method each

TEST(newton, takes_one_step_to_the_top_of_a_normal) {
  const double rho = 0.8, scale = -1.0 / (1.0 - rho * rho);
  const auto density = density::with_hessian(correlated_normal(rho).density,
                                             {.value =
                                                  [=](Point, Slope matrix) {
                                                    matrix[0] = scale;
                                                    matrix[1] = matrix[2] = -scale * rho / 3.0;
                                                    matrix[3] = scale / 9.0;
                                                  },
                                              .slope = nullptr});
  SampleOptions options{.sampler = "newton", .num_chains = 1};
  options.init = {{20.0, -3.0}};
  const auto found = climb(*density, options);
  EXPECT_EQ(found->column("num_iterations"), 1.0);
  EXPECT_NEAR(found->mode(0), 0.0, 1e-12);
  EXPECT_NEAR(found->run.chains[0].inv_metric[1], 2.4, 1e-12);
}

TEST(newton, is_refused_without_exact_second_derivatives) {
  StoredDraws store;
  EXPECT_THROW(run_chains(*rosenbrock(), {.sampler = "newton"}, store), Error);
}

// From the lower of two peaks, 2 nats below the other and 6 standard deviations away, a climb stays
// there and a walk leaves.
TEST(anneal, leaves_a_lower_peak) {
  const auto density = density_of(1, [](Point x, Slope gradient) {
    const double low = std::exp(-0.5 * (x[0] + 3.0) * (x[0] + 3.0)),
                 high = std::exp(2.0 - 0.5 * (x[0] - 3.0) * (x[0] - 3.0));
    gradient[0] = (-(x[0] + 3.0) * low - (x[0] - 3.0) * high) / (low + high);
    return std::log(low + high);
  });
  SampleOptions options{.num_chains = 4, .seed = 11};
  options.init = {{-3.0}};
  for (const std::string name : {"lbfgs", "anneal"}) {
    options.sampler = name;
    const auto found = climb(*density, options);
    for (Index c = 0; c < 4; ++c) {
      EXPECT_EQ(found->column("converged", c), 1.0);
      EXPECT_NEAR(found->mode(0, c), name == "lbfgs" ? -3.0 : 3.0, 1e-6);
    }
  }
}

TEST(anneal, without_a_climb_says_that_the_walk_has_ended) {
  SampleOptions options{.sampler = "anneal", .num_chains = 1};
  options.kernel = find_sampler("anneal").options();
  set_field(options.kernel, "polish", "false");
  const auto found = climb(*standard_normal(2).density, options);
  EXPECT_EQ(found->end(), ClimbEnd::schedule);
  EXPECT_EQ(found->column("converged"), 0.0);
  EXPECT_GT(found->column("log_density"), -0.01);  // 10,000 steps, the last ones nearly frozen
}

// The walk is that of anneal(), which has no climb.
TEST(anneal, visits_what_the_walk_alone_visits) {
  const auto density = standard_normal(2).density;
  SampleOptions options{.sampler = "anneal", .num_chains = 1, .seed = 4, .init_radius = 2.0};
  options.kernel = find_sampler("anneal").options();
  set_field(options.kernel, "polish", "false");
  set_field(options.kernel, "num_steps", "250");
  const AnnealResult alone = anneal(*density, {.num_runs = 1, .num_steps = 250, .seed = 4});
  EXPECT_EQ(climb(*density, options)->mode(0), alone.best().best[0]);
}

}  // namespace
}  // namespace credo::infer::optimise_climb_test
