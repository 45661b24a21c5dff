// One suite over the exponential families of vectors and matrices, and of numbers without a row in the table of distributions, and the same suite on rows with planted mistakes. Densities and entropies are those of the
// distributions, which have suites of their own; means and Fisher information are derivatives of the log partition.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "dist/families/family.hpp"
#include "dist/family_mutants.hpp"
#include "support/reference.hpp"

namespace credo::dist::families_of_vectors_test {
namespace {
using Numbers = std::vector<double>;

struct Case {
  std::string_view family;
  Numbers args;
};
const Case kCases[] = {
    {"categorical", {0.2, 0.5, 0.3}},
    {"categorical", {0.01, 0.99}},
    {"dirichlet", {0.7, 2.0, 5.0}},
    {"dirichlet", {30.0, 80.0}},
    {"gen_inv_gaussian", {-0.5, 2.0, 3.0}},
    {"gen_inv_gaussian", {0.5, 0.01, 0.2}},
    {"gen_inv_gaussian", {1.5, 40.0, 25.0}},
    {"inv_wishart", {4.5, 2.0, 0.5, 0.5, 1.0}},
    {"inv_wishart", {9.0, 3.0, 1.0, 0.2, 1.0, 2.0, -0.3, 0.2, -0.3, 1.5}},
    {"multi_normal", {1.0, -2.0, 2.0, 0.6, 0.6, 0.5}},
    {"multi_normal", {0.3, 0.1, -0.2, 3.0, 1.0, 0.2, 1.0, 2.0, -0.3, 0.2, -0.3, 1.5}},
    {"multi_normal", {1.5, 0.04}},
    {"multinomial", {0.2, 0.5, 0.3, 7.0}},
    {"wishart", {2.5, 2.0, 0.5, 0.5, 1.0}},
    {"wishart", {30.0, 3.0, 1.0, 0.2, 1.0, 2.0, -0.3, 0.2, -0.3, 1.5}},
};

struct At {
  At(const ExponentialFamily& row, const Case& c)
      : family(row), args(c.args), known(known_of(row, args)), natural(row.to_natural(args)) {}
  Numbers statistic(Params x) const { return family.statistic(x, known); }
  const ExponentialFamily& family;
  const Numbers args, known, natural;
};

// Generalised inverse Gaussian with p = +-1/2 or 3/2, where Bessel's K_p(w) is sqrt(pi / (2 w)) exp(-w), times 1 + 1 / w for 3/2.
double by_bessel(const At& at, double x) {
  const double p = at.args[0], a = at.args[1], b = at.args[2], w = std::sqrt(a * b);
  const double log_k = 0.5 * std::log(0.5 * std::numbers::pi / w) - w +
                       (std::abs(p) > 1.0 ? std::log1p(1.0 / w) : 0.0);
  return (p - 1.0) * std::log(x) - 0.5 * (a * x + b / x) - std::log(2.0) - log_k +
         0.5 * p * std::log(a / b);
}

// The log density by the distribution.
double by_distribution(const At& at, const Numbers& x) {
  if (at.family.distribution.empty()) return by_bessel(at, x[0]);
  const Distribution& d = *find(at.family.distribution);
  std::vector<Expr> all = shaped(at.family, at.args);
  all.resize(d.args.size());  // a multinomial density has its size from the outcome
  Expr y = graph::constant(graph::vector_shape(ssize(x)), x);
  if (d.num_categories != nullptr)
    y = Expr(static_cast<double>(std::ranges::max_element(x) - x.begin() + 1));
  const auto side = static_cast<Index>(std::sqrt(static_cast<double>(x.size())) + 0.5);
  if (d.drawn == Drawn::square_matrix) y = graph::constant(graph::matrix_shape(side, side), x);
  testing::ThrowingChecks checks;
  return log_density(d, y, all, {.function = d.name}, checks).value.value();
}

struct Errors {
  double density = 0.0, mean = 0.0, fisher = 0.0, entropy = 0.0, round_trip = 0.0;
  double largest() const { return std::max({density, mean, fisher, entropy, round_trip}); }
};
void raise(double& error, double by) { error = std::max(error, std::isnan(by) ? kInfinity : by); }

void compare_densities(const At& at, Errors& errors) {
  Rng rng({.seed = 5});
  for (int k = 0; k < 20; ++k) {
    const Numbers x = draw(*find_family(at.family.name), rng, at.natural, at.known);
    const double right = by_distribution(at, x);
    raise(errors.density, std::abs(log_density(at.family, x, at.natural, at.known) - right) /
                              (1.0 + std::abs(right)));
  }
}

// Central differences with h = 1e-4 standard errors: their error is h^2 of third derivatives in these units, and rounding of A by h.
void compare_derivatives(const At& at, Errors& errors) {
  const std::size_t p = at.natural.size();
  const Numbers mean = at.family.mean(at.natural, at.known),
                fisher = at.family.fisher(at.natural, at.known);
  for (std::size_t a = 0; a < p; ++a) {
    const double sd = std::sqrt(fisher[a * p + a]), h = 1e-4 / sd;
    Numbers up = at.natural, down = at.natural;
    up[a] += h, down[a] -= h;
    const double slope =
        (at.family.log_partition(up, at.known) - at.family.log_partition(down, at.known)) /
        (2.0 * h);
    raise(errors.mean, std::abs(slope - mean[a]) / sd);
    const Numbers above = at.family.mean(up, at.known), below = at.family.mean(down, at.known);
    for (std::size_t b = 0; b < p; ++b)
      raise(errors.fisher, std::abs((above[b] - below[b]) / (2.0 * h) - fisher[a * p + b]) /
                               (sd * std::sqrt(fisher[b * p + b])));
  }
}

// A - natural . mean - E log carrier, where the carrier is a constant.
void compare_entropies(const At& at, Errors& errors) {
  if (at.family.name == "multinomial" || at.family.distribution.empty()) return;
  const Numbers mean = at.family.mean(at.natural, at.known);
  Rng rng({.seed = 5});
  const Numbers x = draw(at.family, rng, at.natural, at.known);
  double value = at.family.log_partition(at.natural, at.known) - at.family.log_carrier(x, at.known);
  for (std::size_t a = 0; a < mean.size(); ++a) value -= at.natural[a] * mean[a];
  const double right = moments(*find(at.family.distribution), shaped(at.family, at.args)).entropy;
  raise(errors.entropy, std::abs(value - right) / (1.0 + std::abs(right)));
}

void compare_round_trips(const At& at, Errors& errors) {
  const Numbers args = at.family.to_args(at.natural, at.known);
  for (std::size_t i = 0; i < at.args.size(); ++i)
    raise(errors.round_trip, i < args.size()
                                 ? std::abs(args[i] - at.args[i]) / (1.0 + std::abs(at.args[i]))
                                 : kInfinity);
  try {
    const Numbers again =
        natural_of_mean(at.family, at.family.mean(at.natural, at.known), at.known);
    for (std::size_t a = 0; a < again.size(); ++a)
      raise(errors.round_trip,
            std::abs(again[a] - at.natural[a]) / (1.0 + std::abs(at.natural[a])));
  } catch (const Error&) {
    errors.round_trip = kInfinity;
  }
}

Errors errors_of(const ExponentialFamily& family, const Case& c) {
  const At at(family, c);
  Errors errors;
  compare_densities(at, errors);
  compare_derivatives(at, errors);
  compare_entropies(at, errors);
  compare_round_trips(at, errors);
  return errors;
}

// Tolerance: the skewness of statistics times h^2 = 1e-8, and rounding of a log partition of up to 100 over h, 1e-10.
TEST(families_of_vectors, every_family_is_its_distribution_with_its_moments) {
  for (const Case& c : kCases) {
    const ExponentialFamily* family = find_family(c.family);
    ASSERT_NE(family, nullptr) << c.family;
    const Errors e = errors_of(*family, c);
    EXPECT_LT(e.largest(), 1e-6) << c.family << " " << ::testing::PrintToString(c.args)
                                 << ": density " << e.density << ", mean " << e.mean << ", Fisher "
                                 << e.fisher << ", entropy " << e.entropy << ", round trip "
                                 << e.round_trip;
    EXPECT_LT(e.density, 1e-11) << c.family;
  }
}

TEST(families_of_vectors, every_family_of_the_table_has_a_case) {
  for (const ExponentialFamily* family : exponential_families()) {
    const bool has_case =
        std::ranges::any_of(kCases, [&](const Case& c) { return c.family == family->name; });
    EXPECT_EQ(has_case, !family->is_of_numbers() || family->distribution.empty()) << family->name;
  }
}

TEST(families_of_vectors, a_row_with_a_planted_mistake_is_rejected) {
  for (const Case& c : kCases)
    for (const auto& [name, mutant] : family_mutants::mutants_of(*find_family(c.family)))
      EXPECT_GT(errors_of(mutant, c).largest(), 1e-4) << c.family << ": " << name;
}

TEST(families_of_vectors, draws_have_the_mean_of_the_statistics) {
  constexpr int kDraws = 4000;
  for (const Case& c : kCases) {
    const At at(*find_family(c.family), c);
    const std::size_t p = at.natural.size();
    Rng rng({.seed = 7});
    Numbers sum(p, 0.0);
    for (int i = 0; i < kDraws; ++i) {
      const Numbers t = at.statistic(draw(at.family, rng, at.natural, at.known));
      for (std::size_t a = 0; a < p; ++a) sum[a] += t[a];
    }
    const Numbers mean = at.family.mean(at.natural, at.known),
                  fisher = at.family.fisher(at.natural, at.known);
    for (std::size_t a = 0; a < p; ++a)  // five standard errors
      EXPECT_LT(std::abs(sum[a] / kDraws - mean[a]), 5.0 * std::sqrt(fisher[a * p + a] / kDraws))
          << c.family << " " << a;
  }
}

TEST(families_of_vectors, a_mean_outside_of_the_convex_hull_is_refused) {
  EXPECT_THROW(natural_of_mean(*find_family("multi_normal"), Numbers{2.0, 4.0}, {}), Error);
  EXPECT_THROW(natural_of_mean(*find_family("categorical"), Numbers{0.7, 0.6}, {}), Error);
}

}  // namespace
}  // namespace credo::dist::families_of_vectors_test
