// t2(x, z): its span is that of mgcv's (tools/make_tensor_reference.R), and a row alone has the columns that it has within the table.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "io/file.hpp"
#include "support/command_run.hpp"
#include "support/regression_model.hpp"

namespace credo::cli::regression_tensor_test {
namespace {
using testing::regression_model;
using Columns = std::vector<std::vector<double>>;

std::string smooth_table() { return io::read_file(CREDO_SOURCE_DIR "/tests/data/formula/smooth.csv"); }

// The linear predictor of predictions for a table, for each unit vector of the parameters (standard deviations are 1).
Columns predictor_columns(const models::Regression& made, const std::string& table) {
  models::FormulaFaults faults;
  const auto prediction = models::make_prediction(
      made, {.files = {"new.csv"}}, models::NewLevels::draw,
      [&](const std::string&) -> const std::string& { return table; }, faults);
  EXPECT_EQ(faults.text(""), "");
  const auto model = model::model_from(prediction.program, prediction.data);
  const auto& outputs = model->draw_outputs();
  const std::vector<std::string> names = model->outputs().element_names();
  Columns all;
  for (Index d = 0; d < model->dimension(); ++d) {
    std::vector<double> point(static_cast<std::size_t>(model->dimension()), 0.0), column;
    point[static_cast<std::size_t>(d)] = 1.0;
    Rng rng({.seed = 1});
    const std::vector<double> row = outputs.write(point, rng);
    for (std::size_t k = 0; k < names.size(); ++k)
      if (names[k].starts_with("linear")) column.push_back(row[k]);
    if (std::ranges::any_of(column, [](double v) { return v != 0.0; }))
      all.push_back(std::move(column));
  }
  return all;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
// An orthonormal basis, by Gram-Schmidt twice.
Columns orthonormal(Columns all) {
  for (std::size_t j = 0; j < all.size(); ++j) {
    for (int time = 0; time < 2; ++time) {
      for (std::size_t i = 0; i < j; ++i) {
        const double along = dot(all[i], all[j]);
        for (std::size_t n = 0; n < all[j].size(); ++n) all[j][n] -= along * all[i][n];
      }
      const double length = std::sqrt(dot(all[j], all[j]));
      for (double& v : all[j]) v /= length;
    }
  }
  return all;
}
// Squared norms of four fixed vectors projected on the span.
std::array<double, 4> projections(const Columns& basis) {
  std::array<double, 4> sums{};
  const std::size_t size = basis[0].size();
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<double> w;
    for (std::size_t n = 1; n <= size; ++n) {
      const auto j = static_cast<double>(n);
      w.push_back(k == 0   ? std::cos(j)
                  : k == 1 ? std::sin(2.0 * j + 1.0)
                  : k == 2 ? j / static_cast<double>(size)
                           : static_cast<double>(n % 3) - 1.0);
    }
    for (const std::vector<double>& column : basis) sums[k] += std::pow(dot(w, column), 2);
  }
  return sums;
}

TEST(regression_tensors, span_the_space_of_mgcv) {
  struct Peer {
    std::string formula;
    std::size_t number;
    std::array<double, 4> squares;
  };
  for (const Peer& peer :
       {Peer{"y ~ t2(x, z)",
             24,
             {60.6335490555972, 14.0437896989984, 100.98326372458, 9.55125299504987}},
        Peer{"y ~ t2(x, z, k = 6, bs = \"ps\")",
             35,
             {63.0537660772678, 18.2945678495701, 101.223536492916, 19.4187552557616}},
        Peer{"y ~ t2(x, z, k = 4, bs = \"tp\")",
             15,
             {60.5387250985728, 5.97801082809832, 100.718391464202, 0.771912220924511}}}) {
    SCOPED_TRACE(peer.formula);
    const auto made = regression_model(peer.formula, {{"t.csv", smooth_table()}});
    ASSERT_EQ(made.faults, "");
    Columns columns = predictor_columns(made.regression, smooth_table());
    ASSERT_EQ(columns.size(), peer.number + 1);  // and the intercept
    const std::array<double, 4> found = projections(orthonormal(columns));
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(found[k], peer.squares[k], 1e-8 * (1.0 + peer.squares[k]));
    columns.pop_back();  // a span without one of the products
    const std::array<double, 4> less = projections(orthonormal(columns));
    double worst = 0.0;
    for (std::size_t k = 0; k < 4; ++k)
      worst = std::max(worst, std::abs(less[k] - peer.squares[k]));
    EXPECT_GT(worst, 1e-4);
  }
}

// Deviations have the mean 0, and the mean square 1 with standard normal coefficients, in each of the three parts.
TEST(regression_tensors, have_parts_of_unit_size) {
  const auto made = regression_model("y ~ t2(x, z)", {{"t.csv", smooth_table()}});
  const Columns columns = predictor_columns(made.regression, smooth_table());
  std::size_t first = 4;  // behind the intercept and three lines
  for (const std::size_t size : {6u, 6u, 9u}) {
    double square = 0.0;
    for (std::size_t j = first; j < first + size; ++j) {
      double sum = 0.0;
      for (const double v : columns[j]) sum += v, square += v * v;
      EXPECT_NEAR(sum, 0.0, 1e-9);
    }
    EXPECT_NEAR(square / 400.0, 1.0, 1e-9);
    first += size;
  }
}

TEST(regression_tensors, give_a_row_alone_the_columns_of_the_table) {
  const auto made = regression_model("y ~ t2(x, z, bs = \"tp\")", {{"t.csv", smooth_table()}});
  const std::string table = smooth_table();
  const Columns whole = predictor_columns(made.regression, table);
  std::size_t begin = table.find('\n') + 1;
  const std::string header = table.substr(0, begin);
  for (std::size_t n = 0; n < 400; ++n) {
    const std::size_t end = table.find('\n', begin) + 1;
    if (n % 57 == 0) {
      const Columns alone =
          predictor_columns(made.regression, header + table.substr(begin, end - begin));
      ASSERT_EQ(alone.size(), whole.size());
      for (std::size_t j = 0; j < whole.size(); ++j)
        EXPECT_NEAR(alone[j][0], whole[j][n], 1e-12 * (1.0 + std::abs(whole[j][n])));
    }
    begin = end;
  }
}

TEST(regression_tensors, refuse_what_makes_no_sense) {
  const auto expect = [](const std::string& formula, const std::string& part) {
    const auto made = regression_model(formula, {{"t.csv", smooth_table()}});
    EXPECT_NE(made.faults.find(part), made.faults.npos) << formula << "\n" << made.faults;
  };
  expect("y ~ t2(x)", "t2() is of two columns");
  expect("y ~ t2(x, z, bs = \"cc\")", "t2() has no smooths cc of its columns");
  expect("y ~ t2(x, z, k = 2)", "each column has 3 functions or more");
  expect("y ~ t2(x, z, by = g)", "t2() has no option by");
  expect("y ~ x + t2(x, z)", "x has a coefficient already");
  expect("y ~ t2(x, g)", "g has texts");
}

class TensorRun : public testing::CommandRun {
 protected:
  TensorRun() : CommandRun("regression_tensor") {}
};

// The surface that made the table: sin(x) + z^2 / 10 beside what the other columns explain.
TEST_F(TensorRun, finds_the_surface_of_a_table) {
  write("t.csv", smooth_table());
  ASSERT_EQ(run({"regression", "y ~ t2(x, z, k = 7) + g", "--data", at("t.csv"), "--seed", "1",
                 "--chains", "2", "--warmup", "150", "--draws", "60", "--quiet", "-o",
                 at("fit.nc")}) &
                ~8,
            0)
      << said();
  write("new.csv", "x,z,g\n1.6,2,a\n4.7,2,a\n1.6,4,a\n");
  const auto rows = json({"predict", at("fit.nc"), "--data", at("new.csv"), "--scale", "linear",
                          "--seed", "2"});
  const auto m = [&](std::size_t k) { return rows.items[k].at("mean").number; };
  EXPECT_NEAR(m(0) - m(1), 2.0, 0.6);  // sin(1.6) - sin(4.7), which seven knots flatten
  EXPECT_NEAR(m(2) - m(0), 1.2, 0.3);  // 0.1 (16 - 4)
  EXPECT_EQ(json({"loo", at("fit.nc")}).at("rows").items.size(), 400u);
  EXPECT_EQ(run({"ppc", at("fit.nc"), "--replicates", "250", "--seed", "3"}) & ~8, 0) << said();
}
}  // namespace
}  // namespace credo::cli::regression_tensor_test
