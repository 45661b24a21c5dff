#include "models/regression/missing_column.hpp"

#include <fmt/format.h>

#include "models/regression/regression.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kFilled = R"(  // The column with values in its gaps.
  vector filled_column(vector x, array[] int rows_without, vector values) {
    vector[rows(x)] made = x;
    made[rows_without] = values;
    return made;
  }
)";
}  // namespace

const Expression* missing_column_of(const Expression& left) {
  const bool is_one = left.is_operation("|") && left.parts.size() == 2 &&
                      left.parts[0].kind == Expression::Kind::name && left.parts[1].is_call("mi") &&
                      left.parts[1].parts.empty();
  return is_one ? &left.parts[0] : nullptr;
}

void take_missing_columns(Regression& made, Frame& frame) {
  for (MissingColumn& missing : made.missing) {
    const std::string& name = missing.column.name;
    std::vector<double> values = frame.numbers(name);
    std::vector<double> rows;
    for (const Index row : frame.missing(name)) {
      values[static_cast<std::size_t>(row)] = kNaN;
      rows.push_back(static_cast<double>(row + 1));
    }
    for (double& x : values) {
      if (std::isfinite(x))
        missing.seen.push_back(x);
      else
        x = 0.0;
    }
    missing.number = ssize(rows);
    if (missing.seen.size() < 2)
      frame.faults().add_of_table(
          "",
          fmt::format("{} has {} value{}, too few to estimate how it varies", missing.column.column,
                      missing.seen.size(), missing.seen.size() == 1 ? "" : "s"),
          "leave the column out");
    made.parts.constants.push_back(
        {.name = missing.given,
         .dims = {ssize(values)},
         .values = std::move(values),
         .comment = fmt::format("{}, 0 where it is missing", missing.column.column)});
    made.parts.constants.push_back({.name = missing.rows,
                                    .dims = {missing.number},
                                    .values = std::move(rows),
                                    .is_whole = true,
                                    .comment = "rows where it is missing"});
    made.parts.functions.emplace("filled_column", kFilled);
  }
}

std::string missing_parameters(const Regression& made) {
  std::string lines;
  for (const MissingColumn& missing : made.missing)
    lines += fmt::format("  real<lower=0> {};\n  vector[{}] {};  // missing cells of {}\n",
                         missing.sigma, missing.number, missing.values, missing.column.column);
  return lines;
}

std::string full_columns(const Regression& made) {
  std::string lines;
  for (const MissingColumn& missing : made.missing)
    lines += fmt::format("  vector[N] {} = filled_column({}, {}, {});\n", missing.full,
                         missing.given, missing.rows, missing.values);
  return lines;
}

std::string missing_statements(const Regression& made) {
  std::string lines;
  for (const MissingColumn& missing : made.missing)
    lines += fmt::format("  {} ~ normal({}, {});\n", missing.full,
                         made.predictors[missing.predictor].variable, missing.sigma);
  return lines;
}

std::string predicted_gaps(const Regression& made) {
  std::string lines;
  for (const MissingColumn& missing : made.missing)
    lines += fmt::format("  vector[N] {};\n  array[N] int<lower=0, upper=1> {};  // 1: missing\n",
                         missing.given, missing.rows);
  return lines;
}

std::string drawn_column(const MissingColumn& missing, const std::string& mean) {
  return fmt::format(
      "    vector[N] {0} = {1};\n    for (n in 1:N) {{\n      if ({2}[n] == 1) {0}[n] = "
      "normal_rng({3}[n], "
      "{4});\n    }}\n",
      missing.full, missing.given, missing.rows, mean, missing.sigma);
}

}  // namespace credo::models
