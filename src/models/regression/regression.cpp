#include "models/regression/regression.hpp"

#include <fmt/format.h>

#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"
#include "models/regression/outcome.hpp"

namespace credo::models {
namespace {
using TextOf = std::function<const std::string&(const std::string&)>;

// The table without options for its columns: what the formula's names are looked up in.
io::DataTable plain_table(const RegressionRequest& request, const TextOf& text_of) {
  io::DataRecipe recipe = request.data;
  recipe.columns.clear();
  recipe.levels.clear();
  recipe.missing.clear();
  return io::read_data(recipe.text(), text_of);
}

class RegressionMaker {
 public:
  RegressionMaker(const RegressionRequest& request, const TextOf& text_of, FormulaFaults& faults)
      : request_(request),
        text_of_(text_of),
        faults_(faults),
        table_(plain_table(request, text_of)),
        names_(request.is_usable),
        frame_(table_, names_, faults) {
    for (const char* own : {"N",
                            "intercept",
                            "threshold",
                            "eta",
                            "linear",
                            "mean_outcome",
                            "outcome",
                            "probability",
                            "intercept_at_zero",
                            "threshold_at_zero",
                            "sigma",
                            "nu",
                            "shape",
                            "phi",
                            "log_lik",
                            "y_rep",
                            "draws_new",
                            "n",
                            "k",
                            "z_new",
                            "below",
                            "up_to",
                            "column_products",
                            "poly_columns",
                            "power_columns",
                            "spline_columns",
                            "piece_numbers"})
      names_.take(own);
  }

  Regression make() {
    made_.formula = request_.formula;
    if (!read_formula() || !use_all()) return std::move(made_);
    if (!read_rows()) return std::move(made_);
    take_outcome(made_, *formula_.parts[0].left, frame_);
    made_.design = make_design(terms_, frame_, made_.parts);
    if (!faults_.empty()) return std::move(made_);
    require_independent();
    made_.has_intercept = terms_.has_intercept;
    for (const FormulaVariable& variable : made_.design.variables)
      if (variable.is_factor) made_.fixed_factors.insert(variable.codes_name);
    made_.effects_are_centred = request_.centred;
    add_population(made_, frame_);
    add_offsets();
    add_groups(made_, terms_.groups, frame_);
    set_priors(made_, request_, offset_values_, faults_);
    made_.columns = frame_.used();
    for (const UsedColumn& column : made_.columns)
      if (column.role == ColumnRole::factor) made_.levels[column.name] = frame_.levels(column.name);
    if (!faults_.empty()) return std::move(made_);
    made_.program = program_text(made_);
    made_.constants = constants_text(made_.parts.constants);
    return std::move(made_);
  }

 private:
  bool read_formula() {
    formula_ = parse_formula(request_.formula, faults_);
    made_.formula = formula_.text;
    if (!faults_.empty()) return false;
    for (std::size_t k = 1; k < formula_.parts.size(); ++k)
      faults_.add(formula_.parts[k].left->place, "a formula for another parameter is not there yet",
                  "leave out the part behind the semicolon");
    return true;
  }

  bool use_all() {
    const Expression& left = *formula_.parts[0].left;
    const bool has_outcome = use_outcome(made_, request_, left, frame_);
    const std::vector<std::string> on_left = columns_of(left);
    std::vector<std::string> others;
    for (const std::string& column : frame_.column_names())
      if (std::ranges::find(on_left, column) == on_left.end()) others.push_back(column);
    terms_ = read_terms(formula_.parts[0].right, others, faults_);
    bool is_right = use_terms(terms_, frame_) && has_outcome;
    for (const GroupTerm& group : terms_.groups) is_right = use_group(group) && is_right;
    if (made_.family != nullptr && made_.family->is_ordinal && !terms_.has_intercept)
      faults_.add(formula_.parts[0].right.place,
                  "thresholds stand in the place of the intercept, which can't be left out");
    return is_right && faults_.empty();
  }
  bool use_group(const GroupTerm& group) {
    bool is_right = true;
    for (const Expression& column : group.grouping)
      is_right = frame_.use(column, ColumnRole::factor).has_value() && is_right;
    const TermList inner = read_terms(group.terms, {}, faults_);
    return use_terms(inner, frame_) && is_right;
  }

  // Reads the table again, by the uses of its columns, and leaves out rows with missing cells if the request says so.
  bool read_rows() {
    made_.recipe = request_.data;
    for (std::string& use : frame_.column_uses()) made_.recipe.columns.push_back(std::move(use));
    io::DataTable rows = io::read_data(made_.recipe.text(), text_of_);
    if (made_.recipe.missing != "drop" && !require_complete(rows)) return false;
    std::vector<std::string> declared;
    for (const UsedColumn& used : frame_.used()) declared.push_back(used.name);
    const Index before = rows.find(declared[0])->num_elements();
    rows = io::settled(std::move(rows), declared);
    frame_.set_rows(std::move(rows));
    made_.num_rows = frame_.num_rows();
    made_.num_dropped = before - made_.num_rows;
    if (made_.num_rows == 0)
      faults_.add_of_table("", "no row has a value in all columns of the formula");
    return made_.num_rows > 0 && require_one_length();
  }
  bool require_one_length() {
    for (const UsedColumn& used : frame_.used())
      if (frame_.length(used.name) != made_.num_rows)
        faults_.add_of_table(
            "",
            fmt::format("{} has {} rows, and {} has {}", used.column, frame_.length(used.name),
                        frame_.used()[0].column, made_.num_rows),
            "all columns of a formula are of tables of one length");
    return faults_.empty();
  }
  bool require_complete(const io::DataTable& rows) {
    std::set<Index> incomplete;
    std::string columns;
    const io::ColumnFacts* first = nullptr;
    for (const UsedColumn& used : frame_.used()) {
      const io::DataValue& value = *rows.find(used.name);
      const std::vector<Index>& missing = value.column->missing;
      if (missing.empty()) continue;
      if (first == nullptr || missing[0] < first->missing[0]) first = value.column.get();
      incomplete.insert(missing.begin(), missing.end());
      columns += fmt::format("{}{} ({})", columns.empty() ? "" : ", ", used.column, missing.size());
    }
    if (incomplete.empty()) return true;
    faults_.add_of_table(
        first->where(first->missing[0]),
        fmt::format("{} of {} rows have no value in {}; the first is row {}", incomplete.size(),
                    rows.find(frame_.used()[0].name)->num_elements(), columns,
                    *incomplete.begin() + 1),
        "--missing drop leaves these rows out");
    return false;
  }

  void require_independent() {
    if (made_.design.terms.empty()) return;
    Design design = made_.design;
    design.has_intercept = design.has_intercept || made_.family->is_ordinal;
    for (const std::string& fault :
         collinear_columns(design.all_columns(made_.num_rows), design.all_names()))
      faults_.add_of_table("",
                           fmt::format("a column of the formula follows from others: {}", fault),
                           "leave one of its terms out");
  }

  void add_offsets() {
    for (const Expression& offset : terms_.offsets)
      add_offset(arithmetic_of(offset, frame_), offset, "offset({})");
    for (const Expression& rate : made_.rates) {
      Arithmetic exposure = arithmetic_of(rate, frame_);
      for (double& x : exposure.values) x = std::log(x);
      exposure.stan = fmt::format("log({})", exposure.stan);
      add_offset(exposure, rate, "log of rate({})");
    }
  }
  void add_offset(const Arithmetic& offset, const Expression& e, const char* words) {
    for (std::size_t k = 0; k < offset.values.size(); ++k)
      if (!std::isfinite(offset.values[k]))
        return faults_.add(
            e.place, fmt::format("{} is {} in row {}", fmt::format(fmt::runtime(words), e.text()),
                                 offset.values[k], k + 1));
    offset_values_.resize(static_cast<std::size_t>(made_.num_rows), 0.0);
    for (std::size_t k = 0; k < offset_values_.size(); ++k)
      offset_values_[k] += offset.values[offset.is_vector ? k : 0];
    made_.offsets.push_back(offset.strength < 100 ? "(" + offset.stan + ")" : offset.stan);
  }

  const RegressionRequest& request_;
  const TextOf& text_of_;
  FormulaFaults& faults_;
  io::DataTable table_;
  ProgramNames names_;
  Frame frame_;
  Formula formula_;
  TermList terms_;
  std::vector<double> offset_values_;
  Regression made_;
};
}  // namespace

Regression make_regression(const RegressionRequest& request, const TextOf& text_of,
                           FormulaFaults& faults) {
  return RegressionMaker(request, text_of, faults).make();
}

std::string words_of(const Regression& made) {
  std::string words = fmt::format("{}: {}{}, {} rows", made.formula, made.family->words,
                                  made.link == made.family->links[0] && made.link == "identity"
                                      ? ""
                                      : fmt::format(" (link {})", made.link),
                                  made.num_rows);
  if (made.num_dropped > 0) words += fmt::format(" ({} left out)", made.num_dropped);
  std::set<std::string> seen;
  for (const GroupBlock& group : made.groups)
    if (seen.insert(group.label).second)
      words += fmt::format(", {} groups of {}", group.levels.size(), group.label);
  if (!made.outcome.level.empty())
    words += fmt::format("; 1 is {} = {}", made.outcome.text, made.outcome.level);
  const auto lines = std::ranges::count(made.program, '\n');
  return words + fmt::format("; written as a program of {} lines (--write DIR)\n", lines);
}

std::string explanation(const Regression& made) {
  std::string text = fmt::format("{} ~\n", made.outcome.text);
  const auto line = [&](const std::string& what, std::size_t number, const std::string& names) {
    text += fmt::format("  {:<24} {:>3} coefficient{}  {}\n", what, number, number == 1 ? " " : "s",
                        names);
  };
  if (made.family->is_ordinal)
    line("thresholds", static_cast<std::size_t>(made.outcome.num_levels - 1), "");
  else if (made.has_intercept)
    line("intercept", 1, "");
  for (const DesignTerm& term : made.design.terms)
    line(term.text, term.names.size(), fmt::format("{}", fmt::join(term.names, ", ")));
  for (const GroupBlock& group : made.groups) {
    std::vector<std::string> names;
    for (const Coefficient& c : group.deviations) names.push_back(c.name);
    line(fmt::format("group {}", group.label), group.levels.size() * names.size(),
         fmt::format("{} of each of {} levels, {}", fmt::join(names, ", "), group.levels.size(),
                     group.is_correlated ? "correlated" : "independent"));
  }
  for (const std::string& offset : made.offsets) line("offset", 0, offset);
  for (const Coefficient& c : made.parameters) line(c.name, 1, "");
  return text;
}

}  // namespace credo::models
