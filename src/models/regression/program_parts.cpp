#include "models/regression/program_parts.hpp"

#include <fmt/format.h>

#include "models/regression/nonlinear.hpp"

namespace credo::models {

std::string block_of(const std::string& name, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("{} {{\n{}}}\n", name, lines);
}

std::string functions_block(const Regression& made) {
  std::string lines;
  for (const auto& [name, text] : made.parts.functions) lines += text;
  return block_of("functions", lines);
}

namespace {
std::string statements_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += fmt::format("  {};\n", line);
  return text;
}

std::string group_parameters(const Regression& made, const GroupBlock& g) {
  const Index q = g.num_columns();
  const std::string effects = made.effects_are_centred ? g.effects : g.z;
  if (q == 1) return fmt::format("  real<lower=0> {};\n  vector[{}] {};\n", g.sd, g.size, effects);
  std::string lines = fmt::format("  vector<lower=0>[{}] {};\n", q, g.sd);
  if (g.is_correlated) lines += fmt::format("  cholesky_factor_corr[{}] {};\n", q, g.root);
  return lines + fmt::format("  matrix[{}, {}] {};\n", q, g.size, effects);
}

std::string declaration_of(const TermBlock& term) {
  const char* const bound = term.is_positive() ? "<lower=0>" : "";
  return term.is_number
             ? fmt::format("  real{} {};\n", bound, term.parameter)
             : fmt::format("  vector{}[{}] {};\n", bound, term.coefficients.size(), term.parameter);
}

std::string own_parameters(const Regression& made, const Predictor& own) {
  std::string lines;
  const char* const where = own.terms.empty() ? "" : "  // at the means of the columns";
  if (own.is_location() && made.family->is_ordinal)
    lines +=
        fmt::format("  {}[K_{} - 1] threshold;  // at the means of the columns\n",
                    made.family->has_free_thresholds ? "vector" : "ordered", made.outcome.name);
  else if (own.has_intercept && (made.ordered_intercepts.empty() || !own.is_location()))
    lines += fmt::format("  real{} {};{}\n", own.is_nonlinear ? bounds_of(own) : "", own.intercept,
                         where);
  for (const TermBlock& term : own.terms)
    if (!term.is_computed) lines += declaration_of(term);
  for (const SpecialBlock& special : own.specials) lines += statements_of(special.parameters);
  return lines;
}
}  // namespace

std::string parameter_lines(const Regression& made) {
  std::string lines;
  if (!made.ordered_intercepts.empty())
    lines += fmt::format("  ordered[{}] {};  // at the means of the columns\n",
                         made.num_locations(), made.ordered_intercepts);
  for (const Predictor& predictor : made.predictors) lines += own_parameters(made, predictor);
  for (const GroupBlock& group : made.groups) lines += group_parameters(made, group);
  for (const FamilyParameter& parameter : made.family->parameters)
    if (made.is_single(parameter.name)) lines += "  " + parameter.declaration + ";\n";
  return lines;
}

std::string scaled_effects(const GroupBlock& g, const std::string& z) {
  if (g.num_columns() == 1) return fmt::format("{} * {}", g.sd, z);
  return g.is_correlated ? fmt::format("diag_pre_multiply({}, {}) * {}", g.sd, g.root, z)
                         : fmt::format("diag_pre_multiply({}, {})", g.sd, z);
}

std::string effect_lines(const Regression& made) {
  std::string lines;
  for (const GroupBlock& g : made.groups) {
    if (!g.scale_line.empty()) lines += fmt::format("  {};\n", g.scale_line);
    if (made.effects_are_centred) continue;
    const std::string type = g.num_columns() == 1
                                 ? fmt::format("vector[{}]", g.size)
                                 : fmt::format("matrix[{}, {}]", g.num_columns(), g.size);
    std::vector<std::string> names;
    for (const Coefficient& c : g.deviations) names.push_back(c.name);
    lines += fmt::format("  {} {} = {};  // {}\n", type, g.effects, scaled_effects(g, g.z),
                         fmt::join(names, ", "));
  }
  for (const Predictor& predictor : made.predictors)
    for (const SpecialBlock& special : predictor.specials)
      lines += statements_of(special.transformed);
  return lines;
}

std::vector<std::string> predictor_parts(const Regression& made, std::size_t predictor,
                                         bool is_prediction) {
  const Predictor& own = made.predictors[predictor];
  std::vector<std::string> parts;
  if (!own.expression.empty()) parts.push_back(own.expression);
  if (own.has_intercept) parts.push_back(own.intercept);
  for (const TermBlock& term : own.terms) parts.push_back(term.predictor);
  for (const SpecialBlock& special : own.specials)
    if (!special.predictor.empty())
      parts.push_back(is_prediction && !special.prediction.empty() ? special.prediction
                                                                   : special.predictor);
  for (const GroupBlock& g : made.groups)
    if (const auto part = g.parts.find(predictor); part != g.parts.end())
      parts.push_back(
          fmt::format(fmt::runtime(part->second),
                      is_prediction ? std::string(kAllEffects) + g.effects : g.effects));
  for (const std::string& offset : own.offsets) parts.push_back(offset);
  if (parts.empty()) parts.emplace_back("rep_vector(0, N)");
  return parts;
}

std::string predictor_lines(const Regression& made, std::size_t predictor, bool is_prediction) {
  const Predictor& own = made.predictors[predictor];
  std::vector<std::string> parts = predictor_parts(made, predictor, is_prediction);
  // A number alone is no vector.
  if (parts.size() == 1 && own.has_intercept && parts[0] == own.intercept)
    parts[0] = fmt::format("rep_vector({}, N)", own.intercept);
  const std::string begin = fmt::format("  vector[N] {} = ", own.variable);
  const std::string sum =
      fmt::format("{}", fmt::join(parts, "\n" + std::string(begin.size() - 2, ' ') + "+ "));
  return begin + (own.is_location() ? sum : inverse_link(own.link, sum)) + ";\n";
}

FamilyText family_text(const Regression& made, const std::string& eta, bool of_row) {
  const std::string row = of_row ? "[n]" : "";
  FamilyText t{.outcome = made.outcome.expression, .eta = eta + row, .link = made.link()};
  if (made.family->locations != Locations::one) {
    if (made.family->locations == Locations::but_first) t.etas.emplace_back("0");
    for (std::size_t k = 0; k < made.num_locations(); ++k)
      t.etas.push_back(eta == "linear" ? fmt::format("linear[n, {}]", k + 1)
                                       : made.predictors[k].variable + "[n]");
    t.eta = of_row ? fmt::format("[{}]'", fmt::join(t.etas, ", ")) : made.outcome.means;
  }
  t.mean = inverse_link(t.link, t.eta);
  t.trials = made.outcome.trials + (made.outcome.trials_column.empty() ? "" : row);
  for (const FamilyParameter& parameter : made.family->parameters) {
    const auto known = made.known.find(parameter.name);
    t.parameters[parameter.name] =
        known != made.known.end()
            ? (of_row ? known->second.row : known->second.all)
            : parameter.in_program() + (made.predictor_of(parameter.name) == nullptr ? "" : row);
  }
  const OutcomeModifiers& modifiers = made.outcome.modifiers;
  if (modifiers.adds_sigma)
    t.parameters["sigma"] =
        fmt::format("sqrt(square({}{}) + square({}))", modifiers.error, row, t["sigma"]);
  return t;
}

}  // namespace credo::models
