#include "models/regression/outcome.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "io/number_text.hpp"
#include "models/regression/families/column_parts.hpp"
#include "models/regression/table_checks.hpp"

namespace credo::models {
namespace {
using Kind = Expression::Kind;
constexpr Index kMostShown = 5;  // wrong rows in a message

void collect_modifiers(const Expression& e, std::vector<const Expression*>& all) {
  if (e.is_operation("+") && e.parts.size() == 2)
    for (const Expression& part : e.parts) collect_modifiers(part, all);
  else
    all.push_back(&e);
}
std::vector<const Expression*> modifiers_in(const Expression& left) {
  std::vector<const Expression*> all;
  if (left.is_operation("|") && left.parts.size() == 2) collect_modifiers(left.parts[1], all);
  return all;
}

bool is_whole(const io::DataValue& value) { return value.kind == io::DataKind::integers; }

bool is_several(const Expression& e) {
  return e.is_call("cbind") || e.is_call("mv") || e.is_call("mvbind");
}

// The family for an outcome whose family isn't stated; `value`: its column, if it is one.
std::string family_for(const io::DataValue* value, bool has_trials) {
  if (value == nullptr) return has_trials ? "multinomial" : "normal";
  if (has_trials) return "binomial";
  return value->column->levels.size() == 2 ? "bernoulli" : "normal";
}

class OutcomeReader {
 public:
  OutcomeReader(Regression& made, const RegressionRequest& request, Frame& frame)
      : made_(made), request_(request), frame_(frame), faults_(frame.faults()) {}

  bool read(const Expression& left) {
    const std::size_t before = faults_.size();
    const Expression& e = outcome_in(left);
    const Expression* const column = is_several(e) ? nullptr : column_of(e);
    const io::DataValue* const value = column == nullptr ? nullptr : frame_.find(*column);
    for (const Expression* modifier : modifiers_in(left)) read_exposure(*modifier);
    if (column == nullptr && faults_.size() > before) return false;
    if (is_several(e) && !require_columns(e)) return false;
    if (!choose_family(e, value)) return false;
    if (is_several(e)) use_columns_together(e);
    if (value != nullptr) use_column(e, *column, *value);
    const bool has_trials = !made_.outcome.trials.empty();
    if (made_.family->needs_trials && !has_trials)
      faults_.add(e.place,
                  fmt::format("the family {} needs the number of trials", made_.family->name),
                  fmt::format("{} | trials(COLUMN) ~ ..., or --family bernoulli", e.text()));
    if (!made_.family->needs_trials && has_trials)
      faults_.add(left.place, fmt::format("trials() belongs to binomial families, not to {}",
                                          made_.family->name));
    read_modifiers(left);
    return faults_.size() == before;
  }

 private:
  // The column itself, or the one of log(y) and the like.
  const Expression* column_of(const Expression& e) {
    if (e.kind == Kind::name) return &e;
    const bool is_function = e.kind == Kind::call && is_numeric_function(e.word) &&
                             e.parts.size() == 1 && e.parts[0].kind == Kind::name;
    if (is_function) return &e.parts[0];
    faults_.add(e.place, "the outcome is a column, or a function of one column",
                "log(y) ~ ..., sqrt(y) ~ ...");
    return nullptr;
  }

  // Modifiers whose columns are read by the family.
  void read_modifiers(const Expression& left) {
    OutcomeModifiers& all = made_.outcome.modifiers;
    const std::size_t known = frame_.used().size();
    for (const Expression* modifier : modifiers_in(left))
      if (modifier->kind == Kind::call && is_modifier(modifier->word))
        models::read_modifier(all, *modifier, made_.family->role, frame_);
    check_modifiers(made_, left, faults_);
    number_categories(outcome_in(left));
    for (std::size_t k = known; k < frame_.used().size(); ++k)
      if (frame_.used()[k].name != all.error && frame_.used()[k].name != all.thresholds.by)
        made_.outcome.fit_columns.insert(frame_.used()[k].name);
    if (!all.error.empty() && !all.adds_sigma)
      made_.known["sigma"] = {all.error, all.error + "[n]"};
  }

  // With thres(k) the categories of a column of numbers are 1 ... k + 1, also if the table lacks some of them.
  void number_categories(const Expression& e) {
    Thresholds& own = made_.outcome.modifiers.thresholds;
    const io::DataValue* const value = e.kind == Kind::name ? frame_.find(e) : nullptr;
    if (own.stated == 0 || value == nullptr || !made_.family->is_ordinal ||
        !value->column->levels.empty() || frame_.has_order(*value))
      return;
    own.is_numbered = true;
    Index number = 0;
    for (Index k = 0; k < value->num_elements(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double y = value->kind == io::DataKind::reals
                           ? value->reals[at]
                           : static_cast<double>(value->integers[at]);
      if (std::isnan(y) ||
          std::ranges::find(value->column->missing, k) != value->column->missing.end() ||
          (y >= 1.0 && y <= static_cast<double>(own.stated + 1) && y == std::floor(y)))
        continue;
      if (++number <= kMostShown)
        faults_.add_of_table(
            value->column->where(k),
            fmt::format("{} is {} in row {}, and thres({}) has the categories 1 to {}",
                        value->column->name, io::number_text(y), k + 1, own.stated, own.stated + 1),
            number == 1 ? "correct the cell, or the number of thresholds" : "");
    }
    if (number > kMostShown)
      faults_.remark(fmt::format("{} such rows, the first {} are shown", number, kMostShown));
  }

  // Modifiers by which the family may be chosen.
  void read_exposure(const Expression& e) {
    static const std::vector<std::string> kAll{"trials", "rate",   "weights", "cens",  "trunc",
                                               "se",     "subset", "mi",      "thres", "dec"};
    const bool is_known = e.kind == Kind::call && std::ranges::find(kAll, e.word) != kAll.end();
    if (!is_known) {
      faults_.add(
          e.place, fmt::format("{} doesn't modify an outcome", e.text()),
          e.kind == Kind::call ? did_you_mean(e.word, kAll) : "for example: y | trials(n) ~ x");
    } else if (is_modifier(e.word)) {
      return;  // read when the family is known
    } else if (e.word != "trials" && e.word != "rate") {
      faults_.add(e.place, fmt::format("{}() is not there yet", e.word));
    } else if (e.parts.size() != 1) {
      faults_.add(e.place, fmt::format("{}() has one argument", e.word));
    } else if (e.word == "trials") {
      read_trials(e.parts[0]);
    } else if (use_columns(e.parts[0], frame_)) {
      rates_.push_back(e.parts[0]);
    }
  }
  void read_trials(const Expression& e) {
    if (e.kind == Kind::number) {
      made_.outcome.trials = e.word;
    } else if (e.kind != Kind::name) {
      faults_.add(e.place, "the number of trials is a column or a number");
    } else if (const auto used = frame_.use(e, ColumnRole::count)) {
      made_.outcome.trials = made_.outcome.trials_column = used->name;
    }
  }

  bool choose_family(const Expression& e, const io::DataValue* value) {
    const FamilyRequest wanted = parse_family(request_.family);
    std::string name = wanted.name;
    if (name == "auto") {
      if (value == nullptr && !is_several(e)) return false;
      name = family_for(value, !made_.outcome.trials.empty());
    }
    if (name == "mixture") {
      if (!make_mixture()) return false;
    } else {
      made_.family = find_family(name);
    }
    if (is_several(e) && name == "normal") make_multi_normal();
    if (made_.family == nullptr) {
      std::vector<std::string> names;
      for (const FamilyRow* row : family_rows()) names.emplace_back(row->name);
      const std::string own = family_elsewhere(name);
      faults_.add_of_table(
          "--family", fmt::format("there is no family {}", name),
          !own.empty() ? fmt::format("Credo's name for it is {0}: --family {0}", own)
          : did_you_mean(name, names).empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                              : did_you_mean(name, names));
      return false;
    }
    if (name != "mixture") fix_parameters(wanted);
    if (!check_columns(e)) return false;
    if (e.kind == Kind::call && !is_several(e) && made_.family->role != ColumnRole::number)
      faults_.add(e.place, fmt::format("the family {} takes a column as it is", name));
    const auto& links = made_.family->links;
    std::string& link = made_.location().link;
    link = request_.link.empty() ? std::string(links[0]) : request_.link;
    if (std::ranges::find(links, link) != links.end()) return true;
    faults_.add_of_table("--link", fmt::format("the family {} has no link {}", name, link),
                         fmt::format("it has {}", fmt::join(links, ", ")));
    return false;
  }

  // ---- several columns
  // Their names are level names of the outcome.
  bool require_columns(const Expression& e) {
    const std::size_t before = faults_.size();
    std::vector<std::string>& names = made_.outcome.level_names;
    if (e.parts.size() < 2)
      faults_.add(e.place, fmt::format("{} has two columns at least", e.word),
                  fmt::format("{}(a, b)", e.word));
    for (const Expression& part : e.parts) {
      const io::DataValue* const value = part.kind == Kind::name ? frame_.find(part) : nullptr;
      if (part.kind != Kind::name)
        faults_.add(part.place, fmt::format("{} is no column", part.text()),
                    "add it to the table as a column");
      if (value == nullptr) continue;
      if (std::ranges::find(names, value->column->name) != names.end())
        faults_.add(part.place, fmt::format("{} stands twice", part.text()));
      names.push_back(value->column->name);
    }
    return faults_.size() == before;
  }
  void make_multi_normal() {
    made_.own_family = multi_normal_family(made_.outcome.level_names, frame_.names());
    made_.family = made_.own_family.get();
  }
  bool make_mixture() {
    made_.own_family =
        mixture_family(components_in(request_.family), request_.link, frame_.names(), faults_);
    made_.family = made_.own_family.get();
    if (made_.family == nullptr) return false;
    for (std::size_t k = 1; k <= components_in(request_.family).size(); ++k)
      made_.outcome.level_names.push_back(std::to_string(k));
    return true;
  }
  bool check_columns(const Expression& e) {
    const FamilyRow& family = *made_.family;
    if (family.has_columns == is_several(e)) return true;
    if (family.has_columns)
      faults_.add(e.place, fmt::format("the family {} takes several columns", family.name),
                  "cbind(a, b, c) ~ ...");
    else
      faults_.add(e.place, fmt::format("the family {} takes one column", family.name),
                  "several columns are those of normal, multinomial, dirichlet and "
                  "dirichlet_multinomial; counts of trials are written COUNTS | trials(N) ~ ...");
    return false;
  }
  void use_columns_together(const Expression& e) {
    Outcome& outcome = made_.outcome;
    outcome.text = e.text();
    for (const Expression& part : e.parts) {
      const io::DataValue& value = *frame_.find(part);
      if (made_.family->role == ColumnRole::count && !is_whole(value) &&
          value.column->levels.empty()) {
        refuse_fractions(value);
        continue;
      }
      if (const auto used = frame_.use(part, made_.family->role))
        outcome.columns.push_back(used->name);
    }
    outcome.name = outcome.expression =
        frame_.names().take(fmt::format("{}", fmt::join(outcome.columns, "_")));
    outcome.means = frame_.names().take("mean_" + outcome.name);
  }

  // Parameters that the family's text fixes: asymmetric_laplace(quantile = 0.9).
  void fix_parameters(const FamilyRequest& wanted) {
    const FamilyRow& family = *made_.family;
    if (!wanted.fault.empty())
      faults_.add_of_table("--family", wanted.fault,
                           "--family 'asymmetric_laplace(quantile = 0.9)' fixes a parameter");
    for (const auto& [name, value] : wanted.fixed) {
      const auto own = std::ranges::find(family.parameters, name, &FamilyParameter::name);
      if (own == family.parameters.end()) {
        std::vector<std::string> names;
        for (const FamilyParameter& parameter : family.parameters) names.push_back(parameter.name);
        faults_.add_of_table("--family",
                             fmt::format("the family {} has no parameter {}", family.name, name),
                             names.empty() ? "" : fmt::format("it has {}", fmt::join(names, ", ")));
        continue;
      }
      if (own->rows.empty() && own->accepts(value))
        made_.known[name] = {io::number_text(value), io::number_text(value)};
      else
        faults_.add_of_table("--family",
                             fmt::format("{} can't be {}", name, io::number_text(value)),
                             fmt::format("it is declared as {}", own->declaration));
    }
  }

  void use_column(const Expression& e, const Expression& column, const io::DataValue& value) {
    Outcome& outcome = made_.outcome;
    const FamilyRow& family = *made_.family;
    outcome.text = e.text();
    const bool is_text = !value.column->levels.empty();
    if (family.name == "bernoulli" && is_text) return use_two_levels(column, value);
    if (family.is_ordinal && is_text && !frame_.has_order(value)) {
      faults_.add(
          column.place, fmt::format("{} has texts, whose order isn't known", value.column->name),
          fmt::format("--levels '{}=[...]' states it, the lowest first", value.column->name));
      return;
    }
    if (family.role == ColumnRole::count && !is_whole(value) && !is_text) {
      refuse_fractions(value);
      return;
    }
    const auto used = frame_.use(column, family.role);
    if (!used) return;
    outcome.name = outcome.expression = used->name;
    declare(e);
  }
  void use_two_levels(const Expression& column, const io::DataValue& value) {
    const auto& levels = value.column->levels;
    if (levels.size() != 2) {
      faults_.add(column.place, fmt::format("{} has {} different texts, and the family bernoulli "
                                            "takes two",
                                            value.column->name, levels.size()));
      return;
    }
    const UsedColumn used = frame_.use_level(value.column->name, levels[1]);
    made_.outcome.name = made_.outcome.expression = used.name;
    made_.outcome.level = levels[1];
    declare(column);
  }
  void refuse_fractions(const io::DataValue& value) {
    Index number = 0;
    for (Index k = 0; k < value.num_elements() && number < kMostShown; ++k) {
      const double y = value.reals[static_cast<std::size_t>(k)];
      if (y == std::floor(y) || std::isnan(y)) continue;
      ++number;
      faults_.add_of_table(
          value.column->where(k),
          fmt::format("{} is {} in row {}, and the family {} takes whole numbers",
                      value.column->name, io::number_text(y), k + 1, made_.family->name),
          number == 1 ? "correct the cell, or choose another --family" : "");
    }
  }

  void declare(const Expression& e) {
    Outcome& outcome = made_.outcome;
    switch (made_.family->role) {
      case ColumnRole::number:
        outcome.declaration = fmt::format("vector[N] {}", outcome.name);
        break;
      case ColumnRole::count:
        outcome.declaration = made_.family->name == "bernoulli"
                                  ? fmt::format("array[N] int<lower=0, upper=1> {}", outcome.name)
                                  : fmt::format("array[N] int<lower=0> {}", outcome.name);
        break;
      case ColumnRole::factor:
        outcome.levels_name = "K_" + outcome.name;
        outcome.declaration = fmt::format("array[N] int<lower=1, upper=K_{0}> {0}", outcome.name);
        break;
    }
    if (e.kind != Kind::call) return;
    outcome.function = e.word;
    outcome.expression = frame_.names().take(e.word + "_" + outcome.name);
  }

  Regression& made_;
  const RegressionRequest& request_;
  Frame& frame_;
  FormulaFaults& faults_;

 public:
  std::vector<Expression> rates_;
};

}  // namespace

bool use_outcome(Regression& made, const RegressionRequest& request, const Expression& left,
                 Frame& frame) {
  OutcomeReader reader(made, request, frame);
  const bool is_right = reader.read(left);
  for (const Expression& rate : reader.rates_) {
    if (is_right && made.link() != "log") {
      frame.faults().add(rate.place, "a rate needs the link log", "an offset() has no such rule");
      return false;
    }
    made.rates.push_back(rate);
  }
  return is_right;
}

const Expression& outcome_in(const Expression& left) {
  return left.is_operation("|") && left.parts.size() == 2 ? left.parts[0] : left;
}

std::vector<std::string> columns_of(const Expression& e) {
  if (e.kind == Kind::name) return {e.word};
  std::vector<std::string> all;
  for (const Expression& part : e.parts)
    for (std::string& name : columns_of(part)) all.push_back(std::move(name));
  return all;
}

}  // namespace credo::models
