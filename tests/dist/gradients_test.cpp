// Derivatives of densities and tails by every argument against differences, at quantiles from far
// in one tail to far in the other. A net over all rows; stored values of high precision are in
// reference_test.cpp.
#include "dist/at.hpp"

namespace credo::dist::gradients_test {
namespace {

enum class Function { log_density, cdf, log_cdf, log_ccdf };
constexpr std::array kFunctions{Function::log_density, Function::cdf, Function::log_cdf,
                                Function::log_ccdf};

Expr call(const Distribution& d, Function f, std::span<const Expr> all, Checks& checks) {
  const Args args = all.subspan(1);
  if (f == Function::log_density)
    return log_density(d, all[0], args, {.function = d.name}, checks).value;
  const Tail which = f == Function::cdf       ? Tail::cdf
                     : f == Function::log_cdf ? Tail::log_cdf
                                              : Tail::log_ccdf;
  return tail(d, which, all[0], args, d.name, checks);
}

double value_at(const Distribution& d, Function f, const Numbers& point) {
  testing::ThrowingChecks checks;
  const std::vector<Expr> all(point.begin(), point.end());
  return call(d, f, all, checks).value();
}

// Outcome and arguments that may be any real number of their range.
std::vector<bool> free_ones(const Distribution& d) {
  std::vector<bool> free{!d.discrete};
  for (const Argument& a : d.args)
    free.push_back(a.domain != Domain::count && a.domain != Domain::integer);
  return free;
}

Numbers gradient_at(const Distribution& d, Function f, const Numbers& point) {
  testing::ReferenceRecord record;
  const std::vector<bool> free = free_ones(d);
  for (std::size_t k = 0; k < point.size(); ++k)
    record.args.push_back({"real", {}, {point[k]}, static_cast<bool>(free[k])});
  const auto outcome = testing::evaluate(
      record, [&](std::span<const Expr> args, Checks& checks) { return call(d, f, args, checks); });
  Numbers gradient;
  for (const Numbers& g : outcome.gradient) gradient.push_back(g.empty() ? 0.0 : g[0]);
  return gradient;
}

// Ridders' extrapolation of central differences to step 0, with its own estimate of the error.
struct Difference {
  double value = kNaN, error = kInfinity;
};
Difference ridders(const std::function<double(double)>& f, double at, double step) {
  constexpr int kRows = 6;
  constexpr double kShrink = 1.6;
  std::array<std::array<double, kRows>, kRows> a{};
  Difference best;
  for (int i = 0; i < kRows; ++i, step /= kShrink) {
    const auto r = static_cast<std::size_t>(i);
    a[0][r] = (f(at + step) - f(at - step)) / (2.0 * step);
    double factor = kShrink * kShrink;
    for (std::size_t j = 1; j <= r; ++j, factor *= kShrink * kShrink) {
      a[j][r] = (a[j - 1][r] * factor - a[j - 1][r - 1]) / (factor - 1.0);
      const double error =
          std::max(std::abs(a[j][r] - a[j - 1][r]), std::abs(a[j][r] - a[j - 1][r - 1]));
      if (error < best.error) best = {a[j][r], error};
    }
  }
  return best;
}

struct Judged {
  double spread = 0.0;  // between the quartiles
  double worst = 0.0;
  int judged = 0, undecided = 0;
  std::string where;  // the worst
};

// Steps stay within the range of the argument and the support.
double step_of(const At& at, const Numbers& point, std::size_t k, double spread) {
  const double x = point[k];
  const bool shift = k == 0 || (at.d.args[k - 1].domain == Domain::finite);
  double step = shift && at.d.discrete ? 0.02 * (1.0 + std::abs(x))
                : shift                ? 0.02 * std::max(spread, 1e-300)
                                       : 0.02 * std::abs(x);
  if (k == 0 && std::isfinite(at.lower())) step = std::min(step, 0.05 * (x - at.lower()));
  if (k == 0 && std::isfinite(at.upper())) step = std::min(step, 0.05 * (at.upper() - x));
  if (k > 0 && at.d.args[k - 1].domain == Domain::probability) step = 0.02 * std::min(x, 1.0 - x);
  if (at.d.support != nullptr && k > 0 && !at.d.discrete)
    step = std::min({step, 0.05 * (point[0] - at.lower()), 0.05 * std::abs(at.upper() - point[0])});
  if (at.d.name == "beta_proportion" && k == 1) step = 0.02 * std::min(x, 1.0 - x);
  return step;
}

void judge_at(const At& at, Function f, const Numbers& point, double slant, Judged& result) {
  const Numbers gradient = gradient_at(at.d, f, point);
  const double value = value_at(at.d, f, point);
  if (!std::isfinite(value) || std::abs(value) < 1e-250) return;
  const std::vector<bool> free = free_ones(at.d);
  for (std::size_t k = 0; k < point.size(); ++k) {
    if (!free[k]) continue;
    const double step = step_of(at, point, k, result.spread);
    if (!(step > 1e-8 * std::abs(point[k]))) continue;  // few digits in x + step
    const Difference d = ridders(
        [&](double x) {
          Numbers moved = point;
          moved[k] = x;
          return value_at(at.d, f, moved) + slant * value / step * 0.02 * (x - point[k]);
        },
        point[k], step);
    // a derivative whose step changes the value by a part of 1e-6 can't be told from rounding
    const double allowed =
        1e-6 * std::abs(d.value) + 20.0 * d.error + 1e-9 * std::abs(value) / step;
    if (!(d.error < 1e-4 * (std::abs(d.value) + std::abs(value) / step))) {
      ++result.undecided;
      continue;
    }
    ++result.judged;
    const double off = ratio(gradient[k] - d.value, allowed);
    if (!(off > result.worst)) continue;
    result.worst = off;
    result.where = "function " + std::to_string(static_cast<int>(f)) + ", argument " +
                   std::to_string(k) + " at " + ::testing::PrintToString(point) + ": " +
                   ::testing::PrintToString(gradient[k]) + " for " +
                   ::testing::PrintToString(d.value);
  }
}

// So near an end of the support that the distance has few digits.
bool is_near(double y, double end) {
  return y == end || (std::isfinite(end) && std::abs(y - end) < 1e-4 * std::abs(end));
}

Judged judge_gradients(const Example& e, double slant) {
  const At at(e);
  Judged result;
  result.spread = at.quantile(Tail::cdf, 0.75) - at.quantile(Tail::cdf, 0.25);
  for (const double log_tail : {-60.0, -8.0, -1.5}) {
    for (const Tail which : {Tail::log_cdf, Tail::log_ccdf}) {
      Numbers point{at.quantile(which, log_tail)};
      if (!std::isfinite(point[0]) || std::abs(point[0]) > 1e100) continue;
      if (!at.d.discrete && (is_near(point[0], at.lower()) || is_near(point[0], at.upper())))
        continue;
      point.insert(point.end(), e.params.begin(), e.params.end());
      for (const Function f : kFunctions) judge_at(at, f, point, slant, result);
    }
  }
  return result;
}

TEST(Gradients, are_the_limits_of_differences) {
  int judged = 0, undecided = 0;
  for (const Example& e : examples()) {
    const Judged result = judge_gradients(e, 0.0);
    EXPECT_LT(result.worst, 1.0) << described(e) << ", " << result.where;
    judged += result.judged;
    undecided += result.undecided;
  }
  std::cout << judged << " derivatives judged, " << undecided << " left to the stored values\n";
  EXPECT_GT(judged, 2000);
  EXPECT_LT(undecided, judged / 10);
}

// Planted: a value that rises by 0.1 % more for each step.
TEST(Gradients, of_a_slanted_function_are_rejected) {
  for (const Example& e : examples()) {
    const Judged result = judge_gradients(e, 0.05);
    if (result.judged > 0) {
      EXPECT_GT(result.worst, 1.0) << described(e);
    }
  }
}

}  // namespace
}  // namespace credo::dist::gradients_test
