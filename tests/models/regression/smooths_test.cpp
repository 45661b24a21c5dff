// Bases of smooths and their penalties against R's mgcv, which tools/make_smooths.R has written down.
#include "models/regression/smooths/smooth_basis.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "io/file.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
const std::string kSources = CREDO_SOURCE_DIR;

struct Expected {
  std::string table, kind, columns, by;
  Index k = 0;
  std::vector<double> fixed, random, variances, fitted, new_values, predicted;
};

std::vector<Expected> expected_smooths() {
  std::ifstream file(kSources + "/tests/data/formula/smooths.txt");
  std::vector<Expected> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Expected one;
    std::string sign;
    words >> sign >> one.table >> one.kind >> one.k >> one.columns >> one.by;
    for (std::vector<double>* numbers : {&one.fixed, &one.random, &one.variances, &one.fitted,
                                         &one.new_values, &one.predicted}) {
      std::getline(file, line);
      std::istringstream row(line);
      for (double x = 0.0; row >> x;) numbers->push_back(x);
    }
    all.push_back(std::move(one));
  }
  return all;
}

std::map<std::string, std::vector<double>> table_of(const std::string& name) {
  std::istringstream file(io::read_file(
      kSources + (name == "mcycle" ? "/examples/regression/" : "/tests/data/formula/") + name +
      ".csv"));
  std::string line, cell;
  std::getline(file, line);
  std::vector<std::string> names;
  for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    for (const std::string& column : names) {
      std::getline(cells, cell, ',');
      columns[column].push_back(std::atof(cell.c_str()));
    }
  }
  return columns;
}

// A smooth of a table: the columns without a penalty, those of the random effects, and fixed vectors.
struct Smooth {
  Columns inputs;
  SmoothBasis basis;
  SmoothMap map;
  std::vector<double> y, by;
  DenseMatrix fixed, random, w;
};

Smooth smooth_of(const Expected& wanted) {
  const auto table = table_of(wanted.table);
  Smooth made;
  std::istringstream names(wanted.columns);
  for (std::string name; std::getline(names, name, ',');) made.inputs.push_back(table.at(name));
  made.y = table.at(wanted.table == "mcycle" ? "accel" : "y");
  const Index n = ssize(made.y);
  made.by.assign(made.y.size(), 1.0);
  if (wanted.by != "NA") made.by = table.at(wanted.by);
  made.basis = find_smooth_kind(wanted.kind)->make(made.inputs, wanted.k);
  made.map = smooth_map(made.basis, wanted.by == "NA");
  made.fixed = made.basis.columns * made.basis.lines;
  made.random = made.map.columns;
  for (DenseMatrix* columns : {&made.fixed, &made.random})
    for (Index j = 0; j < columns->cols; ++j)
      for (Index i = 0; i < n; ++i) (*columns)(i, j) *= made.by[static_cast<std::size_t>(i)];
  if (wanted.by != "NA") made.fixed = beside(DenseMatrix(n, 1, std::vector<double>(made.y.size(), 1.0)), made.fixed);
  made.w = DenseMatrix(n, 4);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<double>(i + 1);
    made.w(i, 0) = std::cos(at);
    made.w(i, 1) = std::sin(2.0 * at + 1.0);
    made.w(i, 2) = at / static_cast<double>(n);
    made.w(i, 3) = static_cast<double>((i + 1) % 3) - 1.0;
  }
  return made;
}

DenseMatrix projected(const DenseMatrix& columns, const DenseMatrix& w) {
  const DenseMatrix inverse = numerics::inverse_of_upper(numerics::triangular_factor(columns));
  return columns * (inverse * (transposed(inverse) * (transposed(columns) * w)));
}

std::vector<double> squared_norms(const DenseMatrix& a) {
  std::vector<double> all;
  for (Index j = 0; j < a.cols; ++j) {
    double square = 0.0;
    for (Index i = 0; i < a.rows; ++i) square += a(i, j) * a(i, j);
    all.push_back(square);
  }
  return all;
}

std::string name_of(const Expected& one) {
  return one.table + " " + one.kind + " " + std::to_string(one.k) + " " + one.columns + " " + one.by;
}

void expect_near(const std::vector<double>& own, const std::vector<double>& peer, double relative) {
  ASSERT_EQ(own.size(), peer.size());
  double size = 0.0;
  for (const double x : peer) size = std::max(size, std::abs(x));
  for (std::size_t k = 0; k < own.size(); ++k) EXPECT_NEAR(own[k], peer[k], relative * size) << k;
}

TEST(smooths, have_the_space_and_the_penalty_of_mgcvs) {
  const auto all = expected_smooths();
  ASSERT_GE(all.size(), 16u);
  for (const Expected& wanted : all) {
    SCOPED_TRACE(name_of(wanted));
    const Smooth own = smooth_of(wanted);
    // mgcv finds eigenvectors by Lanczos steps, to 1e-11 of the largest value. The value of the fortieth function is 1e-6 of that; R's
    // eigen() has 45.01498080 for the same product, as this basis has, where mgcv has 45.01498072.
    const double tolerance = wanted.k < 40 ? 1e-8 : 3e-7;
    expect_near(squared_norms(projected(own.fixed, own.w)), wanted.fixed, 1e-8);
    const DenseMatrix rest = own.w - projected(own.fixed, own.w);
    std::vector<double> random = squared_norms(transposed(own.random) * rest);
    for (double& x : random) x *= own.map.peer_units * own.map.peer_units;
    expect_near(random, wanted.random, tolerance);
  }
}

// With mgcv's smoothing parameter the posterior's mean solves a ridge regression, and it is mgcv's fit.
TEST(smooths, have_the_fit_of_mgcv_at_its_variances) {
  for (const Expected& wanted : expected_smooths()) {
    SCOPED_TRACE(name_of(wanted));
    const Smooth own = smooth_of(wanted);
    const DenseMatrix all = beside(own.fixed, own.map.peer_units * own.random);
    DenseMatrix ridge(all.cols - own.fixed.cols, all.cols);
    for (Index j = 0; j < ridge.rows; ++j)
      ridge(j, own.fixed.cols + j) = std::sqrt(wanted.variances[0]);
    const DenseMatrix inverse =
        numerics::inverse_of_upper(numerics::triangular_factor(above(all, ridge)));
    const DenseMatrix y(all.rows, 1, own.y);
    const DenseMatrix fit = all * (inverse * (transposed(inverse) * (transposed(all) * y)));
    expect_near((transposed(own.w) * fit).values, wanted.fitted, 1e-6);
  }
}

TEST(smooths, have_random_effects_of_unit_size_whose_sums_are_zero) {
  for (const Expected& wanted : expected_smooths()) {
    SCOPED_TRACE(name_of(wanted));
    const Smooth own = smooth_of(wanted);
    const double n = static_cast<double>(own.map.columns.rows);
    double square = 0.0;
    for (const double x : squared_norms(own.map.columns)) square += x;
    EXPECT_NEAR(square / n, 1.0, 1e-12);
    const DenseMatrix sums = transposed(own.basis.columns * own.basis.lines) * own.map.columns;
    for (const double sum : sums.values) EXPECT_NEAR(sum / n, 0.0, 1e-10);
  }
}

// Columns at other numbers by the formulas of the program: cubics have the second derivatives of their table, and lines beyond the knots.
TEST(smooths, are_lines_beyond_the_knots) {
  const auto table = table_of("mcycle");
  for (const char* kind : {"cr", "ps"}) {
    SCOPED_TRACE(kind);
    const SmoothBasis basis = find_smooth_kind(kind)->make({table.at("times")}, 10);
    const std::vector<double>& knots = basis.knots.values;
    const double last = knots.back(), h = 1e-4;
    const auto at = [&](std::vector<double> x) {
      return piecewise_cubics(x, knots, basis.tables[0].numbers, basis.tables[1].numbers);
    };
    const DenseMatrix beyond = at({last, last + 1.0, last + 5.0}),
                      near = at({last - h, last, last + h}),
                      inner = at({knots[3] - h, knots[3], knots[3] + h});
    for (Index c = 0; c < beyond.cols; ++c) {
      EXPECT_NEAR(beyond(2, c) - beyond(0, c), 5.0 * (beyond(1, c) - beyond(0, c)), 1e-10);
      EXPECT_NEAR(near(2, c) - near(1, c), near(1, c) - near(0, c), 1e-6);
      // The error of a second difference of a cubic is that of rounding, 1e-16 / h^2.
      EXPECT_NEAR((inner(0, c) - 2.0 * inner(1, c) + inner(2, c)) / (h * h),
                  basis.tables[1].numbers(3, c), 3e-4);
    }
  }
}

// More than 2,000 different values: the points are some of them, and the columns of all rows are those of the sums of radial functions.
TEST(smooths, of_many_values_have_a_part_of_them_as_points) {
  std::vector<double> x;
  for (int k = 0; k < 2400; ++k) x.push_back(std::fmod(0.6180339887 * k, 1.0));
  const SmoothBasis basis = find_smooth_kind("tp")->make({x}, 6);
  EXPECT_EQ(basis.knots.dims[0], 2000);
  const DenseMatrix& weights = basis.tables[0].numbers;
  const double mean = sample_mean(x);
  for (const std::size_t row : {0ul, 17ul, 1999ul, 2399ul})
    for (Index c = 0; c < basis.columns.cols; ++c) {
      double sum = weights(2000, c) + (x[row] - mean) * weights(2001, c);
      for (Index p = 0; p < 2000; ++p)
        sum += std::pow(std::abs(x[row] - mean - basis.knots.values[static_cast<std::size_t>(p)]), 3) /
               12.0 * weights(p, c);
      EXPECT_NEAR(sum, basis.columns(static_cast<Index>(row), c), 1e-8);
    }
}
}  // namespace
}  // namespace credo::models
