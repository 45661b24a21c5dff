#include "models/effects/effect_plan.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "io/number_text.hpp"

namespace credo::models {
namespace {
constexpr double kStepsPerDeviation = 64.0;
constexpr std::size_t kMostShown = 12;

// Differences over points x + k h, k from `first` on. Formulas of fourth order, and of second order for the judgement.
struct Stencil {
  int first;
  std::array<double, 5> fine, rough;
};
constexpr Stencil kCentral{-2, {1.0 / 12, -2.0 / 3, 0.0, 2.0 / 3, -1.0 / 12}, {0, -0.5, 0, 0.5, 0}};
constexpr Stencil kForward{0, {-25.0 / 12, 4.0, -3.0, 4.0 / 3, -0.25}, {-1.5, 2.0, -0.5, 0, 0}};
constexpr Stencil kBackward{-4, {0.25, -4.0 / 3, 3.0, -4.0, 25.0 / 12}, {0, 0, 0.5, -2.0, 1.5}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}
// Place of the first comma outside of quotes.
std::size_t comma_in(std::string_view text) {
  char quote = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quote == 0 && c == ',') return k;
    if (quote == 0 && (c == '"' || c == '\'' || c == '`'))
      quote = c;
    else if (c == quote)
      quote = 0;
  }
  return text.size();
}
// Without the quotes around it.
std::string unquoted(std::string_view text) {
  text = trimmed(text);
  for (const char quote : {'"', '\'', '`'})
    if (text.size() >= 2 && text.front() == quote && text.back() == quote)
      return std::string(text.substr(1, text.size() - 2));
  return std::string(text);
}

Index column_named(const TextTable& table, const std::string& name, const char* option) {
  const auto names = table.names();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return found - names.begin();
  const std::string near = did_you_mean(name, names);
  throw Error(ErrorCode::usage, fmt::format("the regression has no column '{}'", name), option,
              near.empty() ? fmt::format("its columns are {}", fmt::join(names, ", ")) : near);
}

const TextColumn& column_at(const TextTable& table, Index column) {
  return table.columns[static_cast<std::size_t>(column)];
}

// A value as a cell of the column: a level, or a number.
std::string cell_of(const TextColumn& column, const std::string& text, const char* option) {
  if (column.is_factor) {
    if (column.is_free || std::ranges::find(column.levels, text) != column.levels.end())
      return text;
    const std::string near = did_you_mean(text, column.levels);
    const auto shown = std::span(column.levels).first(std::min(column.levels.size(), kMostShown));
    throw Error(ErrorCode::usage, fmt::format("'{}' is no level of {}", text, column.name), option,
                near.empty() ? fmt::format("the levels are {}{}", fmt::join(shown, ", "),
                                           shown.size() < column.levels.size() ? ", ..." : "")
                             : near);
  }
  const std::optional<double> value = io::parse_number(text);
  if (!value || !std::isfinite(*value))
    throw Error(ErrorCode::usage,
                fmt::format("{} has numbers, and '{}' isn't one", column.name, text), option,
                fmt::format("'{} = {}'", column.name, column.cells[0]));
  return io::number_text(*value);
}

double deviation_of(const std::vector<double>& x) {
  const auto n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double sum = 0.0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return n > 1 ? std::sqrt(sum / (n - 1)) : 0.0;
}

bool is_zero_or_one(const TextColumn& column) {
  return std::ranges::all_of(column.numbers, [](double x) { return x == 0.0 || x == 1.0; });
}
}  // namespace

std::vector<Cell> parse_cells(const TextTable& table, std::span<const std::string> texts) {
  std::vector<Cell> cells;
  for (const std::string& text : texts)
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t comma = comma_in(rest);
      const std::string_view part = rest.substr(0, comma);
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      const std::size_t equal = part.find('=');
      if (equal == part.npos)
        throw Error(ErrorCode::usage, fmt::format("'{}' isn't COLUMN = VALUE", trimmed(part)),
                    "--at", "--at 'Subject = 308, x = 2'");
      const Index column = column_named(table, unquoted(part.substr(0, equal)), "--at");
      if (std::ranges::find(cells, column, &Cell::column) != cells.end())
        throw Error(ErrorCode::usage,
                    fmt::format("{} has two values", column_at(table, column).name), "--at",
                    "a column has one value: ask once for each");
      cells.push_back(
          {column, cell_of(column_at(table, column), unquoted(part.substr(equal + 1)), "--at")});
    }
  return cells;
}

EffectPlan::EffectPlan(const TextTable& table, const EffectRequest& request)
    : table_(table), request_(request), rows_(table), at_(parse_cells(table, request.at)) {
  const Index count = std::min(table.num_rows, request.most_rows);
  for (Index k = 0; k < count; ++k) averaged_.push_back(k * table.num_rows / count);
  for (const std::string& text : request.contrasts) add_contrast(text);
  std::vector<std::string> columns = request.columns;
  if (columns.empty() && request.contrasts.empty())
    for (const TextColumn& column : table.columns)
      if (!column.is_free && !column.is_whole) columns.push_back(column.name);
  for (const std::string& column : columns) add_all(column);
}

void EffectPlan::add_all(const std::string& name) {
  const Index column = column_named(table_, name, "--of");
  const TextColumn& own = column_at(table_, column);
  if (request_.curves) return add_curve(column);
  if (own.is_factor) return add_levels(column);
  const auto [least, greatest] = std::ranges::minmax(own.numbers);
  if (least == greatest)
    throw Error(ErrorCode::usage, fmt::format("{} is {} in all rows", name, own.cells[0]), "--of",
                fmt::format("a step needs no second value: --contrast '{} 0 - 1'", name));
  if (request_.step > 0.0) return add_step(column, request_.step);
  if (own.is_whole) return add_step(column, 1.0);
  if (is_zero_or_one(own)) return add_difference(column, "1", "0", name + " 1 - 0");
  add_slope(column);
}

Effect& EffectPlan::begin(Index column, std::string name, const char* kind) {
  effects_.push_back(
      {.name = std::move(name), .column = column_at(table_, column).name, .kind = kind});
  return effects_.back();
}

Index EffectPlan::written(Index row, Index column, const std::string& text) {
  std::vector<Cell> cells{{column, text}};
  for (const Cell& cell : at_)
    if (cell.column != column) cells.push_back(cell);
  return rows_.written(row, cells);
}

// The mean over rows whose cells of the column are this text.
void EffectPlan::add_mean(RowSum& sum, Index column, const std::string& text) {
  for (const Index row : averaged_)
    sum.add(written(row, column, text), 1.0 / static_cast<double>(averaged_.size()));
}

void EffectPlan::add_difference(Index column, const std::string& to, const std::string& from,
                                const std::string& name) {
  RowSum& sum = begin(column, name, "contrast").sum;
  for (const Index row : averaged_)
    sum.add_difference(written(row, column, to), written(row, column, from),
                       1.0 / static_cast<double>(averaged_.size()));
}

void EffectPlan::add_levels(Index column) {
  const TextColumn& own = column_at(table_, column);
  if (own.levels.size() < 2)
    throw Error(ErrorCode::usage, fmt::format("{} has one level", own.name), "--of",
                "a contrast needs two");
  const std::size_t num_first = request_.all_pairs ? own.levels.size() : 1;
  for (std::size_t a = 0; a < num_first; ++a)
    for (std::size_t b = a + 1; b < own.levels.size(); ++b)
      add_difference(column, own.levels[b], own.levels[a],
                     fmt::format("{} {} - {}", own.name, own.levels[b], own.levels[a]));
}

void EffectPlan::add_step(Index column, double step) {
  const TextColumn& own = column_at(table_, column);
  RowSum& sum = begin(column, fmt::format("{} + {}", own.name, step), "step").sum;
  const auto at = std::ranges::find(at_, column, &Cell::column);
  for (const Index row : averaged_) {
    const double x =
        at == at_.end() ? own.numbers[static_cast<std::size_t>(row)] : *io::parse_number(at->text);
    sum.add_difference(written(row, column, io::number_text(x + step)),
                       written(row, column, io::number_text(x)),
                       1.0 / static_cast<double>(averaged_.size()));
  }
}

void EffectPlan::add_slope(Index column) {
  const TextColumn& own = column_at(table_, column);
  const double h = deviation_of(own.numbers) / kStepsPerDeviation;
  const auto [least, greatest] = std::ranges::minmax(own.numbers);
  Effect& effect = begin(column, own.name, "derivative");
  effect.rough.emplace();
  const auto at = std::ranges::find(at_, column, &Cell::column);
  for (const Index row : averaged_) {
    const double x =
        at == at_.end() ? own.numbers[static_cast<std::size_t>(row)] : *io::parse_number(at->text);
    const Stencil& stencil = x - 2.0 * h < least      ? kForward
                             : x + 2.0 * h > greatest ? kBackward
                                                      : kCentral;
    const double scale = 1.0 / (h * static_cast<double>(averaged_.size()));
    // Weights add up to 0, so that each value counts less that at x.
    const Index here = written(row, column, io::number_text(x));
    for (std::size_t k = 0; k < stencil.fine.size(); ++k) {
      const int steps = stencil.first + static_cast<int>(k);
      if (stencil.fine[k] == 0.0 || steps == 0) continue;
      const Index there = written(row, column, io::number_text(x + h * steps));
      effect.sum.add_difference(there, here, stencil.fine[k] * scale);
      effect.rough->add_difference(there, here, stencil.rough[k] * scale);
    }
  }
}

void EffectPlan::add_curve(Index column) {
  const TextColumn& own = column_at(table_, column);
  if (own.is_factor) {
    for (const std::string& level : own.levels) {
      Effect& effect = begin(column, fmt::format("{} = {}", own.name, level), "curve");
      effect.level = level;
      add_mean(effect.sum, column, level);
    }
    return;
  }
  const auto [least, greatest] = std::ranges::minmax(own.numbers);
  for (Index k = 0; k < request_.num_grid; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(request_.num_grid - 1);
    double x = k + 1 == request_.num_grid ? greatest : least + share * (greatest - least);
    if (own.is_whole) x = std::round(x);
    if (k > 0 && effects_.back().value == x) continue;
    Effect& effect = begin(column, fmt::format("{} = {:.6g}", own.name, x), "curve");
    effect.value = x;
    add_mean(effect.sum, column, io::number_text(x));
  }
}

// "period 1 - 4": a column, then two levels or numbers. Levels may have a hyphen with blanks themselves.
void EffectPlan::add_contrast(const std::string& text) {
  constexpr std::string_view kMinus = " - ";
  const auto names = table_.names();
  for (Index c = 0; c < ssize(names); ++c) {
    std::string_view rest = trimmed(text);
    const std::string& name = names[static_cast<std::size_t>(c)];
    const std::string quoted = fmt::format("`{}`", name);
    const std::string& begins = rest.starts_with(quoted) ? quoted : name;
    if (!rest.starts_with(begins + " ")) continue;
    rest.remove_prefix(begins.size());
    const TextColumn& own = column_at(table_, c);
    std::size_t minus = rest.find(kMinus, 1);
    for (std::size_t other = minus; other != rest.npos; other = rest.find(kMinus, other + 1)) {
      const bool are_levels =
          std::ranges::count(own.levels, unquoted(rest.substr(0, other))) == 1 &&
          std::ranges::count(own.levels, unquoted(rest.substr(other + kMinus.size()))) == 1;
      if (are_levels) minus = other;
    }
    if (minus == rest.npos) break;
    const std::string to = unquoted(rest.substr(0, minus)),
                      from = unquoted(rest.substr(minus + kMinus.size()));
    return add_difference(c, cell_of(own, to, "--contrast"), cell_of(own, from, "--contrast"),
                          fmt::format("{} {} - {}", name, to, from));
  }
  throw Error(ErrorCode::usage, fmt::format("'{}' isn't COLUMN VALUE - VALUE", text), "--contrast",
              fmt::format("--contrast 'period 1 - 4'; the columns are {}", fmt::join(names, ", ")));
}

}  // namespace credo::models
