// Names of a regression's rows in tables: those of the formula for those of the program.
#include <fmt/format.h>

#include "models/regression/regression.hpp"

namespace credo::models {
namespace {
// "b_period.2" for "b_period[2]", as tables write it.
std::string with_dots(std::string element) {
  for (char& c : element)
    if (c == '[' || c == ',') c = '.';
  std::erase(element, ' ');
  std::erase(element, ']');
  return element;
}

void add_correlations(const GroupBlock& g, std::vector<std::pair<std::string, std::string>>& rows) {
  const Index strata = std::max<Index>(1, ssize(g.strata.levels));
  const auto name = [&](Index column, Index stratum) {
    return g.deviations[static_cast<std::size_t>(column * strata + stratum)].name;
  };
  for (Index s = 0; s < strata; ++s)
    for (Index a = 0; a < g.num_columns(); ++a)
      for (Index b = a + 1; b < g.num_columns(); ++b)
        rows.emplace_back(
            fmt::format("{}{}.{}.{}", g.correlations,
                        g.strata.are_there() ? fmt::format(".{}", s + 1) : "", b + 1, a + 1),
            fmt::format("cor({}, {}, {})", g.label, name(a, s), name(b, s)));
}

// "threshold 1|2", or "threshold[a, 1|2]" of the level a of thres(by = ...).
void add_thresholds(const Regression& made, const std::string& element,
                    std::vector<std::pair<std::string, std::string>>& rows) {
  const Thresholds& own = made.outcome.modifiers.thresholds;
  const auto between = [&](Index k) {
    return fmt::format("{}|{}", made.outcome.level_names[static_cast<std::size_t>(k)],
                       made.outcome.level_names[static_cast<std::size_t>(k + 1)]);
  };
  if (own.by.empty())
    for (Index k = 0; k + 1 < made.outcome.num_levels; ++k)
      rows.emplace_back(fmt::format("{}.{}", element, k + 1), "threshold " + between(k));
  Index place = 0;
  for (std::size_t j = 0; j < own.numbers.size(); ++j)
    for (Index k = 0; k < own.numbers[j]; ++k)
      rows.emplace_back(fmt::format("{}.{}", element, ++place),
                        fmt::format("threshold[{}, {}]", own.levels[j], between(k)));
}
}  // namespace

std::vector<std::pair<std::string, std::string>> table_names(const Regression& made) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Predictor& predictor : made.predictors) {
    const bool has_centres = predictor.is_centred && !predictor.terms.empty();
    if (predictor.is_location() && made.family->is_ordinal)
      add_thresholds(made, has_centres ? "threshold_at_zero" : "threshold", rows);
    else if (predictor.has_intercept)
      rows.emplace_back(with_dots(has_centres ? predictor.intercept_at_zero : predictor.intercept),
                        predictor.prefix() + "intercept");
    for (const TermBlock& term : predictor.terms)
      for (const Coefficient& c : term.coefficients)
        rows.emplace_back(with_dots(c.element), c.name);
    for (const SpecialBlock& special : predictor.specials) {
      for (const SpecialPrior& p : special.priors)
        if (p.is_shown) rows.emplace_back(with_dots(p.coefficient.element), p.coefficient.name);
      for (const Coefficient& row : special.rows)
        rows.emplace_back(with_dots(row.element), row.name);
    }
  }
  for (const GroupBlock& g : made.groups) {
    for (const Coefficient& c : g.deviations) rows.emplace_back(with_dots(c.element), g.name_of(c));
    if (g.freedom) rows.emplace_back(g.freedom->element, g.freedom->name);
    if (g.is_correlated) add_correlations(g, rows);
  }
  for (const FamilyParameter& parameter : made.family->parameters) {
    if (!made.is_single(parameter.name)) continue;
    if (parameter.rows.empty()) rows.emplace_back(parameter.in_program(), parameter.name);
    rows.insert(rows.end(), parameter.rows.begin(), parameter.rows.end());
  }
  return rows;
}

}  // namespace credo::models
