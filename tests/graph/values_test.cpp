// Values of every row against an independent reference: the C library and Boost.Math in long double
// for elementwise rows, plain loops for the others. A row without a reference fails.
#include <set>

#include "graph/core/op.hpp"
#include "graph/core/special.hpp"
#include "graph/op_references.hpp"
#include "graph/ops/linear_algebra.hpp"

namespace credo::graph::values_test {
namespace {

// Rows whose reference is a loop in a test of its own, further down or in a file of its own.
const std::set<std::string_view> kByLoops{"broadcast",
                                          "cholesky",
                                          "cholesky_adjoint",
                                          "concat",
                                          "cumulative_sum",
                                          "determinant",
                                          "dot",
                                          "first_equal",
                                          "gather",
                                          "hypergeometric",
                                          "hypergeometric_by_shapes",
                                          "kalman_log_density",
                                          "kalman_score",
                                          "log_abs_determinant",
                                          "log_sum_exp_all",
                                          "lower_outer",
                                          "matmul",
                                          "matrix_exp",
                                          "max_element",
                                          "min_element",
                                          "order_places",
                                          "pack",
                                          "prod",
                                          "prod_others",
                                          "put",
                                          "qr",
                                          "row_dots",
                                          "scatter_add",
                                          "series_log_density",
                                          "series_score",
                                          "singular_values",
                                          "solve",
                                          "solve_lower",
                                          "sum",
                                          "sum_log1p_exp",
                                          "symmetric_eigen",
                                          "take"};

double computed(const Op& op, const Point& p) {
  const std::array<Expr, 3> in{static_cast<double>(p.a), static_cast<double>(p.b),
                               static_cast<double>(p.c)};
  return apply(op, std::span(in).first(static_cast<std::size_t>(op.arity))).value();
}
// What the row really gets: the points as doubles.
Point rounded(const Point& p) {
  return {static_cast<double>(p.a), static_cast<double>(p.b), static_cast<double>(p.c)};
}
std::vector<Point> points_of(std::string_view name, const Reference& reference) {
  if (name == "acosh") return {{1.2L, 0, 0}, {3.5L, 0, 0}, {40, 0, 0}};
  if (name == "log1m_exp") return {{-0.01L, 0, 0}, {-0.9L, 0, 0}, {-12, 0, 0}};
  return reference.points;
}
Real exact_at(std::string_view name, const Reference& reference, const Point& p) {
  if (name == "acosh") return std::acosh(p.a);
  if (name == "log1m_exp") return std::log(-std::expm1(p.a));
  return reference.exact(p);
}

bool agrees(const Op& op, const Reference& reference, const Point& point, double factor = 1.0) {
  const Point p = rounded(point);
  const Real exact = exact_at(op.name, reference, p);
  const Real found = static_cast<Real>(computed(op, p)) * factor;
  return std::abs(found - exact) <=
         static_cast<Real>(reference.tolerance) * std::max(std::abs(exact), Real(0.125));
}

TEST(values, of_every_elementwise_row_agree_with_the_reference) {
  for (const Op* op : op_table()) {
    if (op->kind != OpKind::elementwise) continue;
    const auto row = references().find(op->name);
    if (row == references().end()) {
      ADD_FAILURE() << op->name << " has no reference";
      continue;
    }
    for (const Point& p : points_of(op->name, row->second)) {
      EXPECT_TRUE(agrees(*op, row->second, p))
          << op->name << "(" << double(p.a) << ", " << double(p.b) << ", " << double(p.c)
          << ") = " << ::testing::PrintToString(computed(*op, p)) << ", reference "
          << ::testing::PrintToString(double(exact_at(op->name, row->second, rounded(p))));
    }
  }
}

TEST(values, of_every_general_row_have_a_loop) {
  for (const Op* op : op_table()) {
    const bool runs_routine = op->name.starts_with("routine");  // tests/graph/routine_test.cpp
    if (op->kind != OpKind::general || runs_routine) continue;
    EXPECT_TRUE(kByLoops.contains(op->name)) << op->name;
  }
}

// Power: a value that is off by 1e-7 of itself is rejected for every row, whatever its tolerance.
TEST(values, that_are_off_by_a_ten_millionth_are_rejected) {
  for (const auto& [name, reference] : references()) {
    const Op& op = *find_op(name);
    bool rejected = false;
    for (const Point& p : points_of(name, reference))
      rejected |= !agrees(op, reference, p, 1.0 + 1e-7);
    EXPECT_TRUE(rejected) << name;
  }
}

// ---- rows of containers

Expr vec(std::vector<double> values) { return constant(vector_shape(std::ssize(values)), values); }
Expr mat(Index rows, Index cols, std::vector<double> by_columns) {
  return constant(matrix_shape(rows, cols), by_columns);
}
std::vector<double> list(const Expr& x) { return {x.values().begin(), x.values().end()}; }

TEST(values, of_reductions_are_those_of_loops) {
  const Expr x = vec({1.5, -2.0, 4.0, 0.25}), y = vec({2.0, 3.0, -1.0, 8.0});
  EXPECT_EQ(sum(x).value(), 3.75);
  EXPECT_EQ(dot(x, y).value(), 3.0 - 6.0 - 4.0 + 2.0);
  EXPECT_EQ(prod(x).value(), -3.0);
  EXPECT_EQ(max_element(x).value(), 4.0);
  EXPECT_EQ(min_element(x).value(), -2.0);
  EXPECT_EQ(list(cumulative_sum(x)), (std::vector<double>{1.5, -0.5, 3.5, 3.75}));
  EXPECT_EQ(list(apply(*find_op("prod_others"), {x})),
            (std::vector<double>{-2.0, 1.5, -0.75, -12.0}));
  EXPECT_EQ(list(apply(*find_op("first_equal"), {vec({1, 7, 7}), 7.0})),
            (std::vector<double>{0, 1, 0}));
  const double exact = std::log(std::exp(1.5) + std::exp(-2.0) + std::exp(4.0) + std::exp(0.25));
  EXPECT_NEAR(log_sum_exp(x).value(), exact, 4e-15);
}

TEST(general_rows, dots_of_rows_have_the_bits_of_dot) {
  constexpr Index kRows = 11;
  for (const Index size : {1, 3, 8, 9, 17, 1500}) {
    std::vector<double> x, b;
    for (Index i = 0; i < kRows * size; ++i) x.push_back(std::sin(0.7 * double(i) + 1.0));
    for (Index i = 0; i < size; ++i) b.push_back(std::exp(std::cos(1.9 * double(i))));
    const Expr all = constant(matrix_shape(kRows, size), x),
               weights = constant(vector_shape(size), b);
    const Expr dots = row_dots(all, weights);
    for (Index i = 0; i < kRows; ++i) {
      std::vector<double> row;
      for (Index k = 0; k < size; ++k) row.push_back(x[static_cast<std::size_t>(k * kRows + i)]);
      EXPECT_EQ(dots.value(i), dot(constant(vector_shape(size), row), weights).value()) << size;
    }
  }
}

TEST(values, of_order_places_sort_with_equal_ones_kept_and_nan_last) {
  const Expr x = vec({1.5, -2.0, kNaN, 1.5, -0.0, 0.0, -kInfinity});
  EXPECT_EQ(list(order_places(x)), (std::vector<double>{6, 1, 4, 5, 0, 3, 2}));
  EXPECT_EQ(order_places(vec({})).size(), 0);
}

// 2F1(1, 1; 2; z) = -log(1 - z)/z; 2F1(a, b; b; z) = (1 - z)^-a, so by a it is -log(1 - z) of that;
// 2F1(2, -3; 1.7; z) is a polynomial of degree 3.
TEST(values, of_hypergeometric_series_are_closed_forms) {
  const double z = 0.6;
  EXPECT_NEAR(hypergeometric(vec({1, 1}), vec({2}), z).value(), -std::log1p(-z) / z, 1e-14);
  EXPECT_NEAR(hypergeometric(vec({}), vec({}), z).value(), std::exp(z), 1e-14);
  const double power = std::pow(1 - z, -1.3);
  const Expr by = apply(*find_op("hypergeometric_by_shapes"), {vec({1.3, 0.7}), vec({0.7}), z});
  EXPECT_NEAR(hypergeometric(vec({1.3, 0.7}), vec({0.7}), z).value(), power, 1e-14);
  EXPECT_NEAR(by.value(0), -std::log1p(-z) * power, 1e-13);
  EXPECT_NEAR(by.value(1), -by.value(2), 1e-13);
  double polynomial = 1.0, term = 1.0;
  for (int n = 0; n < 3; ++n) {
    term *= (2.0 + n) * (-3.0 + n) / (1.7 + n) * 4.0 / (n + 1.0);
    polynomial += term;
  }
  EXPECT_NEAR(hypergeometric(vec({2, -3}), vec({1.7}), 4.0).value(), polynomial, 1e-11);
  EXPECT_TRUE(std::isnan(hypergeometric(vec({1, 1}), vec({2}), 1.5).value()));
}

TEST(values, of_empty_containers_are_the_neutral_elements) {
  const Expr none = vec({});
  EXPECT_EQ(sum(none).value(), 0.0);
  EXPECT_EQ(dot(none, none).value(), 0.0);
  EXPECT_EQ(prod(none).value(), 1.0);
  EXPECT_EQ(max_element(none).value(), -kInfinity);
  EXPECT_EQ(min_element(none).value(), kInfinity);
  EXPECT_EQ(log_sum_exp(none).value(), -kInfinity);
  EXPECT_EQ(cumulative_sum(none).size(), 0);
  EXPECT_EQ(matmul(mat(2, 0, {}), mat(0, 1, {})).size(), 2);
  EXPECT_EQ(list(matmul(mat(2, 0, {}), mat(0, 1, {}))), (std::vector<double>{0, 0}));
  EXPECT_EQ(cholesky(mat(0, 0, {})).size(), 0);
}

TEST(values, of_reductions_let_nan_and_infinities_through) {
  const Expr broken = vec({1.0, kNaN, 3.0});
  for (const Expr& e :
       {sum(broken), dot(broken, broken), prod(broken), max_element(broken), min_element(broken),
        log_sum_exp(broken), cumulative_sum(broken).element(2)}) {
    EXPECT_TRUE(std::isnan(e.value()));
  }
  EXPECT_EQ(sum(vec({1.0, kInfinity})).value(), kInfinity);
  EXPECT_EQ(log_sum_exp(vec({1.0, kInfinity})).value(), kInfinity);
  EXPECT_EQ(log_sum_exp(vec({-kInfinity, 2.0})).value(), 2.0);
  EXPECT_TRUE(std::isnan(cholesky(mat(1, 1, {-1.0})).value()));
  EXPECT_TRUE(std::isnan(matmul(mat(1, 2, {1.0, kNaN}), vec({1.0, 1.0})).value()));
}

TEST(values, of_rows_that_move_elements_are_where_they_belong) {
  const Expr x = vec({5, 6, 7});
  EXPECT_EQ(list(gather(vector_shape(4), x, {2, 0, 0, 1})), (std::vector<double>{7, 5, 5, 6}));
  EXPECT_EQ(list(scatter_add(vector_shape(3), vec({1, 2, 4, 8}), {2, 0, 2, 1})),
            (std::vector<double>{2, 8, 5}));
  EXPECT_EQ(list(concat(vector_shape(5), std::array{x, vec({1, 2})})),
            (std::vector<double>{5, 6, 7, 1, 2}));
  EXPECT_EQ(list(pack(vector_shape(2), std::array{Expr(3.0), Expr(4.0)})),
            (std::vector<double>{3, 4}));
  EXPECT_EQ(list(broadcast(vector_shape(3), 2.5)), (std::vector<double>{2.5, 2.5, 2.5}));
  EXPECT_EQ(list(transpose(mat(2, 3, {1, 2, 3, 4, 5, 6}))),
            (std::vector<double>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(list(take(x, vec({2, 0, 0, 1}))), (std::vector<double>{7, 5, 5, 6}));
  EXPECT_EQ(list(put(vector_shape(3), vec({1, 2, 4, 8}), vec({2, 0, 2, 1}))),
            (std::vector<double>{2, 8, 5}));
  for (const double nowhere : {-1.0, 3.0, 0.5, kNaN, kInfinity}) {
    EXPECT_TRUE(std::isnan(take(x, nowhere).value()));
    EXPECT_EQ(list(put(vector_shape(2), vec({1}), vec({nowhere}))), (std::vector<double>{0, 0}));
  }
}

TEST(values, of_products_are_those_of_loops_in_all_four_forms) {
  const Expr a = mat(2, 3, {1, 2, 3, 4, 5, 6}), b = mat(3, 2, {2, 0, 1, -1, 3, 2});
  const std::vector<double> expected{1 * 2 + 3 * 0 + 5 * 1, 2 * 2 + 4 * 0 + 6 * 1, -1 + 9 + 10,
                                     -2 + 12 + 12};
  EXPECT_EQ(list(matmul(a, b)), expected);
  EXPECT_EQ(list(matmul(transpose(a), b, true, false)), expected);
  EXPECT_EQ(list(matmul(a, transpose(b), false, true)), expected);
  EXPECT_EQ(list(matmul(transpose(a), transpose(b), true, true)), expected);
}

TEST(values, of_factors_and_solves_undo_the_product) {
  const Expr l = mat(3, 3, {2, 0.5, -1, 0, 1.5, 0.25, 0, 0, 3});
  const Expr a = matmul(l, l, false, true);
  const Expr factor = cholesky(a), x = mat(3, 2, {1, 2, 3, -1, 0.5, 4});
  for (Index i = 0; i < 9; ++i) EXPECT_NEAR(factor.value(i), l.value(i), 1e-15);
  const Expr forward = solve_lower(l, matmul(l, x)),
             backward = solve_lower(l, matmul(l, x, true, false), true);
  for (Index i = 0; i < 6; ++i) {
    EXPECT_NEAR(forward.value(i), x.value(i), 1e-14);
    EXPECT_NEAR(backward.value(i), x.value(i), 1e-14);
  }
}

// The adjoint's S is symmetric and the lower triangle of S L is G; the row gives S/2 on the
// diagonal.
TEST(values, of_the_adjoint_of_a_factor_solve_its_equation) {
  const Expr l = mat(3, 3, {2, 0.5, -1, 0, 1.5, 0.25, 0, 0, 3}),
             g = mat(3, 3, {1, -2, 0.5, 0, 3, 1.5, 0, 0, -1});
  const Expr out = apply(*find_op("cholesky_adjoint"), {l, g}, {{3}, {}});
  const Expr product = matmul(out + transpose(out), l);
  for (Index j = 0; j < 3; ++j) {
    for (Index i = 0; i < 3; ++i) {
      const double found = i >= j ? product.value(i + 3 * j) : out.value(i + 3 * j);
      EXPECT_NEAR(found, i >= j ? g.value(i + 3 * j) : 0.0, 1e-14);
    }
  }
}

TEST(values, of_lower_outer_are_minus_the_products_below_the_diagonal) {
  const Expr a = mat(2, 1, {2, 3}), b = mat(2, 1, {5, 7});
  EXPECT_EQ(list(apply(*find_op("lower_outer"), {a, b}, {{2, 1}, {}})),
            (std::vector<double>{-10, -15, 0, -21}));
}

void expect_near(const Expr& found, const Expr& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (Index i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found.value(i), expected.value(i), tolerance) << i;
}
Expr diagonal_of(const Expr& values) {
  const Index n = values.size();
  std::vector<std::int32_t> index;
  for (Index i = 0; i < n; ++i) index.push_back(static_cast<std::int32_t>(i + i * n));
  return scatter_add(matrix_shape(n, n), values, std::move(index));
}

TEST(values, of_solves_and_determinants_are_those_of_two_by_two_formulas) {
  const Expr a = mat(2, 2, {3, 1, -2, 4}), b = mat(2, 2, {5, -1, 2, 7});  // determinant 14
  expect_near(matmul(a, solve(a, b)), b, 1e-14);
  expect_near(matmul(a, solve(a, b, true), true), b, 1e-14);
  EXPECT_NEAR(determinant(a).value(), 14.0, 1e-14);
  EXPECT_NEAR(log_abs_determinant(mat(2, 2, {0, 2, 3, 1})).value(), std::log(6.0), 1e-15);
  EXPECT_EQ(determinant(mat(0, 0, {})).value(), 1.0);
}

TEST(values, of_decompositions_multiply_back) {
  const Expr a = mat(3, 3, {4, 1, -0.5, 1, 2, 0.25, -0.5, 0.25, 1});
  const SymmetricEigen e = symmetric_eigen(a);
  expect_near(matmul(matmul(e.vectors, diagonal_of(e.values)), e.vectors, false, true), a, 1e-14);
  for (const Expr& b : {mat(3, 2, {1, 2, 3, -1, 0.5, 4}), mat(2, 3, {1, 2, 3, -1, 0.5, 4})}) {
    const SingularValues s = singular_values(b);
    expect_near(matmul(matmul(s.u, diagonal_of(s.values)), s.v, false, true), b, 1e-14);
    const QrFactors f = qr_factors(b);
    expect_near(matmul(f.q, f.r), b, 1e-14);
  }
}

// exp of [[0, -t], [t, 0]] is a rotation by t.
TEST(values, of_the_exponential_of_a_turn_is_the_rotation) {
  const double t = 2.5;
  expect_near(matrix_exp(mat(2, 2, {0, t, -t, 0})),
              mat(2, 2, {std::cos(t), std::sin(t), -std::sin(t), std::cos(t)}), 1e-14);
}

}  // namespace
}  // namespace credo::graph::values_test
