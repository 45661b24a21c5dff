#include "models/regression/modifiers.hpp"

#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/regression/regression.hpp"
#include "models/regression/thresholds.hpp"

namespace credo::models {
namespace {
using Kind = Expression::Kind;
constexpr Index kMostShown = 5;  // wrong rows in a message
constexpr double kMostThresholds = 1000.0;

constexpr std::array<std::string_view, 7> kNames{"cens",  "dec",   "se",     "subset",
                                                 "thres", "trunc", "weights"};

// The arguments of a call by their names, in any order.
class ModifierReader {
 public:
  ModifierReader(OutcomeModifiers& all, const Expression& call, ColumnRole outcome, Frame& frame)
      : all_(all), call_(call), outcome_(outcome), frame_(frame), faults_(frame.faults()) {}

  bool read() {
    const std::size_t before = faults_.size();
    if (call_.word == "weights") read_column("weights", all_.weights);
    if (call_.word == "subset") read_column("subset", all_.subset);
    if (call_.word == "dec") read_decision();
    if (call_.word == "se") read_error();
    if (call_.word == "cens") read_status();
    if (call_.word == "trunc") read_bounds();
    if (call_.word == "thres") read_thresholds();
    return faults_.size() == before;
  }

 private:
  // The argument of one of the names, else the one without a name at this place; null if it is missing.
  const Expression* argument(std::size_t place,
                             std::initializer_list<std::string_view> names) const {
    for (std::size_t k = 0; k < call_.parts.size(); ++k)
      if (std::ranges::find(names, label(k)) != names.end()) return &call_.parts[k];
    return place < call_.parts.size() && label(place).empty() ? &call_.parts[place] : nullptr;
  }
  std::string_view label(std::size_t k) const {
    return k < call_.labels.size() ? std::string_view(call_.labels[k]) : std::string_view();
  }
  bool require_arguments(std::size_t least, std::size_t most, const char* usage) {
    const bool is_new = call_.parts.size() >= least && call_.parts.size() <= most;
    if (!is_new)
      faults_.add(call_.place, fmt::format("{} has other arguments", call_.text()), usage);
    return is_new;
  }
  bool require_first(bool is_first) {
    if (!is_first) faults_.add(call_.place, fmt::format("{}() stands twice", call_.word));
    return is_first;
  }

  void read_column(const char* name, std::string& target) {
    const std::string usage = fmt::format("y | {}(COLUMN) ~ ...", name);
    if (!require_first(target.empty()) || !require_arguments(1, 1, usage.c_str())) return;
    use(call_.parts[0], ColumnRole::number, target);
  }
  bool use(const Expression& e, ColumnRole role, std::string& target) {
    if (e.kind != Kind::name) {
      faults_.add(e.place,
                  fmt::format("{}() takes a column, and {} isn't one", call_.word, e.text()),
                  "add the column to the table");
      return false;
    }
    const auto used = frame_.use(e, role);
    if (used) target = used->name;
    return used.has_value();
  }
  void read_error() {
    constexpr const char* kUsage = "y | se(COLUMN) ~ ..., or se(COLUMN, sigma = TRUE)";
    if (!require_first(all_.error.empty()) || !require_arguments(1, 2, kUsage)) return;
    if (const Expression* sigma = argument(1, {"sigma"})) {
      const std::string word = sigma->text();
      all_.adds_sigma = word == "TRUE" || word == "T";
      if (!all_.adds_sigma && word != "FALSE" && word != "F")
        return faults_.add(sigma->place, fmt::format("sigma = {} isn't TRUE or FALSE", word),
                           kUsage);
    }
    use(call_.parts[0], ColumnRole::number, all_.error);
  }
  // Numbers as they are, or the texts lower and upper.
  void read_decision() {
    constexpr const char* kUsage =
        "y | dec(RESPONSE) ~ ...: 1 or upper, 0 or lower, for the boundary that was reached";
    if (!require_first(all_.decision.empty()) || !require_arguments(1, 1, kUsage)) return;
    const Expression& e = call_.parts[0];
    if (e.kind != Kind::name || !frame_.is_text(e)) {
      use(e, ColumnRole::number, all_.decision);
      return;
    }
    const io::DataValue& value = *frame_.find(e);
    for (const std::string& level : value.column->levels)
      if (level != "lower" && level != "upper")
        return faults_.add(e.place, fmt::format("{} has the text '{}'", e.word, level), kUsage);
    all_.decision = frame_.use_level(value.column->name, "upper").name;
  }
  void read_status() {
    constexpr const char* kUsage = "y | cens(STATUS) ~ ..., or cens(STATUS, UPPER)";
    if (!require_first(all_.status.empty()) || !require_arguments(1, 2, kUsage)) return;
    const Expression* const status = argument(0, {"status"});
    const Expression* const upper = argument(1, {"upper", "y2"});
    if (status == nullptr) return faults_.add(call_.place, "cens() has no status", kUsage);
    const bool is_text = status->kind == Kind::name && frame_.is_text(*status);
    use(*status, is_text ? ColumnRole::factor : ColumnRole::number, all_.status);
    if (upper != nullptr) use(*upper, ColumnRole::number, all_.upper);
  }
  void read_bounds() {
    constexpr const char* kUsage = "y | trunc(lower = 0, upper = 100) ~ ...: numbers or columns";
    if (!require_first(!all_.is_truncated()) || !require_arguments(1, 2, kUsage)) return;
    const Expression* const lower = argument(0, {"lower", "lb"});
    const Expression* const most = argument(1, {"upper", "ub"});
    if (lower == nullptr && most == nullptr)
      return faults_.add(call_.place, "trunc() has no bound", kUsage);
    if (lower != nullptr) read_bound(*lower, all_.lower);
    if (most != nullptr) read_bound(*most, all_.most);
  }
  // thres(4), thres(by = g), thres(4, g): gr is brms's word for by.
  void read_thresholds() {
    constexpr const char* kUsage =
        "y | thres(4) ~ ..., thres(by = GROUP), or thres(4, by = GROUP): a whole number, and a "
        "column";
    Thresholds& own = all_.thresholds;
    if (!require_first(own.stated == 0 && own.by.empty()) || !require_arguments(1, 2, kUsage))
      return;
    const Expression* by = argument(1, {"by", "gr"});
    const Expression* number = argument(0, {"k"});
    if (by == nullptr && number != nullptr && number->kind == Kind::name) std::swap(by, number);
    if (number != nullptr) {
      const double value =
          number->kind == Kind::number ? io::parse_number(number->word).value_or(0.0) : 0.0;
      if (!(value >= 1.0 && value <= kMostThresholds && value == std::floor(value)))
        return faults_.add(number->place,
                           fmt::format("{} is no number of thresholds", number->text()), kUsage);
      own.stated = static_cast<Index>(value);
    }
    if (by != nullptr) use(*by, ColumnRole::factor, own.by);
    if (by == nullptr && number == nullptr)
      faults_.add(call_.place, "thres() states nothing", kUsage);
  }
  void read_bound(const Expression& e, ModifierValue& bound) {
    const bool is_signed =
        e.is_operation("-") && e.parts.size() == 1 && e.parts[0].kind == Kind::number;
    if (e.kind == Kind::number || is_signed) {
      bound.text = is_signed ? "-" + e.parts[0].word : e.word;
      const double value = io::parse_number(bound.text).value_or(kNaN);
      if (outcome_ != ColumnRole::number && value != std::floor(value))
        faults_.add(e.place, fmt::format("counts have whole bounds, and {} isn't one", bound.text));
      return;
    }
    bound.is_column =
        use(e, outcome_ == ColumnRole::number ? ColumnRole::number : ColumnRole::count, bound.text);
  }

  OutcomeModifiers& all_;
  const Expression& call_;
  const ColumnRole outcome_;
  Frame& frame_;
  FormulaFaults& faults_;
};
}  // namespace

bool is_modifier(std::string_view name) { return std::ranges::find(kNames, name) != kNames.end(); }

bool read_modifier(OutcomeModifiers& modifiers, const Expression& call, ColumnRole outcome,
                   Frame& frame) {
  return ModifierReader(modifiers, call, outcome, frame).read();
}

void check_modifiers(const Regression& made, const Expression& left, FormulaFaults& faults) {
  const OutcomeModifiers& all = made.outcome.modifiers;
  const FamilyRow& family = *made.family;
  const bool is_censored = !all.status.empty();
  const auto add = [&](const std::string& reason, const char* hint) {
    faults.add(left.place, reason, hint);
  };
  if ((is_censored || all.is_truncated()) && family.tail == nullptr)
    add(fmt::format("the family {} has no distribution function here, which {} needs", family.name,
                    is_censored ? "cens()" : "trunc()"),
        "choose another --family");
  if (is_censored && family.role != ColumnRole::number)
    add("counts can't be censored: the status doesn't say whether the bound itself is possible",
        "choose another --family");
  if (!made.outcome.function.empty() && (is_censored || all.is_truncated()))
    add(fmt::format("the bounds of {} would be of another scale than the column",
                    made.outcome.text),
        "add the function's values to the table as a column");
  if (family.needs_decision && all.decision.empty())
    add(fmt::format("the family {} needs the response of each row", family.name),
        "y | dec(RESPONSE) ~ ...: 1 or upper, 0 or lower, for the boundary that was reached");
  if (!family.needs_decision && !all.decision.empty())
    add(fmt::format("dec() belongs to the family wiener, not to {}", family.name),
        "--family wiener, or leave dec() out");
  if (!family.is_ordinal && (all.thresholds.stated > 0 || !all.thresholds.by.empty()))
    add(fmt::format("thres() belongs to families of ordered categories, not to {}", family.name),
        "--family cumulative, sratio, cratio or acat; or leave thres() out");
  const bool has_error =
      (family.name == "normal" || family.name == "student") && !family.has_columns;
  if (!all.error.empty() && !has_error)
    add(fmt::format("se() is the known error of a normal or student outcome, not of {}",
                    family.words),
        "choose another --family, or leave se() out");
}

namespace {
// Faults of cells, the first few with their rows.
class CellFaults {
 public:
  explicit CellFaults(Frame& frame) : frame_(frame) {}
  void add(const std::string& column, std::size_t row, const std::string& words, const char* hint) {
    if (++number_ > kMostShown) return;
    frame_.faults().add_of_table(frame_.where(column, static_cast<Index>(row)),
                                 fmt::format("{} in row {}", words, row + 1),
                                 number_ == 1 ? hint : "");
  }
  ~CellFaults() {
    if (number_ > kMostShown)
      frame_.faults().remark(
          fmt::format("{} such rows, the first {} are shown", number_, kMostShown));
  }
  CellFaults(const CellFaults&) = delete;
  CellFaults& operator=(const CellFaults&) = delete;

 private:
  Frame& frame_;
  Index number_ = 0;
};

std::vector<double> values_of(const ModifierValue& value, const Outcome& outcome, Frame& frame,
                              double without) {
  const std::size_t size = outcome.values.size();
  if (!value.is_stated()) return std::vector<double>(size, without);
  if (!value.is_column)
    return std::vector<double>(size, io::parse_number(value.text).value_or(kNaN));
  return frame.numbers(value.text);
}

void take_subset(Outcome& outcome, Frame& frame) {
  OutcomeModifiers& all = outcome.modifiers;
  const std::vector<double> flags = frame.numbers(all.subset);
  CellFaults cells(frame);
  all.is_left_out.resize(flags.size(), 0);
  for (std::size_t k = 0; k < flags.size(); ++k) {
    if (flags[k] != 0.0 && flags[k] != 1.0)
      cells.add(all.subset, k, fmt::format("{} is {}", all.subset, io::number_text(flags[k])),
                "subset() takes TRUE or FALSE, 1 or 0");
    if (flags[k] == 0.0) all.is_left_out[k] = 1;
  }
  if (std::ranges::count(all.is_left_out, 0) == 0)
    frame.faults().add_of_table("", fmt::format("subset({}) leaves no row", all.subset));
}

void check_decisions(const std::string& column, const OutcomeModifiers& modifiers, Frame& frame) {
  const std::vector<double> responses = frame.numbers(column);
  CellFaults cells(frame);
  for (std::size_t k = 0; k < responses.size(); ++k)
    if (modifiers.holds_row(k) && responses[k] != 0.0 && responses[k] != 1.0)
      cells.add(column, k, fmt::format("{} is {}", column, io::number_text(responses[k])),
                "a response of dec() is 1 (upper) or 0 (lower)");
}

void require_at_least_0(const std::string& column, bool is_above, const char* hint, Frame& frame) {
  const std::vector<double> values = frame.numbers(column);
  CellFaults cells(frame);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]) || values[k] < 0.0 || (is_above && values[k] == 0.0))
      cells.add(column, k, fmt::format("{} is {}", column, io::number_text(values[k])), hint);
}

const std::map<std::string, CensoredSide, std::less<>>& side_names() {
  static const std::map<std::string, CensoredSide, std::less<>> kSides{
      {"left", CensoredSide::left},
      {"none", CensoredSide::none},
      {"right", CensoredSide::right},
      {"interval", CensoredSide::interval}};
  return kSides;
}

// The side of each row, with faults for cells that state none.
std::vector<CensoredSide> take_status(OutcomeModifiers& all, Frame& frame) {
  constexpr const char* kHint =
      "a status is left, right, interval or none, or -1, 1, 2 or 0; TRUE is right, FALSE none";
  const auto used = std::ranges::find(frame.used(), all.status, &UsedColumn::name);
  std::vector<CensoredSide> sides;
  CellFaults cells(frame);
  if (used->role == ColumnRole::factor) {
    const std::vector<std::string> levels = frame.levels(all.status);
    for (std::size_t k = 0; k < levels.size(); ++k)
      if (const auto found = side_names().find(levels[k]); found != side_names().end())
        all.sides[found->second] = static_cast<Index>(k) + 1;
    const std::vector<std::int32_t> codes = frame.codes(all.status);
    for (std::size_t k = 0; k < codes.size(); ++k) {
      const std::string& level = levels[static_cast<std::size_t>(codes[k] - 1)];
      const auto found = side_names().find(level);
      sides.push_back(found == side_names().end() ? CensoredSide::none : found->second);
      if (found == side_names().end())
        cells.add(all.status, k, fmt::format("{} is '{}'", all.status, level), kHint);
    }
    return sides;
  }
  const std::vector<double> numbers = frame.numbers(all.status);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const bool is_right =
        numbers[k] == -1.0 || numbers[k] == 0.0 || numbers[k] == 1.0 || numbers[k] == 2.0;
    if (!is_right)
      cells.add(all.status, k, fmt::format("{} is {}", all.status, io::number_text(numbers[k])),
                kHint);
    sides.push_back(is_right ? static_cast<CensoredSide>(static_cast<int>(numbers[k]) + 1)
                             : CensoredSide::none);
    all.sides[sides.back()] = static_cast<Index>(sides.back()) - 1;
  }
  return sides;
}

void take_censoring(Outcome& outcome, Frame& frame) {
  OutcomeModifiers& all = outcome.modifiers;
  const std::vector<CensoredSide> sides = take_status(all, frame);
  const bool has_intervals = std::ranges::find(sides, CensoredSide::interval) != sides.end();
  if (all.upper.empty()) {
    if (has_intervals)
      frame.faults().add_of_table(
          "", fmt::format("{} has intervals, whose upper ends aren't stated", all.status),
          "cens(STATUS, UPPER) names the column of the upper ends");
    return;
  }
  const std::vector<double> upper = frame.numbers(all.upper),
                            most = values_of(all.most, outcome, frame, kInfinity);
  CellFaults cells(frame);
  for (std::size_t k = 0; k < sides.size(); ++k)
    if (sides[k] == CensoredSide::interval && all.holds_row(k) && upper[k] > most[k])
      cells.add(all.upper, k,
                fmt::format("{} is {}, above the bound {} of trunc()", all.upper,
                            io::number_text(upper[k]), io::number_text(most[k])),
                "an interval ends within the bounds");
  for (std::size_t k = 0; k < sides.size(); ++k)
    if (sides[k] == CensoredSide::interval && all.holds_row(k) && !(upper[k] > outcome.values[k]))
      cells.add(all.upper, k,
                fmt::format("{} is {} and {} is {}", all.upper, io::number_text(upper[k]),
                            outcome.text, io::number_text(outcome.values[k])),
                "the upper end of an interval lies above the lower one");
}

void take_truncation(const Outcome& outcome, Frame& frame) {
  const OutcomeModifiers& all = outcome.modifiers;
  const std::vector<double> lower = values_of(all.lower, outcome, frame, -kInfinity),
                            most = values_of(all.most, outcome, frame, kInfinity);
  CellFaults cells(frame);
  for (std::size_t k = 0; k < outcome.values.size(); ++k)
    if (all.holds_row(k) && !(lower[k] <= outcome.values[k] && outcome.values[k] <= most[k]))
      cells.add(outcome.name, k,
                fmt::format("{} is {}, outside of its bounds {} to {}", outcome.text,
                            io::number_text(outcome.values[k]), io::number_text(lower[k]),
                            io::number_text(most[k])),
                "trunc() says that no row outside of the bounds could be seen; cens() is for rows "
                "that were "
                "seen at a bound");
}
}  // namespace

void take_modifiers(Regression& made, Frame& frame) {
  Outcome& outcome = made.outcome;
  const OutcomeModifiers& all = outcome.modifiers;
  if (!all.subset.empty()) take_subset(outcome, frame);
  if (!all.weights.empty())
    require_at_least_0(all.weights, false,
                       "a weight multiplies the log density of its row: it is at least 0", frame);
  if (!all.decision.empty()) check_decisions(all.decision, all, frame);
  if (!all.error.empty())
    require_at_least_0(all.error, !all.adds_sigma,
                       "a standard error is positive, and with sigma = TRUE at least 0", frame);
  if (!all.status.empty()) take_censoring(outcome, frame);
  if (all.is_truncated()) take_truncation(outcome, frame);
  if (all.thresholds.stated > 0 || !all.thresholds.by.empty()) take_thresholds(made, frame);
}

}  // namespace credo::models
