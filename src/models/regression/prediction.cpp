#include "models/regression/prediction.hpp"

#include <fmt/format.h>

#include "base/nearest_name.hpp"
#include "io/data/data_files.hpp"
#include "io/number_text.hpp"

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
      if (std::ranges::find(made_.groups, constant.name, &GroupBlock::lookup) == made_.groups.end())
        values_.push_back(constant);
    if (!faults_.empty()) return {};
    for (const Predictor& predictor : made_.predictors)
      for (const SpecialBlock& special : predictor.specials) check_ranges(special);
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
      if (made_.outcome.is_column(used.name) || made_.outcome.fit_columns.contains(used.name))
        continue;
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
    if (!faults_.empty()) return false;
    table_ = io::read_data(recipe.text(), text_of);
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
    if (!made_.fixed_factors.contains(column.name) || is_single_group(column.name)) {
      if (made_.fixed_factors.contains(column.name)) require_known(column, value);
      return;
    }
    require_known(column, value);
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
  // Numbers of the texts among the levels; new ones behind them, in the order of the rows. Returns the new ones.
  std::vector<std::string> add_codes(const std::string& name, const std::vector<std::string>& own,
                                     const std::vector<std::string>& levels) {
    std::map<std::string, Index> numbers;
    for (std::size_t k = 0; k < levels.size(); ++k) numbers[levels[k]] = static_cast<Index>(k) + 1;
    std::vector<std::string> news;
    ProgramConstant codes{.name = name, .dims = {ssize(own)}, .is_whole = true};
    for (const std::string& text : own) {
      const auto [entry, is_new] = numbers.try_emplace(text, ssize(levels) + ssize(news) + 1);
      if (is_new) news.push_back(text);
      codes.values.push_back(static_cast<double>(entry->second));
    }
    values_.push_back(std::move(codes));
    return news;
  }

  void take_group(const GroupBlock& group) {
    const bool is_known =
        std::ranges::find(values_, group.codes, &ProgramConstant::name) != values_.end();
    if (is_known || !faults_.empty()) return;
    std::vector<std::string> own = texts(group.columns[0]);
    for (std::size_t c = 1; c < group.columns.size(); ++c) {
      const std::vector<std::string> more = texts(group.columns[c]);
      for (std::size_t k = 0; k < own.size(); ++k) own[k] += ":" + more[k];
    }
    const std::vector<std::string> news = add_codes(group.codes, own, group.levels);
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
