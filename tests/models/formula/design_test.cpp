// Columns of formulas against R's model.matrix, which tools/make_formula_designs.R has written down.
#include "models/formula/design.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"
#include "io/file.hpp"

namespace credo::models {
namespace {
const std::string kFolder = std::string(CREDO_SOURCE_DIR) + "/tests/data/formula/";

struct Expected {
  std::string table, formula;
  Index rank = 0;
  std::vector<double> projected;
  std::vector<std::string> names;
  std::vector<std::array<double, 3>> sums;
};

std::vector<Expected> expected_designs() {
  std::ifstream file(kFolder + "designs.txt");
  std::vector<Expected> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    if (line.starts_with("= ")) {
      Expected one;
      std::string sign;
      words >> sign >> one.table >> std::ws;
      std::getline(words, one.formula);
      std::getline(file, line);
      std::istringstream numbers(line);
      numbers >> one.rank;
      for (double x = 0.0; numbers >> x;) one.projected.push_back(x);
      all.push_back(one);
      continue;
    }
    std::array<double, 3> sums{};
    std::string name;
    words >> sums[0] >> sums[1] >> sums[2] >> std::ws;
    std::getline(words, name);
    all.back().sums.push_back(sums);
    all.back().names.push_back(name);
  }
  return all;
}

struct Read {
  Columns columns;
  std::vector<std::string> names;
  Index num_rows = 0;
};

Read design_of(const std::string& path, const std::string& text) {
  const std::map<std::string, std::string> texts{{path, io::read_file(path)}};
  const io::DataTable table = io::read_data(io::DataRecipe{.files = {path}}.text(), texts);
  FormulaFaults faults;
  ProgramNames names([](const std::string&) { return true; });
  Frame frame(table, names, faults);
  const Formula formula = parse_formula(text, faults);
  EXPECT_TRUE(faults.empty()) << faults.text(text);
  const TermList terms = read_terms(formula.parts[0].right, frame.column_names(), faults);
  EXPECT_TRUE(frame.use(*formula.parts[0].left, ColumnRole::number));
  EXPECT_TRUE(use_terms(terms, frame)) << faults.text(text);
  io::DataTable rows =
      io::read_data(io::DataRecipe{.files = {path}, .columns = frame.column_uses()}.text(), texts);
  frame.set_rows(io::settled(std::move(rows), {}));
  StanParts parts;
  const Design design = make_design(terms, frame, parts);
  EXPECT_TRUE(faults.empty()) << faults.text(text);
  return {design.all_columns(frame.num_rows()), design.all_names(), frame.num_rows()};
}

std::vector<std::vector<double>> fixed_vectors(Index n) {
  std::vector<std::vector<double>> all(4);
  for (Index i = 1; i <= n; ++i) {
    const auto x = static_cast<double>(i);
    all[0].push_back(std::cos(x));
    all[1].push_back(std::sin(2.0 * x + 1.0));
    all[2].push_back(x / static_cast<double>(n));
    all[3].push_back(static_cast<double>(i % 3) - 1.0);
  }
  return all;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// An orthonormal basis of the space, by Gram and Schmidt in two passes.
Columns basis_of(const Columns& columns) {
  Columns basis;
  for (std::vector<double> column : columns) {
    const double norm = std::sqrt(product(column, column));
    for (int pass = 0; pass < 2; ++pass)
      for (const auto& b : basis) {
        const double along = product(column, b);
        for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along * b[i];
      }
    const double rest = std::sqrt(product(column, column));
    if (rest <= 1e-9 * norm) continue;
    for (double& x : column) x /= rest;
    basis.push_back(std::move(column));
  }
  return basis;
}

// Sums of n terms of this size have rounding of n ulps; R's own digits are 15.
double tolerance(double expected, Index n) {
  return 1e-14 * static_cast<double>(n) * std::max(1.0, std::abs(expected)) * 100.0;
}

void expect_same_columns(const Expected& one, const Read& made) {
  const auto vectors = fixed_vectors(made.num_rows);
  for (std::size_t k = 0; k < one.names.size(); ++k) {
    const std::vector<double>& column = made.columns[k];
    EXPECT_EQ(made.names[k], one.names[k]);
    double size = 0.0;
    for (const double x : column) size += std::abs(x);
    const std::array<double, 3> sums{std::accumulate(column.begin(), column.end(), 0.0),
                                     product(column, vectors[0]), product(column, vectors[1])};
    for (std::size_t s = 0; s < 3; ++s)
      EXPECT_NEAR(sums[s], one.sums[k][s], tolerance(size, 1)) << one.names[k];
  }
}

void expect_same_space(const Expected& one, const Read& made) {
  const Columns basis = basis_of(made.columns);
  EXPECT_EQ(ssize(basis), one.rank);
  const auto vectors = fixed_vectors(made.num_rows);
  for (std::size_t v = 0; v < vectors.size(); ++v) {
    double norm = 0.0;
    for (const auto& b : basis) norm += std::pow(product(b, vectors[v]), 2);
    EXPECT_NEAR(norm, one.projected[v], 1e-10 * std::max(1.0, one.projected[v]));
  }
}

TEST(formula_design, has_the_columns_and_the_space_of_rs_model_matrix) {
  const std::vector<Expected> all = expected_designs();
  EXPECT_GE(all.size(), 200u);
  for (const Expected& one : all) {
    SCOPED_TRACE(one.table + ": " + one.formula);
    const Read made = design_of(kFolder + one.table + ".csv", one.formula);
    ASSERT_EQ(made.names.size(), one.names.size());
    expect_same_columns(one, made);
    expect_same_space(one, made);
  }
}

// The comparison can fail: columns by levels in the place of contrasts span more.
TEST(formula_design, rejects_a_factor_coded_by_all_its_levels) {
  const std::string path = kFolder + "warpbreaks.csv";
  Read made = design_of(path, "breaks ~ wool + tension");
  const Columns right = basis_of(made.columns);
  made.columns.push_back(design_of(path, "breaks ~ 0 + tension").columns[0]);
  EXPECT_EQ(basis_of(made.columns).size(), right.size());  // a level follows from contrasts
  made.columns.push_back(design_of(path, "breaks ~ x").columns[1]);
  EXPECT_EQ(basis_of(made.columns).size(), right.size() + 1);
}

TEST(formula_design, names_the_combination_of_collinear_columns) {
  const Columns columns{{1, 1, 1, 1}, {1, 2, 3, 4}, {3, 5, 7, 9}, {0, 0, 0, 0}};
  EXPECT_EQ(collinear_columns(columns, {"one", "x", "y", "z"}),
            (std::vector<std::string>{"y = one + 2 * x", "z = 0"}));
}
}  // namespace
}  // namespace credo::models
