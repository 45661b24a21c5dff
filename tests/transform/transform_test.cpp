// What every constraint promises, over the table: inverse, log Jacobian, legal values, derivatives,
// sizes, extreme points, messages.
#include <gtest/gtest.h>

#include <filesystem>

#include "transform/evaluate.hpp"

namespace credo::transform::transform_test {
namespace {

// The elements of the value that are coordinates of the constrained space: the map from the free
// values to them has the stated Jacobian.
using Coordinates = std::vector<Index> (*)(const Shape& unit);

std::vector<Index> every(const Shape& unit) {
  std::vector<Index> result(static_cast<std::size_t>(unit.size()));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}
std::vector<Index> where(const Shape& unit, bool (*keep)(Index i, Index j, const Shape& unit)) {
  std::vector<Index> result;
  for (Index j = 0; j < unit.cols; ++j) {
    for (Index i = 0; i < unit.rows; ++i) {
      if (keep(i, j, unit)) result.push_back(i + j * unit.rows);
    }
  }
  return result;
}
std::vector<Index> but_last_row(const Shape& unit) {
  return where(unit, [](Index i, Index, const Shape& u) { return i < u.rows - 1; });
}
std::vector<Index> but_last_column(const Shape& unit) {
  return where(unit, [](Index, Index j, const Shape& u) { return j < u.cols - 1; });
}
std::vector<Index> below_diagonal(const Shape& unit) {
  return where(unit, [](Index i, Index j, const Shape&) { return i > j; });
}
std::vector<Index> from_diagonal(const Shape& unit) {
  return where(unit, [](Index i, Index j, const Shape&) { return i >= j; });
}

struct Setting {
  Case c;
  Coordinates coordinates;  // null: no square map
};

Case make(std::string_view name, Shape unit, Numbers first = {}, Numbers second = {}) {
  return {.name = std::string(name) + to_string(unit),
          .transform = find(name),
          .unit = unit,
          .first = std::move(first),
          .second = std::move(second)};
}

std::vector<Setting> settings() {
  const auto vector = [](Index n) { return graph::vector_shape(n); };
  const auto matrix = [](Index m, Index n) { return graph::matrix_shape(m, n); };
  const double inf = kInfinity;
  return {
      {make("bounds", {}, {-1.5}), every},
      {make("bounds", vector(3), {}, {2.0}), every},
      {make("bounds", matrix(2, 3), {-1.0}, {0.25}), every},
      {make("bounds", vector(4), {-inf, 0.5, -1.0, -inf}, {inf, inf, 3.0, 2.0}), every},
      {make("bounds", vector(2), {-inf}, {inf}), every},
      {make("affine", vector(3), {0.7}, {2.5}), every},
      {make("affine", vector(2), {}, {0.3, 4.0}), every},
      {make("affine", {3, 2, 1}, {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}), every},
      {make("ordered", vector(4)), every},
      {make("ordered", vector(1)), every},
      {make("positive_ordered", vector(5)), every},
      {make("simplex", vector(2)), but_last_row},
      {make("simplex", vector(5)), but_last_row},
      {make("unit_vector", vector(4)), nullptr},
      {make("sum_to_zero_vector", vector(6)), nullptr},
      {make("sum_to_zero_matrix", matrix(3, 4)), nullptr},
      {make("column_stochastic_matrix", matrix(3, 2)), but_last_row},
      {make("row_stochastic_matrix", matrix(2, 4)), but_last_column},
      {make("cholesky_factor_corr", matrix(4, 4)), below_diagonal},
      {make("corr_matrix", matrix(4, 4)), below_diagonal},
      {make("cholesky_factor_cov", matrix(5, 3)), from_diagonal},
      {make("cov_matrix", matrix(3, 3)), from_diagonal},
  };
}

Numbers free_point(Index size, unsigned seed) {
  Numbers y;
  for (Index i = 0; i < size; ++i) {
    seed = seed * 1664525u + 1013904223u;
    y.push_back(static_cast<double>(seed >> 8) / static_cast<double>(1u << 24) * 4.0 - 2.0);
  }
  return y;
}

double largest_difference(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return kInfinity;
  double result = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) result = std::max(result, std::fabs(a[i] - b[i]));
  return result;
}

// d value[row] / d free, one row a coordinate, by the graph's own derivatives (which are compared
// with the reference records and with differences elsewhere).
std::vector<Numbers> jacobian(TracedCase& traced, const Numbers& at,
                              std::span<const Index> coordinates) {
  std::vector<Numbers> rows;
  for (const Index k : coordinates) {
    rows.push_back(traced.run(traced.gradient(traced.result().value.element(k)), at));
  }
  return rows;
}

double log_abs_determinant(std::vector<Numbers> a) {
  double result = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < a.size(); ++i) {
      if (std::fabs(a[i][k]) > std::fabs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    result += std::log(std::fabs(a[k][k]));
    for (std::size_t i = k + 1; i < a.size(); ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < a.size(); ++j) a[i][j] -= factor * a[k][j];
    }
  }
  return result;
}

// |log_jacobian - log |det|| at three points; the claim that a mutant must break.
double jacobian_error(const Setting& s) {
  double worst = 0.0;
  for (const unsigned seed : {1u, 2u, 3u}) {
    const Numbers y = free_point(s.c.free_size(), seed);
    TracedCase traced(s.c);
    const double stated = traced.run(traced.result().log_jacobian, y)[0];
    const double exact = log_abs_determinant(jacobian(traced, y, s.coordinates(s.c.unit)));
    worst = std::max(worst, std::fabs(stated - exact));
  }
  return worst;
}

// Rounding of a determinant of at most 12 columns with entries of size 1 to 100.
constexpr double kDeterminantTolerance = 1e-11;

TEST(transform, log_jacobian_is_the_log_determinant) {
  for (const Setting& s : settings()) {
    if (s.coordinates == nullptr) continue;
    EXPECT_LT(jacobian_error(s), kDeterminantTolerance) << s.c.name;
  }
}

TEST(transform, a_map_without_its_jacobian_is_rejected) {
  static const Transform& simplex = *find("simplex");
  Transform mutant = simplex;
  mutant.constrain = [](const Expr& free, const Shape& unit, const Bounds& bounds) {
    return Constrained{simplex.constrain(free, unit, bounds).value, 0.0};
  };
  Case c = make("simplex", graph::vector_shape(4));
  c.transform = &mutant;
  EXPECT_GT(jacobian_error({c, but_last_row}), 0.1);
}

TEST(transform, sum_to_zero_maps_are_orthonormal) {
  for (const Case& c : {make("sum_to_zero_vector", graph::vector_shape(6)),
                        make("sum_to_zero_matrix", graph::matrix_shape(3, 4))}) {
    TracedCase traced(c);
    const auto rows = jacobian(traced, free_point(c.free_size(), 1), every(c.unit));
    for (Index a = 0; a < c.free_size(); ++a) {
      for (Index b = 0; b < c.free_size(); ++b) {
        double dot = 0.0;
        for (const Numbers& row : rows) {
          dot += row[static_cast<std::size_t>(a)] * row[static_cast<std::size_t>(b)];
        }
        EXPECT_NEAR(dot, a == b ? 1.0 : 0.0, 1e-14) << c.name;
      }
    }
    EXPECT_EQ(traced.run(traced.result().log_jacobian, free_point(c.free_size(), 1))[0], 0.0);
  }
}

// exp(-|y|^2 / 2) is the weight that makes |y| a chi variable whatever the direction.
TEST(transform, unit_vector_weighs_the_length_only) {
  const Case c = make("unit_vector", graph::vector_shape(3));
  TracedCase traced(c);
  EXPECT_NEAR(traced.run(traced.result().log_jacobian, {1.0, 2.0, 3.0})[0], -7.0, 1e-14);
  const Numbers same = traced.run(traced.result().value, {2.0, 4.0, 6.0});
  EXPECT_LT(largest_difference(traced.run(traced.result().value, {1.0, 2.0, 3.0}), same), 1e-15);
}

TEST(transform, unconstrain_undoes_constrain) {
  for (const Setting& s : settings()) {
    for (const unsigned seed : {4u, 5u}) {
      const Numbers y = free_point(s.c.free_size(), seed);
      TracedCase traced(s.c);
      const Numbers x = traced.run(traced.result().value, y);
      const auto back = s.c.transform->unconstrain(x, s.c.unit, constant_bounds(s.c));
      ASSERT_TRUE(back) << s.c.name << ": " << back.error();
      // differences of neighbouring elements lose about |x| / exp(y) = 1e2 units of rounding
      const Numbers expected = s.c.transform == find("unit_vector") ? x : y;
      EXPECT_LT(largest_difference(*back, expected), 1e-12) << s.c.name;
      EXPECT_LT(largest_difference(traced.run(traced.result().value, *back), x), 1e-13) << s.c.name;
    }
  }
}

TEST(transform, a_constrained_value_is_legal) {
  for (const Setting& s : settings()) {
    TracedCase traced(s.c);
    const Numbers y = free_point(s.c.free_size(), 6);
    EXPECT_EQ(check_value(s.c, traced.run(traced.result().value, y)), "") << s.c.name;
    EXPECT_EQ(check_requirements(s.c, y), "") << s.c.name;
  }
}

// Central differences of the gradient of a scalar of value and log Jacobian, step 1e-5: truncation
// about 1e-10, rounding about 1e-11, times derivatives of size up to 1e3.
TEST(transform, second_derivatives_are_differences_of_first) {
  for (const Setting& s : settings()) {
    TracedCase traced(s.c);
    Numbers weights(static_cast<std::size_t>(s.c.unit.size()));
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.3 + 0.2 * double(i % 4);
    const Expr scalar = graph::sin(traced.weighted(weights)) + traced.result().log_jacobian;
    const Numbers y = free_point(s.c.free_size(), 7);
    const Numbers direction = free_point(s.c.free_size(), 8);
    const Expr gradient = traced.gradient(scalar);
    const Expr d = graph::constant(graph::vector_shape(ssize(direction)), direction);
    const Expr product = graph::hessian_vector(traced.graph(), scalar, traced.input(), d);
    const Numbers exact = traced.run(product, y);
    constexpr double kStep = 1e-5;
    Numbers up = y, down = y;
    for (std::size_t i = 0; i < y.size(); ++i) {
      up[i] += kStep * direction[i], down[i] -= kStep * direction[i];
    }
    const Numbers high = traced.run(gradient, up), low = traced.run(gradient, down);
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_NEAR(exact[i], (high[i] - low[i]) / (2.0 * kStep), 1e-6 * (1.0 + std::fabs(exact[i])))
          << s.c.name;
    }
  }
}

bool all_finite(const Numbers& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

void expect_finite(const Case& c, const Numbers& free) {
  TracedCase traced(c);
  const Numbers y = traced.inputs(free);
  EXPECT_TRUE(all_finite(traced.run(traced.result().value, y))) << c.name;
  EXPECT_TRUE(all_finite(traced.run(traced.result().log_jacobian, y))) << c.name;
  EXPECT_TRUE(all_finite(traced.run(traced.gradient(traced.result().log_jacobian), y))) << c.name;
  const Numbers weights(static_cast<std::size_t>(c.unit.size()), 1.0);
  EXPECT_TRUE(all_finite(traced.run(traced.gradient(traced.weighted(weights)), y))) << c.name;
}

Numbers alternating(Index size, double value) {
  Numbers y;
  for (Index i = 0; i < size; ++i) y.push_back(i % 2 == 0 ? value : -value);
  return y;
}

TEST(transform, bounded_values_stay_finite_far_out) {
  const auto vector = graph::vector_shape(4);
  const auto matrix = graph::matrix_shape(4, 4);
  for (const Case& c :
       {make("bounds", vector, {-1.0}, {2.0}), make("simplex", vector),
        make("column_stochastic_matrix", matrix), make("corr_matrix", matrix),
        make("row_stochastic_matrix", matrix), make("cholesky_factor_corr", matrix)}) {
    expect_finite(c, alternating(c.free_size(), 1e4));
    expect_finite(c, alternating(c.free_size(), -1e4));
  }
}

TEST(transform, exponentials_stay_finite_up_to_their_range) {
  for (const double far : {700.0, -700.0}) {
    expect_finite(make("bounds", graph::vector_shape(4), {1.0}), alternating(4, far));
    expect_finite(make("ordered", graph::vector_shape(4)), alternating(4, far));
    expect_finite(make("positive_ordered", graph::vector_shape(4)), alternating(4, far));
  }
  const Case infinite_sides =
      make("bounds", graph::vector_shape(2), {0.0, -kInfinity}, {1.0, kInfinity});
  Case symbolic = infinite_sides;
  symbolic.symbolic_bounds = true;
  expect_finite(infinite_sides, {2000.0, 2000.0});  // what isn't selected must not overflow
  expect_finite(symbolic, {2000.0, 2000.0});
}

TEST(transform, far_log_jacobians_keep_their_digits) {
  const Case both = make("bounds", {}, {0.0}, {1.0});
  TracedCase traced(both);
  EXPECT_DOUBLE_EQ(traced.run(traced.result().log_jacobian, {-800.0})[0], -800.0);
  EXPECT_DOUBLE_EQ(traced.run(traced.result().log_jacobian, {800.0})[0], -800.0);
  const Case corr = make("cholesky_factor_corr", graph::matrix_shape(2, 2));
  TracedCase far(corr);
  // 2 log sech(20) = 2 (log 2 - 20) to rounding
  EXPECT_DOUBLE_EQ(far.run(far.result().log_jacobian, {20.0})[0], 2.0 * (std::log(2.0) - 20.0));
}

TEST(transform, known_and_symbolic_bounds_give_the_same) {
  for (const Setting& s : settings()) {
    if (!s.c.transform->elementwise) continue;
    Case symbolic = s.c;
    symbolic.symbolic_bounds = true;
    TracedCase one(s.c), two(symbolic);
    const Numbers y = free_point(s.c.free_size(), 9);
    EXPECT_LT(largest_difference(one.run(one.result().value, y),
                                 two.run(two.result().value, two.inputs(y))),
              1e-15 * 10.0)
        << s.c.name;  // 10: the largest value
    EXPECT_NEAR(one.run(one.result().log_jacobian, y)[0],
                two.run(two.result().log_jacobian, two.inputs(y))[0], 1e-14);
  }
}

TEST(transform, known_bounds_of_one_kind_need_no_selection) {
  TracedCase traced(make("bounds", graph::vector_shape(3), {0.0}));
  EXPECT_EQ(dump(traced.graph()).find("select"), std::string::npos);
}

TEST(transform, sizes_zero_and_one) {
  const auto vector = graph::vector_shape(0);
  for (const Case& c :
       {make("ordered", vector), make("positive_ordered", vector), make("bounds", vector, {0.0}),
        make("affine", vector, {0.0}, {2.0}), make("cov_matrix", graph::matrix_shape(0, 0)),
        make("cholesky_factor_cov", graph::matrix_shape(0, 0)),
        make("column_stochastic_matrix", graph::matrix_shape(2, 0))}) {
    TracedCase traced(c);
    EXPECT_EQ(c.free_size(), 0) << c.name;
    EXPECT_EQ(traced.result().value.size(), 0) << c.name;
    EXPECT_EQ(traced.run(traced.result().log_jacobian, {})[0], 0.0) << c.name;
    EXPECT_EQ(check_value(c, {}), "") << c.name;
    EXPECT_TRUE(c.transform->legal_shape == nullptr || c.transform->legal_shape(c.unit)) << c.name;
  }
}

TEST(transform, units_of_one_element_are_constants) {
  const Shape one = graph::matrix_shape(1, 1);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string_view, double>>{{"simplex", 1.0},
                                                        {"sum_to_zero_vector", 0.0},
                                                        {"sum_to_zero_matrix", 0.0},
                                                        {"corr_matrix", 1.0},
                                                        {"cholesky_factor_corr", 1.0},
                                                        {"column_stochastic_matrix", 1.0},
                                                        {"row_stochastic_matrix", 1.0}}) {
    const Case c = make(name, one);
    TracedCase traced(c);
    EXPECT_EQ(c.free_size(), 0) << name;
    EXPECT_EQ(traced.run(traced.result().value, {}), Numbers{value}) << name;
    EXPECT_EQ(traced.run(traced.result().log_jacobian, {})[0], 0.0) << name;
    EXPECT_EQ(check_value(c, {value}), "") << name;
    const auto free = c.transform->unconstrain(Numbers{value}, one, {});
    ASSERT_TRUE(free) << name;
    EXPECT_TRUE(free->empty()) << name;
  }
}

TEST(transform, shapes_without_a_value_are_illegal) {
  for (const auto name : {"simplex", "unit_vector", "sum_to_zero_vector"}) {
    EXPECT_FALSE(find(name)->legal_shape(graph::vector_shape(0))) << name;
  }
  EXPECT_FALSE(find("cholesky_factor_cov")->legal_shape(graph::matrix_shape(2, 3)));
  EXPECT_FALSE(find("corr_matrix")->legal_shape(graph::matrix_shape(2, 3)));
  EXPECT_FALSE(find("row_stochastic_matrix")->legal_shape(graph::matrix_shape(2, 0)));
}

struct Wrong {
  Case c;
  Numbers value;
  std::string_view says;  // part of what unconstrain answers
};

TEST(transform, broken_values_are_named) {
  const auto v2 = graph::vector_shape(2);
  const auto m2 = graph::matrix_shape(2, 2);
  const std::vector<Wrong> list = {
      {make("bounds", v2, {0.5}), {1.0, 0.2}, "element 2 is 0.2, but must be at least 0.5"},
      {make("bounds", v2, {}, {0.5}), {0.7, 0.2}, "element 1 is 0.7, but must be at most 0.5"},
      {make("bounds", v2, {0.0}), {1.0, kNaN}, "element 2 is nan"},
      {make("ordered", v2), {1.0, 1.0}, "must be greater than the one before it"},
      {make("positive_ordered", v2), {-1.0, 1.0}, "the first element is -1"},
      {make("simplex", v2), {0.5, 0.6}, "sum of the elements is 1.1, but must be 1"},
      {make("simplex", v2), {-0.5, 1.5}, "an element is -0.5, but must be at least 0"},
      {make("simplex", v2), {0.0, 1.0}, "element 1 is 0, but must be positive"},
      {make("unit_vector", v2), {1.0, 1.0}, "sum of the squared elements is 2"},
      {make("sum_to_zero_vector", v2), {1.0, 1.0}, "sum of the elements is 2, but must be 0"},
      {make("sum_to_zero_matrix", m2), {1.0, -1.0, 1.0, -1.0}, "sum of a row is -2"},
      {make("column_stochastic_matrix", m2), {0.5, 0.5, 0.5, 0.6}, "in column 2, sum of"},
      {make("row_stochastic_matrix", m2), {0.5, 0.5, 0.5, 0.6}, "in row 2, sum of"},
      {make("cholesky_factor_corr", m2), {1.0, 0.5, 0.0, 0.5}, "sum of the squares of a row is"},
      {make("cholesky_factor_cov", m2), {1.0, 0.5, 0.1, 0.5}, "element above the diagonal is 0.1"},
      {make("cholesky_factor_cov", m2), {1.0, 0.5, 0.0, -0.5}, "an element of the diagonal is"},
      {make("corr_matrix", m2), {1.0, 0.5, 0.4, 1.0}, "difference of two opposite elements is"},
      {make("corr_matrix", m2), {1.0, 0.5, 0.5, 2.0}, "an element of the diagonal is 2"},
      {make("cov_matrix", m2), {1.0, 2.0, 2.0, 1.0}, "must be positive (positive definite)"},
  };
  for (const Wrong& w : list) {
    const auto free = w.c.transform->unconstrain(w.value, w.c.unit, constant_bounds(w.c));
    ASSERT_FALSE(free) << w.c.name << " takes " << w.says;
    EXPECT_NE(free.error().find(w.says), std::string::npos) << free.error();
  }
}

TEST(transform, requirements_on_bounds_and_free_values_are_kept) {
  const auto v2 = graph::vector_shape(2);
  EXPECT_NE(check_requirements(make("bounds", v2, {1.0}, {2.0, 0.5}), {0.0, 0.0}), "");
  EXPECT_NE(check_requirements(make("bounds", {}, {1.0}, {1.0}), {0.0}), "");
  EXPECT_NE(check_requirements(make("affine", v2, {}, {0.0}), {0.0, 0.0}), "");
  EXPECT_NE(check_requirements(make("affine", v2, {kInfinity}, {}), {0.0, 0.0}), "");
  EXPECT_NE(check_requirements(make("affine", v2, {}, {kInfinity}), {0.0, 0.0}), "");
  EXPECT_NE(check_requirements(make("unit_vector", v2), {0.0, 0.0}), "");
}

TEST(transform, checks_follow_the_tolerances) {
  const auto v2 = graph::vector_shape(2);
  EXPECT_EQ(check_value(make("simplex", v2), {0.5, 0.5 + 0.9e-8}), "");
  EXPECT_NE(check_value(make("simplex", v2), {0.5, 0.5 + 1.1e-8}), "");
  EXPECT_NE(check_value(make("simplex", v2), {-1e-12, 1.0}), "");
  EXPECT_EQ(check_value(make("bounds", v2, {0.0}, {1.0}), {0.0, 1.0}), "");
  EXPECT_NE(check_value(make("bounds", v2, {0.0}), {0.0, kNaN}), "");
  EXPECT_EQ(check_value(make("positive_ordered", v2), {0.0, 1.0}), "");
  EXPECT_EQ(check_value(make("corr_matrix", graph::matrix_shape(2, 2)), {1, 0.5, 0.5 + 5e-9, 1}),
            "");
}

TEST(transform, every_file_has_its_row_and_rows_are_sorted) {
  std::vector<std::string> files, rows;
  for (const auto& entry : std::filesystem::directory_iterator(CREDO_SOURCE_DIR "/src/transform")) {
    const std::string stem = entry.path().stem().string();
    const bool is_row =
        entry.path().extension() == ".cpp" && stem != "table" && stem.substr(0, 5) != "parts";
    if (is_row) files.push_back(stem);
  }
  for (const Transform* row : table()) rows.emplace_back(row->name);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  std::sort(files.begin(), files.end());
  EXPECT_EQ(files, rows);
  for (const auto& name : rows) {
    const auto list = settings();
    EXPECT_TRUE(std::any_of(list.begin(), list.end(),
                            [&](const Setting& s) { return s.c.transform == find(name); }))
        << name << " has no setting in this suite";
  }
}

}  // namespace
}  // namespace credo::transform::transform_test
