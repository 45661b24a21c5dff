// Terms of the population: their coefficients, and their part of the linear predictor.
#include <fmt/format.h>

#include "models/regression/regression.hpp"

namespace credo::models {
namespace {
// Name of the constant with the contrasts of a factor, or with an indicator of each level; it is added where it isn't there.
std::string contrasts_constant(const FormulaVariable& variable, bool by_contrasts, StanParts& parts,
                               ProgramNames& names) {
  const std::string note =
      fmt::format("{} {}", by_contrasts ? variable.contrast_kind + " contrasts of" : "levels of",
                  variable.text);
  for (const ProgramConstant& known : parts.constants)
    if (known.comment == note) return known.name;
  const Contrasts contrasts =
      by_contrasts ? variable.contrasts : contrasts_of("none", variable.levels);
  ProgramConstant made{
      .name = names.take((by_contrasts ? "contrasts_" : "levels_") + variable.name),
      .dims = {ssize(variable.levels), ssize(contrasts.columns)},
      .comment = note};
  for (std::size_t level = 0; level < variable.levels.size(); ++level)
    for (const std::vector<double>& column : contrasts.columns)
      made.values.push_back(column[level]);
  parts.constants.push_back(made);
  return made.name;
}

TermMatrix piece_of(const FormulaVariable& variable, bool by_contrasts, StanParts& parts,
                    ProgramNames& names) {
  if (!variable.is_factor) return {variable.stan, variable.is_matrix};
  return {fmt::format("{}[{}]", contrasts_constant(variable, by_contrasts, parts, names),
                      variable.codes_name),
          true};
}

bool needs_parentheses(const std::string& stan) { return stan.find(' ') != stan.npos; }
std::string in_parentheses(const std::string& stan) {
  return needs_parentheses(stan) ? "(" + stan + ")" : stan;
}

TermMatrix product(const TermMatrix& a, const TermMatrix& b, StanParts& parts) {
  if (!a.is_matrix && !b.is_matrix)
    return {fmt::format("{} .* {}", in_parentheses(a.stan), in_parentheses(b.stan)), false};
  if (a.is_matrix && b.is_matrix) {
    use_function(parts, "column_products");
    return {fmt::format("column_products({}, {})", a.stan, b.stan), true};
  }
  const TermMatrix &vector = a.is_matrix ? b : a, &matrix = a.is_matrix ? a : b;
  return {fmt::format("diag_pre_multiply({}, {})", vector.stan, matrix.stan), true};
}

class Population {
 public:
  Population(Regression& made, std::size_t predictor, Frame& frame)
      : made_(made), own_(made.predictors[predictor]), number_(predictor), frame_(frame) {}

  void add(const DesignTerm& term) {
    std::string base;
    for (const Index v : term.variables) base += "_" + variable(v).name;
    if (!own_.parameter.empty()) base = "_" + own_.parameter + base;
    TermBlock block{.text = own_.prefix() + term.text,
                    .parameter = frame_.names().take("b" + base)};
    block.is_number = term.columns.size() == 1 && term.is_numeric(own_.design.variables);
    block.columns = term.columns;
    for (std::size_t k = 0; k < term.names.size(); ++k)
      block.coefficients.push_back({.name = own_.prefix() + term.names[k],
                                    .element = block.is_number
                                                   ? block.parameter
                                                   : fmt::format("{}[{}]", block.parameter, k + 1),
                                    .column_sd = sample_sd(term.columns[k]),
                                    .predictor = number_});
    const std::string mean = own_.is_centred ? mean_constant(term, block, base) : "";
    if (block.is_number)
      add_number(term, block, mean);
    else if (term.variables.size() == 1 && variable(term.variables[0]).is_factor)
      add_factor(term, block, mean);
    else
      add_matrix(term, block, mean, base);
    own_.terms.push_back(std::move(block));
  }

 private:
  const FormulaVariable& variable(Index v) const {
    return own_.design.variables[static_cast<std::size_t>(v)];
  }

  std::string mean_constant(const DesignTerm& term, const TermBlock& block,
                            const std::string& base) {
    ProgramConstant mean{.name = frame_.names().take("mean" + base), .dims = {}, .values = {}};
    for (const std::vector<double>& column : term.columns)
      mean.values.push_back(sample_mean(column));
    if (!block.is_number) mean.dims = {ssize(mean.values)};
    made_.parts.constants.push_back(mean);
    return mean.name;
  }

  void add_number(const DesignTerm& term, TermBlock& block, const std::string& mean) {
    const TermMatrix x = matrix_of(term, own_.design, made_.parts, frame_.names());
    block.predictor = mean.empty() ? fmt::format("{} * {}", block.parameter, in_parentheses(x.stan))
                                   : fmt::format("{} * ({} - {})", block.parameter, x.stan, mean);
    if (!mean.empty()) block.centre = fmt::format("{} * {}", block.parameter, mean);
  }

  // A factor alone is an effect for each level.
  void add_factor(const DesignTerm& term, TermBlock& block, const std::string& mean) {
    const FormulaVariable& factor = variable(term.variables[0]);
    const std::string& b = block.parameter;
    if (!term.contrasts[0])
      block.predictor = fmt::format("{}[{}]", b, factor.codes_name);
    else if (factor.is_treatment() && factor.reference == 0)
      block.predictor = fmt::format("append_row(0, {})[{}]", b, factor.codes_name);
    else
      block.predictor = fmt::format("({} * {})[{}]",
                                    contrasts_constant(factor, true, made_.parts, frame_.names()),
                                    b, factor.codes_name);
    take_off(block, mean);
  }

  void add_matrix(const DesignTerm& term, TermBlock& block, const std::string& mean,
                  const std::string& base) {
    const TermMatrix x = matrix_of(term, own_.design, made_.parts, frame_.names());
    const std::string name = frame_.names().take("X" + base);
    made_.parts.prepared.push_back(
        fmt::format("matrix[N, {}] {} = {};", term.columns.size(), name, x.stan));
    block.predictor = fmt::format("{} * {}", name, block.parameter);
    take_off(block, mean);
  }

  static void take_off(TermBlock& block, const std::string& mean) {
    if (mean.empty()) return;
    block.centre = fmt::format("dot_product({}, {})", mean, block.parameter);
    block.predictor += " - " + block.centre;
  }

  Regression& made_;
  Predictor& own_;
  const std::size_t number_;
  Frame& frame_;
};
}  // namespace

TermMatrix matrix_of(const DesignTerm& term, const Design& design, StanParts& parts,
                     ProgramNames& names) {
  TermMatrix all;
  for (std::size_t k = 0; k < term.variables.size(); ++k) {
    const TermMatrix piece = piece_of(design.variables[static_cast<std::size_t>(term.variables[k])],
                                      term.contrasts[k], parts, names);
    all = k == 0 ? piece : product(all, piece, parts);
  }
  return all;
}

void add_population(Regression& made, std::size_t predictor, Frame& frame) {
  Population population(made, predictor, frame);
  for (const DesignTerm& term : made.predictors[predictor].design.terms) population.add(term);
}

}  // namespace credo::models
