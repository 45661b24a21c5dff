#include "models/regression/smooths/smooth_block.hpp"

#include <fmt/format.h>

namespace credo::models {

std::string SmoothBlock::constant(ProgramConstant made) const {
  made.name = take(made.name);
  context.parts.constants.push_back(made);
  return made.name;
}

std::string SmoothBlock::matrix(const std::string& kind, Index num_columns,
                                const std::string& made) const {
  std::string matrix_name = take(kind);
  context.parts.prepared.push_back(
      fmt::format("matrix[N, {}] {} = {};", num_columns, matrix_name, made));
  return matrix_name;
}

std::string SmoothBlock::label(const std::string& level) const {
  return context.prefix + block.text + (level.empty() ? "" : ":" + level);
}

void SmoothBlock::add_slope(const std::string& row, const std::string& element, double column_sd) {
  block.priors.push_back({.coefficient = {.name = row,
                                          .element = element,
                                          .column_sd = column_sd,
                                          .predictor = context.predictor},
                          .is_slope = true});
}

void SmoothBlock::add_sd(const std::string& of, const std::string& element, double peer_units) {
  block.priors.push_back({.coefficient = {.name = fmt::format("sd({})", of),
                                          .element = element,
                                          .predictor = context.predictor},
                          .prior = "exponential(1 / {})",
                          .brms = "student_t(3, 0, {})",
                          .brms_units = peer_units});
}

std::string SmoothBlock::call(const SmoothBasis& basis, const numerics::DenseMatrix& map,
                              std::string inputs) {
  const std::string knots = constant(basis.knots);
  std::string tables;
  for (const BasisTable& table : basis.tables) {
    const numerics::DenseMatrix mapped = transposed(table.numbers * map);  // by rows
    tables += ", " + constant({.name = table.name,
                               .dims = {mapped.cols, mapped.rows},
                               .values = mapped.values,
                               .comment = table.comment});
  }
  if (const std::size_t at = inputs.find("{knots}"); at != inputs.npos)
    inputs.replace(at, 7, knots);
  for (const StanFunction& f : smooth_functions())
    if (f.name == basis.function || inputs.starts_with(f.name))
      context.parts.functions.emplace(f.name, f.text);
  return fmt::format("{}({}, {}{})", basis.function, inputs, knots, tables);
}

}  // namespace credo::models
