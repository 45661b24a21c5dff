// Linear predictors of categories, of columns, and of the components of a mixture.
#include <fmt/format.h>

#include "models/regression/regression.hpp"

namespace credo::models {
namespace {
// Intercepts of components of one family are ordered, so that no two labellings have the same density.
void order_intercepts(Regression& made, Frame& frame) {
  const bool has_all = std::ranges::all_of(
      made.predictors, [](const Predictor& p) { return !p.is_location() || p.list.has_intercept; });
  if (!made.family->has_equal_components || !has_all) return;
  made.ordered_intercepts = frame.names().take("intercept_mu");
  for (std::size_t k = 0; k < made.num_locations(); ++k)
    made.predictors[k].intercept = fmt::format("{}[{}]", made.ordered_intercepts, k + 1);
}
}  // namespace

std::string location_name(const FamilyRow& family, const std::string& category) {
  return family.locations == Locations::columns ? category : "mu" + category;
}

void join_outcomes(Formula& formula, const RegressionRequest& request, const Frame& frame) {
  Expression& first = *formula.parts[0].left;
  const bool is_plain = request.family == "auto" || request.family == "normal";
  if (request.nonlinear || !is_plain || first.kind != Expression::Kind::name) return;
  Expression joined{.kind = Expression::Kind::call,
                    .word = "mv",
                    .parts = {first},
                    .labels = {""},
                    .place = first.place};
  const std::vector<std::string>& columns = frame.column_names();
  for (std::size_t k = 1; k < formula.parts.size(); ++k) {
    const Expression& left = *formula.parts[k].left;
    const bool is_column = std::ranges::find(columns, left.word) != columns.end();
    if (left.kind != Expression::Kind::name || left.word == "sigma" || !is_column) continue;
    joined.parts.push_back(left), joined.labels.emplace_back();
  }
  if (joined.parts.size() > 1) first = std::move(joined);
}

void refuse_outcomes_as_terms(const Regression& made, const Formula& formula,
                              FormulaFaults& faults) {
  const std::vector<std::string>& outcomes = made.outcome.level_names;
  const auto check = [&](auto&& self, const Expression& e) -> void {
    if (e.kind == Expression::Kind::name && std::ranges::find(outcomes, e.word) != outcomes.end())
      faults.add(e.place, fmt::format("{} is an outcome, and can't explain outcomes", e.word),
                 "leave the term out");
    for (const Expression& part : e.parts) self(self, part);
  };
  if (made.outcome.columns.empty()) return;
  for (const FormulaPart& part : formula.parts) check(check, part.right);
}

bool is_location(const Regression& made, const Expression& left) {
  const FamilyRow& family = *made.family;
  if (family.locations == Locations::one || left.kind != Expression::Kind::name) return false;
  if (family.locations == Locations::but_first) return left.word.starts_with("mu");
  return std::ranges::any_of(made.outcome.level_names, [&](const std::string& name) {
    return left.word == location_name(family, name);
  });
}

void add_locations(Regression& made, const std::map<std::string, TermList>& own, Frame& frame) {
  const Locations kind = made.family->locations;
  if (kind == Locations::one) return;
  ProgramNames& names = frame.names();
  const Predictor common = made.location();
  std::vector<Predictor> all;
  for (std::size_t k = kind == Locations::but_first ? 1 : 0; k < made.outcome.level_names.size();
       ++k) {
    Predictor& location = all.emplace_back(common);
    location.category = made.outcome.level_names[k];
    const std::string name = location_name(*made.family, location.category),
                      plain = io::name_for_programs(name);
    if (const auto formula = own.find(name); formula != own.end()) location.list = formula->second;
    if (kind == Locations::columns) location.column = k;
    location.parameter = kind == Locations::columns ? plain : names.take(plain);
    location.variable = names.take("eta_" + location.parameter);
    location.intercept = names.take("intercept_" + location.parameter);
    location.intercept_at_zero = names.take(location.intercept + "_at_zero");
  }
  for (MissingColumn& missing : made.missing) missing.predictor += all.size() - 1;
  all.insert(all.end(), std::make_move_iterator(made.predictors.begin() + 1),
             std::make_move_iterator(made.predictors.end()));
  made.predictors = std::move(all);
  for (const auto& [name, list] : own)
    if (std::ranges::none_of(made.predictors, [&](const Predictor& p) {
          return p.is_location() && location_name(*made.family, p.category) == name;
        }))
      frame.faults().add_of_table(
          "", fmt::format("{} has a formula, and no outcome is called so", name));
  if (kind == Locations::components) order_intercepts(made, frame);
}

}  // namespace credo::models
