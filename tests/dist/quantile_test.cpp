// Quantiles of every univariate row: they invert the tails, from probabilities of 1e-300 to 1 less
// 1e-300, given as they are or by logarithms.
#include "dist/at.hpp"

namespace credo::dist::quantile_test {
namespace {

constexpr std::array kLogTails{-690.77552789821371 /* 1e-300 */,
                               -300.0,
                               -36.841361487904734 /* 1e-16 */,
                               -12.0,
                               -4.0,
                               -1.5,
                               -0.8};
constexpr std::array kProbabilities{1e-300, 1e-9, 1e-3, 0.2, 0.5, 0.77, 0.999, 1.0 - 1e-12};

struct Judged {
  double worst = 0.0;
  int count = 0;
};

// The tail's logarithm at y is off by no more than the inversion's 1e-11 and what a rounding of y
// makes: 4 units in the last place times density over tail.
double allowed_at(const At& at, Tail which, double y, double value) {
  const double slope = std::exp(at.log_density(y) - at.tail(which, y));
  return 1e-11 * std::max(1.0, std::abs(value)) + 4.0 * 2.3e-16 * std::abs(y) * slope;
}

void judge_continuous(const At& right, const At& judged, Tail which, double value, Judged& j) {
  const double y = judged.quantile(which, value);
  const auto is_next_to = [&](double end) {
    return y == end || (std::isfinite(end) && std::abs(y - end) <= 4.0 * 2.3e-16 * std::abs(end));
  };
  const bool at_end = is_next_to(right.lower()) || is_next_to(right.upper()) || std::isinf(y);
  if (at_end || std::abs(y) < 1e-300) {  // rounded to an end: the next number is beyond
    const double wanted = right.quantile(which, value);
    j.worst = std::max(j.worst, y == wanted ? 0.0 : kInfinity);
    return;
  }
  const Tail side = which != Tail::cdf ? which : value < 0.5 ? Tail::log_cdf : Tail::log_ccdf;
  const double log_tail = which != Tail::cdf ? value
                          : value < 0.5      ? std::log(value)
                                             : std::log1p(-value);
  j.worst = std::max(j.worst,
                     ratio(right.tail(side, y) - log_tail, allowed_at(right, side, y, log_tail)));
  // and back: the quantile of the tail there is y
  const double again = judged.quantile(side, right.tail(side, y));
  const double slope = std::exp(right.log_density(y) - right.tail(side, y));
  j.worst = std::max(j.worst, ratio((again - y) * slope, allowed_at(right, side, y, log_tail)));
  ++j.count;
}

// The first number at which the tail has reached the level.
void judge_discrete(const At& right, const At& judged, Tail which, double value, Judged& j) {
  const double k = judged.quantile(which, value);
  const auto reached = [&](double x) {
    const double tail = right.tail(which, x);
    return which == Tail::log_ccdf ? tail <= value : tail >= value;
  };
  if (std::abs(k) > 1e15) return;  // beyond, numbers aren't whole one by one
  const bool first = k == right.lower() || !reached(k - 1.0);
  j.worst = std::max(j.worst, reached(k) && first ? 0.0 : kInfinity);
  const double tail = right.tail(which, k);
  if (std::isfinite(tail) && k < right.upper() && tail != right.tail(which, k - 1.0))
    j.worst = std::max(j.worst, judged.quantile(which, tail) == k ? 0.0 : kInfinity);
  ++j.count;
}

Judged judge_quantiles(const At& right, const At& judged) {
  Judged j;
  const auto judge = right.d.discrete ? judge_discrete : judge_continuous;
  for (const double log_tail : kLogTails) {
    judge(right, judged, Tail::log_cdf, log_tail, j);
    judge(right, judged, Tail::log_ccdf, log_tail, j);
  }
  for (const double p : kProbabilities) judge(right, judged, Tail::cdf, p, j);
  return j;
}

TEST(Quantiles, invert_the_tails) {
  for (const Example& e : examples()) {
    const At at(e);
    const Judged j = judge_quantiles(at, at);
    EXPECT_LE(j.worst, 1.0) << described(e);
    EXPECT_GE(j.count, 8) << described(e);
  }
}

// Numbers of uniform ones are quantiles at them, or at 1 - u where a row counts from above. Bound:
// rounding of u times the slope, 1e-13 / (u (1 - u)) of the spread between the levels' neighbours.
TEST(Quantiles, are_what_rows_make_of_uniform_numbers) {
  int rows = 0;
  for (const Example& e : examples()) {
    const Distribution* d = find(e.name);
    if (d->from_uniform == nullptr) continue;
    ++rows;
    const std::vector<Expr> args(e.params.begin(), e.params.end());
    double from_below = 0.0, from_above = 0.0;
    for (const double u : {1e-9, 0.01, 0.2, 0.5, 0.77, 0.99, 1 - 1e-9}) {
      const double found = d->from_uniform(u, args).value();
      const double below = quantile(*d, u, e.params), above = quantile(*d, 1 - u, e.params);
      const double scale = 1e-13 / (u * (1 - u)) * (1 + std::abs(found));
      from_below = std::max(from_below, std::abs(found - below) / scale);
      from_above = std::max(from_above, std::abs(found - above) / scale);
    }
    EXPECT_LE(std::min(from_below, from_above), 1.0) << described(e);
  }
  EXPECT_GE(rows, 10);
}

// With r = alpha = beta = 1 it is P(X > y) = 1 / (y + 2), as the mean of (1 - p)^(y + 1) over
// uniform p: the quantile is e^60 = 1.1e26, beyond what a whole number holds.
TEST(Quantiles, of_counts_may_be_beyond_whole_numbers) {
  const Distribution* d = find("beta_neg_binomial");
  ASSERT_NE(d, nullptr);
  const std::array ones{1.0, 1.0, 1.0};
  const double found = quantile(*d, Tail::log_ccdf, -60.0, ones);
  EXPECT_NEAR(found / std::exp(60.0), 1.0, 1e-9);  // log tails near 60 keep 1e-14, lgamma's cancel
}

TEST(Quantiles, are_the_ends_of_the_support_at_0_and_1_and_nan_elsewhere) {
  for (const Example& e : examples()) {
    const At at(e);
    const double at_zero = at.quantile(Tail::cdf, 0.0), at_one = at.quantile(Tail::cdf, 1.0);
    EXPECT_TRUE(at_zero == at.lower() || std::abs(at_zero - at.lower()) < 1e-300) << described(e);
    EXPECT_EQ(at_one, at.upper()) << described(e);
    for (const double p : {-0.1, 1.1, kNaN}) EXPECT_TRUE(std::isnan(at.quantile(Tail::cdf, p)));
    for (const double p : {0.1, kNaN}) {
      EXPECT_TRUE(std::isnan(at.quantile(Tail::log_cdf, p)));
      EXPECT_TRUE(std::isnan(at.quantile(Tail::log_ccdf, p)));
    }
  }
}

// Planted: one number too far, or 1e-9 of the distance between two quantiles.
TEST(Quantiles, that_are_off_by_one_are_rejected) {
  for (const Example& e : examples()) {
    const At at(e);
    Mutant::right = &at.d;
    Mutant::by =
        at.d.discrete ? 1.0 : 1e-9 * (at.quantile(Tail::cdf, 0.75) - at.quantile(Tail::cdf, 0.25));
    Distribution mutant = at.d;
    mutant.quantile = [](const Level& level, Params args) {
      const double value = level.given == Tail::cdf       ? level.p
                           : level.given == Tail::log_cdf ? level.log_p
                                                          : level.log_q;
      return quantile(*Mutant::right, level.given, value, args) + Mutant::by;
    };
    if (at.upper() - at.lower() == 1.0 && at.d.discrete) continue;  // clamped to the two points
    const bool is_rounding = Mutant::by < 8.0 * 2.3e-16 * std::abs(at.median());
    if (is_rounding || at.upper() == at.lower()) continue;
    EXPECT_GT(judge_quantiles(at, At(mutant, e)).worst, 1.0) << described(e);
  }
}

}  // namespace
}  // namespace credo::dist::quantile_test
