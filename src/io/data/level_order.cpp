#include "io/data/level_order.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "io/data/data_recipe.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"

namespace credo::io {
namespace {
constexpr const char* kLevelsOption = "--levels";
constexpr std::string_view kRest = "...";
constexpr std::string_view kNumbersWord = "numbers";

std::string_view trimmed_level(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// Reads "g=[c,a,b],h=[x,...]".
class OrderParser {
 public:
  explicit OrderParser(std::string_view text) : text_(text) {}

  std::vector<LevelOrder> all() {
    std::vector<LevelOrder> orders;
    do orders.push_back(one());
    while (accept(','));
    if (at_ < text_.size()) fail(fmt::format("expected ',' or the end, found `{}`", rest()));
    return orders;
  }

 private:
  LevelOrder one() {
    LevelOrder order;
    const std::size_t equals = text_.find('=', at_);
    if (equals == text_.npos) fail(fmt::format("`{}` has no =", rest()));
    order.name = std::string(trimmed_level(text_.substr(at_, equals - at_)));
    if (!is_name_for_programs(order.name))
      fail(fmt::format("'{}' is no name that a program can declare", order.name));
    at_ = equals + 1;
    require('[');
    do add_level(order);
    while (accept(','));
    require(']');
    return order;
  }

  void add_level(LevelOrder& order) {
    if (order.has_rest) fail("the other levels, `...`, come last");
    skip_blanks();
    const bool quoted = at_ < text_.size() && text_[at_] == '"';
    std::string level = quoted ? quoted_level() : plain_level();
    if (!quoted && level == kRest) {
      order.has_rest = true;
      return;
    }
    if (level.empty()) fail("a level without a name");
    if (std::ranges::find(order.levels, level) != order.levels.end())
      fail(fmt::format("level {} is named twice", level));
    order.levels.push_back(std::move(level));
  }

  std::string plain_level() {
    const std::size_t end = std::min(text_.find_first_of(",]", at_), text_.size());
    const std::string_view level = trimmed_level(text_.substr(at_, end - at_));
    at_ = end;
    return std::string(level);
  }

  // A double quote within quotes is written twice, as in CSV files.
  std::string quoted_level() {
    std::string level;
    for (++at_;; ++at_) {
      if (at_ >= text_.size()) fail("a quote isn't closed");
      if (text_[at_] == '"' && text_.substr(at_ + 1, 1) != "\"") break;
      if (text_[at_] == '"') ++at_;
      level += text_[at_];
    }
    ++at_;
    return level;
  }

  std::string_view rest() const { return text_.substr(at_); }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }
  bool accept(char c) {
    skip_blanks();
    const bool is_there = at_ < text_.size() && text_[at_] == c;
    if (is_there) ++at_;
    return is_there;
  }
  void require(char c) {
    if (!accept(c)) fail(fmt::format("expected {}, found `{}`", c, rest()));
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::usage, fmt::format("'{}': {}", text_, message), kLevelsOption,
                "write name=[LEVEL,LEVEL], or name=[LEVEL,...] for one that comes first");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_missing_at(const ColumnFacts& column, Index element) {
  return std::ranges::binary_search(column.missing, element);
}

// First element with this code.
Index first_of_code(const DataValue& value, std::int32_t code) {
  for (std::size_t k = 0; k < value.integers.size(); ++k)
    if (value.integers[k] == code && !is_missing_at(*value.column, static_cast<Index>(k)))
      return static_cast<Index>(k);
  return -1;
}

[[noreturn]] void refuse_level(const DataValue& value, const LevelOrder& order,
                               const std::string& level, Index element) {
  const std::string near = did_you_mean(level, order.levels);
  throw Error(
      ErrorCode::data,
      fmt::format("variable {}: column {} has `{}`, which isn't among the {} levels {}: {}",
                  order.name, value.column->name, level, order.levels.size(),
                  order.of_fit ? "of the fit" : "that --levels names",
                  levels_in_short(order.levels)),
      value.column->where(element),
      fmt::format("{}{}", near.empty() ? "" : near + " ",
                  order.of_fit
                      ? "The fit has no parameter for a new level: leave the row out, or fit "
                        "the program again with rows of this level"
                      : "add it to --levels, or correct the cell"));
}

[[noreturn]] void refuse_texts(const DataValue& value, const LevelOrder& order) {
  throw Error(
      ErrorCode::data,
      fmt::format("variable {}: column {} has texts ({}), and {} was made of numbers in the "
                  "data of the fit, so that nothing says which number a text stands for",
                  order.name, value.column->name, levels_in_short(value.column->levels),
                  order.name),
      value.column->where(0), "give the numbers that the fit's data have");
}

// The order, completed by the levels that it doesn't list.
std::vector<std::string> completed_order(const LevelOrder& order,
                                         std::span<const std::string> levels) {
  std::vector<std::string> all = order.levels;
  if (!order.has_rest) return all;
  for (const std::string& level : levels)
    if (std::ranges::find(order.levels, level) == order.levels.end()) all.push_back(level);
  return all;
}

// The value with new codes. The code 0 of elements without a value stays.
DataValue recoded(const DataValue& value, std::vector<std::string> levels,
                  std::span<const std::int32_t> new_codes) {
  DataValue result = value;
  for (std::int32_t& code : result.integers)
    if (code > 0) code = new_codes[static_cast<std::size_t>(code)];
  auto facts = std::make_shared<ColumnFacts>(*value.column);
  facts->num_codes = ssize(levels);
  facts->levels = std::move(levels);
  result.column = std::move(facts);
  return result;
}
}  // namespace

std::vector<LevelOrder> parse_level_orders(std::string_view text) {
  return OrderParser(text).all();
}

std::string text_of(const LevelOrder& order) {
  std::string all;
  for (const std::string& level : order.levels) {
    std::string quoted;
    for (const char c : level) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    const bool is_plain = level.find_first_of(" ,[]\"") == level.npos && level != kRest;
    all += (all.empty() ? "" : ",") + (is_plain ? level : "\"" + quoted + "\"");
  }
  if (order.has_rest) all += (all.empty() ? "" : ",") + std::string(kRest);
  return fmt::format("{}=[{}]", order.name, all);
}

void write_level_orders(JsonWriter& json, std::span<const LevelOrder> orders) {
  json.begin_object();
  for (const LevelOrder& order : orders) {
    json.key(order.name);
    if (order.numbers) {
      json.string(std::string(kNumbersWord));
      continue;
    }
    json.begin_array();
    for (const std::string& level : order.levels) json.string(level);
    if (order.has_rest) json.string(std::string(kRest));
    json.end_array();
  }
  json.end_object();
}

std::vector<LevelOrder> level_orders(const JsonValue& value) {
  if (value.kind != JsonValue::Kind::object)
    throw Error(ErrorCode::usage, "levels are an object, found " + describe(value), value.where,
                "as in {\"g\": [\"c\", \"a\", \"b\"]}");
  std::vector<LevelOrder> orders;
  for (const auto& [name, member] : value.members) {
    LevelOrder& order = orders.emplace_back();
    order.name = name;
    if (member.kind == JsonValue::Kind::string && member.text == kNumbersWord) {
      order.numbers = true;
      continue;
    }
    order.levels = member.as_strings("levels");
    order.has_rest = !order.levels.empty() && order.levels.back() == kRest;
    if (order.has_rest) order.levels.pop_back();
  }
  return orders;
}

DataValue with_levels(const DataValue& value, const LevelOrder& order) {
  if (value.column == nullptr || value.column->levels.empty()) return value;
  if (order.numbers) refuse_texts(value, order);
  const std::vector<std::string>& levels = value.column->levels;
  const std::vector<std::string> wanted = completed_order(order, levels);
  std::unordered_map<std::string, std::int32_t> codes;
  for (std::size_t k = 0; k < wanted.size(); ++k)
    codes[wanted[k]] = static_cast<std::int32_t>(k) + 1;
  std::vector<std::int32_t> new_codes(levels.size() + 1, 0);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const auto found = codes.find(levels[k]);
    const Index element =
        found == codes.end() ? first_of_code(value, static_cast<std::int32_t>(k) + 1) : -1;
    if (element >= 0) refuse_level(value, order, levels[k], element);
    if (found != codes.end()) new_codes[k + 1] = found->second;
  }
  return recoded(value, wanted, new_codes);
}

DataValue with_used_levels(const DataValue& value, std::vector<std::string>& left_out) {
  if (value.column == nullptr || value.column->levels.empty()) return value;
  const std::vector<std::string>& levels = value.column->levels;
  std::vector<char> used(levels.size() + 1, 0);
  for (const std::int32_t code : value.integers) used[static_cast<std::size_t>(code)] = 1;
  std::vector<std::string> kept;
  std::vector<std::int32_t> new_codes(levels.size() + 1, 0);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (used[k + 1] == 0) {
      left_out.push_back(levels[k]);
      continue;
    }
    kept.push_back(levels[k]);
    new_codes[k + 1] = static_cast<std::int32_t>(kept.size());
  }
  return left_out.empty() ? value : recoded(value, std::move(kept), new_codes);
}

std::string levels_in_short(std::span<const std::string> levels, std::size_t shown) {
  const auto first = levels.first(std::min(shown, levels.size()));
  return fmt::format("{}{}", fmt::join(first, ", "), levels.size() > shown ? ", ..." : "");
}

}  // namespace credo::io
