// The bound of stochastic variational processes: exact limits, batches, derivatives; and the fit.
#include "models/gp/outcomes/svgp.hpp"
#include "base/error.hpp"
#include "models/gp/gp_solver_table.hpp"
#include "models/gp/outcome_cases.hpp"

namespace credo::models::gp_outcomes_test {
namespace {
using numerics::DenseMatrix;
using Slopes = SvgpBound::Slopes;

std::vector<Index> rows_of(const OutcomeCase& c) {
  std::vector<Index> rows(c.columns[0].size());
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}
// Every third row's input.
InputColumns third_inputs(const OutcomeCase& c) {
  InputColumns z{{}};
  for (std::size_t i = 0; i < c.columns[0].size(); i += 3) z[0].push_back(c.columns[0][i]);
  return z;
}
// precision <- (1 - rho) precision + rho (1 + sums), written once more.
void step_of_q(SvgpBound& bound, const SvgpSums& sums, double rho) {
  DenseMatrix precision = bound.precision();
  std::vector<double> shift = bound.shift();
  for (Index j = 0; j < precision.cols; ++j) {
    for (Index i = 0; i < precision.rows; ++i)
      precision(i, j) =
          (1.0 - rho) * precision(i, j) + rho * ((i == j ? 1.0 : 0.0) + sums.precision(i, j));
    shift[static_cast<std::size_t>(j)] = (1.0 - rho) * shift[static_cast<std::size_t>(j)] +
                                         rho * sums.shift[static_cast<std::size_t>(j)];
  }
  ASSERT_TRUE(bound.set_q(precision, shift));
}

TEST(gp_svgp, one_natural_step_of_size_one_is_the_collapsed_bound) {
  const OutcomeCase c = drawn_case(*find_outcome_family("normal", ""), 40, 0, 21);
  SvgpBound bound(c.problem, c.outcome, c.columns);
  ASSERT_TRUE(bound.set_place(c.theta, third_inputs(c)));
  step_of_q(bound, bound.sums(rows_of(c), 1.0, Slopes::none), 1.0);
  const SvgpSums at = bound.sums(rows_of(c), 1.0, Slopes::parameters);
  std::vector<Index> inducing;
  for (Index i = 0; i < 40; i += 3) inducing.push_back(i);
  const auto sgpr = make_low_rank_solver(c.problem, LowRank::sgpr, inducing);
  const GpEvidence wanted = sgpr->evidence(c.theta, true);
  EXPECT_NEAR(at.value - bound.divergence(), wanted.value, 1e-8 * std::abs(wanted.value));
  // q is at its optimum: derivatives with q held are those of the collapsed bound
  for (std::size_t p = 0; p < c.theta.size(); ++p)
    EXPECT_NEAR(at.slopes[p], wanted.slopes[p], 1e-6 * (1.0 + std::abs(wanted.slopes[p]))) << p;
  const CovariancePoints points =
      c.problem.covariance.points(std::vector<std::vector<double>>{{0.3, 2.2, 5.0}});
  const DenseMatrix h(3, 0);
  const GpMoments own = bound.posterior()->moments(c.problem.covariance.root(), points, &h),
                  other =
                      sgpr->posterior(c.theta)->moments(c.problem.covariance.root(), points, &h);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(own.mean[k], other.mean[k], 1e-7);
    EXPECT_NEAR(own.variance[k], other.variance[k], 1e-7);
  }
}
TEST(gp_svgp, with_all_rows_as_inducing_inputs_is_the_variational_bound) {
  for (const char* name : {"bernoulli", "poisson", "negbinomial"}) {
    const OutcomeCase c = drawn_case(*find_outcome_family(name, ""), 12, 2, 22);
    SvgpBound bound(c.problem, c.outcome, c.columns);
    ASSERT_TRUE(bound.set_place(c.theta, c.columns));
    for (int step = 0; step < 300; ++step)
      step_of_q(bound, bound.sums(rows_of(c), 1.0, Slopes::none), 0.2);
    const double value = bound.sums(rows_of(c), 1.0, Slopes::none).value - bound.divergence();
    // the inducing values have 1e-9 of the variance added
    EXPECT_NEAR(value, make_cvi_solver(c.problem, c.outcome)->evidence(c.theta, false).value, 1e-5)
        << name;
  }
}
// Largest relative difference of the sums over the batches of a partition, averaged, to those over all rows. Errors of derivatives count
// for 1e-5 of theirs: the inverse of K_zz, whose condition is up to 1e9, enlarges rounding.
double bias_of_batches(const OutcomeCase& c, double factor) {
  SvgpBound bound(c.problem, c.outcome, c.columns);
  if (!bound.set_place(c.theta, third_inputs(c))) return kInfinity;
  step_of_q(bound, bound.sums(rows_of(c), 1.0, Slopes::none), 0.3);
  const std::vector<Index> all = rows_of(c);
  const SvgpSums whole = bound.sums(all, 1.0, Slopes::parameters_and_inputs);
  SvgpSums mean;
  constexpr std::size_t kBatches = 5;
  const std::size_t size = all.size() / kBatches;
  for (std::size_t b = 0; b < kBatches; ++b) {
    const SvgpSums part = bound.sums(std::span(all).subspan(b * size, size), factor * kBatches,
                                     Slopes::parameters_and_inputs);
    if (b == 0) {
      mean = part;
      continue;
    }
    mean.value += part.value;
    for (std::size_t k = 0; k < mean.slopes.size(); ++k) mean.slopes[k] += part.slopes[k];
    for (std::size_t k = 0; k < mean.shift.size(); ++k) mean.shift[k] += part.shift[k];
    for (std::size_t k = 0; k < mean.input_slopes[0].size(); ++k)
      mean.input_slopes[0][k] += part.input_slopes[0][k];
    for (std::size_t k = 0; k < mean.precision.values.size(); ++k)
      mean.precision.values[k] += part.precision.values[k];
  }
  double worst = std::abs(mean.value / kBatches - whole.value) / (1.0 + std::abs(whole.value));
  const auto compare = [&](const std::vector<double>& a, const std::vector<double>& b,
                           double share) {
    for (std::size_t k = 0; k < b.size(); ++k)
      worst = std::max(worst, share * std::abs(a[k] / kBatches - b[k]) / (1.0 + std::abs(b[k])));
  };
  compare(mean.slopes, whole.slopes, 1e-5), compare(mean.shift, whole.shift, 1.0);
  compare(mean.input_slopes[0], whole.input_slopes[0], 1e-5);
  for (Index j = 0; j < whole.precision.cols; ++j)
    for (Index i = j; i < whole.precision.rows; ++i)
      worst = std::max(worst, std::abs(mean.precision(i, j) / kBatches - whole.precision(i, j)) /
                                  (1.0 + std::abs(whole.precision(i, j))));
  return worst;
}
TEST(gp_svgp, batches_of_a_partition_have_the_mean_of_all_rows) {
  for (const OutcomeFamily* family : single_families())
    EXPECT_LT(bias_of_batches(drawn_case(*family, 60, 1, 23), 1.0), 1e-10) << family->name;
}
TEST(gp_svgp, batches_scaled_by_one_too_few_rows_are_rejected) {
  EXPECT_GT(
      bias_of_batches(drawn_case(*find_outcome_family("poisson", ""), 60, 1, 23), 59.0 / 60.0),
      1e-3);
}
TEST(gp_svgp, has_the_derivatives_of_its_bound) {
  constexpr double h = 1e-4;
  for (const OutcomeFamily* family : single_families()) {
    const OutcomeCase c = drawn_case(*family, 30, 1, 24);
    SvgpBound bound(c.problem, c.outcome, c.columns);
    const InputColumns z = third_inputs(c);
    ASSERT_TRUE(bound.set_place(c.theta, z));
    step_of_q(bound, bound.sums(rows_of(c), 1.0, Slopes::none), 0.3);
    const SvgpSums at = bound.sums(rows_of(c), 1.0, Slopes::parameters_and_inputs);
    const auto value_at = [&](const std::vector<double>& theta, const InputColumns& inputs) {
      EXPECT_TRUE(bound.set_place(theta, inputs));
      return bound.sums(rows_of(c), 1.0, Slopes::none).value;
    };
    for (std::size_t p = 0; p < c.theta.size(); ++p) {
      std::vector<double> up = c.theta, down = c.theta;
      up[p] += h, down[p] -= h;
      // K_zz has a condition of up to 1e9 with its jitter, whose rounding the step h enlarges
      EXPECT_NEAR(at.slopes[p], (value_at(up, z) - value_at(down, z)) / (2.0 * h),
                  2e-4 * (1.0 + std::abs(at.slopes[p])))
          << family->name << " " << p;
    }
    for (const std::size_t k : {std::size_t{0}, std::size_t{4}}) {
      InputColumns up = z, down = z;
      up[0][k] += h, down[0][k] -= h;
      EXPECT_NEAR(at.input_slopes[0][k],
                  (value_at(c.theta, up) - value_at(c.theta, down)) / (2.0 * h),
                  2e-4 * (1.0 + std::abs(at.input_slopes[0][k])))
          << family->name << " " << k;
    }
  }
}
TEST(gp_svgp, has_the_same_bits_for_any_number_of_threads) {
  OutcomeCase c = drawn_case(*find_outcome_family("bernoulli", "logit"), 400, 1, 25);
  std::vector<double> values;
  for (const Index threads : {1, 2, 3}) {
    c.problem.num_threads = threads;
    const SvgpFit fit = fit_svgp(c.problem, c.outcome, c.columns, {},
                                 {.num_inducing = 12, .batch = 150, .num_steps = 40});
    values.push_back(fit.value);
    values.push_back(fit.theta[0]);
  }
  for (std::size_t k = 2; k < values.size(); ++k) EXPECT_EQ(values[k], values[k % 2]);
}
// Hyperparameters by batches come near those of the collapsed bound's optimum.
TEST(gp_svgp, a_fit_by_batches_comes_near_the_exact_evidence) {
  const OutcomeCase c = drawn_case(*find_outcome_family("normal", ""), 400, 0, 26);
  const SvgpFit fit = fit_svgp(c.problem, c.outcome, c.columns, {},
                               {.num_inducing = 20, .batch = 100, .num_steps = 800});
  EXPECT_TRUE(fit.has_converged);
  const auto exact = make_exact_solver(c.problem);
  const std::vector<GpOptimum> optima = find_optima(c.problem, *exact, {.num_starts = 2});
  ASSERT_FALSE(optima.empty());
  EXPECT_LT(fit.value, optima[0].evidence + 1e-6);
  EXPECT_GT(fit.value, optima[0].evidence - 3.0);
}
}  // namespace
}  // namespace credo::models::gp_outcomes_test
