// Type-II maximum likelihood of ARD: against a direct search, direct densities, closed forms, and sets of columns.
#include "models/ard/type_two.hpp"

#include <gtest/gtest.h>

namespace credo::models::type_two_test {
namespace {
constexpr int kRows = 50, kColumns = 6;

std::vector<double> centred(std::vector<double> x) {
  double sum = 0.0;
  for (const double v : x) sum += v;
  for (double& v : x) v -= sum / static_cast<double>(x.size());
  return x;
}

// The table of tools/make_ard.py.
ArdData table() {
  ArdData data;
  std::vector<double> y;
  const auto cell = [](int j, int k) { return std::cos(0.7 * j * k + 0.3 * j * j); };
  for (int j = 1; j <= kColumns; ++j) {
    std::vector<double> column;
    for (int k = 0; k < kRows; ++k) column.push_back(cell(j, k));
    data.columns.push_back(centred(column));
  }
  for (int k = 0; k < kRows; ++k)
    y.push_back(1.5 * cell(1, k) - 0.8 * cell(3, k) + 0.7 * std::sin(2.9 * k + 1.0));
  data.outcome = centred(y);
  return data;
}

TEST(TypeTwo, evidence_is_the_density_of_the_outcome) {
  const ArdData data = table();
  ArdState state(data);
  const std::vector<double> precision{2.0, kInfinity, 0.3, 50.0, kInfinity, 7.0};
  state.set(precision, 0.4);
  EXPECT_NEAR(state.log_evidence(), direct_evidence(data, precision, std::sqrt(0.4)), 1e-9);
  EXPECT_GT(std::abs(state.log_evidence() - direct_evidence(data, precision, 0.4)), 1.0);
}

// The gain by a new precision is that of the whole evidence, of columns that are in and of pruned ones.
TEST(TypeTwo, gains_of_single_precisions_are_differences_of_the_evidence) {
  const ArdData data = table();
  ArdState state(data);
  const std::vector<double> precision{2.0, kInfinity, 0.3, 50.0, kInfinity, 7.0};
  state.set(precision, 0.4);
  for (std::size_t d = 0; d < state.size(); ++d) {
    std::vector<double> changed = precision;
    changed[d] = state.best_precision(d);
    const double gain = direct_evidence(data, changed, std::sqrt(0.4)) - state.log_evidence();
    EXPECT_NEAR(state.gain_of(d), gain, 1e-9) << d;
    EXPECT_GE(gain, 0.0) << d;
    for (const double factor : {0.9, 1.1}) {
      if (!std::isfinite(changed[d])) continue;
      std::vector<double> beside = changed;
      beside[d] *= factor;
      EXPECT_LT(direct_evidence(data, beside, std::sqrt(0.4)), state.log_evidence() + gain) << d;
    }
  }
}

// tools/make_ard.py, by golden sections; 0: pruned.
constexpr std::array<double, 6> kPrecisions{0.433605, 0.0, 1.45045, 0.406378, 0.502234, 0.0};

TEST(TypeTwo, every_method_comes_to_the_highest_evidence) {
  const ArdData data = table();
  for (const ArdMethod* method : ard_methods()) {
    const ArdFit fit = fit_ard(data, *method);
    EXPECT_TRUE(fit.converged || method->name == "em") << method->name << " " << fit.gain_left;
    EXPECT_LT(fit.gain_left, 1e-3) << method->name;
    EXPECT_NEAR(fit.log_evidence, -31.3068318, 1e-4) << method->name;
    EXPECT_NEAR(fit.sigma, 0.368908, 1e-4) << method->name;
    for (std::size_t d = 0; d < kPrecisions.size(); ++d) {
      if (kPrecisions[d] > 0.0)
        EXPECT_NEAR(fit.precision[d], kPrecisions[d], 5e-3 * kPrecisions[d]) << method->name << d;
      else
        EXPECT_EQ(fit.precision[d], kInfinity) << method->name << d;
    }
    EXPECT_NEAR(direct_evidence(data, fit.precision, fit.sigma), fit.log_evidence, 1e-8)
        << method->name;
  }
}

// With one column the maximum has a closed form: α = s² / (q² - s), or infinite.
TEST(TypeTwo, one_column_has_the_closed_form) {
  ArdData data = table();
  data.columns.resize(1);
  data.sigma = 0.6;
  double s = 0.0, q = 0.0;
  for (int k = 0; k < kRows; ++k) {
    const auto at = static_cast<std::size_t>(k);
    s += data.columns[0][at] * data.columns[0][at] / 0.36;
    q += data.columns[0][at] * data.outcome[at] / 0.36;
  }
  for (const ArdMethod* method : ard_methods()) {
    const ArdFit fit = fit_ard(data, *method);
    EXPECT_NEAR(fit.precision[0], s * s / (q * q - s), 2e-3 * fit.precision[0]) << method->name;
  }
}

// An update of MacKay with the square of the mean alone (g = 1) isn't at the maximum; nor is EM without the variance.
TEST(TypeTwo, wrong_updates_do_not_converge_to_the_maximum) {
  static constexpr ArdMethod kWithoutShare{
      .name = "mutant",
      .words = "",
      .update =
          [](ArdState& state) {
            std::vector<double> precision = state.precision();
            for (std::size_t d = 0; d < precision.size(); ++d)
              precision[d] = std::min(1.0 / (state.mean()[d] * state.mean()[d]), 1e5);
            state.set(std::move(precision), state.residual() / (state.num_rows() - state.known()));
          },
      .most_rounds = 3000};
  const ArdFit fit = fit_ard(table(), kWithoutShare);
  EXPECT_FALSE(fit.converged);
  EXPECT_GT(fit.gain_left, kArdTolerance);
}

// Rows 1 to 4 are unit vectors a, b, e, f. The outcome a + b is the sum of two columns; the third is near a + b, so that with e and f it has
// weights whose sum is smaller.
ArdData coherent() {
  const double near = 1.0 / std::sqrt(2.04), off = std::sqrt(0.02) * near;
  return {
      .columns = {{1, 0, 0, 0}, {0, 1, 0, 0}, {near, near, off, off}, {0, 0, 1, 0}, {0, 0, 0, 1}},
      .outcome = {1, 1, 0, 0},
      .sigma = 1e-3};
}
// min ‖y - X w‖² / 2 + width Σ |w|.
std::vector<double> plain_l1(const ArdData& data, double width) {
  std::vector<double> w(data.columns.size(), 0.0), rest = data.outcome;
  for (int sweep = 0; sweep < 200'000; ++sweep)
    for (std::size_t d = 0; d < w.size(); ++d) {
      double product = w[d];  // columns have norm 1
      for (std::size_t n = 0; n < rest.size(); ++n) product += data.columns[d][n] * rest[n];
      const double next = std::copysign(std::max(std::abs(product) - width, 0.0), product);
      for (std::size_t n = 0; n < rest.size(); ++n) rest[n] -= data.columns[d][n] * (next - w[d]);
      w[d] = next;
    }
  return w;
}

TEST(TypeTwo, the_nonfactorial_prior_finds_the_fewest_columns_where_l1_does_not) {
  const ArdData data = coherent();
  const std::vector<double> by_l1 = plain_l1(data, 1e-3);
  EXPECT_GT(std::abs(by_l1[2]), 1.0);
  EXPECT_LT(std::abs(by_l1[0]), 0.2);
  const ArdFit fit = fit_ard(data, *find_ard_method("nonfactorial"));
  for (const std::size_t d : {0u, 1u}) EXPECT_NEAR(fit.mean[d], 1.0, 1e-3) << d;
  for (const std::size_t d : {2u, 3u, 4u}) EXPECT_EQ(fit.mean[d], 0.0) << d;
}

TEST(TypeTwo, an_exact_fit_is_reported) {
  ArdData data = table();
  data.outcome = data.columns[2];
  for (const ArdMethod* method : ard_methods()) {
    const ArdFit fit = fit_ard(data, *method);
    EXPECT_TRUE(fit.fits_exactly) << method->name;
    EXPECT_FALSE(fit.converged) << method->name;
  }
}

}  // namespace
}  // namespace credo::models::type_two_test
