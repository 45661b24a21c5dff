#include "cli/options/arguments.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "infer/core/needs.hpp"
#include "io/number_text.hpp"

namespace credo::cli {
namespace {
std::string default_of(const Argument::Target& target);
std::string_view known_elsewhere(std::string name);
bool mentions(const std::string& help, std::span<const std::string> choices);
}  // namespace

Values one_of(std::vector<std::string> choices) { return {.choices = std::move(choices)}; }
Values file_ending(std::string ending) { return {.ending = std::move(ending)}; }
Values any_file() { return {.ending = "*"}; }
Values any_directory() { return {.directory = true}; }
Values output_file(std::string ending, Writes writes) {
  return {.ending = std::move(ending), .writes = writes};
}
Values in_range(infer::Range range) { return {.range = range}; }
Values changing(Changes changes, Values values) {
  values.changes = changes;
  return values;
}
Values needing(std::string needs, Values values) {
  values.needs = std::move(needs);
  return values;
}
Values from_to(double least, double most) { return in_range({.lo = least, .hi = most}); }

// ---- stating them ----

const std::string& Argument::name() const {
  const auto is_long = [](const std::string& name) { return name.starts_with("--"); };
  const auto found = std::find_if(names.begin(), names.end(), is_long);
  return found == names.end() ? names.front() : *found;
}

Argument& Arguments::add(const std::string& names, Argument::Target target, const std::string& help,
                         Values values) {
  Argument argument{.names = {},
                    .target = target,
                    .help = help,
                    .group = group_.empty() ? "Options" : group_,
                    .values = std::move(values),
                    .default_text = default_of(target)};
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    argument.names.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  all_.push_back(std::move(argument));
  return all_.back();
}

Argument& Arguments::add_positional(const std::string& name, Argument::Target target,
                                    const std::string& help, Values values) {
  Argument& argument = add(name, target, help, std::move(values));
  argument.positional = true;
  if (group_.empty()) argument.group = "Arguments";
  return argument;
}

std::string Arguments::group_for(std::string title) {
  return std::exchange(group_, std::move(title));
}

void Arguments::regroup(std::string_view name, std::string title) {
  for (Argument& argument : all_)
    if (argument.name() == name) argument.group = std::move(title);
}

void Arguments::changes_nothing(std::string_view name) {
  for (Argument& argument : all_)
    if (argument.name() == name) argument.values.changes = Changes::nothing;
}

void Arguments::need(std::string_view name, const std::string& needs) {
  for (Argument& argument : all_)
    if (argument.name() == name)
      argument.values.needs += (argument.values.needs.empty() ? "" : ",") + needs;
}

void Arguments::positional(const std::string& name, std::string& target, const std::string& help,
                           Values values) {
  add_positional(name, &target, help, std::move(values)).required = true;
}

void Arguments::optional_positional(const std::string& name, std::string& target,
                                    const std::string& help, Values values) {
  add_positional(name, &target, help, std::move(values));
}

void Arguments::positionals(const std::string& name, std::vector<std::string>& target,
                            const std::string& help, Values values) {
  add_positional(name, &target, help, std::move(values)).required = true;
}

const Argument* Arguments::find(std::string_view name) const {
  for (const Argument& argument : all_)
    if (std::find(argument.names.begin(), argument.names.end(), name) != argument.names.end())
      return &argument;
  return nullptr;
}

std::string Arguments::chosen(std::string_view name) const {
  const auto found = chosen_.find(name);
  return found == chosen_.end() ? std::string() : found->second;
}

// ---- words ----

namespace {
class WordReader {
 public:
  WordReader(const Arguments& arguments, std::span<const std::string> words)
      : arguments_(arguments), words_(words) {}

  Given read() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (word == "--" && !only_positionals_)
        only_positionals_ = true;
      else if (only_positionals_ || word.size() < 2 || word[0] != '-')
        take_positional(word);
      else
        take_option(word);
    }
    return std::move(given_);
  }

 private:
  void take_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    std::string name = word.substr(0, equals);
    const Argument* argument = arguments_.find(name);
    std::optional<std::string> value;
    if (equals != std::string::npos) value = word.substr(equals + 1);
    if (argument == nullptr && word[1] != '-') {  // -oFILE
      argument = arguments_.find(word.substr(0, 2));
      value = word.substr(2);
    }
    if (argument == nullptr || argument->positional)
      throw Error(ErrorCode::usage, fmt::format("{} has no option {}", arguments_.owner(), name),
                  {}, hint_for(arguments_, name));
    if (argument->is_flag() && !value) value = "true";
    if (!value && !argument->values.implied.empty() && !next_is_choice(*argument))
      value = argument->values.implied;
    if (!value && next_ == words_.size())
      throw Error(ErrorCode::usage, "the value is missing", name,
                  fmt::format("write {}: {}", shown_names(*argument), argument->help));
    put(*argument, value ? *value : words_[next_++]);
  }

  bool next_is_choice(const Argument& argument) const {
    const std::vector<std::string>& choices = argument.values.choices;
    return next_ < words_.size() && std::ranges::find(choices, words_[next_]) != choices.end();
  }

  void take_positional(const std::string& word) {
    for (const Argument& argument : arguments_.all())
      if (argument.positional && (argument.is_list() || !given_.contains(argument.name())))
        return put(argument, word);
    if (const std::string hint = hint_for_foreign(word); !hint.empty())
      throw Error(ErrorCode::usage, fmt::format("'{}' is one word too many", word), {}, hint);
    if (word.ends_with(".stan"))
      for (const auto& [name, values] : given_)
        if (!name.starts_with("-") && is_table(values.front()))
          throw Error(ErrorCode::usage, fmt::format("'{}' is one word too many", word), {},
                      fmt::format("the program comes first: {} {} --data {}", arguments_.owner(),
                                  word, values.front()));
    const bool is_data = (word == "data" || word.starts_with("file=") || word.ends_with(".json")) &&
                         arguments_.find("--data") != nullptr;
    throw Error(ErrorCode::usage, fmt::format("'{}' is one word too many", word), {},
                is_table(word)
                    ? hint_of_table(word)
                    : "every option begins with --" +
                          (is_data ? std::string(", as in --data FILE; ") : std::string("; ")) +
                          hint_for(arguments_, {}));
  }

  bool is_table(std::string_view word) const {
    constexpr std::array kEndings{".json", ".csv", ".tsv", ".tab", ".R", ".Rdump", ".dump"};
    return arguments_.find("--data") != nullptr &&
           std::ranges::any_of(kEndings, [&](const char* end) { return word.ends_with(end); });
  }
  // The command that was probably meant.
  std::string hint_of_table(const std::string& word) const {
    std::string first;
    for (const Argument& argument : arguments_.all())
      if (argument.positional && given_.contains(argument.name()))
        first += " " + fmt::format("{}", fmt::join(given_.at(argument.name()), " "));
    return fmt::format("data are named by --data: {}{} --data {}", arguments_.owner(), first, word);
  }

  // Hint for "num_samples=1000", which is CmdStan's syntax; empty for other words.
  std::string hint_for_foreign(const std::string& word) const {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return {};
    const std::string_view known = known_elsewhere(word.substr(0, equals));
    const std::string name(known.substr(0, known.find_first_of(" ,")));
    if (known.empty() || arguments_.find(name) == nullptr) return {};
    return fmt::format("write {} {}", name, word.substr(equals + 1));
  }

  void put(const Argument& argument, const std::string& value) {
    std::vector<std::string>& values = given_[argument.name()];
    if (!argument.is_list() && !values.empty())
      throw Error(ErrorCode::usage, "is given twice", argument.name(), "leave one of them");
    values.push_back(value);
  }

  const Arguments& arguments_;
  std::span<const std::string> words_;
  std::size_t next_ = 0;
  bool only_positionals_ = false;
  Given given_;
};
}  // namespace

Given read_words(const Arguments& arguments, std::span<const std::string> words) {
  return WordReader(arguments, words).read();
}

std::vector<std::string> words_of(const Arguments& arguments, const Given& given) {
  std::vector<std::string> words, last;
  for (const Argument& argument : arguments.all()) {
    const auto found = given.find(argument.name());
    if (found == given.end()) continue;
    for (const std::string& value : found->second) {
      if (argument.positional)
        last.push_back(value);
      else
        words.push_back(argument.is_flag() && value == "true" ? argument.name()
                                                              : argument.name() + "=" + value);
    }
  }
  const auto like_option = [](const std::string& word) { return word.starts_with("-"); };
  if (std::any_of(last.begin(), last.end(), like_option)) words.emplace_back("--");
  words.insert(words.end(), last.begin(), last.end());
  return words;
}

void add_lower(Given& given, const Given& lower) { given.insert(lower.begin(), lower.end()); }

// ---- values ----

namespace {
std::string default_of(const Argument::Target& target) {
  return std::visit(
      [](const auto* value) -> std::string {
        using Value = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_same_v<Value, std::string>)
          return *value;
        else if constexpr (std::is_same_v<Value, bool> ||
                           std::is_same_v<Value, std::vector<std::string>>)
          return {};
        else
          return fmt::format("{}", *value);
      },
      target);
}

[[noreturn]] void wrong_value(const std::string& name, const char* rule, const std::string& text,
                              const char* example) {
  throw Error(ErrorCode::usage, fmt::format("must be {}, is '{}'", rule, text), name,
              fmt::format("write it as {} {}", name, example));
}

class Assigner {
 public:
  Assigner(const Argument& argument, const std::vector<std::string>& texts,
           const std::string& owner)
      : name_(argument.name()),
        owner_(owner),
        values_(argument.values),
        range_(argument.values.range),
        texts_(texts),
        text_(texts.front()) {}

  void operator()(std::string* target) const {
    check_choices();
    *target = text_;
  }
  void operator()(std::vector<std::string>* target) const {
    check_choices();
    *target = texts_;
  }
  void operator()(double* target) const {
    const auto number = io::parse_number(text_);
    if (!number) wrong_value(name_, "a number", text_, "0.5");
    const bool has_range = range_.lo > -kInfinity || range_.hi < kInfinity;
    if (has_range) check_range(*number);
    if (std::isnan(*number) || (!std::isfinite(*number) && std::isfinite(*target)))
      wrong_value(name_, "a finite number", text_, "0.5");
    *target = *number;
  }
  void operator()(Index* target) const { whole(*target, "a whole number"); }
  void operator()(std::uint64_t* target) const { whole(*target, "a whole number of at least 0"); }
  void operator()(bool* target) const {
    if (text_ != "true" && text_ != "false") wrong_value(name_, "true or false", text_, "true");
    *target = text_ == "true";
  }

 private:
  void check_choices() const {
    if (values_.choices.empty() || values_.may_be_other) return;
    for (const std::string& text : texts_) infer::check_choice(name_, values_.choices, text);
  }
  // Example for the error message: 1000 if "1e3" was given, which isn't accepted as a whole number.
  std::string example_of_whole() const {
    constexpr double kMost = 1e15;
    std::string digits = text_;  // "1,000", "1_000"
    std::erase_if(digits, [](char c) { return c == ',' || c == '_' || c == ' '; });
    const auto number = io::parse_number(digits);
    const bool is_whole =
        number && *number == std::floor(*number) && *number >= 0.0 && *number <= kMost;
    return is_whole ? fmt::format("{:.0f}", *number) : "1";
  }
  template <class T>
  void whole(T& target, const char* rule) const {
    const char* end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data(), end, target);
    if (error != std::errc() || stop != end)
      wrong_value(name_, rule, text_, example_of_whole().c_str());
    check_range(static_cast<double>(target), "a whole number ");
  }
  void check_range(double number, std::string_view kind = {}) const {
    if (range_.contains(number)) return;
    const std::string range = range_text(range_);
    const bool needs_of = !kind.empty() && range.starts_with("at ");
    throw Error(
        ErrorCode::usage,
        fmt::format("must be {}{}{}, is {}", kind, needs_of ? "of " : "", range, text_), name_,
        fmt::format("give a value in this range, or leave {} out; {} --help shows its default",
                    name_, owner_));
  }

  const std::string &name_, &owner_;
  const Values& values_;
  const infer::Range& range_;
  const std::vector<std::string>& texts_;
  const std::string& text_;
};
}  // namespace

// ---- needs ----

namespace {
// The text that is given for an option, or its default; for a list the first text.
std::string value_of(const Argument& argument, const Given& given) {
  const auto found = given.find(argument.name());
  if (found != given.end()) return found->second.front();
  if (const auto* flag = std::get_if<bool*>(&argument.target)) return **flag ? "true" : "";
  return argument.default_text;
}
}  // namespace

bool has_default(const Argument& argument, const Given& given) {
  const std::string value = value_of(argument, given);
  return value == argument.default_text || (argument.is_flag() && value != "true");
}

namespace {
bool is_met(const Arguments& arguments, const infer::Need& need, const Given& given) {
  const Argument* other = arguments.find(need.name);
  CREDO_ASSERT(other != nullptr, "what an option needs is an option of the same command");
  if (need.values.empty()) return has_default(*other, given) == need.is_default;
  return std::ranges::find(need.values, value_of(*other, given)) != need.values.end();
}

constexpr std::size_t kMostListed = 4;  // values of an option in a sentence

Error unmet(const Argument& argument, const infer::Need& need, const Argument& other,
            const std::string& value) {
  const std::string& name = argument.name();
  if (need.values.size() > kMostListed)
    return Error(ErrorCode::usage, fmt::format("has no part in {} {}", need.name, value), name,
                 "leave it out");
  if (need.is_default)
    return Error(ErrorCode::usage, fmt::format("isn't used with {}", need.name), name,
                 fmt::format("leave one of them out: {} or {}", name, need.name));
  const std::string what = need.values.empty()
                               ? shown_names(other)
                               : fmt::format("{} {}", need.name, fmt::join(need.values, " or "));
  return Error(ErrorCode::usage, fmt::format("needs {}", what), name,
               fmt::format("add {}, or leave {} out", what, name));
}

// `only`: the needs of this option alone; empty: all.
void check_needs(const Arguments& arguments, const Given& given, std::string_view only) {
  for (const Argument& argument : arguments.all()) {
    if (argument.values.needs.empty() || argument.values.of_row || has_default(argument, given))
      continue;
    for (const infer::Need& need : infer::parse_needs(argument.values.needs))
      if ((only.empty() || need.name == only) && !is_met(arguments, need, given)) {
        const Argument& other = *arguments.find(need.name);
        throw unmet(argument, need, other, value_of(other, given));
      }
  }
}
}  // namespace

bool needs_are_met(const Arguments& arguments, const Argument& argument, const Given& given) {
  return std::ranges::all_of(infer::parse_needs(argument.values.needs),
                             [&](const auto& need) { return is_met(arguments, need, given); });
}

void assign(const Arguments& arguments, const Given& given) {
  const bool may_lack = !arguments.stand_in().empty() && given.contains(arguments.stand_in());
  for (const Argument& argument : arguments.all()) {
    const auto found = given.find(argument.name());
    if (found != given.end()) {
      std::visit(Assigner(argument, found->second, arguments.owner()), argument.target);
    } else if (argument.required && !may_lack) {
      throw Error(ErrorCode::usage,
                  fmt::format("{} is missing: {}", shown_names(argument), argument.help), {},
                  hint_for(arguments, {}));
    }
  }
  // The stand-in brings options, too, so that only conditions on itself can be judged.
  check_needs(arguments, given, may_lack ? arguments.stand_in() : std::string());
}

// ---- as others show them ----

namespace {
bool mentions(const std::string& help, std::span<const std::string> choices) {
  return std::all_of(choices.begin(), choices.end(), [&](const std::string& choice) {
    return help.find(choice) != std::string::npos;
  });
}

std::string joined(std::span<const std::string> words, std::string_view separator) {
  return fmt::format("{}", fmt::join(words, separator));
}

// Names of our options in other programs.
std::string_view known_elsewhere(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 28> kNames{
      {{"num-samples", "--draws"},
       {"num-draws", "--draws"},
       {"samples", "--draws"},
       {"iter", "--draws, behind --warmup"},
       {"iter-sampling", "--draws"},
       {"iter-warmup", "--warmup"},
       {"num-warmup", "--warmup"},
       {"burn-in", "--warmup"},
       {"burnin", "--warmup"},
       {"tune", "--warmup"},
       {"num-chains", "--chains"},
       {"cores", "--threads"},
       {"parallel-chains", "--threads"},
       {"num-threads", "--threads"},
       {"delta", "--adapt-delta"},
       {"max-treedepth", "--max-depth"},
       {"output-file", "--output"},
       {"output-dir", "--output"},
       {"data-file", "--data"},
       {"file", "--data"},
       {"algorithm", "--sampler"},
       {"random-seed", "--seed"},
       {"adapt-engaged", "--warmup 0"},
       {"parallel", "--threads"},
       {"target-accept", "--adapt-delta"},
       {"thinning", "--thin"},
       {"inits", "--init"},
       {"refresh", "--quiet"}}};
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const auto& pair) { return pair.first == name; });
  return found == kNames.end() ? std::string_view() : found->second;
}

std::string in_capitals(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}
}  // namespace

std::string shown_value(const Argument& argument) {
  constexpr std::size_t kLongList = 24;
  const Values& values = argument.values;
  if (argument.is_flag()) return {};
  if (!values.word.empty()) return values.word;
  if (!values.choices.empty()) {
    const std::string list = joined(values.choices, "|");
    const std::string word = list.size() <= kLongList ? list : "NAME";
    return values.implied.empty() ? word : "[" + word + "]";
  }
  if (!values.ending.empty()) return "FILE";
  if (values.directory) return "DIRECTORY";
  if (std::holds_alternative<double*>(argument.target)) return "NUMBER";
  const bool whole = std::holds_alternative<Index*>(argument.target) ||
                     std::holds_alternative<std::uint64_t*>(argument.target);
  return whole ? "N" : "TEXT";
}

std::string shown_names(const Argument& argument) {
  if (argument.positional)
    return in_capitals(argument.names.front()) + (argument.is_list() ? "..." : "");
  const std::string value = shown_value(argument);
  return joined(argument.names, ", ") + (value.empty() ? "" : " " + value);
}

std::string range_text(const infer::Range& range) {
  const bool has_least = range.lo != -kInfinity, has_most = range.hi != kInfinity;
  if (has_least && has_most && (range.lo_open || range.hi_open))
    return fmt::format("in {}{}, {}{}", range.lo_open ? '(' : '[', range.lo, range.hi,
                       range.hi_open ? ')' : ']');
  if (has_least && has_most) return fmt::format("from {:.17g} to {:.17g}", range.lo, range.hi);
  if (has_least) return fmt::format("{} {}", range.lo_open ? "above" : "at least", range.lo);
  if (has_most) return fmt::format("{} {}", range.hi_open ? "below" : "at most", range.hi);
  return {};
}

namespace {
// "; needs --method guided": for options that don't belong to a row.
std::string needs_text(const Argument& argument) {
  std::string text;
  if (argument.values.of_row) return text;
  for (const infer::Need& need : infer::parse_needs(argument.values.needs))
    text +=
        need.values.size() > kMostListed
            ? fmt::format("; not of each {}", need.name)
            : fmt::format(
                  "; {} {}{}", need.is_default ? "not with" : "needs", need.name,
                  need.values.empty() ? "" : fmt::format(" {}", fmt::join(need.values, " or ")));
  return text;
}
}  // namespace

std::string full_help(const Argument& argument) {
  std::string text = argument.help;
  const auto& choices = argument.values.choices;
  if (!mentions(text + shown_value(argument), choices)) text += ": one of " + joined(choices, ", ");
  const std::string range = range_text(argument.values.range);
  if (!range.empty() && text.find(range) == std::string::npos) text += " (" + range + ")";
  const std::string needs = needs_text(argument);
  if (text.find("needs") == std::string::npos) text += needs;
  if (!argument.default_text.empty()) text += " [" + argument.default_text + "]";
  return text;
}

std::string hint_for(const Arguments& arguments, std::string_view wrong) {
  const auto bare = [](std::string_view name) {
    return std::string(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  };
  std::vector<std::string> candidates;
  for (const Argument& argument : arguments.all())
    for (const std::string& name : argument.names)
      if (name.starts_with("--")) candidates.push_back(bare(name));
  if (const std::string_view known = known_elsewhere(bare(wrong)); !known.empty()) {
    const std::string_view name = known.substr(0, known.find_first_of(" ,"));
    if (arguments.find(name) != nullptr) return fmt::format("that is {} here", known);
  }
  if (const auto near = nearest_name(bare(wrong), candidates))
    return fmt::format("did you mean --{}?", *near);
  return arguments.owner() + " --help lists the options";
}

}  // namespace credo::cli
