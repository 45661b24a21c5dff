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
      if (std::ranges::find(made_.groups, constant.name, &GroupBlock::lookup) == made_.groups.end())
        lines += "  " + constant.declaration() + "\n";
    std::set<std::string> seen;
    for (const GroupBlock& group : made_.groups)
      if (!group.lookup.empty() && seen.insert(group.codes).second) lines += combinations(group);
    return lines;
  }
  bool is_group(const std::string& codes) const {
    return std::ranges::find(made_.groups, codes, &GroupBlock::codes) != made_.groups.end();
  }
  std::string declared(const UsedColumn& column) const {
    const std::string& name = column.name;
    if (made_.outcome.is_column(name))
      return family_.has_categories() ? fmt::format("  int<lower=2> K_{};\n", name) : "";
    if (made_.outcome.fit_columns.contains(name)) return "";
    if (column.role == ColumnRole::number) return fmt::format("  vector[N] {};\n", name);
    if (column.role == ColumnRole::count) return fmt::format("  array[N] int<lower=0> {};\n", name);
    // Combinations alone have effects; the front end numbers them.
    if (!is_group(name) && !made_.fixed_factors.contains(name)) return "";
    return fmt::format(
        "  int<lower=1> K_{0};  // levels of {1}\n{2}  array[N] int<lower=1, upper=K_{0}{3}> "
        "{0};\n",
        name, column.column, is_group(name) ? fmt::format("  int<lower=0> new_{};\n", name) : "",
        is_group(name) ? fmt::format(" + new_{}", name) : "");
  }
  static std::string combinations(const GroupBlock& group) {
    return fmt::format(
        "  int<lower=0> new_{0};\n  array[N] int<lower=1, upper={1} + new_{0}> {0};\n", group.codes,
        group.size);
  }

  // Effects of known levels, and behind them those of new ones, drawn once for each level.
  static std::string new_effects(const GroupBlock& g) {
    const Index q = g.num_columns();
    const std::string name = fmt::format("{}{}", kAllEffects, g.effects);
    if (q == 1)
      return fmt::format(
          "    vector[{0} + new_{1}] {2} = append_row({3}, rep_vector(0, new_{1}));\n"
          "    for (k in 1:draws_new * new_{1}) {2}[{0} + k] = normal_rng(0, {4});\n",
          g.size, g.codes, name, g.effects, g.sd);
    return fmt::format(
        "    matrix[{5}, {0} + new_{1}] {2} = append_col({3}, rep_matrix(0, {5}, new_{1}));\n"
        "    for (k in 1:draws_new * new_{1}) {{\n"
        "      vector[{5}] z_new = to_vector(normal_rng(rep_vector(0, {5}), 1));\n"
        "      {2}[, {0} + k] = {4};\n    }}\n",
        g.size, g.codes, name, g.effects,
        g.is_correlated ? scaled_effects(g, "z_new") : fmt::format("{} .* z_new", g.sd), q);
  }

  std::string predictions() const {
    std::string lines = declarations() + "  {\n";
    for (const GroupBlock& g : made_.groups) lines += new_effects(g);
    for (const std::size_t k : made_.order_of_predictors()) {
      for (const SpecialBlock& special : made_.predictors[k].specials)
        for (const std::string& line : special.prediction_lines)
          lines += fmt::format("    {};\n", line);
      lines += "  " + predictor_lines(made_, k, true);
    }
    if (!has_several()) lines += "    linear = eta;\n";
    for (std::size_t k = 0; has_several() && k < made_.num_locations(); ++k)
      lines += fmt::format("    linear[, {}] = {};\n", k + 1, made_.predictors[k].variable);
    const FamilyText row = family_text(made_, "linear", true);
    const std::string own = family_.probabilities == nullptr ? "" : family_.probabilities(row);
    if (!own.empty())
      lines += fmt::format("    for (n in 1:N) probability[n] = {}';\n", own);
    else if (family_.is_ordinal)
      lines += ordinal_probabilities();
    else
      lines += fmt::format("    for (n in 1:N) mean_outcome[n] = {}{};\n", family_.expected(row),
                           family_.has_columns ? "'" : "");
    const bool is_row = family_.has_columns && family_.role == ColumnRole::number;
    return lines + fmt::format("    for (n in 1:N) outcome[n] = {}{};\n  }}\n", family_.draw(row),
                               is_row ? "'" : "");
  }
  bool has_several() const { return family_.locations != Locations::one; }
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
    return lines + (family_.role == ColumnRole::number ? "  vector[N] outcome;\n"
                                                       : "  array[N] int outcome;\n");
  }
  std::string ordinal_probabilities() const {
    const char* const f = made_.link() == "logit" ? "inv_logit" : "Phi";
    return fmt::format(
        "    for (n in 1:N) {{\n      real below = 0;\n      for (k in 1:(K_{0} - 1)) {{\n"
        "        real up_to = {1}(threshold[k] - linear[n]);\n"
        "        probability[n, k] = up_to - below;\n        below = up_to;\n      }}\n"
        "      probability[n, K_{0}] = 1 - below;\n    }}\n",
        made_.outcome.name, f);
  }

  const Regression& made_;
  const FamilyRow& family_;
};
}  // namespace

std::string prediction_text(const Regression& made) { return PredictionWriter(made).text(); }

}  // namespace credo::models
