#include "models/regression/prediction.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "io/data/data_files.hpp"
#include "io/number_text.hpp"
#include "models/regression/grouping.hpp"

namespace credo::models {
namespace {
using TextOf = std::function<const std::string&(const std::string&)>;
constexpr std::size_t kMostShown = 5;

class PredictionMaker {
 public:
  PredictionMaker(const Regression& made, NewLevels news, FormulaFaults& faults)
      : made_(made), news_(news), faults_(faults) {}

  Prediction make(const io::DataRecipe& data, const TextOf& text_of) {
    if (!read(data, text_of)) return {};
    for (const UsedColumn& column : needed_) take(column);
    for (const GroupBlock& group : made_.groups) take_group(group);
    if (!made_.groups.empty()) add_whole("draws_new", news_ == NewLevels::draw ? 1 : 0);
    add_whole("N", num_rows_);
    if (made_.family->has_categories())
      add_whole("K_" + made_.outcome.name, made_.outcome.num_levels);
    for (const ProgramConstant& constant : made_.parts.constants)
      if (!made_.is_lookup(constant.name)) values_.push_back(constant);
    if (!faults_.empty()) return {};
    check_weights(data, text_of);
    check_lags();
    for (const Predictor& predictor : made_.predictors)
      for (const SpecialBlock& special : predictor.specials) {
        check_ranges(special);
        if (!special.prediction_note.empty()) notes_.push_back(special.prediction_note);
      }
    if (!faults_.empty()) return {};
    if (!made_.outcome.modifiers.status.empty() || made_.outcome.modifiers.is_truncated())
      notes_.push_back("outcomes are predicted as they are before they are censored or truncated");
    return {.program = prediction_text(made_),
            .data = constants_text(values_),
            .notes = notes_,
            .num_rows = num_rows_};
  }

 private:
  // The columns that predictions need: all but the outcome.
  bool read(const io::DataRecipe& data, const TextOf& text_of) {
    io::DataRecipe recipe = data;
    recipe.columns.clear(), recipe.levels.clear(), recipe.missing.clear();
    const io::DataTable plain = io::read_data(recipe.text(), text_of);
    std::vector<std::string> columns;
    for (const std::string& name : plain.names())
      if (const auto& facts = plain.find(name)->column) columns.push_back(facts->name);
    for (const UsedColumn& used : made_.columns) {
      const bool is_outcome = made_.outcome.is_column(used.name) && !made_.outcome.is_in_terms;
      if (is_outcome || made_.outcome.fit_columns.contains(used.name)) continue;
      if (std::ranges::find(columns, used.column) == columns.end()) {
        faults_.add_of_table(plain.source(), fmt::format("there is no column {}", used.column),
                             did_you_mean(used.column, columns));
        continue;
      }
      needed_.push_back(used);
      recipe.columns.push_back(io::text_of({.name = used.name,
                                            .columns = {used.column},
                                            .factor = used.role == ColumnRole::factor}));
    }
    for (const MissingColumn& missing : made_.missing) {
      const std::string& column = missing.column.column;
      if (std::ranges::find(columns, column) == columns.end())
        faults_.add_of_table(plain.source(), fmt::format("there is no column {}", column),
                             "add it; its cells may be empty");
      else
        recipe.columns.push_back(io::text_of({.name = missing.column.name, .columns = {column}}));
    }
    if (!faults_.empty()) return false;
    table_ = io::read_data(recipe.text(), text_of);
    for (const MissingColumn& missing : made_.missing) take_gaps(missing);
    for (const UsedColumn& used : needed_) num_rows_ = table_.find(used.name)->num_elements();
    if (needed_.empty() && !columns.empty())
      num_rows_ = plain.find(plain.names()[0])->num_elements();
    return true;
  }

  void add_whole(const std::string& name, Index value) {
    for (const ProgramConstant& known : made_.parts.constants)
      if (known.name == name) return;
    for (const ProgramConstant& known : values_)
      if (known.name == name) return;
    values_.push_back({.name = name, .values = {static_cast<double>(value)}, .is_whole = true});
  }

  bool require_complete(const UsedColumn& column, const io::DataValue& value) {
    for (const Index k : value.column->missing) {
      faults_.add_of_table(value.column->where(k),
                           fmt::format("{} has no value in row {}", column.column, k + 1),
                           "a prediction needs it: leave the row out of the table");
      if (faults_.size() >= kMostShown) break;
    }
    return value.column->missing.empty();
  }

  void take(const UsedColumn& column) {
    const io::DataValue& value = *table_.find(column.name);
    if (!require_complete(column, value)) return;
    if (column.role == ColumnRole::factor) return take_levels(column, value);
    if (!value.column->levels.empty() || !value.column->odd.empty())
      return faults_.add_of_table(
          value.column->where(value.column->odd_element),
          fmt::format("{} has texts, and the fit has numbers", column.column), "correct the cells");
    ProgramConstant made{
        .name = column.name, .dims = {num_rows_}, .is_whole = column.role == ColumnRole::count};
    if (value.kind == io::DataKind::reals) {
      made.values = value.reals;
      if (made.is_whole)
        return faults_.add_of_table(
            value.where,
            fmt::format("{} has numbers that aren't whole ({})", column.column, value.not_int));
    } else {
      made.values.assign(value.integers.begin(), value.integers.end());
    }
    values_.push_back(std::move(made));
  }

  std::vector<double> numbers(const std::string& name) const {
    const auto found = std::ranges::find(values_, name, &ProgramConstant::name);
    return found == values_.end() ? std::vector<double>() : found->values;
  }
  // Weights of mm() in the new table, which may be arithmetic of its columns.
  void check_weights(const io::DataRecipe& data, const TextOf& text_of) {
    io::DataRecipe recipe = data;
    recipe.columns.clear(), recipe.levels.clear(), recipe.missing.clear();
    const io::DataTable plain = io::read_data(recipe.text(), text_of);
    for (const GroupBlock& group : made_.groups) {
      if (group.weights.expressions.empty()) continue;
      ProgramNames names([](const std::string&) { return true; });
      Frame frame(plain, names, faults_);
      for (const Expression& e : group.weights.expressions) use_columns(e, frame);
      recipe.columns = frame.column_uses();
      frame.set_rows(io::read_data(recipe.text(), text_of));
      std::vector<Arithmetic> values;
      for (const Expression& e : group.weights.expressions)
        values.push_back(arithmetic_of(e, frame));
      if (const auto fault = fault_of_weights(group.weights, values, num_rows_))
        faults_.add_of_table(plain.source(), fmt::format("{}: {}", group.label, fault->words),
                             "correct the cells, or leave the row out");
    }
  }

  // Rows without an earlier row that a lag needs have no prediction.
  void check_lags() {
    std::set<Index> without;
    for (const Lag& lag : made_.lags) {
      const std::vector<double> series = numbers(lag.order.series);
      const EarlierRows found =
          earlier_rows(num_rows_, lag.k, numbers(lag.order.time),
                       std::vector<std::int32_t>(series.begin(), series.end()));
      if (found.same)
        faults_.add_of_table("", fmt::format("rows {} and {} of a series have the same time",
                                             found.same->first + 1, found.same->second + 1));
      for (std::size_t n = 0; n < found.rows.size(); ++n)
        if (found.rows[n] < 0) without.insert(static_cast<Index>(n) + 1);
    }
    if (without.empty()) return;
    std::vector<Index> shown(without.begin(), without.end());
    shown.resize(std::min(shown.size(), kMostShown));
    notes_.push_back(
        fmt::format("{} row{} no earlier row in this table, and the prediction NaN: {}{}",
                    without.size(), without.size() == 1 ? " has" : "s have", fmt::join(shown, ", "),
                    without.size() > kMostShown ? ", ..." : ""));
  }

  // A column whose cells may be missing: its values with 0 in the gaps, and where these are.
  void take_gaps(const MissingColumn& missing) {
    const io::DataValue& value = *table_.find(missing.column.name);
    num_rows_ = value.num_elements();
    if (!value.column->levels.empty() || !value.column->odd.empty())
      return faults_.add_of_table(
          value.where, fmt::format("{} has texts, and the fit has numbers", missing.column.column),
          "correct the cells");
    ProgramConstant given{.name = missing.given, .dims = {num_rows_}},
        gaps{.name = missing.rows, .dims = {num_rows_}, .is_whole = true};
    for (Index n = 0; n < num_rows_; ++n) {
      const auto k = static_cast<std::size_t>(n);
      const bool is_missing = std::ranges::binary_search(value.column->missing, n);
      given.values.push_back(is_missing                          ? 0.0
                             : value.kind == io::DataKind::reals ? value.reals[k]
                                                                 : value.integers[k]);
      gaps.values.push_back(is_missing ? 1.0 : 0.0);
    }
    if (std::ranges::count(gaps.values, 1.0) > 0)
      notes_.push_back(fmt::format("{} is missing in {} rows, where it is drawn from its own part",
                                   missing.column.column, std::ranges::count(gaps.values, 1.0)));
    values_.push_back(std::move(given));
    values_.push_back(std::move(gaps));
  }

  // Special terms are known for the numbers that the fit has.
  void check_ranges(const SpecialBlock& special) {
    for (const KnownRange& range : special.ranges) {
      const io::DataValue* const value = table_.find(range.column);
      Index number = 0;
      std::string first;
      for (Index k = 0; k < value->num_elements(); ++k) {
        const double x = value->kind == io::DataKind::reals
                             ? value->reals[static_cast<std::size_t>(k)]
                             : static_cast<double>(value->integers[static_cast<std::size_t>(k)]);
        if (x >= range.first && x <= range.last) continue;
        if (number++ == 0) first = fmt::format("{} in row {}", io::number_text(x), k + 1);
      }
      if (number == 0) continue;
      const std::string words =
          fmt::format("{}: {} row{} outside of {} to {}, {} (the first is {})", special.text,
                      number, number == 1 ? " is" : "s are", io::number_text(range.first),
                      io::number_text(range.last), range.words, first);
      if (range.is_needed)
        faults_.add_of_table("", words, "leave these rows out");
      else
        notes_.push_back(words);
    }
  }

  std::vector<std::string> texts(const std::string& name) const {
    const io::DataValue& value = *table_.find(name);
    std::vector<std::string> all;
    for (const std::int32_t code : value.integers)
      all.push_back(value.column->levels[static_cast<std::size_t>(code - 1)]);
    return all;
  }

  bool is_single_group(const std::string& name) const {
    return std::ranges::find(made_.groups, name, &GroupBlock::codes) != made_.groups.end();
  }

  // Levels of factors with coefficients: a new one has none.
  void take_levels(const UsedColumn& column, const io::DataValue& value) {
    if (made_.series.contains(column.name) && !made_.fixed_factors.contains(column.name) &&
        !is_single_group(column.name)) {
      const std::vector<std::string> own = texts(column.name);
      return add_codes(column.name, own, {}, different(own));
    }
    if (!made_.fixed_factors.contains(column.name) || is_single_group(column.name)) {
      if (made_.fixed_factors.contains(column.name)) require_known(column, value);
      return;
    }
    require_known(column, value);
    if (!faults_.empty()) return;
    add_codes(column.name, texts(column.name), made_.levels.at(column.name));
    add_whole("K_" + column.name, ssize(made_.levels.at(column.name)));
  }
  void require_known(const UsedColumn& column, const io::DataValue& value) {
    const std::vector<std::string>& levels = made_.levels.at(column.name);
    std::size_t number = 0;
    const std::vector<std::string> own = texts(column.name);
    for (std::size_t k = 0; k < own.size() && number < kMostShown; ++k) {
      if (std::ranges::find(levels, own[k]) != levels.end()) continue;
      ++number;
      const std::string near = did_you_mean(own[k], levels);
      faults_.add_of_table(
          value.column->where(static_cast<Index>(k)),
          fmt::format("'{}' in row {} is no level of {} in the fit, so it has no coefficient",
                      own[k], k + 1, column.column),
          near.empty() ? fmt::format("the levels are {}", fmt::join(levels, ", ")) : near);
    }
  }
  // Numbers of the texts among the levels; new ones are behind them.
  void add_codes(const std::string& name, const std::vector<std::string>& own,
                 const std::vector<std::string>& levels,
                 const std::vector<std::string>& news = {}) {
    std::map<std::string, Index> numbers;
    for (const auto& all : {levels, news})
      for (const std::string& level : all) numbers.emplace(level, ssize(numbers) + 1);
    ProgramConstant codes{.name = name, .dims = {ssize(own)}, .is_whole = true};
    for (const std::string& text : own)
      codes.values.push_back(static_cast<double>(numbers.at(text)));
    values_.push_back(std::move(codes));
  }

  // The level of the group in each row, or for mm() those of each column.
  std::vector<std::vector<std::string>> levels_of_rows(const GroupBlock& group) const {
    std::vector<std::vector<std::string>> all;
    for (const std::string& column : group.columns) all.push_back(texts(column));
    if (!group.members.empty()) return all;
    for (std::size_t c = 1; c < all.size(); ++c)
      for (std::size_t k = 0; k < all[0].size(); ++k) all[0][k] += ":" + all[c][k];
    all.resize(1);
    return all;
  }
  static std::vector<std::string> code_names(const GroupBlock& group) {
    if (group.members.empty()) return {group.codes};
    std::vector<std::string> names;
    for (const GroupMember& member : group.members) names.push_back(member.codes);
    return names;
  }
  static std::vector<std::string> different(std::vector<std::string> all) {
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  // Levels that the fit has not, in the order of the rows.
  static std::vector<std::string> new_levels(const GroupBlock& group,
                                             const std::vector<std::vector<std::string>>& rows) {
    std::set<std::string> known(group.levels.begin(), group.levels.end());
    std::vector<std::string> news;
    for (std::size_t k = 0; k < rows[0].size(); ++k)
      for (const std::vector<std::string>& own : rows)
        if (known.insert(own[k]).second) news.push_back(own[k]);
    return news;
  }

  // Strata of new levels; a level has one in all rows, that of the fit if it is known.
  void add_strata(const GroupBlock& group, const std::vector<std::string>& rows) {
    const GroupStrata& strata = group.strata;
    std::map<std::string, std::string> known;
    for (std::size_t k = 0; k < group.levels.size(); ++k)
      known[group.levels[k]] = strata.levels[static_cast<std::size_t>(strata.of_level[k] - 1)];
    const std::vector<std::string> own = texts(strata.column);
    std::vector<std::string> news;
    for (std::size_t n = 0; n < rows.size(); ++n) {
      const auto [entry, is_new] = known.emplace(rows[n], own[n]);
      if (is_new) news.push_back(own[n]);
      if (entry->second != own[n])
        faults_.add_of_table(
            table_.find(strata.column)->column->where(static_cast<Index>(n)),
            fmt::format("{} {} has {} = {} in row {}, and {} in the fit or a row before",
                        group.label, rows[n], strata.name, own[n], n + 1, entry->second),
            "each level of the group has one level of by =");
    }
    if (faults_.empty()) add_codes("new_" + strata.codes, news, strata.levels);
  }

  void take_group(const GroupBlock& group) {
    if (!faults_.empty()) return;
    const auto rows = levels_of_rows(group);
    if (group.strata.are_there()) add_strata(group, rows[0]);
    const std::vector<std::string> news = new_levels(group, rows);
    if (!news.empty() && !group.covariance_root.empty() && news_ == NewLevels::draw)
      faults_.add_of_table(
          "",
          fmt::format("{} of {} isn't among the levels of the covariance that the fit has", news[0],
                      group.label),
          "leave its rows out, or take its effect as 0: --new-groups mean");
    const bool is_known =
        std::ranges::find(values_, code_names(group)[0], &ProgramConstant::name) != values_.end();
    if (is_known) return;
    for (std::size_t k = 0; k < rows.size(); ++k)
      add_codes(code_names(group)[k], rows[k], group.levels, news);
    add_whole(group.size, ssize(group.levels));
    add_whole("new_" + group.codes, ssize(news));
    if (news.empty()) return;
    const std::string list = fmt::format(
        "{}{}", fmt::join(std::span(news).first(std::min(news.size(), kMostShown)), ", "),
        news.size() > kMostShown ? ", ..." : "");
    if (news_ == NewLevels::refuse)
      faults_.add_of_table("",
                           fmt::format("{} has levels that the fit has not: {}", group.label, list),
                           "--new-groups draw draws their effects");
    else
      notes_.push_back(fmt::format("{} new level{} of {}: {}: {}", news.size(),
                                   news.size() == 1 ? "" : "s", group.label, list,
                                   news_ == NewLevels::draw
                                       ? "effects are drawn from the fitted distribution, once for "
                                         "each level and draw"
                                       : "effects are 0"));
  }

  const Regression& made_;
  const NewLevels news_;
  FormulaFaults& faults_;
  io::DataTable table_;
  std::vector<UsedColumn> needed_;
  std::vector<ProgramConstant> values_;
  std::vector<std::string> notes_;
  Index num_rows_ = 0;
};
}  // namespace

Prediction make_prediction(const Regression& made, const io::DataRecipe& data, NewLevels news,
                           const TextOf& text_of, FormulaFaults& faults) {
  return PredictionMaker(made, news, faults).make(data, text_of);
}

}  // namespace credo::models
