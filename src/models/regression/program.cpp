// The text of a regression's program.
#include <fmt/format.h>

#include "models/regression/program_parts.hpp"

namespace credo::models {
namespace {
constexpr std::size_t kLongLine = 88;

class ProgramWriter {
 public:
  explicit ProgramWriter(const Regression& made) : made_(made), family_(*made.family) {}

  std::string text() const {
    const std::string head = fmt::format(
        "// {}   a program of credo regression; constants.json has the constants\n", made_.formula);
    return head + functions_block(made_) + block_of("data", data()) +
           block_of("transformed data", prepared()) +
           block_of("parameters", parameter_lines(made_)) +
           block_of("transformed parameters", effect_lines(made_)) + model() +
           block_of("generated quantities", quantities());
  }

 private:
  // ---- data
  std::string data() const {
    std::string lines = "  int<lower=0> N;  // rows of the table\n";
    for (const UsedColumn& column : made_.columns) lines += declared(column);
    for (const ProgramConstant& constant : made_.parts.constants)
      lines += "  " + constant.declaration() + "\n";
    return lines;
  }
  std::string declared(const UsedColumn& column) const {
    const std::string& name = column.name;
    if (name == made_.outcome.name) return outcome_declaration();
    if (column.role == ColumnRole::number) return fmt::format("  vector[N] {};\n", name);
    if (column.role == ColumnRole::count) return fmt::format("  array[N] int<lower=0> {};\n", name);
    return fmt::format(
        "  int<lower=1> K_{0};  // levels of {1}\n  array[N] int<lower=1, upper=K_{0}> {0};\n",
        name, column.column);
  }
  std::string outcome_declaration() const {
    if (!family_.has_categories()) return fmt::format("  {};\n", made_.outcome.declaration);
    return fmt::format("  int<lower=2> K_{0};  // categories of {0}\n  {1};\n", made_.outcome.name,
                       made_.outcome.declaration);
  }

  // ---- transformed data
  std::string prepared() const {
    std::string lines;
    for (const std::string& line : made_.parts.prepared) lines += "  " + line + "\n";
    if (!made_.outcome.columns.empty())
      lines += joined_columns();
    else if (made_.outcome.expression != made_.outcome.name)
      lines += fmt::format("  vector[N] {} = {}({});\n", made_.outcome.expression,
                           made_.outcome.function, made_.outcome.name);
    std::set<std::string> seen;
    for (const GroupBlock& group : made_.groups)
      if (seen.insert(group.codes).second) lines += group_rows(group);
    return lines;
  }

  // The columns of the outcome as rows.
  std::string joined_columns() const {
    const Outcome& outcome = made_.outcome;
    std::vector<std::string> cells;
    for (const std::string& column : outcome.columns) cells.push_back(column + "[n]");
    const std::size_t size = cells.size();
    return family_.role == ColumnRole::number
               ? fmt::format("  array[N] vector[{0}] {1};\n  for (n in 1:N) {1}[n] = [{2}]';\n",
                             size, outcome.expression, fmt::join(cells, ", "))
               : fmt::format("  array[N, {0}] int {1};\n  for (n in 1:N) {1}[n] = {{{2}}};\n", size,
                             outcome.expression, fmt::join(cells, ", "));
  }

  // ---- model
  // One statement where the coefficients have one prior, or normal priors at 0 that differ in width only.
  static std::string priors_of(const std::string& parameter, const std::vector<Coefficient>& all) {
    constexpr std::string_view kNormal = "normal(0, ";
    const auto is_equal = [&](const Coefficient& c) { return c.prior == all[0].prior; };
    if (std::ranges::all_of(all, is_equal)) return prior_statement(parameter, all[0].prior);
    std::vector<std::string> widths;
    std::string lines;
    for (const Coefficient& c : all) {
      lines += prior_statement(c.element, c.prior);
      if (!c.prior.starts_with(kNormal)) continue;
      const std::string width = c.prior.substr(kNormal.size(), c.prior.size() - kNormal.size() - 1);
      if (width.find_first_of("(,") == width.npos) widths.push_back(width);
    }
    if (widths.size() != all.size()) return lines;
    return fmt::format("  {} ~ normal(0, [{}]');\n", parameter, fmt::join(widths, ", "));
  }
  std::string own_priors(const Predictor& own) const {
    std::string lines;
    if (own.is_location() && family_.is_ordinal)
      lines += threshold_priors(made_, own.intercept_prior);
    else if (own.has_intercept)
      lines += prior_statement(own.intercept, own.intercept_prior);
    for (const TermBlock& term : own.terms)
      if (!term.has_shared_prior) lines += priors_of(term.parameter, term.coefficients);
    for (const SpecialBlock& special : own.specials) {
      for (const SpecialPrior& p : special.priors)
        lines += prior_statement(p.coefficient.element, p.coefficient.prior);
      for (const std::string& line : special.statements) lines += fmt::format("  {};\n", line);
    }
    return lines;
  }
  std::string priors() const {
    std::string lines;
    for (const Predictor& predictor : made_.predictors) lines += own_priors(predictor);
    for (const GroupBlock& g : made_.groups) {
      if (g.scale_line.empty()) lines += priors_of(g.sd, g.deviations);
      lines += group_statements(g, made_.effects_are_centred);
    }
    for (const Coefficient& c : made_.parameters) lines += prior_statement(c.element, c.prior);
    return lines;
  }
  std::string model() const {
    const auto parts = predictor_parts(made_, 0, false);
    const std::string line = fmt::format("{}", fmt::join(parts, " + "));
    const bool may_be_short = made_.link() == "identity" && !has_row_statement(made_) &&
                              family_.locations == Locations::one && made_.residuals() == nullptr;
    const bool is_short = line.size() < kLongLine && may_be_short && parts.size() > 1;
    const bool is_alone = parts.size() == 1 && parts[0] == made_.location().intercept &&
                          made_.location().has_intercept && may_be_short;
    const std::string eta = is_short || is_alone ? line : made_.location().variable;
    std::string lines = priors() + full_columns(made_);
    for (const std::size_t k : made_.order_of_predictors())
      if (k > 0 || eta == made_.location().variable) lines += predictor_lines(made_, k, false);
    return "model {\n" + lines + missing_statements(made_) + outcome_statement(made_, eta) + "}\n";
  }

  // ---- generated quantities
  std::string quantities() const {
    std::string lines;
    for (const Predictor& predictor : made_.predictors) lines += at_zero(predictor);
    for (const GroupBlock& g : made_.groups) lines += group_correlations(g);
    for (const Predictor& predictor : made_.predictors)
      for (const SpecialBlock& special : predictor.specials)
        for (const std::string& line : special.quantities) lines += fmt::format("  {};\n", line);
    for (const std::string& line : family_.quantities) lines += fmt::format("  {};\n", line);
    return lines;
  }
  // The intercept, or the thresholds, where all columns are 0.
  std::string at_zero(const Predictor& own) const {
    std::vector<std::string> centres;
    for (const TermBlock& term : own.terms)
      if (!term.centre.empty()) centres.push_back(term.centre);
    if (centres.empty()) return "";
    if (own.is_location() && family_.is_ordinal)
      return fmt::format("  vector[{}] threshold_at_zero = threshold + {};  // all columns 0\n",
                         number_of_thresholds(made_), fmt::join(centres, " + "));
    return fmt::format("  real {} = {} - {};  // all columns 0\n", own.intercept_at_zero,
                       own.intercept, fmt::join(centres, " - "));
  }

  const Regression& made_;
  const FamilyRow& family_;
};
}  // namespace

std::string program_text(const Regression& made) { return ProgramWriter(made).text(); }

}  // namespace credo::models
