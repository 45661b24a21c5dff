#include "cli/options/row_options.hpp"

#include <fmt/format.h>

#include "infer/core/kernel_options.hpp"

namespace credo::cli {
namespace {
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kShortNames{
    {{"max_tree_depth", "max-depth"}, {"step_size", "stepsize"}}};

std::string dashed(std::string_view field) {
  std::string option(field);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

// The part of a path before its last dot, with the dot.
std::string_view above(std::string_view field) {
  return field.substr(0, field.rfind('.') + 1);  // npos + 1: none
}

// The help of a field, each wording of the rows once.
struct FieldHelp {
  std::vector<std::string> rows;
  std::string help, default_text, short_name;
  Values values;
  infer::Range range;
};
using HelpByField = std::map<std::string, FieldHelp>;
using TextByField = std::map<std::string, std::string, std::less<>>;

// The values that a field takes; if rows differ, the values that any of them takes.
class ValuesOfFields final : public infer::FieldVisitor {
 public:
  ValuesOfFields(HelpByField& all, const std::string& prefix) : all_(all), prefix_(prefix) {}
  void number(double&, const infer::FieldSpec& spec) override { word(spec, "NUMBER"); }
  void whole(Index&, const infer::FieldSpec& spec) override { word(spec, "N"); }
  void natural(std::uint64_t&, const infer::FieldSpec& spec) override { word(spec, "N"); }
  void flag(bool&, const infer::FieldSpec& spec) override { choose(spec, {"true", "false"}); }
  void text(std::string&, const infer::FieldSpec& spec) override {
    const std::vector<std::string> words = infer::choices_of(spec);
    words.empty() ? word(spec, "TEXT") : choose(spec, words);
  }
  void numbers(std::vector<double>&, const infer::FieldSpec& spec) override {
    word(spec, "NUMBER,...");
  }
  void words(std::vector<std::string>&, const infer::FieldSpec& spec) override {
    word(spec, "TEXT,...");
  }
  void choice(std::size_t&, std::span<const std::string_view> names,
              const infer::FieldSpec& spec) override {
    choose(spec, {names.begin(), names.end()});
  }
  void row(infer::ChosenRow&, const infer::FieldSpec& spec) override {
    const auto names = spec.rows->names();
    choose(spec, {names.begin(), names.end()});
    values_of(spec).may_be_other = true;  // refused with the reason when it is set
  }

 private:
  Values& values_of(const infer::FieldSpec& spec) {
    return all_[prefix_ + std::string(spec.name)].values;
  }
  void word(const infer::FieldSpec& spec, const char* text) { values_of(spec).word = text; }
  void choose(const infer::FieldSpec& spec, const std::vector<std::string>& names) {
    std::vector<std::string>& known = values_of(spec).choices;
    for (const std::string& name : names)
      if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }

  HelpByField& all_;
  const std::string& prefix_;
};

// States the options of all rows, and of the rows that these name in turn.
class Describer {
 public:
  Describer(Arguments& arguments, TextByField& texts, TextByField& short_names,
            std::span<const std::string_view> skipped)
      : arguments_(arguments), texts_(texts), short_names_(short_names), skipped_(skipped) {}

  // `needs`: those of what names the rows.
  void describe(const std::string& chooser, std::span<const OptionRow> rows,
                const std::string& prefix, const std::string& needs,
                const infer::RowTable* table = nullptr) {
    const std::string chosen = arguments_.chosen(chooser);
    const bool is_one = std::ranges::find(rows, chosen, &OptionRow::name) != rows.end();
    HelpByField all;
    std::vector<infer::FieldSpec> choosers;
    for (const OptionRow& row : rows)
      if (!is_one || row.name == chosen) add(row, prefix, all, choosers);
    for (const auto& [field, help] : all)
      if (table == nullptr || table->is_used(field.substr(prefix.size())))
        state(field, help, chooser, needs, is_one);
    for (const infer::FieldSpec& spec : choosers) {
      const std::string path = prefix + std::string(spec.name);
      describe(option_of_field(path), rows_of(*spec.rows), path + ".",
               needs_of(all.at(path), chooser, needs), spec.rows);
    }
  }

 private:
  static std::vector<OptionRow> rows_of(const infer::RowTable& table) {
    std::vector<OptionRow> rows;
    for (const std::string_view name : table.names()) rows.push_back({name, table.options(name)});
    return rows;
  }
  static std::string needs_of(const FieldHelp& help, const std::string& chooser,
                              const std::string& above) {
    return fmt::format("{}{}{}={}", above, above.empty() ? "" : ",", chooser,
                       fmt::join(help.rows, "|"));
  }

  void add(const OptionRow& row, const std::string& prefix, HelpByField& all,
           std::vector<infer::FieldSpec>& choosers) const {
    infer::KernelOptions options = row.options;
    ValuesOfFields values(all, prefix);
    options.visit(values);
    for (const infer::FieldValue& field : infer::fields_of(options)) {
      FieldHelp& known = all[prefix + field.name];
      known.rows.emplace_back(row.name);
      if (known.help.empty()) known.help = field.spec.help;
      known.default_text = field.value;
      known.range = field.spec.range;
      if (!prefix.empty() && field.spec.option == option_of_field(field.spec.name))
        known.short_name = field.spec.option;
      const bool is_new =
          std::ranges::find(choosers, field.spec.name, &infer::FieldSpec::name) == choosers.end();
      if (field.spec.rows != nullptr && is_new) choosers.push_back(field.spec);
    }
  }

  // With one row the default and the range are known.
  void state(const std::string& field, const FieldHelp& help, const std::string& chooser,
             const std::string& needs, bool is_one) {
    if (std::ranges::find(skipped_, field) != skipped_.end()) return;
    Values values = help.values;
    values.needs = needs_of(help, chooser, needs);
    values.of_row = true;
    if (is_one && values.choices.empty()) values.range = help.range;
    std::string text = help.help;
    if (!is_one) text += fmt::format(" ({})", fmt::join(help.rows, ", "));
    if (is_one && !help.default_text.empty()) text += fmt::format(" [{}]", help.default_text);
    std::string names = option_names_of_field(field);
    if (!help.short_name.empty() && arguments_.find(help.short_name) == nullptr) {
      names = help.short_name + "," + names;
      short_names_[field] = help.short_name;
    }
    arguments_.option(names, texts_[field], text, std::move(values));
  }

  Arguments& arguments_;
  TextByField &texts_, &short_names_;
  std::span<const std::string_view> skipped_;
};
}  // namespace

std::string title_of_rows(const Arguments& arguments, const std::string& chooser,
                          std::string_view rows) {
  const std::string chosen = arguments.chosen(chooser);
  return chosen.empty() ? fmt::format("Options of {} (in brackets, whose)", rows)
                        : "Options of " + chosen;
}

std::string option_of_field(std::string_view field) {
  const std::string_view own = field.substr(above(field).size());
  const auto known =
      std::ranges::find(kShortNames, own, &std::pair<std::string_view, std::string_view>::first);
  return "--" + dashed(above(field)) +
         (known == kShortNames.end() ? dashed(own) : std::string(known->second));
}

std::string option_names_of_field(std::string_view field) {
  const std::string name = option_of_field(field), plain = "--" + dashed(field);
  return name == plain ? name : name + "," + plain;
}

void RowOptions::describe(Arguments& arguments, const std::string& chooser,
                          std::span<const OptionRow> rows,
                          std::span<const std::string_view> skipped) {
  Describer(arguments, texts_, short_names_, skipped).describe(chooser, rows, "", "");
}

void RowOptions::describe_shared(Arguments& arguments, const std::string& chooser,
                                 std::span<const std::string_view> rows,
                                 infer::KernelOptions fields,
                                 std::span<const std::string> skipped) {
  HelpByField all;
  const std::string prefix;
  ValuesOfFields values(all, prefix);
  fields.visit(values);
  for (const infer::FieldValue& field : infer::fields_of(fields))
    all[field.name].help = fmt::format("{}; default {}", field.spec.help, field.value);
  for (auto& [field, help] : all) {
    if (std::ranges::find(skipped, field) != skipped.end()) continue;
    help.values.needs = fmt::format("{}={}", chooser, fmt::join(rows, "|"));
    help.values.of_row = true;
    arguments.option(option_names_of_field(field), texts_[field], help.help, help.values);
  }
}

std::map<std::string, std::string, std::less<>> RowOptions::given() const {
  auto given = texts_;
  std::erase_if(given, [](const auto& text) { return text.second.empty(); });
  return given;
}

namespace {
// The field that a name given on a command line means: "proposal.kappa" for "kappa". Empty: the row has none.
std::string field_meant(const infer::KernelOptions& options, const std::string& name) {
  std::string meant;
  for (const infer::FieldValue& field : infer::fields_of(options)) {
    if (field.name == name) return name;
    if (std::string(above(field.name)) + name == field.name) meant = field.name;
  }
  return meant;
}

// "--proposal learned": rows below the options of a row that have the field.
std::vector<std::string> ways_below(const infer::KernelOptions& options, std::string_view name) {
  std::vector<std::string> ways;
  for (const infer::FieldValue& chooser : infer::fields_of(options)) {
    if (chooser.spec.rows == nullptr) continue;
    std::vector<std::string_view> rows;
    for (const std::string_view row : chooser.spec.rows->names()) {
      const auto fields = infer::fields_of(chooser.spec.rows->options(row));
      const bool has = std::ranges::find(fields, name, &infer::FieldValue::name) != fields.end();
      if (has) rows.push_back(row);
    }
    if (!rows.empty())
      ways.push_back(fmt::format("{} {}", option_of_field(chooser.name), fmt::join(rows, " or ")));
  }
  return ways;
}

Error option_of_others(const std::string& option, const std::vector<std::string>& ways) {
  const std::string all = fmt::format("{}", fmt::join(ways, ", or "));
  return Error(ErrorCode::usage, "needs " + all, option,
               fmt::format("add {}, or leave {} out", all, option));
}

// How the row that is chosen, or other rows, would have the field.
std::vector<std::string> ways_to(const std::string& name, std::string_view chosen,
                                 const std::string& chooser, std::span<const OptionRow> rows) {
  const std::string last = name.substr(above(name).size());
  const auto row = std::ranges::find(rows, chosen, &OptionRow::name);
  if (std::vector<std::string> ways = ways_below(row->options, last); !ways.empty()) return ways;
  std::vector<std::string> ways, names;
  for (const OptionRow& other : rows) {
    if (field_meant(other.options, name) == name) names.emplace_back(other.name);
    for (const std::string& way : ways_below(other.options, last))
      ways.push_back(fmt::format("{} {} {}", chooser, other.name, way));
  }
  if (!names.empty())
    ways.insert(ways.begin(), fmt::format("{} {}", chooser, fmt::join(names, " or ")));
  return ways;
}
}  // namespace

std::string RowOptions::option_given(std::string_view field) const {
  const auto known = short_names_.find(field);
  return known == short_names_.end() ? option_of_field(field) : known->second;
}

infer::KernelOptions RowOptions::options_of(std::string_view row, const std::string& chooser,
                                            std::span<const OptionRow> rows) const {
  infer::KernelOptions options = std::ranges::find(rows, row, &OptionRow::name)->options;
  const auto set = [&](const std::string& name, const std::string& field, const std::string& text) {
    try {
      infer::set_field(options, field, text, row);
    } catch (const Error& error) {
      throw Error(error.code(), error.message(), option_given(name), error.hint());
    }
  };
  TextByField below = given();  // names that mean fields of rows which other options name
  for (const auto& [name, text] : given())
    if (field_meant(options, name) == name) set(name, name, text), below.erase(name);
  for (const auto& [name, text] : below) {
    const std::string field = field_meant(options, name);
    if (field.empty())
      throw option_of_others(option_given(name), ways_to(name, row, chooser, rows));
    set(name, field, text);
  }
  return options;
}

}  // namespace credo::cli
