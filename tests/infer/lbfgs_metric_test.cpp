#include "infer/invariance.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "infer/mcmc/hamiltonian/nuts.hpp"
#include "infer/mcmc/hamiltonian/split_hmc.hpp"
#include "infer/mcmc/walk/rwm.hpp"

namespace credo::infer::lbfgs_metric_test {
namespace {
using namespace credo::testing;
using Vector = std::vector<double>;

Rng test_rng() { return Rng({.seed = test_seed(31), .purpose = purpose::kTest}); }

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

Vector product(const Vector& matrix, const Vector& x) {
  Vector out(x.size(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t i = 0; i < x.size(); ++i) out[i] += matrix[i + j * x.size()] * x[j];
  return out;
}

Vector normals(Rng& rng, std::size_t n) {
  Vector x(n);
  for (double& value : x) value = rng.normal();
  return x;
}

// Symmetric, eigenvalues between 1 and D + 1, no zeros.
Vector some_precision(std::size_t n) {
  Vector a(n * n, 0.0);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      a[i + j * n] = (i == j ? 1.0 : 0.0) + std::sin(double(i + 1)) * std::sin(double(j + 1));
  return a;
}

// H ← (I - ρ s yᵀ) H (I - ρ y sᵀ) + ρ s sᵀ [nocedal2006, eq. 6.17].
Vector bfgs_update(const Vector& h, const Vector& s, const Vector& y) {
  const std::size_t n = s.size();
  const Vector hy = product(h, y);
  const double rho = 1.0 / dot(s, y), yhy = dot(y, hy);
  Vector next = h;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      next[i + j * n] += rho * ((1.0 + rho * yhy) * s[i] * s[j] - s[i] * hy[j] - hy[i] * s[j]);
  return next;
}

TEST(product_root, is_the_root_of_the_updates_that_bfgs_makes) {
  constexpr std::size_t kD = 4;
  const Vector variances = {0.5, 2.0, 1.0, 3.0}, precision = some_precision(kD);
  ProductRoot root(kD);
  root.restart(variances);
  Vector h(kD * kD, 0.0);
  for (std::size_t d = 0; d < kD; ++d) h[d * (kD + 1)] = variances[d];
  Rng rng = test_rng();
  for (int k = 0; k < 7; ++k) {
    const Vector s = normals(rng, kD), y = product(precision, s);
    ASSERT_TRUE(root.update(s, y));
    h = bfgs_update(h, s, y);
    const Vector whole = root.inverse_metric();
    for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(whole[i], h[i], 1e-12);
    const Vector back = product(whole, y);  // the equation that the pair sets
    for (std::size_t d = 0; d < kD; ++d) EXPECT_NEAR(back[d], s[d], 1e-12);
  }
  EXPECT_EQ(root.num_pairs(), 7);
}

TEST(product_root, has_inverses_and_transposes) {
  constexpr std::size_t kD = 5;
  ProductRoot root(kD);
  Rng rng = test_rng();
  for (int k = 0; k < 8; ++k) {
    const Vector s = normals(rng, kD);
    ASSERT_TRUE(root.update(s, product(some_precision(kD), s)));
  }
  const Vector a = normals(rng, kD), b = normals(rng, kD);
  Vector there = a, transposed = b, back = a, back_transposed = a;
  root.apply(there);
  root.apply_transposed(transposed);
  EXPECT_NEAR(dot(there, b), dot(a, transposed), 1e-12);
  root.apply(back), root.solve(back);
  root.apply_transposed(back_transposed), root.solve_transposed(back_transposed);
  for (std::size_t d = 0; d < kD; ++d) {
    EXPECT_NEAR(back[d], a[d], 1e-12);
    EXPECT_NEAR(back_transposed[d], a[d], 1e-12);
  }
}

TEST(product_root, refuses_pairs_without_positive_curvature) {
  ProductRoot root(2);
  EXPECT_FALSE(root.update(Vector{1.0, 0.0}, Vector{-1.0, 0.0}));
  EXPECT_FALSE(root.update(Vector{1.0, 0.0}, Vector{1e-4, 5.0}));
  EXPECT_FALSE(root.update(Vector{1.0, 0.0}, Vector{kNaN, 0.0}));
  EXPECT_FALSE(root.update(Vector{0.0, 0.0}, Vector{0.0, 0.0}));
  EXPECT_EQ(root.num_pairs(), 0);
}

// Pairs along independent directions, in the target's own units: each takes what is wrong along
// one of them, so that the squared error falls by 1 - 1/D a pair or faster [gower2017].
TEST(product_root, converges_to_the_covariance_of_a_normal) {
  constexpr std::size_t kD = 6;
  const Vector precision = some_precision(kD);
  ProductRoot root(kD);
  Rng rng = test_rng();
  for (int k = 0; k < 200; ++k) {
    const Vector s = normals(rng, kD);
    root.update(s, product(precision, s));
  }
  for (int k = 0; k < 5; ++k) {
    const Vector x = normals(rng, kD), back = product(root.inverse_metric(), product(precision, x));
    for (std::size_t d = 0; d < kD; ++d) EXPECT_NEAR(back[d], x[d], 1e-9);
  }
}

// ---- as a metric ----

// Pairs of another normal than any target.
void set_pairs(Metric& metric) {
  const auto n = static_cast<std::size_t>(metric.dimension());
  ASSERT_TRUE(metric.set_inverse(Vector(n, 1.3)));
  Rng rng = test_rng();
  for (int k = 0; k < 3; ++k) {
    const Vector s = normals(rng, n);
    ASSERT_TRUE(metric.add_pair(s, product(some_precision(n), s)));
  }
}

TEST(lbfgs_metric, draws_momenta_of_its_covariance) {
  Metric metric(MetricKind::lbfgs, 3);
  set_pairs(metric);
  Rng rng = test_rng();
  constexpr int kDraws = 100'000;
  Vector squares(9, 0.0);
  for (int i = 0; i < kDraws; ++i) {  // M⁻¹ p has the covariance M⁻¹
    Vector p = normals(rng, 3), v(3);
    metric.shape_momentum(p);
    metric.velocity(p, v);
    for (std::size_t k = 0; k < 9; ++k) squares[k] += v[k % 3] * v[k / 3] / kDraws;
  }
  const Vector inverse = metric.whole_inverse();
  for (std::size_t k = 0; k < 9; ++k) {
    const double variance = inverse[k % 3 * 4] * inverse[k / 3 * 4] + inverse[k] * inverse[k];
    EXPECT_NEAR(squares[k], inverse[k], 4.0 * std::sqrt(variance / kDraws));
  }
}

TEST(lbfgs_metric, leaves_the_targets_invariant) {
  expect_invariant(
      maker_of<HmcStatic>({.step_size = 0.4, .metric = MetricKind::lbfgs, .integration_time = 1.3},
                          [](HmcStatic& kernel) { set_pairs(kernel.settings.metric); }));
  expect_invariant(maker_of<Nuts>({.step_size = 0.4, .metric = MetricKind::lbfgs},
                                  [](Nuts& kernel) { set_pairs(kernel.settings.metric); }),
                   {.num_starts = 4000});
}

// S⁻¹ z in the place of S⁻ᵀ z: another covariance.
TransitionMaker leapfrogs(bool transposed) {
  return [=](Index dimension) {
    auto metric = std::make_shared<Metric>(MetricKind::lbfgs, dimension);
    set_pairs(*metric);
    return Transition([=](density::Evaluator& evaluator, PointState& state, Rng& rng) {
      PhasePoints points(2, dimension);
      begin_at(points[0], state, *metric, rng);
      const Vector noise = normals(rng, state.position.size());
      std::copy(noise.begin(), noise.end(), points[0].momentum.begin());
      if (transposed)
        metric->shape_momentum(points[0].momentum);
      else
        metric->unshape_move(points[0].momentum);
      last_kick(points[0], 0.0, *metric);
      first_half(points[0], points[1], 0.6, *metric);
      const PointState end = state_at(evaluator, points[1].position);
      std::copy(end.gradient.begin(), end.gradient.end(), points[1].gradient.begin());
      points[1].log_density = end.log_density;
      second_half(points[1], 0.6, *metric);
      if (std::log(rng.uniform()) < points[0].energy - points[1].energy) state = end;
    });
  };
}

TEST(invariance_suite, rejects_a_root_that_is_not_transposed) {
  EXPECT_TRUE(is_rejected(leapfrogs(false)));
  EXPECT_FALSE(is_rejected(leapfrogs(true)));
}

// ---- warm-up ----

// The gradients of a normal know its covariance: each pair takes the part of the error along its
// direction away, the square of a cosine is left, whose logarithm has mean -1.4 and standard
// deviation 1.8 for independent directions in the plane. So the error of one chain may be anything;
// of 24 pairs and 16 chains its mean logarithm is -33 with a standard error of 2.3. The bound
// leaves room for directions that aren't independent; that many draws alone have an error of some
// 20 %.
TEST(lbfgs_metric, is_the_covariance_of_a_normal_after_a_short_warm_up) {
  StoredDraws store;
  SampleOptions options{.num_chains = 16,
                        .num_warmup = 150,
                        .num_draws = 1,
                        .seed = test_seed(5),
                        .kernel = NutsOptions{.metric = MetricKind::lbfgs}};
  const RunResult run = run_chains(*correlated_normal(0.99).density, options, store);
  const Vector covariance = {1.0, 2.97, 2.97, 9.0};
  double sum_of_logs = 0.0;
  for (const ChainResult& chain : run.chains) {
    EXPECT_EQ(chain.metric, MetricKind::dense);  // a metric to start from
    ASSERT_EQ(chain.inv_metric.size(), 4u);
    double error = 1e-16;  // rounding
    for (std::size_t k = 0; k < 4; ++k)
      error = std::max(error, std::fabs(chain.inv_metric[k] / covariance[k] - 1.0));
    sum_of_logs += std::log(error);
  }
  EXPECT_LT(std::exp(sum_of_logs / 16.0), 1e-4);
}

TEST(lbfgs_metric, makes_trajectories_shorter_than_those_of_variances_alone) {
  const auto leapfrogs_with = [](MetricKind kind) {
    StoredDraws store;
    run_chains(*correlated_normal(0.99).density,
               {.num_warmup = 300,
                .num_draws = 300,
                .seed = test_seed(6),
                .kernel = NutsOptions{.metric = kind}},
               store);
    double sum = 0.0;
    for (const double count : store.info.quantity(4)) sum += count;
    EXPECT_EQ(store.columns[4].name, "num_leapfrog");
    return sum;
  };
  EXPECT_GT(leapfrogs_with(MetricKind::diagonal), 3.0 * leapfrogs_with(MetricKind::lbfgs));
}

TEST(lbfgs_metric, is_refused_where_warm_up_sees_no_gradients) {
  EXPECT_THROW(SplitHmc({.metric = MetricKind::lbfgs}, 2), Error);
  StoredDraws store;
  EXPECT_THROW(
      run_chains(*banana().density,
                 {.sampler = "rwm", .kernel = RwmOptions{.metric = MetricKind::lbfgs}}, store),
      Error);
}

}  // namespace
}  // namespace credo::infer::lbfgs_metric_test
