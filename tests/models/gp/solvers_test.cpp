// Solvers against the exact one: states agree to rounding, those with inducing points as these become all rows, and their derivatives with differences.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "models/gp/gp_solver_table.hpp"
#include "support/test_seed.hpp"

namespace credo::models::gp_solvers_test {
namespace {
struct TermSpec {
  std::vector<std::pair<const char*, Index>> factors;  // kernel, order
};

// A sum of products of kernels of one input, parameters near 1, each term with an sd.
GpProblem problem_of(const std::vector<TermSpec>& terms, Index n, Index q, std::uint64_t seed) {
  GpProblem made;
  Rng rng({.seed = testing::test_seed(seed)});
  std::vector<std::vector<double>> columns{{}};
  for (Index i = 0; i < n; ++i) {
    columns[0].push_back(i % 7 == 3 ? columns[0].back() : rng.uniform(0.0, 6.0));  // some are equal
    made.y.push_back(std::sin(columns[0].back()) + 0.3 * rng.normal());
  }
  KernelNode root;
  root.kind = KernelNode::Kind::sum;
  std::vector<CovarianceParameter> parameters;
  double value = 0.8;
  for (const TermSpec& term : terms) {
    KernelNode product;
    product.kind = KernelNode::Kind::product;
    for (const auto& [name, order] : term.factors) {
      KernelNode node;
      node.row = find_kernel(name);
      node.options.order = order;
      if (node.row->most_columns > 0) node.columns = {0};
      node.text = name;
      node.first = ssize(parameters);
      for (const KernelParameter& kind : node.row->parameters(node.options)) {
        parameters.push_back({.name = kind.name, .of = name, .kind = kind, .value = value});
        value += 0.13;
      }
      product.parts.push_back(node);
    }
    product.sd = ssize(parameters);
    parameters.push_back({.name = "sd", .of = "term", .kind = {.name = "sd"}, .value = value});
    KernelNode only = product.parts[0];
    only.sd = product.sd;
    root.parts.push_back(product.parts.size() == 1 ? only : product);
  }
  made.noise = ssize(parameters);
  parameters.push_back({.name = "noise", .of = "noise", .kind = {.name = "noise"}, .value = 0.4});
  made.covariance = Covariance(root.parts.size() == 1 ? root.parts[0] : root, parameters);
  made.x = made.covariance.points(columns);
  made.mean_columns = numerics::DenseMatrix(n, q);
  for (Index i = 0; i < n && q > 0; ++i) {
    made.mean_columns(i, 0) = 1.0;
    if (q > 1) made.mean_columns(i, 1) = columns[0][static_cast<std::size_t>(i)];
  }
  return made;
}
std::vector<double> values_of(const GpProblem& p) {
  std::vector<double> theta;
  for (const CovarianceParameter& one : p.covariance.parameters()) theta.push_back(one.value);
  return theta;
}
void expect_same_moments(const GpMoments& a, const GpMoments& b, double allowed) {
  for (std::size_t k = 0; k < a.mean.size(); ++k) {
    EXPECT_NEAR(a.mean[k], b.mean[k], allowed) << k;
    EXPECT_NEAR(a.variance[k], b.variance[k], allowed) << k;
  }
}
double difference(GpSolver& solver, std::vector<double> theta, std::size_t p) {
  const double h = 1e-5 * theta[p];
  theta[p] += h;
  const double up = solver.evidence(theta, false).value;
  theta[p] -= 2 * h;
  return (up - solver.evidence(theta, false).value) / (2 * h);
}

const std::vector<std::vector<TermSpec>>& kernels_with_states() {
  static const std::vector<std::vector<TermSpec>> all{
      {{{{"matern12", 0}}}},
      {{{{"matern32", 0}}}},
      {{{{"matern52", 0}}}},
      {{{{"matern", 3}}}},
      {{{{"brownian", 0}}}, {{{"linear", 0}}}},
      {{{{"matern32", 0}, {"cosine", 0}}}, {{{"constant", 0}}}},
      {{{{"brownian", 0}, {"matern12", 0}}}, {{{"linear", 0}, {"matern32", 0}}}},
  };
  return all;
}

TEST(gp_states, agree_with_the_dense_covariance) {
  for (const auto& terms : kernels_with_states())
    for (const Index q : {0, 2}) {
      if (q == 2 && terms[0].factors[0].first == std::string_view("brownian")) continue;
      const GpProblem p = problem_of(terms, 60, q, 31);
      ASSERT_EQ(why_no_states(p.covariance), "");
      const std::vector<double> theta = values_of(p);
      const auto states = make_states_solver(p), exact = make_exact_solver(p);
      const GpEvidence a = states->evidence(theta, true), b = exact->evidence(theta, true);
      EXPECT_NEAR(a.value, b.value, 1e-10 * std::abs(b.value)) << terms[0].factors[0].first;
      for (std::size_t k = 0; k < theta.size(); ++k)
        EXPECT_NEAR(a.slopes[k], b.slopes[k], 1e-8 * (1 + std::abs(b.slopes[k])))
            << terms[0].factors[0].first << " " << k;
      const CovariancePoints at =
          p.covariance.points(std::vector<std::vector<double>>{{0.01, 1.5, 2.75, 6.5, 9.0}});
      numerics::DenseMatrix h(5, q);
      for (Index i = 0; i < 5 && q > 0; ++i)
        h(i, 0) = 1.0, h(i, 1) = at.by_atom[0][static_cast<std::size_t>(i)];
      const auto one = states->posterior(theta), other = exact->posterior(theta);
      expect_same_moments(one->moments(p.covariance.root(), at, &h),
                          other->moments(p.covariance.root(), at, &h), 1e-9);
      for (const KernelNode* term : p.covariance.terms())
        expect_same_moments(one->moments(*term, at, nullptr), other->moments(*term, at, nullptr),
                            1e-9);
      for (std::size_t c = 0; c < static_cast<std::size_t>(q); ++c) {
        EXPECT_NEAR(one->coefficients()[c], other->coefficients()[c], 1e-9);
        EXPECT_NEAR(one->coefficient_sds()[c], other->coefficient_sds()[c], 1e-9);
      }
    }
}
TEST(gp_states, of_a_periodic_kernel_are_its_first_harmonics) {
  GpProblem p = problem_of({{{{"periodic", 0}, {"matern32", 0}}}}, 50, 1, 32);
  std::vector<double> theta = values_of(p);
  theta[0] = 1.2;
  EXPECT_TRUE(states_are_approximate(p.covariance));
  const double a = make_states_solver(p)->evidence(theta, false).value,
               b = make_exact_solver(p)->evidence(theta, false).value;
  EXPECT_NEAR(a, b, 1e-4);
}
TEST(gp_states, refuse_kernels_without_them) {
  EXPECT_NE(why_no_states(problem_of({{{{"se", 0}}}}, 5, 0, 33).covariance), "");
  EXPECT_NE(why_no_states(problem_of({{{{"matern32", 0}}}, {{{"rq", 0}}}}, 5, 0, 33).covariance),
            "");
}

std::vector<Index> all_rows(const GpProblem& p) {
  std::vector<Index> rows;
  for (Index i = 0; i < p.num_rows(); ++i)
    if (i % 7 != 3) rows.push_back(i);  // one of equal inputs
  return rows;
}
constexpr std::array kKinds{LowRank::sor, LowRank::dtc, LowRank::fitc, LowRank::sgpr};

TEST(gp_low_rank, is_exact_with_all_rows_as_inducing_points) {
  for (const Index q : {0, 2}) {
    const GpProblem p =
        problem_of({{{{"matern32", 0}}}, {{{"linear", 0}, {"matern12", 0}}}}, 60, q, 34);
    const std::vector<double> theta = values_of(p);
    const auto exact = make_exact_solver(p);
    const GpEvidence b = exact->evidence(theta, true);
    const CovariancePoints at =
        p.covariance.points(std::vector<std::vector<double>>{{0.01, 1.5, 2.75, 5.0}});
    for (const LowRank kind : kKinds) {
      const auto solver = make_low_rank_solver(p, kind, all_rows(p));
      const GpEvidence a = solver->evidence(theta, true);
      EXPECT_NEAR(a.value, b.value, 1e-5) << static_cast<int>(kind);
      for (std::size_t k = 0; k < theta.size(); ++k)
        EXPECT_NEAR(a.slopes[k], b.slopes[k], 1e-4 * (1 + std::abs(b.slopes[k])))
            << static_cast<int>(kind);
      numerics::DenseMatrix h(4, q);
      for (Index i = 0; i < 4 && q > 0; ++i)
        h(i, 0) = 1.0, h(i, 1) = at.by_atom[0][static_cast<std::size_t>(i)];
      if (kind == LowRank::sor) continue;
      expect_same_moments(solver->posterior(theta)->moments(p.covariance.root(), at, &h),
                          exact->posterior(theta)->moments(p.covariance.root(), at, &h), 1e-5);
      for (const KernelNode* term : p.covariance.terms())
        expect_same_moments(solver->posterior(theta)->moments(*term, at, nullptr),
                            exact->posterior(theta)->moments(*term, at, nullptr), 1e-5);
    }
  }
}

TEST(gp_low_rank, has_the_derivatives_of_its_evidence) {
  const GpProblem p = problem_of({{{{"matern32", 0}}}, {{{"rq", 0}}}}, 80, 2, 35);
  const std::vector<double> theta = values_of(p);
  for (const LowRank kind : kKinds) {
    const auto solver = make_low_rank_solver(p, kind, std::vector<Index>{0, 9, 20, 33, 47, 60});
    const std::vector<double> slopes = solver->evidence(theta, true).slopes;
    for (std::size_t k = 0; k < theta.size(); ++k) {
      const double expected = difference(*solver, theta, k);
      EXPECT_NEAR(slopes[k], expected, 1e-5 * (1 + std::abs(expected)))
          << static_cast<int>(kind) << " " << k;
    }
  }
}

// By the dense formulas: N(y; 0, Q + D), and K** - Q** + k' Sigma k.
TEST(gp_low_rank, is_the_process_with_the_covariance_of_its_name) {
  const GpProblem p = problem_of({{{{"matern52", 0}}}}, 30, 0, 36);
  const std::vector<double> theta = values_of(p);
  const std::vector<Index> z{1, 8, 16, 25};
  const double noise = theta[2] * theta[2];
  Covariance::Work work;
  const auto k = [&](const CovariancePoints& a, Index i, const CovariancePoints& b, Index j) {
    double value = 0.0;
    p.covariance.values(p.covariance.root(), theta, a, i, b, j, 1, &value, work);
    return value;
  };
  const auto inverse = [](const numerics::DenseMatrix& a) {
    return numerics::SymmetricEigen(a).inverse();
  };
  numerics::DenseMatrix kzz(4), kzx(4, 30);
  for (Index a = 0; a < 4; ++a) {
    for (Index b = 0; b < 4; ++b)
      kzz(a, b) = k(p.x, z[static_cast<std::size_t>(a)], p.x, z[static_cast<std::size_t>(b)]);
    for (Index i = 0; i < 30; ++i) kzx(a, i) = k(p.x, z[static_cast<std::size_t>(a)], p.x, i);
  }
  const numerics::DenseMatrix q = numerics::transposed(kzx) * inverse(kzz) * kzx;
  const CovariancePoints at = p.covariance.points(std::vector<std::vector<double>>{{3.3, 8.0}});
  for (const LowRank kind : kKinds) {
    numerics::DenseMatrix s = q;
    double trace = 0.0;
    for (Index i = 0; i < 30; ++i) {
      const double rest = k(p.x, i, p.x, i) - q(i, i);
      s(i, i) += noise + (kind == LowRank::fitc ? rest : 0.0), trace += rest;
    }
    const numerics::DenseMatrix s_inverse = inverse(s);
    double evidence = -15.0 * std::log(2.0 * std::numbers::pi);
    for (const double value : numerics::SymmetricEigen(s).values) evidence -= 0.5 * std::log(value);
    const std::vector<double> alpha = (s_inverse * numerics::DenseMatrix(30, 1, p.y)).values;
    for (std::size_t i = 0; i < 30; ++i) evidence -= 0.5 * alpha[i] * p.y[i];
    if (kind == LowRank::sgpr) evidence -= 0.5 * trace / noise;
    const auto solver = make_low_rank_solver(p, kind, z);
    EXPECT_NEAR(solver->evidence(theta, false).value, evidence, 1e-5) << static_cast<int>(kind);
    const GpMoments found = solver->posterior(theta)->moments(p.covariance.root(), at, nullptr);
    for (Index j = 0; j < 2; ++j) {
      numerics::DenseMatrix kz(4, 1);
      for (Index a = 0; a < 4; ++a) kz(a, 0) = k(p.x, z[static_cast<std::size_t>(a)], at, j);
      const numerics::DenseMatrix qx = numerics::transposed(kz) * inverse(kzz) * kzx;  // q(*, X)
      const double q_own = (numerics::transposed(kz) * inverse(kzz) * kz)(0, 0);
      double mean = 0.0, taken = 0.0;
      for (Index i = 0; i < 30; ++i) {
        mean += qx(0, i) * alpha[static_cast<std::size_t>(i)];
        for (Index b = 0; b < 30; ++b) taken += qx(0, i) * s_inverse(i, b) * qx(0, b);
      }
      const double prior = kind == LowRank::sor ? q_own : k(at, j, at, j);
      EXPECT_NEAR(found.mean[static_cast<std::size_t>(j)], mean, 1e-6);
      EXPECT_NEAR(found.variance[static_cast<std::size_t>(j)], prior - taken, 1e-6);
    }
  }
}

TEST(gp_low_rank, bits_do_not_depend_on_the_number_of_threads) {
  GpProblem p = problem_of({{{{"matern32", 0}}}, {{{"linear", 0}}}}, 300, 1, 27);
  const std::vector<double> theta = values_of(p);
  for (const LowRank kind : {LowRank::sor, LowRank::dtc, LowRank::fitc, LowRank::sgpr}) {
    std::vector<GpEvidence> found;
    std::vector<GpMoments> moments;
    for (const Index num_threads : {1, 2, 3}) {
      p.num_threads = num_threads;
      const auto solver = make_low_rank_solver(p, kind, random_rows(300, 150, 1));
      found.push_back(solver->evidence(theta, true));
      moments.push_back(
          solver->posterior(theta)->moments(p.covariance.root(), p.x, &p.mean_columns));
    }
    ASSERT_TRUE(std::isfinite(found[0].value));
    for (const std::size_t k : {1u, 2u}) {
      EXPECT_EQ(found[0].value, found[k].value);
      EXPECT_EQ(found[0].slopes, found[k].slopes);
      EXPECT_EQ(moments[0].mean, moments[k].mean);
      EXPECT_EQ(moments[0].variance, moments[k].variance);
    }
  }
}

TEST(gp_low_rank, bound_grows_with_the_points_to_the_evidence) {
  const GpProblem p = problem_of({{{{"matern32", 0}}}}, 120, 1, 37);
  const std::vector<double> theta = values_of(p);
  const double evidence = make_exact_solver(p)->evidence(theta, false).value;
  const std::vector<Index> greedy = greedy_rows(p, 60);
  double before = -kInfinity;
  for (const Index m : {3, 6, 12, 24, 48}) {
    const double bound =
        make_low_rank_solver(p, LowRank::sgpr, {greedy.begin(), greedy.begin() + m})
            ->evidence(theta, false)
            .value;
    EXPECT_GT(bound, before);
    EXPECT_LE(bound, evidence + 1e-6);
    before = bound;
  }
  EXPECT_NEAR(before, evidence, 0.5);
}

TEST(gp_low_rank, greedy_rows_have_the_largest_variance_given_those_before) {
  const GpProblem p = problem_of({{{{"matern32", 0}}}}, 40, 0, 38);
  const std::vector<Index> rows = greedy_rows(p, 8);
  ASSERT_EQ(rows.size(), 8u);
  GpProblem known = subset_of(p, std::span(rows).first(5));
  std::vector<double> theta;
  for (const CovarianceParameter& one : p.covariance.parameters()) theta.push_back(one.centre());
  theta[static_cast<std::size_t>(p.noise)] = 0.0;
  const auto solver = make_exact_solver(known);
  const GpMoments given = solver->posterior(theta)->moments(p.covariance.root(), p.x, nullptr);
  const auto largest = std::ranges::max_element(given.variance) - given.variance.begin();
  EXPECT_NEAR(given.variance[static_cast<std::size_t>(rows[5])],
              given.variance[static_cast<std::size_t>(largest)], 1e-10);
}

TEST(gp_subset, is_the_exact_process_of_its_rows) {
  const GpProblem p = problem_of({{{{"se", 0}}}}, 60, 1, 39);
  const std::vector<double> theta = values_of(p);
  std::vector<std::string> notes;
  const auto solver = find_gp_solver("subset").make(p, {.num_inducing = 20, .seed = 4}, notes);
  const GpProblem part = subset_of(p, random_rows(60, 20, 4));
  EXPECT_EQ(solver->evidence(theta, false).value,
            make_exact_solver(part)->evidence(theta, false).value);
  EXPECT_EQ(notes.size(), 1u);
}

}  // namespace
}  // namespace credo::models::gp_solvers_test
