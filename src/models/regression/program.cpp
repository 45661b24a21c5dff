// The text of a regression's program.
#include <fmt/format.h>

#include "models/regression/regression.hpp"

namespace credo::models {
namespace {
constexpr std::size_t kLongLine = 88;
constexpr std::string_view kAllEffects = "all_";  // effects of known and new levels, in predictions

// Lines of a block, without an empty block.
std::string block_of(const std::string& name, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("{} {{\n{}}}\n", name, lines);
}

class ProgramWriter {
 public:
  ProgramWriter(const Regression& made, bool is_prediction)
      : made_(made), family_(*made.family), is_prediction_(is_prediction) {}

  std::string text() {
    const std::string head =
        fmt::format("// {}   {} of credo regression; constants.json has the constants\n",
                    made_.formula, is_prediction_ ? "predictions" : "a program");
    return head + block_of("functions", functions()) + block_of("data", data()) +
           block_of("transformed data", prepared()) + block_of("parameters", parameters()) +
           block_of("transformed parameters", effects()) + (is_prediction_ ? "" : model()) +
           block_of("generated quantities", quantities());
  }

 private:
  std::string functions() const {
    std::string lines;
    for (const std::string& name : made_.parts.functions) lines += function_text(name);
    return lines;
  }

  // ---- data
  std::string data() const {
    std::string lines = "  int<lower=0> N;  // rows of the table\n";
    std::set<std::string> sizes;
    for (const UsedColumn& column : made_.columns) {
      if (column.name == made_.outcome.name && is_prediction_) {
        if (family_.is_ordinal) lines += fmt::format("  int<lower=2> K_{};\n", column.name);
        continue;
      }
      if (is_prediction_ && is_part_of_combinations(column)) continue;
      lines += declared(column);
    }
    if (is_prediction_ && !made_.groups.empty())
      lines += "  int<lower=0, upper=1> draws_new;  // 0: new levels have the effect 0\n";
    for (const ProgramConstant& constant : made_.parts.constants) {
      const bool is_lookup =
          std::ranges::find(made_.groups, constant.name, &GroupBlock::lookup) != made_.groups.end();
      if (!(is_prediction_ && is_lookup)) lines += "  " + constant.declaration() + "\n";
    }
    if (is_prediction_)
      for (const GroupBlock& group : made_.groups)
        if (sizes.insert(group.codes).second) lines += new_levels(group);
    return lines;
  }
  // Combinations alone have effects; the front end numbers them.
  bool is_part_of_combinations(const UsedColumn& column) const {
    return column.role == ColumnRole::factor && !is_group(column.name) &&
           !made_.fixed_factors.contains(column.name);
  }
  bool is_group(const std::string& codes) const {
    return std::ranges::find(made_.groups, codes, &GroupBlock::codes) != made_.groups.end();
  }
  std::string declared(const UsedColumn& column) const {
    const std::string& name = column.name;
    if (name == made_.outcome.name) return outcome_declaration();
    if (column.role == ColumnRole::number) return fmt::format("  vector[N] {};\n", name);
    if (column.role == ColumnRole::count) return fmt::format("  array[N] int<lower=0> {};\n", name);
    const std::string least = is_prediction_ && is_group(name)
                                  ? fmt::format("K_{0} + new_{0}", name)
                                  : fmt::format("K_{}", name);
    const std::string news =
        is_prediction_ && is_group(name) ? fmt::format("  int<lower=0> new_{};\n", name) : "";
    return fmt::format(
        "  int<lower=1> K_{0};  // levels of {1}\n{2}  array[N] int<lower=1, upper={3}> {0};\n",
        name, column.column, news, least);
  }
  std::string outcome_declaration() const {
    if (!family_.is_ordinal) return fmt::format("  {};\n", made_.outcome.declaration);
    return fmt::format("  int<lower=2> K_{0};  // categories of {0}\n  {1};\n", made_.outcome.name,
                       made_.outcome.declaration);
  }
  // Combinations of columns are numbered by the front end.
  std::string new_levels(const GroupBlock& group) const {
    if (group.lookup.empty()) return "";
    return fmt::format(
        "  int<lower=0> new_{0};\n  array[N] int<lower=1, upper={1} + new_{0}> {0};\n", group.codes,
        group.size);
  }

  // ---- transformed data
  std::string prepared() const {
    std::string lines;
    for (const std::string& line : made_.parts.prepared) lines += "  " + line + "\n";
    if (!is_prediction_ && made_.outcome.expression != made_.outcome.name)
      lines += fmt::format("  vector[N] {} = {}({});\n", made_.outcome.expression,
                           made_.outcome.function, made_.outcome.name);
    std::set<std::string> seen;
    for (const GroupBlock& group : made_.groups) {
      if (group.lookup.empty() || is_prediction_ || !seen.insert(group.codes).second) continue;
      std::vector<std::string> indices;
      for (const std::string& column : group.columns) indices.push_back(column + "[n]");
      lines +=
          fmt::format("  array[N] int<lower=1, upper={}> {};\n  for (n in 1:N) {}[n] = {}[{}];\n",
                      group.size, group.codes, group.codes, group.lookup, fmt::join(indices, ", "));
    }
    return lines;
  }

  // ---- parameters
  std::string parameters() const {
    std::string lines;
    if (family_.is_ordinal)
      lines += fmt::format("  ordered[K_{} - 1] threshold;  // at the means of the columns\n",
                           made_.outcome.name);
    else if (made_.has_intercept)
      lines += fmt::format("  real intercept;{}\n",
                           made_.terms.empty() ? "" : "  // at the means of the columns");
    for (const TermBlock& term : made_.terms)
      lines += term.is_number
                   ? fmt::format("  real {};\n", term.parameter)
                   : fmt::format("  vector[{}] {};\n", term.coefficients.size(), term.parameter);
    for (const GroupBlock& group : made_.groups) lines += group_parameters(group);
    for (const FamilyParameter& parameter : family_.parameters)
      lines += "  " + parameter.declaration + ";\n";
    return lines;
  }
  std::string group_parameters(const GroupBlock& g) const {
    const Index q = g.num_columns();
    const std::string effects = made_.effects_are_centred ? g.effects : g.z;
    if (q == 1)
      return fmt::format("  real<lower=0> {};\n  vector[{}] {};\n", g.sd, g.size, effects);
    std::string lines = fmt::format("  vector<lower=0>[{}] {};\n", q, g.sd);
    if (g.is_correlated) lines += fmt::format("  cholesky_factor_corr[{}] {};\n", q, g.root);
    return lines + fmt::format("  matrix[{}, {}] {};\n", q, g.size, effects);
  }
  // The factor by which standard effects become effects.
  std::string scale_of(const GroupBlock& g, const std::string& z) const {
    if (g.num_columns() == 1) return fmt::format("{} * {}", g.sd, z);
    return g.is_correlated ? fmt::format("diag_pre_multiply({}, {}) * {}", g.sd, g.root, z)
                           : fmt::format("diag_pre_multiply({}, {})", g.sd, z);
  }
  std::string effects() const {
    std::string lines;
    if (made_.effects_are_centred) return lines;
    for (const GroupBlock& g : made_.groups) {
      const std::string type = g.num_columns() == 1
                                   ? fmt::format("vector[{}]", g.size)
                                   : fmt::format("matrix[{}, {}]", g.num_columns(), g.size);
      std::vector<std::string> names;
      for (const Coefficient& c : g.deviations) names.push_back(c.name);
      lines += fmt::format("  {} {} = {};  // {}\n", type, g.effects, scale_of(g, g.z),
                           fmt::join(names, ", "));
    }
    return lines;
  }

  // ---- model
  static std::string statement(const std::string& parameter, const std::string& prior) {
    return prior.empty() ? "" : fmt::format("  {} ~ {};\n", parameter, prior);
  }
  // One statement where the coefficients have one prior, or normal priors at 0 that differ in width only.
  static std::string priors_of(const std::string& parameter, const std::vector<Coefficient>& all) {
    constexpr std::string_view kNormal = "normal(0, ";
    const auto is_equal = [&](const Coefficient& c) { return c.prior == all[0].prior; };
    if (std::ranges::all_of(all, is_equal)) return statement(parameter, all[0].prior);
    std::vector<std::string> widths;
    std::string lines;
    for (const Coefficient& c : all) {
      lines += statement(c.element, c.prior);
      if (!c.prior.starts_with(kNormal)) continue;
      const std::string width = c.prior.substr(kNormal.size(), c.prior.size() - kNormal.size() - 1);
      if (width.find_first_of("(,") == width.npos) widths.push_back(width);
    }
    if (widths.size() != all.size()) return lines;
    return fmt::format("  {} ~ normal(0, [{}]');\n", parameter, fmt::join(widths, ", "));
  }
  std::string priors() const {
    std::string lines;
    if (family_.is_ordinal)
      lines += statement("threshold", made_.intercept_prior);
    else if (made_.has_intercept)
      lines += statement("intercept", made_.intercept_prior);
    for (const TermBlock& term : made_.terms) lines += priors_of(term.parameter, term.coefficients);
    for (const GroupBlock& g : made_.groups) {
      lines += priors_of(g.sd, g.deviations);
      if (g.is_correlated) lines += statement(g.root, g.correlation_prior);
      lines += standard_effects(g);
    }
    for (const Coefficient& c : made_.parameters) lines += statement(c.element, c.prior);
    return lines;
  }
  std::string standard_effects(const GroupBlock& g) const {
    const Index q = g.num_columns();
    if (!made_.effects_are_centred)
      return q == 1 ? statement(g.z, "std_normal()")
                    : statement("to_vector(" + g.z + ")", "std_normal()");
    if (q == 1) return statement(g.effects, fmt::format("normal(0, {})", g.sd));
    if (!g.is_correlated)
      return fmt::format("  for (k in 1:{}) {}[k] ~ normal(0, {}[k]);\n", q, g.effects, g.sd);
    return fmt::format(
        "  for (k in 1:{}) {}[, k] ~ multi_normal_cholesky(rep_vector(0, {}), "
        "diag_pre_multiply({}, {}));\n",
        g.size, g.effects, q, g.sd, g.root);
  }

  std::vector<std::string> predictor_parts(const std::string& effects_prefix) const {
    std::vector<std::string> parts;
    if (made_.has_intercept && !family_.is_ordinal) parts.emplace_back("intercept");
    for (const TermBlock& term : made_.terms) parts.push_back(term.predictor);
    for (const GroupBlock& g : made_.groups)
      parts.push_back(fmt::format(fmt::runtime(g.predictor), effects_prefix + g.effects));
    for (const std::string& offset : made_.offsets) parts.push_back(offset);
    if (parts.empty()) parts.emplace_back("rep_vector(0, N)");
    return parts;
  }
  // "vector[N] eta = ...;", a part a line.
  std::string predictor_lines(const std::string& name, const std::string& prefix) const {
    const std::vector<std::string> parts = predictor_parts(prefix);
    std::string lines = fmt::format("  vector[N] {} = ", name);
    // A constant alone is no vector.
    lines += parts.size() == 1 && parts[0] == "intercept" ? "rep_vector(intercept, N)" : parts[0];
    for (std::size_t k = 1; k < parts.size(); ++k) lines += "\n                  + " + parts[k];
    return lines + ";\n";
  }
  FamilyText texts(const std::string& eta, bool of_row) const {
    const std::string row = of_row ? "[n]" : "";
    FamilyText t{.outcome = made_.outcome.expression, .eta = eta + row, .link = made_.link};
    t.mean = inverse_link(t.link, t.eta);
    t.trials = made_.outcome.trials + (made_.outcome.trials_column.empty() ? "" : row);
    return t;
  }
  std::string model() const {
    const auto parts = predictor_parts("");
    const std::string line = fmt::format("{}", fmt::join(parts, " + "));
    const bool is_short = line.size() < kLongLine && made_.link == "identity" && parts.size() > 1;
    const bool is_alone = parts.size() == 1 && parts[0] == "intercept" && made_.link == "identity";
    const std::string eta = is_short || is_alone ? line : "eta";
    return "model {\n" + priors() + (eta == "eta" ? predictor_lines("eta", "") : "") +
           fmt::format("  {} ~ {};\n}}\n", made_.outcome.expression,
                       family_.distribution(texts(eta, false)));
  }

  // ---- generated quantities
  std::string quantities() const {
    if (is_prediction_) return predictions();
    std::string lines;
    std::vector<std::string> centres;
    for (const TermBlock& term : made_.terms)
      if (!term.centre.empty()) centres.push_back(term.centre);
    if (!centres.empty() && family_.is_ordinal)
      lines +=
          fmt::format("  vector[K_{} - 1] threshold_at_zero = threshold + {};  // all columns 0\n",
                      made_.outcome.name, fmt::join(centres, " + "));
    else if (!centres.empty())
      lines += fmt::format("  real intercept_at_zero = intercept - {};  // all columns 0\n",
                           fmt::join(centres, " - "));
    for (const GroupBlock& g : made_.groups)
      if (g.is_correlated)
        lines += fmt::format("  corr_matrix[{}] {} = multiply_lower_tri_self_transpose({});\n",
                             g.num_columns(), g.correlations, g.root);
    return lines;
  }

  // Effects of known levels, and behind them those of new ones, drawn once for each level.
  std::string new_effects(const GroupBlock& g) const {
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
        g.is_correlated ? scale_of(g, "z_new") : fmt::format("{} .* z_new", g.sd), q);
  }
  std::string predictions() const {
    std::string lines = "  vector[N] linear;\n";
    if (!family_.is_ordinal)
      lines += "  vector[N] mean_outcome;\n";
    else
      lines += fmt::format("  matrix[N, K_{}] probability;\n", made_.outcome.name);
    lines +=
        family_.role == ColumnRole::number ? "  vector[N] outcome;\n" : "  array[N] int outcome;\n";
    lines += "  {\n";
    for (const GroupBlock& g : made_.groups) lines += new_effects(g);
    std::string eta = predictor_lines("eta", std::string(kAllEffects));
    lines += "  " + eta + "    linear = eta;\n  }\n";
    const FamilyText row = texts("linear", true);
    if (family_.is_ordinal)
      lines += ordinal_probabilities();
    else
      lines += fmt::format("  for (n in 1:N) mean_outcome[n] = {};\n", family_.expected(row));
    return lines + fmt::format("  for (n in 1:N) outcome[n] = {};\n", family_.draw(row));
  }
  std::string ordinal_probabilities() const {
    const char* const f = made_.link == "logit" ? "inv_logit" : "Phi";
    return fmt::format(
        "  for (n in 1:N) {{\n    real below = 0;\n    for (k in 1:(K_{0} - 1)) {{\n"
        "      real up_to = {1}(threshold[k] - linear[n]);\n"
        "      probability[n, k] = up_to - below;\n      below = up_to;\n    }}\n"
        "    probability[n, K_{0}] = 1 - below;\n  }}\n",
        made_.outcome.name, f);
  }

  const Regression& made_;
  const FamilyRow& family_;
  const bool is_prediction_;
};
}  // namespace

std::string program_text(const Regression& made, bool is_prediction) {
  return ProgramWriter(made, is_prediction).text();
}

}  // namespace credo::models
