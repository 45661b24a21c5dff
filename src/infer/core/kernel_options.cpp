#include "infer/core/kernel_options.hpp"

#include <fmt/format.h>

#include <charconv>

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

// Sets the field of one name; knows the names of all.
class Setter final : public FieldVisitor {
 public:
  Setter(std::string_view name, std::string_view text) : name_(name), text_(text) {}

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

  bool found = false;
  std::vector<std::string_view> names;

 private:
  bool is_it(const FieldSpec& spec) {
    names.push_back(spec.name);
    if (spec.name != name_) return false;
    return found = true;
  }
  double number_for(const FieldSpec& spec) const {
    const std::optional<double> value = io::parse_number(text_);
    if (!value) throw wrong_text(spec, "a number", text_);
    check_range(spec, *value);
    return *value;
  }

  std::string_view name_, text_;
};

class Lister final : public FieldVisitor {
 public:
  void number(double& value, const FieldSpec& spec) override {
    fields.push_back({spec, io::number_text(value)});
  }
  void whole(Index& value, const FieldSpec& spec) override {
    fields.push_back({spec, std::to_string(value)});
  }
  void natural(std::uint64_t& value, const FieldSpec& spec) override {
    fields.push_back({spec, std::to_string(value)});
  }
  void flag(bool& value, const FieldSpec& spec) override {
    fields.push_back({spec, value ? "true" : "false"});
  }
  void text(std::string& value, const FieldSpec& spec) override { fields.push_back({spec, value}); }
  void choice(std::size_t& value, std::span<const std::string_view> names,
              const FieldSpec& spec) override {
    fields.push_back({spec, std::string(names[value])});
  }
  std::vector<FieldValue> fields;
};
}  // namespace

void set_field(KernelOptions& options, std::string_view name, std::string_view text) {
  set_field([&](FieldVisitor& visitor) { options.visit(visitor); }, name, text);
}

void set_field(const std::function<void(FieldVisitor&)>& visit, std::string_view name,
               std::string_view text) {
  Setter setter(name, text);
  visit(setter);
  if (!setter.found)
    throw Error(ErrorCode::usage, fmt::format("the sampler has no option '{}'", name),
                std::string(name), "it has: " + joined(setter.names));
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
