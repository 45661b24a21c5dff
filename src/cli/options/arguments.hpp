// Arguments of a command, each stated once: parsing, --help, man pages, completion and
// --config follow from the list. Names are "--draws" or "-o,--output"; targets hold the defaults.
#pragma once
#include "infer/core/fields.hpp"

namespace credo::cli {

// Output that a command writes to the path of an option (cli/options/output_places.hpp).
enum class Writes {
  nothing,    // the path is an input, or the value is no path
  file,       // this file
  kept_file,  // this file; until it is complete, PATH.run holds the results so far
  draws,      // FILE.nc, or CSV files whose names begin with the value
  folder,     // files in this folder
};

// Effect of another value of an option. The specification of a command's work is made of the options (cli/options/
// command_spec.hpp), so an option that states nothing counts as one that changes results.
enum class Changes {
  results,  // possibly
  amount,   // the number of pieces of the work; each piece stays the same
  nothing,  // no result: threads, printed texts. Outputs are so without saying it
};

// Values that an option accepts, for help, completion and `assign`, which refuses others.
struct Values {
  std::string word = {};                  // its name in help; empty: by the kind of the target
  std::vector<std::string> choices = {};  // the only values, if there are any
  bool may_be_other = false;              // the command itself refuses values that aren't choices
  std::string ending = {};                // a file whose name ends so; "*": any file
  bool directory = false;
  infer::Range range = {};  // range of a number
  // Value of an option that is given without one; then a word counts as its value only if it is one of the choices. Empty: it
  // needs one.
  std::string implied = {};
  Writes writes = Writes::nothing;
  // Conditions on other options (infer/core/needs.hpp): "--method=rao-blackwellised". A value that isn't the default is
  // refused where they aren't met.
  std::string needs = {};
  // It is an option of the rows that `needs` names: help lists it once one of them is chosen, and the command refuses it.
  bool of_row = false;
  Changes changes = Changes::results;
};
Values changing(Changes changes, Values values = {});
Values needing(std::string needs, Values values = {});
Values one_of(std::vector<std::string> choices);
Values file_ending(std::string ending);
Values any_file();
Values any_directory();
Values output_file(std::string ending, Writes writes = Writes::file);  // "*": any ending
Values in_range(infer::Range range);
inline Values at_least(double least) { return in_range(infer::at_least(least)); }
Values from_to(double least, double most);

struct Argument {
  using Target =
      std::variant<std::string*, std::vector<std::string>*, double*, Index*, std::uint64_t*, bool*>;

  std::vector<std::string> names;  // a positional one has no dashes
  Target target;
  std::string help, group;
  Values values;
  bool positional = false, required = false;
  std::string default_text = {};  // initial value of the target; empty: not shown

  const std::string& name() const;  // the first long one: by it, values are given
  bool is_flag() const { return std::holds_alternative<bool*>(target); }
  bool is_list() const { return std::holds_alternative<std::vector<std::string>*>(target); }
};

// Groups that help pages list last, in this order.
inline constexpr std::string_view kTablesGroup = "Tables", kEvaluationGroup = "Evaluation",
                                  kEveryCommandGroup = "Every command";

class Arguments {
 public:
  explicit Arguments(std::string owner = "credo") : owner_(std::move(owner)) {}
  const std::string& owner() const { return owner_; }  // "credo sample"

  void group(std::string title) { group_ = std::move(title); }  // title for the next arguments
  // Like group(); returns the previous title.
  std::string group_for(std::string title);
  void regroup(std::string_view name, std::string title);  // for an argument that is stated already
  void changes_nothing(std::string_view name);             // the same
  void need(std::string_view name, const std::string& needs);  // adds a condition to Values::needs
  void positional(const std::string& name, std::string& target, const std::string& help,
                  Values values = {});
  void optional_positional(const std::string& name, std::string& target, const std::string& help,
                           Values values = {});
  void positionals(const std::string& name, std::vector<std::string>& target,
                   const std::string& help, Values values = {});
  template <class T>
  void option(const std::string& names, T& target, const std::string& help, Values values = {}) {
    add(names, &target, help, std::move(values));
  }
  void flag(const std::string& names, bool& target, const std::string& help, Values values = {}) {
    add(names, &target, help, std::move(values));
  }
  // With this option given, positionals needn't be.
  void stands_for_positionals(std::string name) { stand_in_ = std::move(name); }
  const std::string& stand_in() const { return stand_in_; }

  // Values that the words of a request for help give: options of rows are then stated for these alone.
  void choose(std::map<std::string, std::string, std::less<>> chosen) {
    chosen_ = std::move(chosen);
  }
  std::string chosen(std::string_view name) const;  // empty: none is given

  const std::vector<Argument>& all() const { return all_; }
  const Argument* find(std::string_view name) const;  // by any of its names, with the dashes

 private:
  Argument& add(const std::string& names, Argument::Target target, const std::string& help,
                Values values);

  Argument& add_positional(const std::string& name, Argument::Target target,
                           const std::string& help, Values values);

  std::string owner_, group_, stand_in_;
  std::map<std::string, std::string, std::less<>> chosen_;
  std::vector<Argument> all_;
};

// Texts by Argument::name(); for a flag "true" or "false".
using Given = std::map<std::string, std::vector<std::string>, std::less<>>;

// Values that the words give. Throws Error(usage) for names that aren't there, with the nearest one, for
// values that are missing and for more than one where there can be one.
Given read_words(const Arguments& arguments, std::span<const std::string> words);
// Words that give the same.
std::vector<std::string> words_of(const Arguments& arguments, const Given& given);
// Adds arguments that only `lower` has.
void add_lower(Given& given, const Given& lower);
// Sets the targets. Throws Error(usage) for a positional that is missing, a text that isn't of its
// target's kind and a number outside of its range.
void assign(const Arguments& arguments, const Given& given);

// True if the argument's value is its default, given or not.
bool has_default(const Argument& argument, const Given& given);
// True if the values of other arguments, given ones or defaults, meet the needs of this one.
bool needs_are_met(const Arguments& arguments, const Argument& argument, const Given& given);

// "--draws N", "-o, --output FILE", "MODEL": as help and man pages show it.
std::string shown_names(const Argument& argument);
std::string shown_value(const Argument& argument);
// "from 0 to 18", "at least 1"; empty: any number.
std::string range_text(const infer::Range& range);
// Help of the argument with its choices, range and default.
std::string full_help(const Argument& argument);
// "did you mean --draws?", or else where the options are listed.
std::string hint_for(const Arguments& arguments, std::string_view wrong);

}  // namespace credo::cli
