// Evidences of sets of columns against dense normal densities and quadrature, sums over sets against each set alone, and the walk
// against the sum.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "models/selection/selection_table.hpp"
#include "support/test_seed.hpp"

namespace credo::models::selection_test {
namespace {
using Matrix = std::vector<std::vector<double>>;

// 12 rows, 4 columns in 3 terms: the second one has two.
SelectionProblem problem_of(std::string_view slab, SlabOptions options = {},
                            std::size_t num_rows = 12) {
  SelectionProblem problem;
  problem.terms = {{"a", {0}}, {"f", {1, 2}}, {"b", {3}}};
  for (std::size_t c = 0; c < 4; ++c) {
    std::vector<double> column;
    double mean = 0.0, squares = 0.0;
    for (std::size_t n = 0; n < num_rows; ++n)
      column.push_back(std::sin(1.0 + static_cast<double>(3 * n * (c + 1) + c * c)));
    for (const double x : column) mean += x / static_cast<double>(num_rows);
    for (double& x : column) x -= mean, squares += x * x;
    for (double& x : column) x /= std::sqrt(squares / static_cast<double>(num_rows - 1));
    problem.columns.push_back(column);
  }
  double mean = 0.0;
  for (std::size_t n = 0; n < num_rows; ++n) {
    problem.y.push_back(0.9 * problem.columns[0][n] - 0.5 * problem.columns[2][n] +
                        0.7 * std::cos(static_cast<double>(5 * n)));
    mean += problem.y.back() / static_cast<double>(num_rows);
  }
  for (double& y : problem.y) y -= mean;
  problem.slab = &find_slab(slab);
  problem.options = options;
  problem.settle();
  return problem;
}
TermSet set_of(int bits) {
  return {static_cast<std::uint8_t>(bits & 1), static_cast<std::uint8_t>(bits >> 1 & 1),
          static_cast<std::uint8_t>(bits >> 2 & 1)};
}
std::vector<std::size_t> columns_of(const SelectionProblem& problem, const TermSet& set) {
  std::vector<std::size_t> columns;
  for (std::size_t t = 0; t < set.size(); ++t)
    if (set[t])
      for (const Index c : problem.terms[t].columns) columns.push_back(static_cast<std::size_t>(c));
  return columns;
}
double evidence(const SelectionProblem& problem, const TermSet& set) {
  return log_joint(problem, set) -
         problem.log_prior(std::accumulate(set.begin(), set.end(), Index{0}));
}

// Lower Cholesky factor.
Matrix factor(Matrix a) {
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      for (std::size_t k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(a[i][i]) : a[i][j] / a[j][j];
    }
  return a;
}
// log N(z | 0, C).
double log_normal_density(const std::vector<double>& z, const Matrix& covariance) {
  const Matrix l = factor(covariance);
  std::vector<double> s = z;
  double value = 0.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) s[i] -= l[i][k] * s[k];
    s[i] /= l[i][i];
    value -= 0.5 * s[i] * s[i] + std::log(l[i][i]) + 0.5 * std::log(2.0 * M_PI);
  }
  return value;
}
// Contrasts of Helmert: n - 1 numbers that don't depend on the intercept.
std::vector<double> contrasts(const std::vector<double>& x) {
  std::vector<double> z;
  double sum = x[0];
  for (std::size_t k = 1; k < x.size(); ++k) {
    const auto n = static_cast<double>(k);
    z.push_back((sum - n * x[k]) / std::sqrt(n * (n + 1.0)));
    sum += x[k];
  }
  return z;
}
// p(y | X, s) = N(y | 0, sigma^2 I + sigma_w^2 X X'), without the mean.
double dense_evidence(const SelectionProblem& problem, const TermSet& set, double sigma) {
  const std::vector<double> z = contrasts(problem.y);
  Matrix covariance(z.size(), std::vector<double>(z.size(), 0.0));
  const double width = problem.options.width * sigma;
  for (std::size_t i = 0; i < z.size(); ++i) covariance[i][i] = sigma * sigma;
  for (const std::size_t c : columns_of(problem, set)) {
    const std::vector<double> x = contrasts(problem.columns[c]);
    for (std::size_t i = 0; i < z.size(); ++i)
      for (std::size_t j = 0; j < z.size(); ++j) covariance[i][j] += width * width * x[i] * x[j];
  }
  return log_normal_density(z, covariance);
}

TEST(slab_prior, normal_slabs_have_the_dense_evidence_of_each_set) {
  const SelectionProblem problem = problem_of("normal", {.width = 1.7, .sigma = 0.6});
  for (int bits = 1; bits < 8; ++bits)
    EXPECT_NEAR(
        evidence(problem, set_of(bits)) - evidence(problem, set_of(0)),
        dense_evidence(problem, set_of(bits), 0.6) - dense_evidence(problem, set_of(0), 0.6), 1e-10)
        << bits;
}

// log of the integral over log sigma of exp(f(sigma)), by the trapezoidal rule, whose error is below 1e-12 for such bells.
double over_noise(const std::function<double(double)>& f) {
  double most = -kInfinity;
  std::vector<double> values;
  for (double t = -6.0; t < 6.0; t += 0.02) values.push_back(f(std::exp(t)));
  for (const double v : values) most = std::max(most, v);
  double sum = 0.0;
  for (const double v : values) sum += std::exp(v - most);
  return most + std::log(sum * 0.02);
}

TEST(slab_prior, unknown_noise_is_the_integral_over_known_noise) {
  for (const char* slab : {"g", "normal", "uniform"}) {
    const SelectionProblem unknown = problem_of(slab, {.width = 1.7});
    const auto integrated = [&](const TermSet& set) {
      return over_noise([&](double sigma) {
        SelectionProblem known = unknown;
        known.options.sigma = sigma;
        // The factor (2 pi)^(m / 2), which the evidence with known noise leaves out, is the same for all sets.
        return evidence(known, set);
      });
    };
    for (int bits = 1; bits < 8; ++bits)
      EXPECT_NEAR(evidence(unknown, set_of(bits)) - evidence(unknown, set_of(0)),
                  integrated(set_of(bits)) - integrated(set_of(0)), 1e-9)
          << slab << bits;
  }
}

// b | s ~ N(0, g s^2 (x'x)^-1) for one column is a normal slab of the width sqrt(g / x'x).
TEST(slab_prior, a_g_prior_of_one_column_is_a_normal_slab) {
  const SelectionProblem g = problem_of("g", {.g = 5.0});
  const SelectionProblem normal = problem_of("normal", {.width = std::sqrt(5.0 / 11.0)});
  for (const int bits : {1, 4})
    EXPECT_NEAR(evidence(g, set_of(bits)) - evidence(g, set_of(0)),
                evidence(normal, set_of(bits)) - evidence(normal, set_of(0)), 1e-10);
  EXPECT_GT(std::abs(evidence(g, set_of(5)) - evidence(g, set_of(0)) - evidence(normal, set_of(5)) +
                     evidence(normal, set_of(0))),
            1e-4);
}

TEST(slab_prior, uniform_slabs_have_the_integral_over_the_box) {
  const SelectionProblem problem = problem_of("uniform", {.width = 4.0, .sigma = 0.4});
  const double half = 4.0 * std::sqrt(problem.total / 11.0);
  const auto density = [&](const std::vector<double>& rest) {
    double sum = 0.0;
    for (const double r : rest) sum += r * r;
    return std::exp(-(sum - problem.total) / (2.0 * 0.16));
  };
  constexpr int kPoints = 400;
  const double step = 2.0 * half / kPoints;
  double one = 0.0, two = 0.0;  // trapezoidal rule: the integrand is 0 at the ends
  for (int i = 0; i < kPoints; ++i) {
    std::vector<double> rest = problem.y;
    for (std::size_t n = 0; n < rest.size(); ++n)
      rest[n] -= (-half + i * step) * problem.columns[0][n];
    one += density(rest) / kPoints;
    for (int j = 0; j < kPoints; ++j) {
      std::vector<double> less = rest;
      for (std::size_t n = 0; n < rest.size(); ++n)
        less[n] -= (-half + j * step) * problem.columns[3][n];
      two += density(less) / (kPoints * static_cast<double>(kPoints));
    }
  }
  EXPECT_NEAR(evidence(problem, set_of(1)) - evidence(problem, set_of(0)), std::log(one), 1e-9);
  EXPECT_NEAR(evidence(problem, set_of(5)) - evidence(problem, set_of(0)), std::log(two), 1e-9);
}

// A wide normal slab approaches the uniform one, up to the height of both priors.
TEST(slab_prior, wide_normal_slabs_approach_uniform_ones) {
  const double sigma = 0.4;
  double last = kInfinity;
  for (const double width : {10.0, 100.0, 1000.0}) {
    SelectionProblem normal = problem_of("normal", {.width = width, .sigma = sigma});
    SelectionProblem uniform = problem_of("uniform", {.width = 1.0, .sigma = sigma});
    const double sd = std::sqrt(uniform.total / 11.0);
    uniform.options.width = width * sigma * std::sqrt(2.0 * M_PI) / (2.0 * sd);
    const double distance = std::abs(evidence(normal, set_of(7)) - evidence(normal, set_of(0)) -
                                     evidence(uniform, set_of(7)) + evidence(uniform, set_of(0)));
    EXPECT_LT(distance, last / 50.0);
    last = distance;
  }
  EXPECT_LT(last, 1e-5);
}

TEST(subset_search, sums_over_all_sets_are_those_of_each_set_alone) {
  for (const char* slab : {"g", "normal", "uniform", "l0"})
    for (const double inclusion : {0.0, 0.3}) {
      SelectionProblem problem = problem_of(slab, {.width = 2.0});
      problem.inclusion = inclusion;
      const Selection found = rate_all_sets(problem);
      double total = 0.0, best = -kInfinity;
      std::vector<double> in(3, 0.0);
      for (int bits = 0; bits < 8; ++bits) {
        const double joint = log_joint(problem, set_of(bits));
        best = std::max(best, joint);
        total += std::exp(joint);
        for (std::size_t t = 0; t < 3; ++t) in[t] += set_of(bits)[t] ? std::exp(joint) : 0.0;
      }
      EXPECT_NEAR(found.log_total, std::log(total), 1e-10) << slab;
      for (std::size_t t = 0; t < 3; ++t) EXPECT_NEAR(found.inclusion[t], in[t] / total, 1e-10);
      EXPECT_NEAR(found.best[0].log_joint, best, 1e-10);
      EXPECT_EQ(found.best.size(), 8u);
      double weights = 0.0;
      for (const RatedSet& one : found.best) weights += one.weight;
      EXPECT_NEAR(weights, 1.0, 1e-10);
    }
}

TEST(subset_search, a_kept_term_is_in_every_set) {
  SelectionProblem problem = problem_of("g");
  problem.terms[1].is_kept = true;
  const Selection found = rate_all_sets(problem);
  EXPECT_EQ(found.num_sets, 4.0);
  EXPECT_NEAR(found.inclusion[1], 1.0, 1e-15);
  double total = 0.0, in = 0.0;
  for (int bits = 0; bits < 8; ++bits)
    if (bits & 2) {
      const double joint = std::exp(log_joint(problem, set_of(bits)));
      total += joint, in += bits & 1 ? joint : 0.0;
    }
  EXPECT_NEAR(found.inclusion[0], in / total, 1e-10);
}

TEST(subset_search, collinear_sets_are_counted_and_left_out) {
  SelectionProblem problem = problem_of("g");
  problem.columns[3] = problem.columns[0];
  problem.settle();
  const Selection found = rate_all_sets(problem);
  EXPECT_EQ(found.num_singular, 2.0);  // a and b, with f or without
  EXPECT_NEAR(found.inclusion[0], found.inclusion[2], 1e-12);
  const Selection normal = rate_all_sets([&] {
    SelectionProblem own = problem;
    own.slab = &find_slab("normal");
    return own;
  }());
  EXPECT_EQ(normal.num_singular, 0.0);
}

// The mode of a spike with a uniform slab is the best fit less log((1 - pi) / pi) for each term.
TEST(subset_search, the_mode_of_a_penalty_is_the_best_of_all_fits) {
  for (const double inclusion : {0.5, 0.1, 0.001}) {
    SelectionProblem problem = problem_of("l0", {.sigma = 0.7});
    problem.inclusion = inclusion;
    const double penalty = std::log((1.0 - inclusion) / inclusion);
    double best = kInfinity;
    int mode = -1;
    for (int bits = 0; bits < 8; ++bits) {
      SweptProducts swept(problem.columns, problem.y, 0.0);
      for (const std::size_t c : columns_of(problem, set_of(bits)))
        swept.flip(static_cast<Index>(c));
      const double loss =
          swept.residual() / (2.0 * 0.49) + penalty * std::popcount(static_cast<unsigned>(bits));
      if (loss < best) best = loss, mode = bits;
    }
    EXPECT_EQ(rate_all_sets(problem).best[0].set, set_of(mode)) << inclusion;
  }
}

TEST(swept_products, are_least_squares_after_any_order_of_flips) {
  const SelectionProblem problem = problem_of("g");
  SweptProducts swept(problem.columns, problem.y, 0.0), direct = swept;
  for (const Index c : {0, 3, 1, 0, 2, 3, 0}) EXPECT_TRUE(swept.flip(c));
  for (const Index c : {0, 1, 2}) EXPECT_TRUE(direct.flip(c));
  EXPECT_NEAR(swept.residual(), direct.residual(), 1e-12);
  EXPECT_NEAR(swept.log_determinant(), direct.log_determinant(), 1e-12);
  std::vector<double> rest = problem.y;
  for (const Index c : {0, 1, 2}) {
    EXPECT_NEAR(swept.coefficient(c), direct.coefficient(c), 1e-12);
    for (std::size_t n = 0; n < rest.size(); ++n)
      rest[n] -= swept.coefficient(c) * problem.columns[static_cast<std::size_t>(c)][n];
  }
  double squares = 0.0;
  for (const double r : rest) squares += r * r;
  EXPECT_NEAR(squares, swept.residual(), 1e-12);
  for (std::size_t c = 0; c < 3; ++c) {  // residuals are orthogonal to the columns
    double product = 0.0;
    for (std::size_t n = 0; n < rest.size(); ++n) product += rest[n] * problem.columns[c][n];
    EXPECT_NEAR(product, 0.0, 1e-12);
  }
  const std::vector<Index> two{1, 2};
  const auto fit = swept.after_flip(two);
  for (const Index c : two) EXPECT_TRUE(swept.flip(c));
  EXPECT_NEAR(fit->residual, swept.residual(), 1e-12);
  EXPECT_NEAR(fit->log_determinant, swept.log_determinant(), 1e-12);
}

// Largest distance in standard errors between the inclusions of a walk and those of the sum. What is within a millionth of certain rests
// on sets that a walk doesn't visit.
double distance(const Selection& walk, const Selection& exact) {
  constexpr double kCertain = 1e-6;
  double most = 0.0;
  for (std::size_t t = 0; t < exact.inclusion.size(); ++t)
    most = std::max(most, std::abs(walk.inclusion[t] - exact.inclusion[t]) /
                              std::hypot(walk.inclusion_error[t], kCertain));
  return most;
}

SelectionProblem many_terms() {
  SelectionProblem problem = problem_of("g", {}, 40);
  problem.terms.clear(), problem.columns.clear();
  for (std::size_t c = 0; c < 10; ++c) {
    std::vector<double> column;
    double mean = 0.0, squares = 0.0;
    for (std::size_t n = 0; n < 40; ++n)
      column.push_back(std::sin(1.0 + static_cast<double>(n * (c + 2))) +
                       (c > 0 ? 0.7 * problem.columns[c - 1][n] : 0.0));
    for (const double x : column) mean += x / 40.0;
    for (double& x : column) x -= mean, squares += x * x;
    for (double& x : column) x /= std::sqrt(squares / 39.0);
    problem.columns.push_back(column);
  }
  for (Index c = 0; c < 8; ++c) problem.terms.push_back({"x" + std::to_string(c), {c}});
  problem.terms.push_back({"f", {8, 9}});
  for (std::size_t n = 0; n < 40; ++n)
    problem.y[n] = 0.4 * problem.columns[1][n] - 0.3 * problem.columns[4][n] +
                   std::cos(7.0 * static_cast<double>(n));
  double mean = 0.0;
  for (const double y : problem.y) mean += y / 40.0;
  for (double& y : problem.y) y -= mean;
  problem.settle();
  return problem;
}

TEST(subset_walk, has_the_inclusions_of_the_sum_and_is_told_from_another_prior) {
  SelectionProblem problem = many_terms();
  const Selection exact = rate_all_sets(problem);
  const Selection walk =
      walk_over_sets(problem, {.num_sweeps = 4000, .seed = credo::testing::test_seed(1)});
  EXPECT_LT(distance(walk, exact), 4.0);
  EXPECT_LT(walk.r_hat, 1.02);
  EXPECT_EQ(walk.best[0].set, exact.best[0].set);
  EXPECT_NEAR(walk.best[0].weight, exact.best[0].weight, 0.02);
  for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(walk.mean[c], exact.mean[c], 0.02);
  // A walk that forgets how many sets have a size.
  problem.inclusion = 0.5;
  EXPECT_GT(
      distance(walk_over_sets(problem, {.num_sweeps = 4000, .seed = credo::testing::test_seed(1)}),
               exact),
      6.0);
}

TEST(subset_walk, is_the_same_for_the_same_seed) {
  const SelectionProblem problem = many_terms();
  const WalkOptions options{.num_sweeps = 50, .seed = 3};
  EXPECT_EQ(walk_over_sets(problem, options).inclusion, walk_over_sets(problem, options).inclusion);
}

TEST(selection_table, reports_faults_of_formula_and_table) {
  const std::map<std::string, std::string> texts{
      {"t.csv", "y,x,c,f,z\n1,2,5,a,\n2,3,5,b,1\n4,1,5,a,2\n3,7,5,b,3\n"}};
  const auto faults_of = [&](const std::string& formula, std::vector<std::string> kept = {}) {
    FormulaFaults faults;
    SelectionRequest request{.formula = formula, .kept = std::move(kept)};
    request.data.files = {"t.csv"};
    request.is_usable = [](const std::string&) { return true; };
    make_selection(
        request, [&](const std::string& p) -> const std::string& { return texts.at(p); }, faults);
    return faults.text(formula);
  };
  EXPECT_EQ(faults_of("y ~ x + f"), "");
  EXPECT_NE(faults_of("y ~ x + c").find("c is the same in all rows"), std::string::npos);
  EXPECT_NE(faults_of("y ~ .").find("z has no value in 1 row; the first is row 1"),
            std::string::npos);
  EXPECT_NE(faults_of("y ~ x + (1 | f)").find("not effects of groups"), std::string::npos);
  EXPECT_NE(faults_of("y ~ 0 + x").find("the intercept is always in"), std::string::npos);
  EXPECT_NE(faults_of("y ~ xx").find("did you mean x?"), std::string::npos);
  EXPECT_NE(faults_of("y ~ x", {"g"}).find("g is no term of the formula"), std::string::npos);
  EXPECT_NE(faults_of("y ~ 1").find("there is no term to select"), std::string::npos);
}
}  // namespace
}  // namespace credo::models::selection_test
