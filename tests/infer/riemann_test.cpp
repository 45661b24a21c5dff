#include "infer/mcmc/hamiltonian/riemann.hpp"

#include "infer/compose/compose.hpp"
#include "infer/curved_targets.hpp"
#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "numerics/elementary.hpp"
#include "support/share.hpp"

namespace credo::infer::riemann_test {
namespace {
using namespace credo::testing;
using enum LocalMetricKind;

constexpr std::array kKinds = {softabs, fisher};

Rng test_rng(std::uint32_t iteration = 0) {
  return Rng({.seed = 12, .purpose = purpose::kTest, .iteration = iteration});
}

// Fixed points to rounding.
ImplicitOptions tight(LocalMetricKind kind, double alpha = 2.0) {
  return {.metric = {.kind = kind, .softabs_alpha = alpha}, .tolerance = 1e-13};
}

std::vector<double> some_point(const Target& target, std::uint32_t number = 0) {
  std::vector<double> x(static_cast<std::size_t>(target.density->dimension()));
  Rng rng = test_rng(100 + number);
  target.draw(rng, x);
  return x;
}

// A target's evaluator, a point with its metric and a momentum, and one to go to.
struct Bench {
  Bench(const Target& target, const ImplicitOptions& options, std::uint32_t number = 0)
      : density(target.density),
        evaluator(density->make_evaluator()),
        by(options, target.density->dimension()),
        from(options.metric, target.density->dimension()),
        to(from) {
    std::vector<double> noise(from.position.size());
    Rng rng = test_rng(number);
    for (double& z : noise) z = rng.normal();
    place(some_point(target, number), {});
    from.metric.shape_momentum(noise, from.momentum);
    from.set_energy();
  }
  void place(std::span<const double> position, std::span<const double> momentum) {
    from.copy_from(state_at(*evaluator, position));
    EXPECT_EQ(run_alone(by.measure(from), *evaluator), StepOutcome::done);
    if (momentum.empty()) return;
    from.momentum.assign(momentum.begin(), momentum.end());
    from.set_energy();
  }
  StepOutcome leap(double step_size) {
    return run_alone(by.leap({&from, &to, step_size}), *evaluator);
  }
  double energy_at(std::span<const double> position, std::span<const double> momentum) {
    place(position, momentum);
    return from.energy;
  }

  std::shared_ptr<const density::LogDensity> density;  // outlives its evaluator
  std::unique_ptr<density::Evaluator> evaluator;
  GeneralisedLeapfrog by;
  RiemannPoint from, to;
};

// ---- the matrices of the targets themselves ----

// Central differences with h = 1e-5: h² × third derivatives and rounding over h, some 1e-8.
TEST(curved_targets, have_the_hessians_and_slopes_that_differences_have) {
  for (const Target& target : curved_targets()) {
    const auto evaluator = target.density->make_evaluator();
    std::vector<double> x = some_point(target), slope(x.size()), weights(x.size() * x.size());
    std::vector<double> matrix(weights.size()), other(weights.size());
    for (std::size_t a = 0; a < x.size(); ++a)
      for (std::size_t b = 0; b < x.size(); ++b)
        weights[a + b * x.size()] = 0.3 * double(a * b) - 0.4 * double(a + b) + 0.7;
    const auto ask = [&](density::Want want, std::span<double> out) {
      Evaluate question = evaluate_matrix(want, x, out);
      answer(*evaluator, question);
      EXPECT_TRUE(question.request.status.ok());
    };
    for (const density::Want want : {density::Want::hessian, density::Want::information}) {
      Evaluate question = evaluate_slope(slope_of(want), x, weights, slope);
      answer(*evaluator, question);
      ask(want, matrix);
      for (std::size_t d = 0; d < x.size(); ++d) {
        constexpr double kStep = 1e-5;
        std::vector<double> above(weights.size()), below(weights.size());
        const double at = x[d];
        x[d] = at + kStep;
        ask(want, above);
        const PointState right = state_at(*evaluator, x);
        x[d] = at - kStep;
        ask(want, below);
        const PointState left = state_at(*evaluator, x);
        x[d] = at;
        double difference = 0.0;
        for (std::size_t k = 0; k < weights.size(); ++k)
          difference += weights[k] * (above[k] - below[k]) / (2.0 * kStep);
        EXPECT_NEAR(slope[d], difference, 1e-6 * (1.0 + std::fabs(difference))) << target.name;
        if (want != density::Want::hessian) continue;
        for (std::size_t k = 0; k < x.size(); ++k)
          EXPECT_NEAR(matrix[k + d * x.size()],
                      (right.gradient[k] - left.gradient[k]) / (2.0 * kStep), 1e-6)
              << target.name;
      }
    }
  }
}

// ---- soft absolute values ----

TEST(softabs, is_even_smooth_and_the_absolute_value_far_out) {
  for (const double alpha : {0.5, 10.0, 1e6}) {
    EXPECT_DOUBLE_EQ(soft_abs(0.0, alpha), 1.0 / alpha);
    for (const double x : {1e-12, 1e-5, 9.9e-5, 1.01e-4, 0.3, 2.0, 800.0}) {
      const double lambda = x / alpha,
                   cosh_ratio = std::cosh(std::min(x, 300.0)) / std::sinh(std::min(x, 300.0));
      EXPECT_NEAR(soft_abs(lambda, alpha) / (lambda * cosh_ratio), 1.0, 4e-16);
      EXPECT_EQ(soft_abs(-lambda, alpha), soft_abs(lambda, alpha));
      EXPECT_EQ(soft_abs_derivative(-lambda, alpha), -soft_abs_derivative(lambda, alpha));
    }
    EXPECT_DOUBLE_EQ(soft_abs(700.0 / alpha, alpha), 700.0 / alpha);
  }
}

// h = 1e-4 in x: error of the difference h²/6 f''' < 2e-9, rounding 1e-12.
TEST(softabs, has_the_derivative_that_differences_have) {
  for (const double x : {-3.0, -0.2, 1e-3, 0.00999, 0.0101, 0.5, 4.0, 100.0}) {
    constexpr double kStep = 1e-4;
    const double difference = (soft_abs(x + kStep, 1.0) - soft_abs(x - kStep, 1.0)) / (2.0 * kStep);
    EXPECT_NEAR(soft_abs_derivative(x, 1.0), difference, 3e-9) << x;
  }
  EXPECT_EQ(soft_abs_derivative(1e5, 1.0), 1.0);
}

// ---- Hamilton's equations ----

// dθ/dτ = ∂H/∂p and dp/dτ = -∂H/∂θ, H by differences of its value (step 1e-5: 1e-8 and more where
// the metric changes fast).
TEST(local_metric, gives_the_derivatives_of_the_hamiltonian) {
  for (const LocalMetricKind kind : kKinds)
    for (const Target& target : curved_targets()) {
      Bench bench(target, tight(kind));
      const std::vector<double> x = bench.from.position, p = bench.from.momentum;
      std::vector<double> velocity(x.size());
      bench.from.metric.velocity(p, velocity);
      ASSERT_EQ(run_alone(bench.by.push(bench.from, p), *bench.evaluator), StepOutcome::done);
      const std::vector<double> force(bench.by.force().begin(), bench.by.force().end());
      constexpr double kStep = 1e-5;
      for (std::size_t d = 0; d < x.size(); ++d) {
        const auto moved = [&](std::vector<double> from, double by) {
          from[d] += by;
          return from;
        };
        const double along_x =
            bench.energy_at(moved(x, kStep), p) - bench.energy_at(moved(x, -kStep), p);
        const double along_p =
            bench.energy_at(x, moved(p, kStep)) - bench.energy_at(x, moved(p, -kStep));
        const double scale = 1.0 + std::fabs(force[d]);
        EXPECT_NEAR(force[d], -along_x / (2.0 * kStep), 2e-6 * scale) << target.name;
        EXPECT_NEAR(velocity[d], along_p / (2.0 * kStep), 1e-6) << target.name;
      }
    }
}

// Eigenvalues that meet: the slopes between them stay those of the function.
TEST(local_metric, keeps_its_weights_where_eigenvalues_meet) {
  const LocalMetricOptions options{.kind = softabs, .softabs_alpha = 2.0};
  LocalMetric same(options, 2), near(options, 2);
  std::vector<double> weights(4), close(4);
  const std::vector<double> momentum = {0.7, -1.1};
  for (const double apart : {0.0, 1e-12, 1e-7, 1e-5, 1e-4}) {
    ASSERT_TRUE(same.set(std::vector<double>{0.6, 0.0, 0.0, 0.6}));
    ASSERT_TRUE(near.set(std::vector<double>{0.6, 0.5 * apart, 0.5 * apart, 0.6 + apart}));
    same.weights(momentum, weights);
    near.weights(momentum, close);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(weights[k], close[k], 4.0 * apart + 1e-9) << apart;
  }
}

TEST(local_metric, refuses_what_is_not_positive_definite_or_not_finite) {
  LocalMetric metric({.kind = fisher}, 2), soft({.kind = softabs}, 2);
  EXPECT_FALSE(metric.set(std::vector<double>{1.0, 2.0, 2.0, 1.0}));
  EXPECT_TRUE(soft.set(std::vector<double>{1.0, 2.0, 2.0, 1.0}));
  for (const double bad : {kNaN, kInfinity}) {
    EXPECT_FALSE(metric.set(std::vector<double>{1.0, 0.0, 0.0, bad}));
    EXPECT_FALSE(soft.set(std::vector<double>{1.0, 0.0, 0.0, bad}));
  }
}

// cov(p) = G: E[p pᵀ G⁻¹ p pᵀ] aside, pᵀ G⁻¹ p has mean D and variance 2 D.
TEST(local_metric, draws_momenta_with_the_metric_as_covariance) {
  LocalMetric metric({.kind = fisher}, 2);
  const std::vector<double> matrix = {2.0, -0.9, -0.9, 0.7};
  ASSERT_TRUE(metric.set(matrix));
  EXPECT_NEAR(metric.log_determinant(), std::log(2.0 * 0.7 - 0.81), 1e-14);
  Rng rng = test_rng();
  constexpr int kDraws = 100'000;
  std::array<double, 4> moments{};
  std::vector<double> noise(2), p(2);
  for (int i = 0; i < kDraws; ++i) {
    for (double& z : noise) z = rng.normal();
    metric.shape_momentum(noise, p);
    for (std::size_t k = 0; k < 4; ++k) moments[k] += p[k % 2] * p[k / 2] / kDraws;
  }
  for (std::size_t k = 0; k < 4; ++k)  // variance of a product: below 2 · 2² + …
    EXPECT_NEAR(moments[k], matrix[k], 4.0 * std::sqrt(8.0 / kDraws));
}

// ---- the integrator ----

TEST(generalised_leapfrog, is_reversible) {
  for (const LocalMetricKind kind : kKinds)
    for (const Target& target : curved_targets()) {
      Bench bench(target, tight(kind));
      const std::vector<double> x = bench.from.position, p = bench.from.momentum;
      for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(bench.leap(0.1), StepOutcome::done) << target.name;
        std::swap(bench.from, bench.to);
      }
      for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(bench.leap(-0.1), StepOutcome::done) << target.name;
        std::swap(bench.from, bench.to);
      }
      for (std::size_t d = 0; d < x.size(); ++d) {  // ten steps, fixed points to 1e-13 each
        EXPECT_NEAR(bench.from.position[d], x[d], 1e-10) << target.name;
        EXPECT_NEAR(bench.from.momentum[d], p[d], 1e-10 * (1.0 + std::fabs(p[d]))) << target.name;
      }
    }
}

double determinant(std::vector<double> a) {
  const auto n = static_cast<std::size_t>(std::lround(std::sqrt(double(a.size()))));
  double product = 1.0;
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j; i < n; ++i)
      if (std::fabs(a[i + j * n]) > std::fabs(a[pivot + j * n])) pivot = i;
    if (pivot != j) product = -product;
    for (std::size_t k = 0; k < n; ++k) std::swap(a[j + k * n], a[pivot + k * n]);
    product *= a[j + j * n];
    for (std::size_t i = j + 1; i < n; ++i)
      for (std::size_t k = n; k-- > j;) a[i + k * n] -= a[i + j * n] / a[j + j * n] * a[j + k * n];
  }
  return product;
}

// Of the map (θ, p) → (θ', p') of one step, by central differences of 1e-5.
double jacobian_determinant(const Target& target, const ImplicitOptions& options,
                            double step_size) {
  Bench bench(target, options);
  std::vector<double> x = bench.from.position, p = bench.from.momentum;
  const std::size_t n = x.size();
  std::vector<double> jacobian(4 * n * n);
  constexpr double kStep = 1e-5;
  for (std::size_t c = 0; c < 2 * n; ++c) {
    double& moved = c < n ? x[c] : p[c - n];
    const double at = moved;
    for (const double side : {1.0, -1.0}) {
      moved = at + side * kStep;
      bench.place(x, p);
      EXPECT_EQ(bench.leap(step_size), StepOutcome::done);
      for (std::size_t r = 0; r < 2 * n; ++r) {
        const double end = r < n ? bench.to.position[r] : bench.to.momentum[r - n];
        jacobian[r + 2 * n * c] += side * end / (2.0 * kStep);
      }
    }
    moved = at;
  }
  return determinant(jacobian);
}

// Differences leave 1e-10 × third derivatives of the map, and 1e-13 / 1e-5 of the fixed points.
TEST(generalised_leapfrog, preserves_volume) {
  for (const LocalMetricKind kind : kKinds)
    for (const Target& target : curved_targets())
      EXPECT_NEAR(jacobian_determinant(target, tight(kind), 0.2), 1.0, 1e-6) << target.name;
}

// At a fixed time the error is c h² + O(h⁴).
TEST(generalised_leapfrog, has_an_energy_error_of_second_order) {
  for (const LocalMetricKind kind : kKinds)
    for (const Target& target : curved_targets()) {
      if (target.name == "standard_normal" || target.name == "correlated_normal") continue;
      const auto error = [&](double step_size, int count) {
        Bench bench(target, tight(kind));
        const double start = bench.from.energy;
        for (int i = 0; i < count; ++i) {
          EXPECT_EQ(bench.leap(step_size), StepOutcome::done);
          std::swap(bench.from, bench.to);
        }
        return bench.from.energy - start;
      };
      EXPECT_NEAR(std::log2(error(0.02, 20) / error(0.01, 40)), 2.0, 0.1) << target.name;
    }
}

// With a constant metric both equations are solved at once, and it is the leapfrog.
TEST(generalised_leapfrog, is_the_leapfrog_where_the_metric_is_constant) {
  const Target target = curved_targets()[1];
  Bench bench(target, tight(fisher));
  PhasePoints plain(2, 2);
  Metric metric(MetricKind::dense, 2);
  ASSERT_TRUE(metric.set_inverse(std::vector<double>{1.0, 2.4, 2.4, 9.0}));
  std::copy_n(bench.from.position.begin(), 2, plain[0].position.begin());
  std::copy_n(bench.from.momentum.begin(), 2, plain[0].momentum.begin());
  std::copy_n(bench.from.gradient.begin(), 2, plain[0].gradient.begin());
  first_half(plain[0], plain[1], 0.4, metric);
  ASSERT_EQ(bench.leap(0.4), StepOutcome::done);
  const PointState end = state_at(*bench.evaluator, plain[1].position);
  std::copy_n(end.gradient.begin(), 2, plain[1].gradient.begin());
  plain[1].log_density = end.log_density;
  second_half(plain[1], 0.4, metric);
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_NEAR(bench.to.position[d], plain[1].position[d], 1e-12);
    EXPECT_NEAR(bench.to.momentum[d], plain[1].momentum[d], 1e-12);
  }
}

TEST(generalised_leapfrog, says_when_its_iterations_do_not_settle) {
  ImplicitOptions options = tight(softabs);
  options.max_iterations = 2;
  Bench bench(curved_targets()[2], options);
  EXPECT_EQ(bench.leap(0.5), StepOutcome::not_settled);
}

// Equations solved to a tenth only: the way back ends elsewhere.
TEST(generalised_leapfrog, says_when_a_step_does_not_come_back) {
  ImplicitOptions options = tight(softabs);
  options.tolerance = 0.1;
  Bench bench(curved_targets()[2], options);
  EXPECT_EQ(bench.leap(0.5), StepOutcome::not_reversible);
  bench.by.options.check_reversal = false;
  EXPECT_EQ(bench.leap(0.5), StepOutcome::done);
}

TEST(generalised_leapfrog, is_refused_where_the_density_or_the_metric_ends) {
  Target target{.name = "half", .density = normal_on_half_line(), .moments = {}, .draw = nullptr};
  target.draw = [](Rng&, Slope x) { x[0] = 0.1; };
  target = curved(target, constant_field({-1.0}), constant_field({-1.0}));
  Bench bench(target, tight(softabs));
  bench.from.momentum[0] = -3.0;
  EXPECT_EQ(bench.leap(0.2), StepOutcome::refused);
  GeneralisedLeapfrog by(tight(fisher), 1);
  RiemannPoint point(tight(fisher).metric, 1);
  EXPECT_EQ(run_alone(by.measure(point), *bench.evaluator), StepOutcome::refused);
}

// ---- the kernel ----

RiemannOptions some_options(LocalMetricKind kind, double step_size) {
  return {.step_size = step_size,
          .integration_time = 2.2 * step_size,
          .local_metric = kind,
          .softabs_alpha = 2.0};
}

InvarianceOptions short_run() { return {.num_starts = 4000, .num_steps = 2}; }

TEST(riemann, leaves_the_targets_invariant) {
  for (const double step_size : {0.3, 0.8})
    expect_invariant(maker_of<Riemann>(some_options(softabs, step_size)), short_run(),
                     curved_targets());
  expect_invariant(maker_of<Riemann>(some_options(fisher, 0.7)), short_run(), curved_targets());
}

TEST(riemann, finds_the_moments_of_long_runs) {
  expect_long_run(maker_of<Riemann>({.step_size = 0.5, .softabs_alpha = 2.0}), {.num_draws = 2000},
                  curved_targets());
}

bool is_rejected_on(const std::vector<Target>& targets, const TransitionMaker& make) {
  return is_rejected(make, short_run(), targets);
}

// A trajectory that is decided by an energy of the mutant's: energy(point).
template <class Energy>
TransitionMaker decided_by(const ImplicitOptions& options, Energy energy) {
  return [=](Index dimension) {
    auto by = std::make_shared<GeneralisedLeapfrog>(options, dimension);
    return Transition([=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      RiemannPoint from(options.metric, dimension), to(from);
      from.copy_from(state);
      if (run_alone(by->measure(from), evaluator) != StepOutcome::done) return;
      std::vector<double> noise(state.position.size());
      for (double& z : noise) z = rng.normal();
      from.metric.shape_momentum(noise, from.momentum);
      const double start = energy(from);
      for (int i = 0; i < 2; ++i) {
        if (run_alone(by->leap({&from, &to, 0.7}), evaluator) != StepOutcome::done) return;
        std::swap(from, to);
      }
      if (std::log(rng.uniform()) < start - energy(from)) from.copy_to(state);
    });
  };
}

LONG_TEST(invariance_suite, rejects_an_energy_without_the_determinant_of_the_metric) {
  const ImplicitOptions options{.metric = {.kind = softabs, .softabs_alpha = 2.0}};
  const auto mutant = [](RiemannPoint& point) {
    return point.kinetic_energy() - point.log_density;
  };
  const auto whole = [](RiemannPoint& point) {
    point.set_energy();
    return point.energy;
  };
  EXPECT_TRUE(is_rejected_on(curved_targets(), decided_by(options, mutant)));
  EXPECT_FALSE(is_rejected_on(curved_targets(), decided_by(options, whole)));
}

// A force that holds the metric fixed: the steps don't preserve volume.
TEST(invariance_suite, rejects_a_force_without_the_slope_of_the_metric) {
  Field stale = funnel_hessian();
  stale.slope = constant_field({}).slope;
  const Target target = curved(funnel(1.0), stale, funnel_information());
  const double volume = jacobian_determinant(target, tight(softabs), 0.5);
  EXPECT_GT(std::fabs(volume - 1.0), 1e-3);
  EXPECT_TRUE(is_rejected_on({target}, maker_of<Riemann>(some_options(softabs, 0.8))));
}

// One iteration of each equation, whatever it leaves: an explicit step that isn't reversible.
TEST(invariance_suite, rejects_steps_whose_equations_are_not_solved) {
  ImplicitOptions options{.metric = {.kind = softabs, .softabs_alpha = 2.0}, .tolerance = 1e3};
  options.check_reversal = false;
  const auto whole = [](RiemannPoint& point) {
    point.set_energy();
    return point.energy;
  };
  EXPECT_TRUE(is_rejected_on(curved_targets(), decided_by(options, whole)));
}

// The determinant's slope missing from the force moves energy, not volume: the order is lost, the
// target is kept.
TEST(generalised_leapfrog, loses_its_order_without_the_slope_of_the_determinant) {
  const Target target = curved_targets()[2];
  const auto error = [&](double step_size, int count) {
    Bench bench(target, tight(fisher));
    const double start = bench.from.energy;
    for (int i = 0; i < count; ++i) {  // undone by hand: ½ tr(G⁻¹ ∂G/∂x0) = -3/2
      bench.from.gradient[0] -= 1.5;
      bench.by.options.check_reversal = false;
      EXPECT_EQ(bench.leap(step_size), StepOutcome::done);
      bench.to.momentum[0] -= 0.5 * step_size * 1.5;
      bench.to.set_energy();
      std::swap(bench.from, bench.to);
    }
    return std::fabs(bench.from.energy - start);
  };
  EXPECT_LT(std::log2(error(0.02, 20) / error(0.01, 40)), 0.5);
}

// No move where a step doesn't settle or come back, and the transition says so.
TEST(riemann, never_accepts_a_step_that_failed) {
  const Target target = curved_targets()[2];
  const auto evaluator = target.density->make_evaluator();
  Riemann unsettled({.step_size = 0.5, .max_iterations = 1}, 4);
  Riemann loose({.step_size = 0.5, .tolerance = 0.3, .reversal_tolerance = 1e-9}, 4);
  int num_loose = 0;
  for (std::uint32_t i = 0; i < 50; ++i) {
    PointState state = state_at(*evaluator, some_point(target, i));
    const std::vector<double> start = state.position;
    Rng rng = test_rng(i);
    RiemannInfo info = run_alone(unsettled.step(state, rng), *evaluator);
    EXPECT_TRUE(info.divergent && info.not_settled);
    EXPECT_EQ(info.accept_stat, 0.0);
    EXPECT_EQ(state.position, start);
    info = run_alone(loose.step(state, rng), *evaluator);
    if (!info.not_reversible) continue;
    ++num_loose;
    EXPECT_TRUE(info.divergent);
    EXPECT_EQ(state.position, start);
  }
  EXPECT_GT(num_loose, 10);
}

TEST(riemann, samples_through_the_table) {
  const Target target = curved_targets()[2];
  for (const LocalMetricKind kind : kKinds) {
    StoredDraws store;
    const RunResult run = run_chains(*target.density,
                                     {.sampler = "riemann",
                                      .num_warmup = 300,
                                      .num_draws = 1000,
                                      .kernel = RiemannOptions{.local_metric = kind}},
                                     store);
    for (const ChainResult& chain : run.chains) {
      EXPECT_GT(chain.step_size, 0.1);
      EXPECT_LT(chain.num_divergent, 200);  // long steps pay even where one in ten fails
    }
    diagnose::ChainsCopy scale{{}, 1000, 4};
    for (const double x : store.draws.quantity(0)) scale.values.push_back(x);
    EXPECT_LE(std::fabs(diagnose::mean(scale.values)), 4.0 * diagnose::mcse_mean(scale));
  }
}

TEST(riemann, refuses_a_density_without_the_matrix_it_needs) {
  StoredDraws store;
  try {
    run_chains(*funnel(1.0).density, {.sampler = "riemann"}, store);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("Hessian"), std::string::npos) << error.what();
  }
  EXPECT_THROW(kernel("riemann"), Error);
}

}  // namespace
}  // namespace credo::infer::riemann_test
