// Every record of the reference values of constraints: value, gradient, log Jacobian and its
// gradient to the tolerances stated with the records (value 1e-10 of its largest entry, gradient
// 1e-8 of its largest entry; below 1e-300 nothing counts).
#include <gtest/gtest.h>

#include <fstream>

#include "support/json_tree.hpp"
#include "transform/evaluate.hpp"

namespace credo::transform::reference_test {
namespace {
using testing::Json;

constexpr double kValueTolerance = 1e-10, kGradientTolerance = 1e-8;

struct Form {
  std::string_view prefix, transform;
  int num_bounds;  // arguments after the first that are bounds
};

constexpr std::array kForms = {
    Form{"lower_upper_bound", "bounds", 2},
    Form{"lower_bound", "bounds", 1},
    Form{"upper_bound", "bounds", 1},
    Form{"offset_multiplier", "affine", 2},
    Form{"stochastic_column", "column_stochastic_matrix", 0},
    Form{"stochastic_row", "row_stochastic_matrix", 0},
    Form{"sum_to_zero", "sum_to_zero_vector", 0},
    Form{"positive_ordered", "positive_ordered", 0},
    Form{"ordered", "ordered", 0},
    Form{"simplex", "simplex", 0},
    Form{"unit_vector", "unit_vector", 0},
    Form{"cholesky_factor_corr", "cholesky_factor_corr", 0},
    Form{"cholesky_factor_cov", "cholesky_factor_cov", 0},
    Form{"corr_matrix", "corr_matrix", 0},
    Form{"cov_matrix", "cov_matrix", 0},
};

bool is_matrix(const Json& json) { return !json.items.empty() && json.items[0].is_array(); }

Shape shape_of(const Json& json) {
  if (!json.is_array()) return {};
  if (!is_matrix(json)) return graph::vector_shape(ssize(json.items));
  return graph::matrix_shape(ssize(json.items), ssize(json.items[0].items));
}

// The numbers of a matrix column by column; everything else in its order.
Numbers column_major(const Json& json) {
  Numbers rows;
  json.flatten(rows);
  if (!is_matrix(json)) return rows;
  Numbers columns;
  for (std::size_t j = 0; j < json.items[0].items.size(); ++j) {
    for (const Json& row : json.items) columns.push_back(row.items[j].value());
  }
  return columns;
}

const Form& form_of(std::string_view function) {
  for (const Form& form : kForms) {
    if (function.substr(0, form.prefix.size()) == form.prefix) return form;
  }
  throw std::runtime_error("no constraint for " + std::string(function));
}

// Shapes that a value of no elements doesn't show: given by the integer arguments.
Shape unit_shape(const Json& record, const Json& value) {
  const Json& args = record.at("args");
  if (args.items.size() > 1 && args.items[1].at("type").text == "int") {
    const auto rows = static_cast<Index>(args.items[1].at("value").number);
    const auto cols = static_cast<Index>(args.items.back().at("value").number);
    return graph::matrix_shape(rows, cols);
  }
  return shape_of(value);
}

Case case_of(const Json& record, const Json& value) {
  const std::string& function = record.at("f").text;
  const Form& form = form_of(function);
  Case c{.name = function, .transform = find(form.transform), .unit = unit_shape(record, value)};
  if (form.prefix == "sum_to_zero" && is_matrix(value)) c.transform = find("sum_to_zero_matrix");
  if (form.num_bounds > 0) {
    Numbers& only = form.prefix == "upper_bound" ? c.second : c.first;
    only = column_major(record.at("args").items[1].at("value"));
    if (form.num_bounds == 2) c.second = column_major(record.at("args").items[2].at("value"));
  }
  c.symbolic_bounds = true;
  return c;
}

double largest(const Numbers& values) {
  double result = 0.0;
  for (const double x : values) result = std::isnan(x) ? result : std::max(result, std::fabs(x));
  return result;
}

std::string differs(const Numbers& got, const Numbers& expected, double tolerance,
                    double floor = 1e-300) {
  if (got.size() != expected.size()) return "the sizes differ";
  const double allowed = tolerance * largest(expected) + floor;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) continue;
    if (!(std::fabs(got[i] - expected[i]) <= allowed)) {
      return "entry " + std::to_string(i) + " is " + std::to_string(got[i]) + ", not " +
             std::to_string(expected[i]);
    }
  }
  return {};
}

// Weights of the records' scalar, moved from the order of the text to column-major.
Numbers weights_for(const Shape& shape) {
  const Index rows = shape.rows, cols = shape.cols;
  Numbers weights(static_cast<std::size_t>(shape.size()));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const Index k = i * cols + j;
      weights[static_cast<std::size_t>(i + j * rows)] =
          (static_cast<double>((7 * k + 3) % 11) - 4.5) / 4.0;
    }
  }
  return weights;
}

double sum_of_sizes(const Numbers& values) {
  double sum = 0.0;
  for (const double x : values) sum += std::fabs(x);
  return sum;
}

// Compares the parts of a gradient by all inputs with the entries of the record, one an argument.
// A weighted sum of derivatives of size 1 that cancel is rounded to `floor`.
std::string compare_gradient(const Numbers& got, const Json& record, std::string_view key,
                             double floor = 1e-300) {
  const Json& expected = record.at(key);
  std::size_t begin = 0;
  for (std::size_t k = 0; k < expected.items.size(); ++k) {
    if (expected.items[k].is_null()) continue;
    const Numbers part = column_major(expected.items[k]);
    if (begin + part.size() > got.size()) return "the gradient is too short";
    const auto first = got.begin() + static_cast<std::ptrdiff_t>(begin);
    const Numbers mine(first, first + static_cast<std::ptrdiff_t>(part.size()));
    const std::string text = differs(mine, part, kGradientTolerance, floor);
    if (!text.empty()) return std::string(key) + ", argument " + std::to_string(k) + ": " + text;
    begin += part.size();
  }
  return {};
}

std::string judge_constrain(const Json& record) {
  const Json& value = record.at("value");
  const Case c = case_of(record, value);
  TracedCase traced(c);
  const Numbers at = traced.inputs(column_major(record.at("args").items[0].at("value")));
  std::string text =
      differs(traced.run(traced.result().value, at), column_major(value), kValueTolerance);
  if (!text.empty()) return "value: " + text;
  const Numbers weights = value.is_array() ? weights_for(c.unit) : Numbers{1.0};
  const Expr gradient = traced.gradient(traced.weighted(weights));
  const double floor = value.is_array() ? 2e-16 * sum_of_sizes(weights) : 1e-300;
  text = compare_gradient(traced.run(gradient, at), record, "grad", floor);
  if (!text.empty() || record.find("log_jacobian") == nullptr) return text;
  const Expr log_jacobian = traced.result().log_jacobian;
  text =
      differs(traced.run(log_jacobian, at), {record.at("log_jacobian").value()}, kValueTolerance);
  if (!text.empty()) return "log_jacobian: " + text;
  return compare_gradient(traced.run(traced.gradient(log_jacobian), at), record,
                          "log_jacobian_grad");
}

std::string judge_unconstrain(const Json& record) {
  const Json& argument = record.at("args").items[0].at("value");
  const Case c = case_of(record, argument);
  const auto free = c.transform->unconstrain(column_major(argument), c.unit, constant_bounds(c));
  if (record.find("error") != nullptr) return free ? "a broken value was taken" : "";
  if (!free) return "refused: " + free.error();
  return differs(*free, column_major(record.at("value")), kValueTolerance);
}

std::string judge_error(const Json& record) {
  const Json& argument = record.at("args").items[0].at("value");
  const Case c = case_of(record, argument);
  return check_requirements(c, column_major(argument)).empty() ? "no requirement is broken" : "";
}

std::string judge(const Json& record) {
  const std::string_view function = record.at("f").text;
  if (function.find("_unconstrain") != std::string_view::npos) return judge_unconstrain(record);
  return record.find("error") != nullptr ? judge_error(record) : judge_constrain(record);
}

TEST(transform_reference, every_record_is_met) {
  std::ifstream file(CREDO_REFERENCE_DIR "/functions/constraints.jsonl");
  if (!file) GTEST_SKIP() << "the reference records aren't here";
  std::string line;
  int judged = 0;
  while (std::getline(file, line)) {
    const std::string text = judge(testing::JsonParser(line).parse());
    EXPECT_EQ(text, "") << line.substr(0, 400);
    ++judged;
  }
  EXPECT_EQ(judged, 509);
}

}  // namespace
}  // namespace credo::transform::reference_test
