#include "infer/core/kernel_options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/nearest_name.hpp"
#include "io/number_text.hpp"

namespace credo::infer {
namespace {
Error wrong_text(const FieldSpec& spec, std::string_view expected, std::string_view text) {
  return Error(ErrorCode::usage, fmt::format("{} must be {}, is '{}'", spec.name, expected, text),
               std::string(spec.name), std::string(spec.help));
}

std::string joined(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

// Parts between commas outside of brackets: "theta[1,2],mu" has two.
std::vector<std::string> list_items(std::string_view text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  parts.emplace_back();
  Index depth = 0;
  for (const char c : text) {
    depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// Names of the rows whose options have this field.
std::string rows_with(const RowTable& table, std::string_view field) {
  std::string names;
  if (!table.is_used(field)) return names;
  for (const std::string_view name : table.names()) {
    const auto fields = fields_of(table.options(name));
    if (std::ranges::find(fields, field, &FieldValue::name) != fields.end())
      names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return names;
}

std::string path_below(const FieldSpec& spec, std::string_view field) {
  return fmt::format("{}.{}", spec.name, field);
}

Error no_row_chosen(const FieldSpec& spec, std::string_view field) {
  const std::string rows = rows_with(*spec.rows, field);
  return Error(ErrorCode::usage,
               fmt::format("no {} is chosen whose option this could be", spec.rows->what),
               path_below(spec, field),
               rows.empty() ? fmt::format("no {} has an option '{}'", spec.rows->what, field)
                            : fmt::format("name a {} that has it: {}", spec.rows->what, rows));
}

// The option `field` of the row that is chosen.
void set_in_row(ChosenRow& value, const FieldSpec& spec, std::string_view field,
                std::string_view text) {
  const RowTable& table = *spec.rows;
  if (!value.is_named()) throw no_row_chosen(spec, field);
  KernelOptions options = value.options_in(table);
  const auto fields = fields_of(options);
  const std::string owner = fmt::format("the {} '{}'", table.what, value.name);
  try {
    set_field(options, field, text, owner);
  } catch (const Error& error) {
    const bool has = std::ranges::find(fields, field, &FieldValue::name) != fields.end();
    const std::string others = has ? "" : rows_with(table, field);
    throw Error(error.code(), error.message(), path_below(spec, error.where()),
                error.hint() + (others.empty() ? "" : "; this is an option of: " + others));
  }
  require_used(spec, value.name, options);
  value.options = std::move(options);
}

// Sets the field of one name, or without a name every field; knows the names of all.
class Setter final : public FieldVisitor {
 public:
  Setter(std::optional<std::string_view> name, std::string_view text) : name_(name), text_(text) {}

  void number(double& value, const FieldSpec& spec) override {
    if (is_it(spec)) value = number_for(spec);
  }
  void whole(Index& value, const FieldSpec& spec) override {
    if (!is_it(spec)) return;
    const double read = number_for(spec);
    constexpr double kMost = 9007199254740992.0;  // beyond, doubles aren't all whole numbers
    if (read != std::floor(read) || std::abs(read) > kMost)
      throw wrong_text(spec, "a whole number", text_);
    value = static_cast<Index>(read);
  }
  void natural(std::uint64_t& value, const FieldSpec& spec) override {
    if (!is_it(spec)) return;
    const char* end = text_.data() + text_.size();
    const auto [rest, failure] = std::from_chars(text_.data(), end, value);
    if (failure != std::errc{} || rest != end) throw wrong_text(spec, "a whole number", text_);
  }
  void flag(bool& value, const FieldSpec& spec) override {
    if (!is_it(spec)) return;
    value = text_ == "true" || text_ == "1";
    if (!value && text_ != "false" && text_ != "0") throw wrong_text(spec, "true or false", text_);
  }
  void text(std::string& value, const FieldSpec& spec) override {
    if (!is_it(spec)) return;
    value = text_;
    const std::vector<std::string> choices = choices_of(spec);
    if (!choices.empty() && !value.empty()) check_choice(std::string(spec.name), choices, value);
  }
  void choice(std::size_t& value, std::span<const std::string_view> words,
              const FieldSpec& spec) override {
    if (!is_it(spec)) return;
    const auto word = std::find(words.begin(), words.end(), text_);
    if (word == words.end()) throw wrong_text(spec, "one of " + joined(words), text_);
    value = static_cast<std::size_t>(word - words.begin());
  }

  void numbers(std::vector<double>& values, const FieldSpec& spec) override {
    if (!is_it(spec)) return;
    std::vector<double> read;
    for (const std::string& part : list_items(text_)) {
      const std::optional<double> value = io::parse_number(part);
      if (!value) throw wrong_text(spec, "numbers with commas between", text_);
      check_range(spec, *value);
      read.push_back(*value);
    }
    values = std::move(read);
  }
  void words(std::vector<std::string>& values, const FieldSpec& spec) override {
    if (is_it(spec)) values = list_items(text_);
  }
  // Another row begins with its defaults.
  void row(ChosenRow& value, const FieldSpec& spec) override {
    if (is_it(spec)) {
      if (text_.empty()) {
        value = {};
      } else if (value.name != text_ || value.options.empty()) {
        value = {std::string(text_), options_of_row(spec)};
      }
      return;
    }
    if (!name_ || name_->size() <= spec.name.size() + 1 || !name_->starts_with(spec.name) ||
        (*name_)[spec.name.size()] != '.')
      return;
    found = true;
    set_in_row(value, spec, name_->substr(spec.name.size() + 1), text_);
  }

  bool found = false;
  std::vector<std::string> names;

 private:
  bool is_it(const FieldSpec& spec) {
    names.emplace_back(spec.name);
    if (name_ && spec.name != *name_) return false;
    return found = true;
  }
  KernelOptions options_of_row(const FieldSpec& spec) const {
    try {
      return spec.rows->options(text_);
    } catch (const Error& error) {
      throw Error(error.code(), error.message(), std::string(spec.name), error.hint());
    }
  }
  double number_for(const FieldSpec& spec) const {
    const std::optional<double> value = io::parse_number(text_);
    if (!value) throw wrong_text(spec, "a number", text_);
    check_range(spec, *value);
    return *value;
  }

  std::optional<std::string_view> name_;
  std::string_view text_;
};

class Lister final : public FieldVisitor {
 public:
  void number(double& value, const FieldSpec& spec) override { add(spec, io::number_text(value)); }
  void whole(Index& value, const FieldSpec& spec) override { add(spec, std::to_string(value)); }
  void natural(std::uint64_t& value, const FieldSpec& spec) override {
    add(spec, std::to_string(value));
  }
  void flag(bool& value, const FieldSpec& spec) override { add(spec, value ? "true" : "false"); }
  void text(std::string& value, const FieldSpec& spec) override { add(spec, value); }
  void choice(std::size_t& value, std::span<const std::string_view> names,
              const FieldSpec& spec) override {
    add(spec, std::string(names[value]));
  }
  void numbers(std::vector<double>& values, const FieldSpec& spec) override {
    std::vector<std::string> texts;
    for (const double value : values) texts.push_back(io::number_text(value));
    add(spec, fmt::format("{}", fmt::join(texts, ",")));
  }
  void words(std::vector<std::string>& values, const FieldSpec& spec) override {
    add(spec, fmt::format("{}", fmt::join(values, ",")));
  }
  void row(ChosenRow& value, const FieldSpec& spec) override {
    add(spec, value.name);
    for (FieldValue& field : fields_of(value.options_in(*spec.rows))) {
      field.name = path_below(spec, field.name);
      fields.push_back(std::move(field));
    }
  }
  std::vector<FieldValue> fields;

 private:
  void add(const FieldSpec& spec, std::string value) {
    fields.push_back({spec, std::move(value), std::string(spec.name)});
  }
};
}  // namespace

std::string hint_for_name(std::string_view name, std::span<const std::string> names) {
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  if (const auto near = nearest_name(name, names))
    return fmt::format("did you mean {}? It has: {}", *near, list);
  return "it has: " + list;
}

void set_field(KernelOptions& options, std::string_view name, std::string_view text,
               std::string_view owner) {
  set_field([&](FieldVisitor& visitor) { options.visit(visitor); }, name, text, owner);
}

void set_field(const std::function<void(FieldVisitor&)>& visit, std::string_view name,
               std::string_view text, std::string_view owner) {
  Setter setter(name, text);
  visit(setter);
  if (!setter.found)
    throw Error(ErrorCode::usage, fmt::format("{} has no option '{}'", owner, name),
                std::string(name), hint_for_name(name, setter.names));
}

void require_used(const FieldSpec& spec, std::string_view row, const KernelOptions& options) {
  const RowTable& table = *spec.rows;
  const auto fields = fields_of(options), defaults = fields_of(table.options(row));
  for (std::size_t k = 0; k < std::min(fields.size(), defaults.size()); ++k) {
    if (table.is_used(fields[k].name) || fields[k].value == defaults[k].value) continue;
    const std::string path = path_below(spec, fields[k].name);
    throw Error(ErrorCode::usage,
                fmt::format("'{}' has no effect here: {}", fields[k].name, table.why_unused), path,
                fmt::format("leave {} out", path));
  }
}

std::unique_ptr<FieldVisitor> setter_from(std::string_view text) {
  return std::make_unique<Setter>(std::nullopt, text);
}

std::vector<FieldValue> fields_of(KernelOptions options) {
  return fields_of([&](FieldVisitor& visitor) { options.visit(visitor); });
}

std::vector<FieldValue> fields_of(const std::function<void(FieldVisitor&)>& visit) {
  Lister lister;
  visit(lister);
  return lister.fields;
}

}  // namespace credo::infer
