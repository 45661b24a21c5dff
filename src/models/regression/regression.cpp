#include "models/regression/regression.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "io/data/data_files.hpp"
#include "io/data/settled_table.hpp"
#include "io/number_text.hpp"
#include "models/regression/grouping.hpp"
#include "models/regression/nonlinear.hpp"
#include "models/regression/outcome.hpp"
#include "models/regression/program_parts.hpp"
#include "models/regression/smooths/gaussian_kernel.hpp"
#include "models/regression/smooths/smooth_basis.hpp"
#include "models/regression/table_checks.hpp"

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
    frame_.set_orders(request.data.levels);
    frame_.set_files(text_of);
    frame_.allow_lags();
    reserve_names();
  }

  Regression make() {
    made_.formula = request_.formula;
    if (!read_formula() || !use_all()) return std::move(made_);
    if (!read_rows() || !find_lags()) return std::move(made_);
    take_outcome(made_, *formula_.parts[0].left, frame_);
    take_missing_columns(made_, frame_);
    for (const MissingColumn& missing : made_.missing)
      made_.predictors[missing.predictor].observed = missing.seen;
    if (faults_.empty()) add_locations(made_, own_locations_, frame_);
    for (std::size_t k = 0; k < made_.predictors.size(); ++k) make_predictor(k);
    if (request_.nonlinear && faults_.empty())
      made_.location().expression = arithmetic_of(formula_.parts[0].right, frame_, vectors_).stan;
    if (!faults_.empty()) return std::move(made_);
    made_.effects_are_centred = request_.centred;
    add_groups(made_, frame_);
    add_family_functions();
    set_priors(made_, request_, faults_);
    for (const UsedColumn& used : frame_.used())
      if (!used.has_gaps) made_.columns.push_back(used);
    for (const UsedColumn& column : made_.columns)
      if (column.role == ColumnRole::factor) made_.levels[column.name] = frame_.levels(column.name);
    if (faults_.empty()) check_table(made_, request_, frame_, faults_);
    if (!faults_.empty()) return std::move(made_);
    made_.program = program_text(made_);
    made_.constants = constants_text(made_.parts.constants);
    return std::move(made_);
  }

 private:
  bool read_formula() {
    formula_ = parse_formula(request_.formula, faults_);
    made_.formula = formula_.text;
    if (faults_.empty() && !request_.nonlinear) join_outcomes(formula_, request_, frame_);
    return faults_.empty();
  }

  bool use_all() {
    const Expression& left = *formula_.parts[0].left;
    bool is_right = use_outcome(made_, request_, left, frame_);
    if (request_.nonlinear && made_.family == nullptr) return false;
    if (request_.nonlinear && made_.family->locations != Locations::one) {
      faults_.add(left.place, fmt::format("nonlinear formulas of the family {} are not there yet",
                                          made_.family->name));
      return false;
    }
    const std::vector<std::string> on_left = columns_of(left);
    for (const std::string& column : frame_.column_names())
      if (std::ranges::find(on_left, column) == on_left.end()) others_.push_back(column);
    is_right = (request_.nonlinear ? use_expression(made_, formula_, frame_, vectors_)
                                   : use_predictor(made_.location(), formula_.parts[0])) &&
               is_right;
    keep_columns_of_terms();
    refuse_outcomes_as_terms(made_, formula_, faults_);
    if (made_.outcome.columns.empty()) refuse_outcome_as_term(formula_, faults_);
    if (made_.family == nullptr || (request_.nonlinear && !is_right)) return false;
    if (made_.family->is_ordinal && !made_.location().list.has_intercept)
      faults_.add(formula_.parts[0].right.place,
                  "thresholds stand in the place of the intercept, which can't be left out");
    for (std::size_t k = 1; k < formula_.parts.size(); ++k)
      is_right = use_part(formula_.parts[k]) && is_right;
    return is_right && faults_.empty();
  }
  // A column of a modifier that is in a term, too, is needed for predictions.
  void keep_columns_of_terms() {
    for (const FormulaPart& part : formula_.parts)
      for (const std::string& column : columns_of(part.right))
        for (const UsedColumn& used : frame_.used())
          if (used.column == column || used.name == column) {
            made_.outcome.fit_columns.erase(used.name);
            if (used.name == made_.outcome.name && used.role == ColumnRole::number)
              made_.outcome.is_in_terms = true;
          }
  }
  bool use_part(const FormulaPart& part) {
    const Expression* const column = missing_column_of(*part.left);
    return column == nullptr ? use_parameter(part) : use_missing(*column, part);
  }
  // A column with missing cells: x | mi() ~ z.
  bool use_missing(const Expression& column, const FormulaPart& part) {
    const auto used = frame_.use_with_gaps(column);
    if (!used) return false;
    for (const MissingColumn& known : made_.missing)
      if (known.column.name == used->name) {
        faults_.add(column.place, fmt::format("{} has two formulas", column.word));
        return false;
      }
    const auto take = [&](const char* kind) {
      return names_.take(fmt::format("{}_{}", kind, used->name));
    };
    made_.missing.push_back({.column = *used,
                             .predictor = made_.predictors.size(),
                             .given = take("given"),
                             .rows = take("missing"),
                             .values = take("value"),
                             .full = take("full"),
                             .sigma = take("sigma")});
    Predictor predictor{.parameter = used->name};
    predictor.variable = take("mu");
    predictor.intercept = take("intercept");
    predictor.intercept_at_zero = names_.take(predictor.intercept + "_at_zero");
    made_.predictors.push_back(std::move(predictor));
    return use_predictor(made_.predictors.back(), part);
  }
  // A formula of a parameter of the family, or of a nonlinear formula: sigma ~ x.
  bool use_parameter(const FormulaPart& part) {
    const Expression& left = *part.left;
    if (const auto own = vectors_.find(left.word); own != vectors_.end()) {
      add_predictor({.parameter = left.word, .variable = own->second, .is_nonlinear = true});
      const bool is_right = use_predictor(made_.predictors.back(), part);
      return set_unit(made_.predictors.back(), request_, faults_) && is_right;
    }
    if (is_location(made_, left) && !own_locations_.contains(left.word)) {
      own_locations_[left.word] = terms_of(part);
      return use_list(own_locations_[left.word]);
    }
    std::vector<std::string> names;
    for (const FamilyParameter& parameter : made_.family->parameters)
      names.push_back(parameter.name);
    const auto found =
        std::ranges::find(made_.family->parameters, left.word, &FamilyParameter::name);
    if (left.kind != Expression::Kind::name || found == made_.family->parameters.end()) {
      const std::string near = did_you_mean(left.word, names);
      faults_.add(left.place,
                  fmt::format("the family {} has no parameter {}", made_.family->name, left.text()),
                  !near.empty()   ? near
                  : names.empty() ? "it has no parameter beside the mean"
                                  : fmt::format("it has {}", fmt::join(names, ", ")));
      return false;
    }
    if (made_.known.contains(found->name)) {
      faults_.add(left.place, fmt::format("{} is known, so that it has no formula", left.word),
                  "leave the formula out; with se() write se(COLUMN, sigma = TRUE)");
      return false;
    }
    if (!found->rows.empty() || !found->why_no_formula.empty()) {
      faults_.add(left.place,
                  fmt::format("{} has no formula{}{}", left.word,
                              found->why_no_formula.empty() ? "" : ": ", found->why_no_formula));
      return false;
    }
    if (made_.predictor_of(left.word) != nullptr) {
      faults_.add(left.place, fmt::format("{} has two formulas", left.word),
                  "put the terms into one of them");
      return false;
    }
    add_predictor({.parameter = found->name,
                   .link = std::string(found->link),
                   .variable = found->in_program()});
    return use_predictor(made_.predictors.back(), part);
  }
  void add_predictor(Predictor predictor) {
    predictor.intercept = names_.take("intercept_" + predictor.parameter);
    predictor.intercept_at_zero = names_.take(predictor.intercept + "_at_zero");
    made_.predictors.push_back(std::move(predictor));
  }
  bool use_predictor(Predictor& predictor, const FormulaPart& part) {
    predictor.list = terms_of(part);
    return use_list(predictor.list);
  }
  TermList terms_of(const FormulaPart& part) {
    return read_terms(
        part.right, others_, faults_,
        {.is_special = [](const std::string& name) { return find_special(name) != nullptr; },
         .is_shared_prior =
             [](const std::string& name) { return find_shared_prior(name) != nullptr; },
         .is_grouping = [](const std::string& name) { return find_grouping(name) != nullptr; }});
  }
  bool use_list(const TermList& list) {
    bool is_right = use_terms(list, frame_);
    for (const GroupTerm& group : list.groups) is_right = use_group(group) && is_right;
    for (const Expression& special : list.specials)
      is_right = find_special(special.word)->use(special, frame_) && is_right;
    return is_right;
  }
  bool use_group(const GroupTerm& group) {
    bool is_right = true;
    for (const Expression& column : group.grouping)
      is_right = frame_.use(column, ColumnRole::factor).has_value() && is_right;
    if (group.call)
      is_right = find_grouping(group.call->word)->use(*group.call, frame_) && is_right;
    const TermList inner = read_terms(group.terms, {}, faults_);
    return use_terms(inner, frame_) && is_right;
  }

  void make_predictor(std::size_t number) {
    Predictor& own = made_.predictors[number];
    own.design = make_design(own.list, frame_, made_.parts);
    if (!faults_.empty()) return;
    const bool has_thresholds = made_.family->is_ordinal && own.is_location();
    own.has_intercept = own.list.has_intercept && !has_thresholds;
    own.is_centred = own.list.has_intercept || has_thresholds;
    require_independent(own);
    for (const FormulaVariable& variable : own.design.variables)
      if (variable.is_factor) made_.fixed_factors.insert(variable.codes_name);
    add_population(made_, number, frame_);
    add_specials(made_, number, frame_);
    add_shared_priors(made_, number, frame_);
    add_offsets(own);
  }

  // Functions whose names stand in the texts of the family, and those that these call.
  void add_family_functions() {
    const FamilyRow& family = *made_.family;
    const FamilyText text = family_text(made_, "eta", true);
    std::string used = family.distribution(text) + " " + family.draw(text);
    if (family.expected != nullptr) used += " " + family.expected(text);
    if (family.tail != nullptr) used += " " + family.tail(text);
    if (family.probabilities != nullptr) used += " " + family.probabilities(text);
    for (const std::string& line : made_.parts.prepared) used += " " + line;
    for (bool is_new = true; std::exchange(is_new, false);)
      for (const StanFunction& f : family.functions)
        if (used.find(f.name) != used.npos && made_.parts.functions.emplace(f.name, f.text).second)
          used += f.text, is_new = true;
  }

  // Names that the program declares itself, and those of all functions that it may define.
  void reserve_names() {
    for (const char* own : {"N",
                            "intercept",
                            "threshold",
                            "first_threshold",
                            "num_thresholds",
                            "eta",
                            "linear",
                            "outcome",
                            "probability",
                            "log_lik",
                            "y_rep",
                            "draws_new",
                            "n",
                            "k",
                            "z_new",
                            "below",
                            "up_to",
                            "mean_outcome",
                            "intercept_at_zero",
                            "threshold_at_zero",
                            "mixture",
                            "least_outcome",
                            "bhaz_knots",
                            "bhaz_places",
                            "bhaz_shares",
                            "bhaz_grid",
                            "bhaz_pieces",
                            "bhaz_last",
                            "spike",
                            "spike_included"})
      names_.take(own);
    std::set<std::string_view> names;
    const auto add = [&](std::span<const StanFunction> functions) {
      for (const StanFunction& f : functions) names.insert(f.name);
    };
    add(formula_functions());
    add(lag_functions());
    for (const SpecialRow* row : special_rows()) add(row->functions);
    for (const GroupingRow* row : grouping_rows()) add(row->functions);
    add(smooth_functions());
    add(gaussian_functions());
    for (const FamilyRow* row : family_rows()) {
      add(row->functions);
      for (const FamilyParameter& parameter : row->parameters) names.insert(parameter.name);
    }
    for (const std::string_view name : names) names_.take(std::string(name));
  }

  // Reads the table again, by the uses of its columns, and leaves out rows with missing cells if the request says so.
  bool read_rows() {
    made_.recipe = request_.data;
    state_categories(made_);
    for (std::string& use : frame_.column_uses()) made_.recipe.columns.push_back(std::move(use));
    io::DataTable rows = io::read_data(made_.recipe.text(), text_of_);
    if (made_.recipe.missing != "drop" && !require_complete(rows)) return false;
    std::vector<std::string> declared;
    for (const UsedColumn& used : frame_.used())
      if (!used.has_gaps) declared.push_back(used.name);
    const Index before = rows.find(declared[0])->num_elements();
    rows = io::settled(std::move(rows), declared);
    frame_.set_rows(std::move(rows));
    made_.num_rows = frame_.num_rows();
    made_.num_dropped = before - made_.num_rows;
    if (made_.num_rows == 0)
      faults_.add_of_table("", "no row has a value in all columns of the formula",
                           "the table needs rows; a column without values can't be a term");
    return made_.num_rows > 0 && require_one_length();
  }
  // Rows without an earlier row that a lag needs have no part in the likelihood.
  bool find_lags() {
    if (!frame_.lags().empty() && made_.num_dropped > 0) {
      faults_.add_of_table(
          "--missing",
          made_.num_dropped == 1
              ? "1 row was left out, so that lag() and diff() would step over it"
              : fmt::format("{} rows were left out, so that lag() and diff() would step over them",
                            made_.num_dropped),
          "give the table the values, or columns with the lags");
      return false;
    }
    if (!frame_.lags().empty() && made_.family->has_columns) {
      faults_.add_of_table("", "lag() and diff() aren't there for outcomes of several columns",
                           "give the table columns with the lags");
      return false;
    }
    LagRows lags = prepare_lags(frame_, made_.parts);
    made_.lags = frame_.lags();
    for (const Lag& lag : made_.lags)
      if (!lag.order.series.empty()) made_.series.insert(lag.order.series);
    made_.outcome.modifiers.earlier = lags.flag;
    made_.outcome.modifiers.seen = lags.seen;
    made_.outcome.modifiers.is_left_out = lags.lacks_one;
    made_.num_without_earlier = std::ranges::count(lags.lacks_one, 1);
    if (made_.num_without_earlier == made_.num_rows)
      faults_.add_of_table("", "no row has all the earlier rows that lag() and diff() need");
    return faults_.empty();
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
      if (missing.empty() || used.has_gaps) continue;
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

  Columns rows_that_count(Columns columns) const {
    if (made_.num_without_earlier == 0) return columns;
    for (std::vector<double>& column : columns) {
      std::size_t kept = 0;
      for (std::size_t n = 0; n < column.size(); ++n)
        if (made_.outcome.modifiers.holds_row(n)) column[kept++] = column[n];
      column.resize(kept);
    }
    return columns;
  }
  void require_independent(const Predictor& own) {
    if (own.design.terms.empty()) return;
    const auto may_be_collinear = [&](const DesignTerm& term) {
      return std::ranges::any_of(term.variables, [&](Index v) {
        return own.design.variables[static_cast<std::size_t>(v)].may_be_collinear;
      });
    };
    Design others;  // a copy, only where terms are left out
    if (std::ranges::any_of(own.design.terms, may_be_collinear)) {
      others = own.design;
      std::erase_if(others.terms, may_be_collinear);
      if (others.terms.empty()) return;
    }
    const Design& design = others.terms.empty() ? own.design : others;
    const Columns columns = rows_that_count(design.all_columns(made_.num_rows, own.is_centred));
    const std::vector<std::string> names = design.all_names(own.is_centred);
    for (const std::string& fault : collinear_columns(columns, names)) {
      const auto own_name = std::ranges::find_if(
          names, [&](const std::string& name) { return fault.starts_with(name + " = "); });
      add_dependent(columns[static_cast<std::size_t>(own_name - names.begin())], *own_name, fault);
    }
  }
  void add_dependent(const std::vector<double>& column, const std::string& name,
                     const std::string& fault) {
    const auto [least, greatest] = std::ranges::minmax(column);
    if (least == 0.0 && greatest == 0.0)
      return faults_.add_of_table(
          "", fmt::format("{} is 0 in all rows", name),
          name.find(':') != name.npos
              ? "no row has this combination of levels: leave the interaction out, or join levels "
                "in the table"
              : "leave the term out");
    if (least == greatest)
      return faults_.add_of_table(
          "",
          fmt::format("{} is {} in all rows, so it explains nothing", name, io::number_text(least)),
          "leave the term out");
    const double size = std::max(std::abs(least), std::abs(greatest));
    if (greatest - least < kVaries * size)
      return faults_.add_of_table(
          "",
          fmt::format("{} differs by {:.3g} between rows, which is lost beside its size, {:.3g}",
                      name, greatest - least, size),
          "subtract its mean in the table");
    faults_.add_of_table("", fmt::format("a column of the formula follows from others: {}", fault),
                         "leave one of its terms out");
  }
  static constexpr double kVaries = 1e-6;  // relative differences that collinearity can't see

  void add_offsets(Predictor& own) {
    for (const Expression& offset : own.list.offsets)
      add_offset(own, arithmetic_of(offset, frame_), offset, "offset({})");
    if (!own.is_location()) return;
    for (const Expression& rate : made_.rates) {
      Arithmetic exposure = arithmetic_of(rate, frame_);
      for (double& x : exposure.values) x = std::log(x);
      exposure.stan = fmt::format("log({})", exposure.stan);
      add_offset(own, exposure, rate, "log of rate({})");
    }
  }
  void add_offset(Predictor& own, const Arithmetic& offset, const Expression& e,
                  const char* words) {
    for (std::size_t k = 0; k < offset.values.size(); ++k)
      if (!std::isfinite(offset.values[k]))
        return faults_.add(
            e.place, fmt::format("{} is {} in row {}", fmt::format(fmt::runtime(words), e.text()),
                                 offset.values[k], k + 1));
    own.offset_values.resize(static_cast<std::size_t>(made_.num_rows), 0.0);
    for (std::size_t k = 0; k < own.offset_values.size(); ++k)
      own.offset_values[k] += offset.values[offset.is_vector ? k : 0];
    own.offsets.push_back(offset.strength < 100 ? "(" + offset.stan + ")" : offset.stan);
  }

  const RegressionRequest& request_;
  const TextOf& text_of_;
  FormulaFaults& faults_;
  io::DataTable table_;
  ProgramNames names_;
  Frame frame_;
  Formula formula_;
  std::map<std::string, TermList> own_locations_;  // formulas of one category, column or component
  VectorNames vectors_;  // parameters of a nonlinear formula, and their names in the program
  std::vector<std::string> others_;  // columns that aren't the outcome's
  Regression made_;
};
}  // namespace

const Predictor* Regression::predictor_of(std::string_view parameter) const {
  for (const Predictor& predictor : predictors)
    if (!predictor.is_location() && predictor.parameter == parameter) return &predictor;
  return nullptr;
}

std::vector<std::size_t> Regression::order_of_predictors() const {
  std::vector<std::size_t> order(predictors.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_partition(order,
                                [this](std::size_t k) { return predictors[k].expression.empty(); });
  return order;
}

const ResidualStructure* Regression::residuals() const {
  for (const SpecialBlock& special : location().specials)
    if (special.residuals.is_there()) return &special.residuals;
  return nullptr;
}

bool Regression::is_lookup(const std::string& constant) const {
  for (const MissingColumn& column : missing)
    if (column.is_constant(constant)) return true;
  return std::ranges::any_of(groups, [&](const GroupBlock& group) {
    return group.lookup == constant ||
           std::ranges::find(group.members, constant, &GroupMember::lookup) != group.members.end();
  });
}

Regression make_regression(const RegressionRequest& request, const TextOf& text_of,
                           FormulaFaults& faults) {
  return RegressionMaker(request, text_of, faults).make();
}

std::string words_of(const Regression& made) {
  std::string words = fmt::format("{}: {}{}, {} rows", made.formula, made.family->words,
                                  made.link() == made.family->links[0] && made.link() == "identity"
                                      ? ""
                                      : fmt::format(" (link {})", made.link()),
                                  made.num_rows);
  if (made.num_dropped > 0) words += fmt::format(" ({} left out)", made.num_dropped);
  if (made.num_without_earlier > 0)
    words += fmt::format(" ({} without an earlier row, which have no part in the likelihood)",
                         made.num_without_earlier);
  std::set<std::string> seen;
  for (const GroupBlock& group : made.groups)
    if (seen.insert(group.label).second)
      words += fmt::format(", {} groups of {}", group.levels.size(), group.label);
  if (made.family->locations == Locations::but_first)
    words += fmt::format("; {} is the reference", made.outcome.level_names[0]);
  if (!made.outcome.level.empty())
    words += fmt::format("; 1 is {} = {}", made.outcome.text, made.outcome.level);
  const auto lines = std::ranges::count(made.program, '\n');
  words += fmt::format("; written as a program of {} lines (--write DIR)\n", lines);
  for (const Predictor& predictor : made.predictors)
    for (const SpecialBlock& special : predictor.specials)
      for (const std::string& note : special.notes) words += note + "\n";
  for (const std::string& note : made.notes) words += "note: " + note + "\n";
  return words;
}

namespace {
class Explanation {
 public:
  explicit Explanation(const Regression& made) : made_(made) {}

  std::string text() {
    for (std::size_t k = 0; k < made_.predictors.size(); ++k) add(k);
    for (const Coefficient& c : made_.parameters) line(c.name, 1, "");
    return text_;
  }

 private:
  void line(const std::string& what, std::size_t number, const std::string& names) {
    text_ += fmt::format("  {:<24} {:>3} coefficient{}  {}\n", what, number,
                         number == 1 ? " " : "s", names);
  }
  void add(std::size_t number) {
    const Predictor& own = made_.predictors[number];
    text_ += fmt::format("{} ~\n", own.parameter.empty() ? made_.outcome.text : own.parameter);
    if (own.is_location() && made_.family->is_ordinal)
      line("thresholds", static_cast<std::size_t>(total_thresholds(made_)), "");
    else if (own.has_intercept)
      line("intercept", 1, "");
    else if (!own.expression.empty())
      line("expression", 0, own.expression);
    for (const DesignTerm& term : own.design.terms)
      line(term.text, term.names.size(), fmt::format("{}", fmt::join(term.names, ", ")));
    for (const SpecialBlock& special : own.specials)
      line(special.text, special.priors.size(), special.words);
    for (const GroupBlock& group : made_.groups) add_group(group, number);
    for (const std::string& offset : own.offsets) line("offset", 0, offset);
  }
  void add_group(const GroupBlock& group, std::size_t number) {
    if (!group.parts.contains(number)) return;
    std::vector<std::string> names;
    for (const Coefficient& c : group.deviations)
      if (c.predictor == number) names.push_back(c.name);
    line(fmt::format("group {}", group.call.empty() ? group.label : group.call),
         group.levels.size() * names.size() / std::max<std::size_t>(1, group.strata.levels.size()),
         fmt::format("{} of each of {} levels, {}", fmt::join(names, ", "), group.levels.size(),
                     group.is_correlated ? "correlated" : "independent"));
  }

  const Regression& made_;
  std::string text_;
};
}  // namespace

std::string explanation(const Regression& made) { return Explanation(made).text(); }

}  // namespace credo::models
