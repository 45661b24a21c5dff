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
    lines += threshold_parameters(made);
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
  for (const GroupBlock& group : made.groups)
    lines += group_parameters(group, made.effects_are_centred);
  lines += missing_parameters(made);
  for (const FamilyParameter& parameter : made.family->parameters)
    if (made.is_single(parameter.name)) lines += "  " + parameter.declaration + ";\n";
  return lines;
}

std::string effect_lines(const Regression& made) {
  std::string lines = joined_thresholds(made);
  for (const GroupBlock& g : made.groups) lines += group_effects(g, made.effects_are_centred);
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
  return family_text_of(made, eta, of_row ? "[n]" : "");
}

FamilyText family_text_of(const Regression& made, const std::string& eta, const std::string& row) {
  FamilyText t{.outcome = made.outcome.expression, .eta = eta + row, .link = made.link()};
  if (made.family->locations != Locations::one) {
    if (made.family->locations == Locations::but_first) t.etas.emplace_back("0");
    for (std::size_t k = 0; k < made.num_locations(); ++k)
      t.etas.push_back(eta == "linear" ? fmt::format("linear[n, {}]", k + 1)
                                       : made.predictors[k].variable + "[n]");
    t.eta = row == "[n]" ? fmt::format("[{}]'", fmt::join(t.etas, ", ")) : made.outcome.means + row;
  }
  t.mean = inverse_link(t.link, t.eta);
  t.trials = made.outcome.trials + (made.outcome.trials_column.empty() ? "" : row);
  for (const FamilyParameter& parameter : made.family->parameters) {
    const auto known = made.known.find(parameter.name);
    t.parameters[parameter.name] =
        known != made.known.end()
            ? known->second.of(row)
            : parameter.in_program() + (made.predictor_of(parameter.name) == nullptr ? "" : row);
  }
  const OutcomeModifiers& modifiers = made.outcome.modifiers;
  t.decision = modifiers.decision + row;
  t.threshold = threshold_text(made, row);
  if (modifiers.adds_sigma)
    t.parameters["sigma"] =
        fmt::format("sqrt(square({}{}) + square({}))", modifiers.error, row, t["sigma"]);
  return t;
}

}  // namespace credo::models
