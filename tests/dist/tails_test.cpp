// Tails of every univariate row against its density: integrals of the density from a point to the
// end of the support, sums of masses, both tails together; from the centre to probabilities of
// 1e-300.
#include "dist/at.hpp"

namespace credo::dist::tails_test {
namespace {

constexpr std::array kLogTails{-690.0, -200.0, -50.0, -15.0, -5.0, -2.5};

// Next to 1 the integral has few points with digits of 1 - x.
double allowed_of(const At& at, Tail which) {
  return at.d.upper == 1.0 && which == Tail::log_ccdf ? 1e-6 : 1e-9;
}

// log of the integral of the density beyond y, relative to the density at y.
double log_integral(const At& at, double y, double end, double log_tail) {
  const double at_y = at.log_density(y);
  const Points points = points_to(y, end, std::exp(log_tail - at_y));
  const Numbers logs = at.log_density(points.x);
  double total = 0.0;
  for (std::size_t i = 0; i < logs.size(); ++i)
    total += points.weights[i] * std::exp(logs[i] - at_y);
  return at_y + std::log(total);
}

struct Judged {
  double worst = 0.0;  // in units of what is allowed
  int count = 0;
  void add(double error, double allowed) {
    worst = std::max(worst, ratio(error, allowed));
    ++count;
  }
};

void judge_continuous(const At& right, const At& judged, Tail which, Judged& result) {
  const double end = which == Tail::log_cdf ? right.lower() : right.upper();
  for (const double log_tail : kLogTails) {
    const double y = right.quantile(which, log_tail);
    if (!(std::abs(y) < 1e150) || y == end) continue;  // squares overflow
    if (std::isfinite(end) && std::abs(y - end) < 1e-4 * std::abs(end)) continue;
    // where the tail is a power of the distance to its end below 1/5, that is too small for a rule
    const double power = std::exp(right.log_density(y) - right.tail(which, y)) * std::abs(y - end);
    if (std::isfinite(end) && power < 0.2) continue;
    const double found = judged.tail(which, y);
    // the exponent of the density is a sum of terms: relative rounding of the largest
    const double allowed = allowed_of(right, which) + 1e-12 * std::abs(log_tail);
    result.add(found - log_integral(right, y, end, right.tail(which, y)), allowed);
    const double p =
        std::exp(judged.tail(Tail::log_cdf, y)) + std::exp(judged.tail(Tail::log_ccdf, y));
    result.add(p - 1.0, 1e-12);
    result.add(judged.cdf(y) - std::exp(judged.tail(Tail::log_cdf, y)), 1e-13 * judged.cdf(y));
  }
}

// Tails at neighbouring numbers differ by the mass: with the tails at the ends that is all of them.
void judge_discrete_at(const At& right, const At& judged, double k, Judged& result) {
  const double log_mass = right.log_density(k);
  const auto step = [&](Tail which, double with, double without) {
    const double larger = judged.tail(which, with), smaller = judged.tail(which, without);
    result.add(std::exp(smaller - larger) + std::exp(log_mass - larger) - 1.0, 1e-10);
  };
  if (k > right.lower()) step(Tail::log_cdf, k, k - 1.0);
  if (k < right.upper()) step(Tail::log_ccdf, k - 1.0, k);
  const double log_cdf = judged.tail(Tail::log_cdf, k), log_ccdf = judged.tail(Tail::log_ccdf, k);
  result.add(std::exp(log_cdf) + std::exp(log_ccdf) - 1.0, 1e-12);
  result.add(judged.cdf(k) - std::exp(log_cdf), 1e-13);
}

void judge_discrete(const At& right, const At& judged, Judged& result) {
  const double first = right.lower();
  result.add(judged.tail(Tail::log_cdf, first) - right.log_density(first),
             1e-10 * (1.0 + std::abs(right.log_density(first))));
  for (double k = first; k < first + 4.0 && k <= right.upper(); k += 1.0)
    judge_discrete_at(right, judged, k, result);
  for (const Tail which : {Tail::log_cdf, Tail::log_ccdf}) {
    for (const double log_tail : kLogTails) {
      const double k = right.quantile(which, log_tail);
      if (k < 1e12) judge_discrete_at(right, judged, k, result);
    }
  }
  if (std::isfinite(right.upper())) result.add(judged.tail(Tail::log_cdf, right.upper()), 1e-300);
}

Judged judge_tails(const At& right, const At& judged) {
  Judged result;
  if (right.d.discrete) {
    judge_discrete(right, judged, result);
    return result;
  }
  judge_continuous(right, judged, Tail::log_cdf, result);
  judge_continuous(right, judged, Tail::log_ccdf, result);
  return result;
}

TEST(Tails, are_the_integrals_or_sums_of_the_density) {
  for (const Example& e : examples()) {
    const At at(e);
    const Judged result = judge_tails(at, at);
    EXPECT_LT(result.worst, 1.0) << described(e);
    EXPECT_GE(result.count, 3) << described(e);
  }
}

// Planted: the cdf taken a little further right, by 1e-6 of the distance between two quantiles, of
// a discrete row by one.
Expr moved(const Expr& y) { return y + Mutant::by; }
Distribution with_shifted_cdf(const Distribution& row) {
  Distribution mutant = row;
  mutant.cdf = [](const Expr& y, Args args) { return Mutant::right->cdf(moved(y), args); };
  mutant.log_cdf = [](const Expr& y, Args args) { return Mutant::right->log_cdf(moved(y), args); };
  mutant.log_ccdf = [](const Expr& y, Args args) {
    return Mutant::right->log_ccdf(moved(y), args);
  };
  return mutant;
}

TEST(Tails, of_a_shifted_cdf_are_rejected) {
  for (const Example& e : examples()) {
    const At at(e);
    if (at.lower() == at.upper()) continue;
    Mutant::right = &at.d;
    Mutant::by =
        at.d.discrete ? 1.0 : 1e-6 * (at.quantile(Tail::cdf, 0.99) - at.quantile(Tail::cdf, 0.25));
    const Distribution mutant = with_shifted_cdf(at.d);
    EXPECT_GT(judge_tails(at, At(mutant, e)).worst, 1.0) << described(e);
  }
}

// Far tails by their asymptotic series, where no integral is needed.
TEST(Tails, of_normal_cauchy_and_student_follow_their_asymptotes) {
  const At normal(Example{"std_normal", {}}), cauchy(Example{"cauchy", {0.0, 1.0}}),
      student(Example{"student_t", {3.0, 0.0, 1.0}});
  // log phi(z) - log z + log(1 - 1/z^2 + 3/z^4): at z = 1e5 the next term is below 1e-20
  const double z = 1e5, density = -0.5 * z * z - 0.91893853320467274178;
  EXPECT_NEAR(normal.tail(Tail::log_cdf, -z) / (density - std::log(z) + std::log1p(-1e-10)), 1.0,
              1e-15);
  EXPECT_NEAR(cauchy.tail(Tail::log_ccdf, 1e200),
              -std::log(3.14159265358979323846) - 460.51701859880914, 1e-12);
  // 6 sqrt(3)/(pi t^3) for three degrees of freedom
  EXPECT_NEAR(student.tail(Tail::log_ccdf, 1e60),
              std::log(2.0 * std::sqrt(3.0) / 3.14159265358979323846) + std::log(1.0) -
                  3.0 * 60.0 * 2.302585092994045684,
              1e-12);
}

// ---- truncation

TEST(Truncation, has_a_mass_far_in_both_tails) {
  for (const Example& e : examples()) {
    const At at(e);
    for (const double log_tail : {-600.0, -30.0, -2.0}) {
      const double a = at.quantile(Tail::log_cdf, log_tail - 3.0),
                   b = at.quantile(Tail::log_cdf, log_tail),
                   c = at.quantile(Tail::log_ccdf, log_tail),
                   d = at.quantile(Tail::log_ccdf, log_tail - 3.0);
      // tails as they are at these points, which rounding and whole numbers move
      const auto between = [&](double one, double other) {
        return one + std::log1p(-std::exp(other - one));
      };
      if (at.d.discrete ||
          !(a > at.lower() && a < b && c < d && std::isfinite(d) && d < at.upper()))
        continue;
      const auto tail = [&](Tail which, double y) { return at.tail(which, y); };
      EXPECT_NEAR(log_mass(at.d, {a, b}, e.params),
                  between(tail(Tail::log_cdf, b), tail(Tail::log_cdf, a)), 1e-9)
          << described(e);
      EXPECT_NEAR(log_mass(at.d, {c, d}, e.params),
                  between(tail(Tail::log_ccdf, c), tail(Tail::log_ccdf, d)), 1e-9)
          << described(e);
    }
  }
}

TEST(Truncation, of_a_discrete_row_holds_both_ends) {
  for (const Example& e : examples()) {
    const At at(e);
    if (!at.d.discrete) continue;
    const double k = at.median();
    EXPECT_NEAR(log_mass(at.d, {k, k}, e.params), at.log_density(k), 1e-9) << described(e);
    EXPECT_NEAR(log_mass(at.d, {}, e.params), 0.0, 1e-13) << described(e);
  }
}

// Draws within a range of probability e^-6 ... e^-3 of the upper tail: their tails are uniform.
TEST(Truncation, draws_follow_the_cut_distribution) {
  for (const Example& e : examples()) {
    const At at(e);
    if (at.d.discrete) continue;
    const Range range{at.quantile(Tail::log_ccdf, -3.0), at.quantile(Tail::log_ccdf, -6.0)};
    Rng rng({.seed = 20261122, .purpose = purpose::kTest + 11});
    const double low = at.cdf(range.lower), high = at.cdf(range.upper);
    Numbers u;
    for (int i = 0; i < 120; ++i)
      u.push_back((at.cdf(draw_within(at.d, range, rng, e.params)) - low) / (high - low));
    EXPECT_LT(uniform_distance(u), kRejectAbove) << described(e);
    for (double& x : u)
      x = std::cbrt(std::max(x, 0.0));  // the planted mutant: another distribution
    EXPECT_GT(uniform_distance(u), kRejectAbove) << described(e);
  }
}

TEST(Truncation, of_a_normal_works_a_million_standard_deviations_away) {
  const Distribution& normal = *find("normal");
  const Numbers params{0.0, 1.0};
  const double z = 1e6;  // P(z < Z < z + 1/z) = phi(z)/z (1 - e^-1) to 1e-12
  EXPECT_NEAR(log_mass(normal, {z, z + 1.0 / z}, params) + 0.5 * z * z,
              -0.91893853320467274178 - std::log(z) + std::log1p(-std::exp(-1.0)), 1e-4);
  Rng rng({.seed = 3, .purpose = purpose::kTest + 11});
  const double x = draw_within(normal, {z, z + 1.0}, rng, params);
  EXPECT_GE(x, z);
  EXPECT_LT(x, z + 1e-4);
}

}  // namespace
}  // namespace credo::dist::tails_test
