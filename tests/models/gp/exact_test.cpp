// The exact solver against the formulas in long double: log evidence, derivatives, predictions, with and without functions of a mean.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "models/gp/gp_check.hpp"
#include "models/gp/gp_problem.hpp"
#include "models/gp/hyper.hpp"
#include "models/gp/optima.hpp"
#include "models/gp/tiled_factor.hpp"
#include "support/test_seed.hpp"

namespace credo::models::gp_exact_test {
namespace {
using Long = long double;
using LongMatrix = std::vector<std::vector<Long>>;

KernelNode atom(const char* name, Index sd, Index first, std::vector<Index> columns,
                Index order = 0) {
  KernelNode node;
  node.row = find_kernel(name);
  node.options.dimension = ssize(columns);
  node.options.order = order;
  node.columns = std::move(columns);
  node.sd = sd, node.first = first;
  node.text = name;
  return node;
}
CovarianceParameter parameter(const char* name) {
  return {.name = name, .of = "test", .kind = {.name = name}};
}

// sd0² se(x1) + sd1² periodic(x1) matern32(x1, x2) + noise, with the functions 1 and x2 of the mean if `q` is 2.
struct Setting {
  std::vector<std::vector<double>> columns{{}, {}};
  GpProblem problem;
  std::vector<double> theta{1.3, 0.7, 0.9, 1.1,
                            0.8, 0.6, 0.25};  // sd, length; sd; length, period; length; noise
};
Setting setting(Index n, Index q) {
  Setting made;
  Rng rng({.seed = testing::test_seed(21)});
  for (Index i = 0; i < n; ++i) {
    made.columns[0].push_back(rng.uniform(0.0, 5.0));
    made.columns[1].push_back(rng.uniform(-1.0, 1.0));
    made.problem.y.push_back(std::sin(made.columns[0].back()) + made.columns[1].back() +
                             0.3 * rng.normal());
  }
  KernelNode sum, product;
  product.kind = KernelNode::Kind::product;
  product.sd = 2;
  product.parts = {atom("periodic", -1, 3, {0}), atom("matern32", -1, 5, {0, 1})};
  sum.kind = KernelNode::Kind::sum;
  sum.parts = {atom("se", 0, 1, {0}), product};
  made.problem.covariance =
      Covariance(sum, {parameter("sd"), parameter("length"), parameter("sd"), parameter("length"),
                       parameter("period"), parameter("length"), parameter("noise")});
  made.problem.x = made.problem.covariance.points(made.columns);
  made.problem.noise = 6;
  made.problem.num_threads = 2;
  made.problem.mean_columns = numerics::DenseMatrix(n, q);
  for (Index i = 0; i < n && q > 0; ++i) {
    made.problem.mean_columns(i, 0) = 1.0;
    if (q > 1) made.problem.mean_columns(i, 1) = made.columns[1][static_cast<std::size_t>(i)];
  }
  return made;
}

// The kernel again, in long double.
Long kernel(const std::vector<double>& t, Long x1, Long x2, Long z1, Long z2) {
  const Long r = x1 - z1, d = std::sqrt(r * r + (x2 - z2) * (x2 - z2)),
             pi = std::numbers::pi_v<Long>;
  const Long s = std::sin(pi * r / t[4]), u = std::sqrt(Long(3)) * d / t[5];
  return t[0] * t[0] * std::exp(-r * r / (2 * Long(t[1]) * t[1])) +
         t[2] * t[2] * std::exp(-2 * s * s / (Long(t[3]) * t[3])) * (1 + u) * std::exp(-u);
}
struct Oracle {
  LongMatrix factor;
  std::vector<std::vector<Long>> h;  // L^-1 of the columns of H
  std::vector<Long> z;               // L^-1 y
  LongMatrix cross_inverse;          // (H' K^-1 H)^-1
  std::vector<Long> beta;
  Long evidence = 0;
};
std::vector<Long> solved(const LongMatrix& l, std::vector<Long> x) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) x[i] -= l[i][j] * x[j];
    x[i] /= l[i][i];
  }
  return x;
}
Long dot(const std::vector<Long>& a, const std::vector<Long>& b) {
  Long sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
Oracle oracle(const Setting& s, const std::vector<double>& t) {
  const auto n = static_cast<std::size_t>(s.problem.num_rows());
  const Index q = s.problem.mean_columns.cols;
  Oracle o;
  o.factor.assign(n, std::vector<Long>(n, 0));
  Long log_det = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      Long a = kernel(t, s.columns[0][i], s.columns[1][i], s.columns[0][j], s.columns[1][j]);
      if (i == j) a += Long(t[6]) * t[6];
      for (std::size_t k = 0; k < j; ++k) a -= o.factor[i][k] * o.factor[j][k];
      o.factor[i][j] = i == j ? std::sqrt(a) : a / o.factor[j][j];
      if (i == j) log_det += 2 * std::log(o.factor[i][i]);
    }
  o.z = solved(o.factor, {s.problem.y.begin(), s.problem.y.end()});
  for (Index c = 0; c < q; ++c) {
    std::vector<Long> h;
    for (Index i = 0; i < s.problem.num_rows(); ++i) h.push_back(s.problem.mean_columns(i, c));
    o.h.push_back(solved(o.factor, h));
  }
  Long quadratic = dot(o.z, o.z), det = 1;
  if (q == 1) {
    det = dot(o.h[0], o.h[0]);
    o.cross_inverse = {{1 / det}};
  } else if (q == 2) {
    const Long a = dot(o.h[0], o.h[0]), b = dot(o.h[0], o.h[1]), d = dot(o.h[1], o.h[1]);
    det = a * d - b * b;
    o.cross_inverse = {{d / det, -b / det}, {-b / det, a / det}};
  }
  for (std::size_t c = 0; c < static_cast<std::size_t>(q); ++c) {
    Long beta = 0;
    for (std::size_t e = 0; e < static_cast<std::size_t>(q); ++e)
      beta += o.cross_inverse[c][e] * dot(o.h[e], o.z);
    o.beta.push_back(beta);
    quadratic -= beta * dot(o.h[c], o.z);
  }
  o.evidence = -0.5L * (quadratic + log_det + std::log(det) +
                        static_cast<Long>(s.problem.num_rows() - q) *
                            std::log(2 * std::numbers::pi_v<Long>));
  return o;
}

TEST(gp_exact, evidence_is_that_of_the_formula_in_more_digits) {
  for (const Index n : {1 + 2, 40, 150})
    for (const Index q : {0, 1, 2}) {
      const Setting s = setting(n, q);
      const auto solver = make_exact_solver(s.problem);
      const double expected = static_cast<double>(oracle(s, s.theta).evidence);
      EXPECT_NEAR(solver->evidence(s.theta, false).value, expected, 1e-9 * (1 + std::abs(expected)))
          << n << " " << q;
    }
}

TEST(gp_exact, derivatives_are_those_of_the_formula) {
  for (const Index q : {0, 2}) {
    const Setting s = setting(60, q);
    const std::vector<double> slopes = make_exact_solver(s.problem)->evidence(s.theta, true).slopes;
    for (std::size_t p = 0; p < s.theta.size(); ++p) {
      std::vector<double> up = s.theta, down = s.theta;
      up[p] += 1e-6, down[p] -= 1e-6;
      const double expected = static_cast<double>(
          (oracle(s, up).evidence - oracle(s, down).evidence) / (Long(up[p]) - Long(down[p])));
      EXPECT_NEAR(slopes[p], expected, 1e-8 * (1 + std::abs(expected))) << p;
    }
  }
}

TEST(gp_exact, predictions_are_those_of_the_formula) {
  for (const Index q : {0, 1, 2}) {
    const Setting s = setting(60, q);
    const Oracle o = oracle(s, s.theta);
    const std::vector<std::vector<double>> at{{0.3, 2.2, 7.0}, {0.1, -0.4, 0.9}};
    const CovariancePoints points = s.problem.covariance.points(at);
    numerics::DenseMatrix h(3, q);
    for (Index i = 0; i < 3 && q > 0; ++i) {
      h(i, 0) = 1.0;
      if (q > 1) h(i, 1) = at[1][static_cast<std::size_t>(i)];
    }
    const auto solver = make_exact_solver(s.problem);
    const auto posterior = solver->posterior(s.theta);
    const GpMoments found = posterior->moments(s.problem.covariance.root(), points, &h);
    const numerics::DenseMatrix joint = posterior->covariance(points, &h);
    for (std::size_t p = 0; p < 3; ++p) {
      std::vector<Long> k;
      for (std::size_t i = 0; i < s.columns[0].size(); ++i)
        k.push_back(kernel(s.theta, at[0][p], at[1][p], s.columns[0][i], s.columns[1][i]));
      const std::vector<Long> v = solved(o.factor, k);
      Long mean = dot(v, o.z),
           variance = kernel(s.theta, at[0][p], at[1][p], at[0][p], at[1][p]) - dot(v, v);
      std::vector<Long> rest;
      for (std::size_t c = 0; c < o.h.size(); ++c) {
        rest.push_back(Long(h(static_cast<Index>(p), static_cast<Index>(c))) - dot(v, o.h[c]));
        mean += o.beta[c] * rest.back();
      }
      for (std::size_t c = 0; c < rest.size(); ++c)
        for (std::size_t e = 0; e < rest.size(); ++e)
          variance += rest[c] * o.cross_inverse[c][e] * rest[e];
      EXPECT_NEAR(found.mean[p], static_cast<double>(mean), 1e-9);
      EXPECT_NEAR(found.variance[p], static_cast<double>(variance), 1e-9);
      EXPECT_NEAR(joint(static_cast<Index>(p), static_cast<Index>(p)), found.variance[p], 1e-10);
    }
    for (std::size_t c = 0; c < o.beta.size(); ++c) {
      EXPECT_NEAR(posterior->coefficients()[c], static_cast<double>(o.beta[c]), 1e-9);
      EXPECT_NEAR(posterior->coefficient_sds()[c],
                  static_cast<double>(std::sqrt(o.cross_inverse[c][c])), 1e-9);
    }
  }
}

TEST(gp_exact, terms_add_up_to_the_function) {
  const Setting s = setting(50, 0);
  const auto solver = make_exact_solver(s.problem);
  const auto posterior = solver->posterior(s.theta);
  const GpMoments all =
      posterior->moments(s.problem.covariance.root(), s.problem.x, &s.problem.mean_columns);
  const auto terms = s.problem.covariance.terms();
  ASSERT_EQ(terms.size(), 2u);
  const GpMoments first = posterior->moments(*terms[0], s.problem.x, nullptr),
                  second = posterior->moments(*terms[1], s.problem.x, nullptr);
  for (std::size_t i = 0; i < all.mean.size(); ++i)
    EXPECT_NEAR(first.mean[i] + second.mean[i], all.mean[i], 1e-10);
}

TEST(gp_exact, interpolates_without_noise) {
  Setting s = setting(30, 1);
  s.theta[6] = 0.0;
  const auto solver = make_exact_solver(s.problem);
  const GpMoments found = solver->posterior(s.theta)->moments(s.problem.covariance.root(),
                                                              s.problem.x, &s.problem.mean_columns);
  for (std::size_t i = 0; i < found.mean.size(); ++i) {
    EXPECT_NEAR(found.mean[i], s.problem.y[i], 1e-7);
    EXPECT_NEAR(found.variance[i], 0.0, 1e-7);
  }
}

TEST(gp_exact, names_the_rows_that_are_equal) {
  Setting s = setting(30, 0);
  s.theta[6] = 0.0;
  for (auto& column : s.columns) column[20] = column[7];
  s.problem.x = s.problem.covariance.points(s.columns);
  const auto solver = make_exact_solver(s.problem);
  EXPECT_EQ(solver->evidence(s.theta, true).failed, 20);
  try {
    solver->posterior(s.theta);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("row 21"), std::string::npos) << error.what();
    EXPECT_NE(error.message().find("row 8"), std::string::npos) << error.what();
  }
}

TEST(gp_exact, derivative_is_the_limit_of_differences) {
  const Setting s = setting(40, 2);
  const double h = 1e-5;
  const std::vector<std::vector<double>> at{{1.2, 1.2 - h, 1.2 + h}, {0.2, 0.2, 0.2}};
  const CovariancePoints points = s.problem.covariance.points(at);
  numerics::DenseMatrix columns(3, 2), slopes(3, 2);
  for (Index i = 0; i < 3; ++i) columns(i, 0) = 1.0, columns(i, 1) = 0.2;
  const auto solver = make_exact_solver(s.problem);
  const auto posterior = solver->posterior(s.theta);
  const GpMoments slope = posterior->derivative(points, 0, &slopes);
  const GpMoments f = posterior->moments(s.problem.covariance.root(), points, &columns);
  EXPECT_NEAR(slope.mean[0], (f.mean[2] - f.mean[1]) / (2 * h), 1e-7);
  const numerics::DenseMatrix joint = posterior->covariance(points, &columns);
  const double variance = (joint(1, 1) + joint(2, 2) - 2 * joint(1, 2)) / (4 * h * h);
  EXPECT_NEAR(slope.variance[0], variance, 2e-3 * variance);
}

TEST(gp_exact, bits_do_not_depend_on_the_number_of_threads) {
  Setting s = setting(300, 1);
  const GpEvidence two = make_exact_solver(s.problem)->evidence(s.theta, true);
  s.problem.num_threads = 1;
  const GpEvidence one = make_exact_solver(s.problem)->evidence(s.theta, true);
  EXPECT_EQ(one.value, two.value);
  EXPECT_EQ(one.slopes, two.slopes);
}

TEST(gp_hyper, mixture_keeps_the_digits_of_small_variances) {
  GpMoments mixture;
  add_to_mixture(mixture, {{1e8}, {1e-6}}, 1.0);
  EXPECT_EQ(mixture.variance[0], 1e-6);  // one point is the mixture
  add_to_mixture(mixture, {{1e8 + 1.0}, {3e-6}}, 0.75);
  EXPECT_EQ(mixture.mean[0], 1e8 + 0.75);
  EXPECT_NEAR(mixture.variance[0], 0.25 * 1e-6 + 0.75 * 3e-6 + 0.25 * 0.75, 1e-14);
}

// Normal peaks at 0.5 cycles per unit: half of the variance is below the centre, 95 % below 1.644854 sd above it.
TEST(gp_check, spectrum_of_a_narrow_peak_is_at_its_frequency) {
  for (const double width : {0.05, 1e-5}) {
    KernelNode mixture = atom("sm", 2, 0, {0}, 1);
    const Covariance covariance(mixture,
                                {parameter("frequency.1"), parameter("width.1"), parameter("sd")});
    const std::vector<double> theta{0.5, width, 0.9};
    const std::vector<GpSpectrum> spectra = spectra_of(covariance, theta);
    ASSERT_EQ(spectra.size(), 1u);
    EXPECT_NEAR(spectra[0].half, 0.5, 0.05 * width);
    EXPECT_NEAR(spectra[0].most, 0.5 + 1.644854 * width, 0.05 * width);
    EXPECT_NEAR(std::ranges::max(spectra[0].density),
                0.81 * 0.5 / (width * std::sqrt(2.0 * std::numbers::pi)), 1e-9 / width);
  }
}

TEST(tiled_factor, has_the_inverse_of_its_matrix) {
  for (const Index n : {1, 7, 64, 65, 200, 400}) {
    WorkerTeam team(2);
    TiledFactor factor(n, team);
    Rng rng({.seed = testing::test_seed(22)});
    std::vector<double> a(static_cast<std::size_t>(n * n), 0.0);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j)
        a[static_cast<std::size_t>(i + j * n)] = a[static_cast<std::size_t>(j + i * n)] =
            *factor.at(i, j) = i == j ? static_cast<double>(n) : rng.uniform(-1.0, 1.0);
    ASSERT_TRUE(factor.factor());
    std::vector<double> x(static_cast<std::size_t>(n), 1.0),
        b(static_cast<std::size_t>(2 * n), 1.0);
    factor.solve(x);
    factor.solve_columns(b.data(), 2);
    for (Index i = 0; i < n; ++i)
      EXPECT_NEAR(x[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(n + i)], 1e-13);
    factor.invert();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < std::min<Index>(n, 5); ++j) {
        double sum = 0.0;
        for (Index k = 0; k < n; ++k)
          sum +=
              a[static_cast<std::size_t>(i + k * n)] * *factor.at(std::max(k, j), std::min(k, j));
        EXPECT_NEAR(sum, i == j ? 1.0 : 0.0, 1e-12);
      }
  }
}

TEST(gp_optima, end_where_derivatives_vanish_and_list_both_explanations) {
  // A wave that few points show: noise around a slow curve, or a fast curve without noise [rasmussen2006, figure 5.5].
  Setting s;
  Rng rng({.seed = testing::test_seed(3)});
  s.columns = {{}};
  for (int i = 0; i < 7; ++i) {
    s.columns[0].push_back(-3.0 + i);
    s.problem.y.push_back((i % 2 == 0 ? 1.0 : -1.0) * 0.6 + 0.4 * (i - 3));
  }
  KernelNode se = atom("se", 0, 1, {0});
  std::vector<CovarianceParameter> parameters{parameter("sd"), parameter("length"),
                                              parameter("noise")};
  parameters[2].scale = 0.3;
  s.problem.covariance = Covariance(se, parameters);
  s.problem.x = s.problem.covariance.points(s.columns);
  s.problem.noise = 2;
  s.problem.mean_columns = numerics::DenseMatrix(7, 0);
  const auto solver = make_exact_solver(s.problem);
  const std::vector<GpOptimum> optima = find_optima(s.problem, *solver, {.num_starts = 12});
  ASSERT_GE(optima.size(), 2u);
  const GpEvidence best = solver->evidence(optima[0].theta, true);
  EXPECT_EQ(best.value, optima[0].evidence);
  EXPECT_GE(optima[0].evidence, optima[1].evidence);
  for (std::size_t p = 0; p < 3; ++p)
    if (optima[0].at_limit.empty()) {
      EXPECT_NEAR(best.slopes[p] * optima[0].theta[p], 0.0, 1e-4);
    }
}

}  // namespace
}  // namespace credo::models::gp_exact_test
