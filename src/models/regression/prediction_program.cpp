// The program of predictions for the rows of another table: parameters of the fit, and generated quantities alone.
#include <fmt/format.h>

#include "models/regression/program_parts.hpp"

namespace credo::models {
namespace {

class PredictionWriter {
 public:
  explicit PredictionWriter(const Regression& made) : made_(made), family_(*made.family) {}

  std::string text() const {
    std::string prepared;
    for (const std::string& line : made_.parts.prepared) prepared += "  " + line + "\n";
    return fmt::format("// {}   predictions of credo regression\n", made_.formula) +
           functions_block(made_) + block_of("data", data()) +
           block_of("transformed data", prepared) + block_of("parameters", parameter_lines(made_)) +
           block_of("transformed parameters", effect_lines(made_)) +
           block_of("generated quantities", predictions());
  }

 private:
  std::string data() const {
    std::string lines = "  int<lower=0> N;  // rows of the table\n";
    for (const UsedColumn& column : made_.columns) lines += declared(column);
    if (!made_.groups.empty())
      lines += "  int<lower=0, upper=1> draws_new;  // 0: new levels have the effect 0\n";
    for (const ProgramConstant& constant : made_.parts.constants)
      if (!made_.is_lookup(constant.name)) lines += "  " + constant.declaration() + "\n";
    lines += predicted_gaps(made_);
    std::set<std::string> seen;
    for (const GroupBlock& group : made_.groups)
      if (seen.insert(group.codes).second) lines += predicted_rows(group);
    for (const GroupBlock& group : made_.groups)
      if (group.strata.are_there())
        lines += fmt::format("  array[new_{}] int<lower=1, upper=K_{}> new_{};\n", group.codes,
                             group.strata.column, group.strata.codes);
    return lines;
  }
  bool is_group(const std::string& codes) const {
    return std::ranges::find(made_.groups, codes, &GroupBlock::codes) != made_.groups.end();
  }
  std::string declared(const UsedColumn& column) const {
    const std::string& name = column.name;
    if (made_.outcome.is_column(name) && !made_.outcome.is_in_terms)
      return family_.has_categories() ? fmt::format("  int<lower=2> K_{};\n", name) : "";
    if (made_.outcome.fit_columns.contains(name)) return "";
    if (column.role == ColumnRole::number) return fmt::format("  vector[N] {};\n", name);
    if (column.role == ColumnRole::count) return fmt::format("  array[N] int<lower=0> {};\n", name);
    if (made_.series.contains(name) && !is_group(name) && !made_.fixed_factors.contains(name))
      return fmt::format("  array[N] int<lower=1> {};\n", name);
    // Combinations alone have effects; the front end numbers them.
    if (!is_group(name) && !made_.fixed_factors.contains(name)) return "";
    return fmt::format(
        "  int<lower=1> K_{0};  // levels of {1}\n{2}  array[N] int<lower=1, upper=K_{0}{3}> "
        "{0};\n",
        name, column.column, is_group(name) ? fmt::format("  int<lower=0> new_{};\n", name) : "",
        is_group(name) ? fmt::format(" + new_{}", name) : "");
  }
  std::string predicted(std::size_t predictor) const {
    std::string lines;
    for (const SpecialBlock& special : made_.predictors[predictor].specials)
      for (const std::string& line : special.prediction_lines)
        lines += fmt::format("    {};\n", line);
    return lines + "  " + predictor_lines(made_, predictor, true);
  }
  std::string predictions() const {
    std::string lines = declarations() + "  {\n";
    for (const GroupBlock& g : made_.groups) lines += predicted_effects(g);
    for (auto missing = made_.missing.rbegin(); missing != made_.missing.rend(); ++missing)
      lines += predicted(missing->predictor) +
               drawn_column(*missing, made_.predictors[missing->predictor].variable);
    for (const std::size_t k : made_.order_of_predictors())
      if (made_.predictors[k].observed.empty()) lines += predicted(k);
    if (!has_several()) lines += "    linear = eta;\n";
    for (std::size_t k = 0; has_several() && k < made_.num_locations(); ++k)
      lines += fmt::format("    linear[, {}] = {};\n", k + 1, made_.predictors[k].variable);
    const FamilyText row = family_text(made_, "linear", true);
    const std::string own = family_.probabilities == nullptr ? "" : family_.probabilities(row);
    if (!own.empty())
      lines += fmt::format("    for (n in 1:N) probability[n] = {}';\n", with_impossible(own));
    else if (family_.is_ordinal)
      lines += ordinal_probabilities(row.threshold);
    else
      lines += fmt::format("    for (n in 1:N) mean_outcome[n] = {}{};\n", family_.expected(row),
                           family_.has_columns ? "'" : "");
    if (family_.variance != nullptr)
      lines += fmt::format("    for (n in 1:N) variance[n] = {};\n", family_.variance(row));
    return lines + outcomes(row) + "  }\n";
  }
  bool has_several() const { return family_.locations != Locations::one; }
  // Rows without an earlier row have the prediction NaN.
  const std::string& has_earlier() const { return made_.outcome.modifiers.earlier; }
  std::string outcomes(const FamilyText& row) const {
    if (const ResidualStructure* residuals = made_.residuals())
      return with_residuals(residuals->draw, made_, "eta");
    const bool is_row = family_.has_columns && family_.role == ColumnRole::number;
    if (has_earlier().empty())
      return fmt::format("    for (n in 1:N) outcome[n] = {}{};\n", family_.draw(row),
                         is_row ? "'" : "");
    const auto none = [](bool is_vector, const std::string& size) {
      return is_vector ? fmt::format("rep_row_vector(not_a_number(), {})", size)
                       : std::string("not_a_number()");
    };
    return fmt::format(
        "    for (n in 1:N) {{\n      if ({0}[n] == 1) {{\n        outcome[n] = {1};\n      }} "
        "else "
        "{{\n        outcome[n] = not_a_number();\n        linear[n] = {2};\n        {3}[n] = "
        "{4};\n      }}\n    }}\n",
        has_earlier(), family_.draw(row),
        none(has_several(), fmt::format("{}", made_.num_locations())),
        family_.has_categories() ? "probability" : "mean_outcome",
        none(family_.has_categories(), "K_" + made_.outcome.name));
  }
  std::string declarations() const {
    const std::size_t size = made_.outcome.columns.size();
    std::string lines = has_several()
                            ? fmt::format("  matrix[N, {}] linear;\n", made_.num_locations())
                            : "  vector[N] linear;\n";
    if (family_.has_columns)
      return lines + fmt::format("  matrix[N, {0}] mean_outcome;\n  {1} outcome;\n", size,
                                 family_.role == ColumnRole::number
                                     ? fmt::format("matrix[N, {}]", size)
                                     : fmt::format("array[N, {}] int", size));
    lines += family_.has_categories()
                 ? fmt::format("  matrix[N, K_{}] probability;\n", made_.outcome.name)
                 : "  vector[N] mean_outcome;\n";
    if (family_.variance != nullptr) lines += "  vector[N] variance;\n";
    return lines + (family_.role == ColumnRole::number || !has_earlier().empty()
                        ? "  vector[N] outcome;\n"
                        : "  array[N] int outcome;\n");
  }
  std::string ordinal_probabilities(const std::string& threshold) const {
    const char* const f = made_.link() == "logit" ? "inv_logit" : "Phi";
    const std::string number = thresholds_of_row(made_);
    const bool is_by_group = !made_.outcome.modifiers.thresholds.by.empty();
    return fmt::format(
        "    for (n in 1:N) {{\n      real below = 0;\n{3}      for (k in 1:({0})) {{\n"
        "        real up_to = {1}({2}[k] - linear[n]);\n"
        "        probability[n, k] = up_to - below;\n        below = up_to;\n      }}\n"
        "      probability[n, {0} + 1] = 1 - below;\n    }}\n",
        number, f, threshold,
        is_by_group
            ? fmt::format("      probability[n] = rep_row_vector(0, K_{});\n", made_.outcome.name)
            : "");
  }
  // Categories beyond those of the row's thresholds have probability 0.
  std::string with_impossible(const std::string& probabilities) const {
    if (made_.outcome.modifiers.thresholds.by.empty()) return probabilities;
    return fmt::format("append_row({}, rep_vector(0, K_{} - 1 - {}))", probabilities,
                       made_.outcome.name, thresholds_of_row(made_));
  }

  const Regression& made_;
  const FamilyRow& family_;
};
}  // namespace

std::string prediction_text(const Regression& made) { return PredictionWriter(made).text(); }

}  // namespace credo::models
