#include "cli/help/completion.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "infer/core/needs.hpp"

namespace credo::cli {
namespace {
struct CommandArguments {
  const CommandRow* row;
  std::unique_ptr<Command> made;  // holds the targets
  Arguments arguments;
};

std::vector<CommandArguments> all_commands() {
  std::vector<CommandArguments> all;
  for (const CommandRow* row : commands()) {
    auto made = row->make();
    Arguments arguments = arguments_of(*row, *made);
    all.push_back({row, std::move(made), std::move(arguments)});
  }
  return all;
}

std::string joined(std::span<const std::string> words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// In single quotes, for every shell; `inside` says how a quote is written there.
std::string quoted(std::string_view text, std::string_view inside) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += inside;
    else
      out += c;
  }
  return out + "'";
}

bool names_file(const Values& values) { return !values.ending.empty() || values.directory; }

const Argument* first_positional(const Arguments& arguments) {
  for (const Argument& argument : arguments.all())
    if (argument.positional) return &argument;
  return nullptr;
}
}  // namespace

// ---- bash ----

namespace {
constexpr std::string_view kBashHead =
    R"(# bash completion of credo; made by `credo completion bash`
_credo_take() {  # lines into COMPREPLY
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}
_credo_files() {  # a pattern of endings, or a lone *
  compopt -o filenames 2>/dev/null
  if [ "$2" = '*' ]; then
    _credo_take < <(compgen -f -- "$1")
  else
    _credo_take < <(compgen -d -- "$1"; compgen -f -X "!*$2" -- "$1")
  fi
}
_credo_words() { _credo_take < <(compgen -W "$2" -- "$1"); }
_credo() {
  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" options=""
  COMPREPLY=()
  if [ "$word" = "=" ]; then word=""
  elif [ "$before" = "=" ]; then before="${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [ "$COMP_CWORD" -gt 1 ]; then command="${COMP_WORDS[1]}"; fi
)";

// Shell command that completes a value of the argument.
std::string bash_values(const Values& values) {
  if (!values.choices.empty())
    return fmt::format("_credo_words \"$word\" \"{}\"", joined(values.choices));
  if (values.directory)
    return "compopt -o filenames 2>/dev/null; _credo_take < <(compgen -d -- \"$word\")";
  if (!values.ending.empty()) return fmt::format("_credo_files \"$word\" '{}'", values.ending);
  return ":";
}

std::string bash_value_cases(const CommandArguments& command) {
  std::string text;
  for (const Argument& argument : command.arguments.all()) {
    if (argument.positional || argument.is_flag()) continue;
    std::string pattern;
    for (const std::string& name : argument.names)
      pattern += fmt::format("{}\"{} {}\"", pattern.empty() ? "" : "|", command.row->name, name);
    text += fmt::format("    {}) {}; return ;;\n", pattern, bash_values(argument.values));
  }
  return text;
}

std::string option_words(const Argument& argument) { return " " + joined(argument.names); }

// Options of rows by the words that choose the row: "--sampler nuts". Those below an option of a row need its row alone.
using OptionsByRow = std::map<std::string, std::map<std::string, std::string>>;
OptionsByRow options_by_row(const Arguments& arguments) {
  OptionsByRow options;
  for (const Argument& argument : arguments.all()) {
    if (!argument.values.of_row) continue;
    const infer::Need need = infer::parse_needs(argument.values.needs).back();
    for (const std::string_view row : need.values)
      options[std::string(need.name)][std::string(row)] += option_words(argument);
  }
  return options;
}

// If no row is chosen, the options of all rows are offered, except those with further needs.
std::string bash_rows(const Arguments& arguments) {
  std::string text;
  for (const auto& [chooser, rows] : options_by_row(arguments)) {
    text += "      case \" ${COMP_WORDS[*]} \" in\n";
    for (const auto& [row, options] : rows)
      text += fmt::format("        *\" {0} {1} \"*|*\" {0} = {1} \"*) options+=\"{2}\" ;;\n",
                          chooser, row, options);
    std::string all;
    for (const Argument& argument : arguments.all())
      if (argument.values.of_row && argument.values.needs.starts_with(chooser + "=") &&
          infer::parse_needs(argument.values.needs).size() == 1)
        all += option_words(argument);
    text += fmt::format("        *) options+=\"{}\" ;;\n      esac\n", all);
  }
  return text;
}

std::string bash_command_case(const CommandArguments& command) {
  std::string options;
  for (const Argument& argument : command.arguments.all())
    if (!argument.positional && !argument.values.of_row) options += option_words(argument);
  const Argument* positional = first_positional(command.arguments);
  const std::string rows = bash_rows(command.arguments);
  return fmt::format(
      "    {})\n      options=\"{}\"\n{}      case \"$word\" in -*) ;; *) {}; return ;; esac ;;\n",
      command.row->name, options.substr(std::min<std::size_t>(1, options.size())), rows,
      positional ? bash_values(positional->values) : ":");
}
}  // namespace

std::string bash_completion() {
  std::string text(kBashHead), names;
  const auto all = all_commands();
  text += "  case \"$command $before\" in\n";
  for (const CommandArguments& command : all) text += bash_value_cases(command);
  text += "  esac\n  case \"$command\" in\n";
  for (const CommandArguments& command : all) {
    text += bash_command_case(command);
    names += std::string(command.row->name) + " ";
  }
  text += fmt::format("    \"\") options=\"{}--help --version\" ;;\n  esac\n", names);
  return text + "  _credo_words \"$word\" \"$options\"\n}\ncomplete -F _credo credo\n";
}

// ---- zsh ----

namespace {
std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_values(const Argument& argument) {
  const Values& values = argument.values;
  const std::string word = escaped(shown_value(argument), ":");
  if (!values.choices.empty()) return fmt::format(":{}:({})", word, joined(values.choices));
  if (values.directory) return fmt::format(":{}:_files -/", word);
  if (values.ending == "*") return fmt::format(":{}:_files", word);
  if (!values.ending.empty()) return fmt::format(":{}:_files -g \"*{}\"", word, values.ending);
  return fmt::format(":{}: ", word);
}

std::string zsh_option(const Argument& argument, const std::string& name) {
  const std::string star = argument.is_list() ? "*" : "";
  const std::string help = escaped(argument.help, "[]:\\");
  if (argument.is_flag()) return quoted(fmt::format("{}{}[{}]", star, name, help), "'\\''");
  const std::string joint = name.starts_with("--") ? "=" : "+";
  return quoted(fmt::format("{}{}{}[{}]{}", star, name, joint, help, zsh_values(argument)),
                "'\\''");
}

std::string zsh_arguments(const Arguments& arguments) {
  std::string text;
  Index place = 0;
  for (const Argument& argument : arguments.all()) {
    if (argument.positional) {
      const std::string which = argument.is_list() ? "*" : fmt::format("{}", ++place);
      text += " \\\n        " + quoted(which + zsh_values(argument), "'\\''");
      continue;
    }
    for (const std::string& name : argument.names)
      text += " \\\n        " + zsh_option(argument, name);
  }
  return text;
}
}  // namespace

std::string zsh_completion() {
  std::string names, cases;
  for (const CommandArguments& command : all_commands()) {
    names += fmt::format("    {}\n", quoted(fmt::format("{}:{}", command.row->name,
                                                        escaped(command.row->summary, ":\\")),
                                            "'\\''"));
    cases += fmt::format("    {})\n      _arguments{} ;;\n", command.row->name,
                         zsh_arguments(command.arguments));
  }
  return "#compdef credo\n# zsh completion of credo; made by `credo completion zsh`\n_credo() {\n  "
         "local -a names\n  names=(\n" +
         names +
         "  )\n  if (( CURRENT == 2 )); then\n    _describe command names\n    return\n  fi\n  "
         "local "
         "command=\"$words[2]\"\n  shift words\n  (( CURRENT-- ))\n  case \"$command\" in\n" +
         cases +
         "  esac\n}\nif [ \"$funcstack[1]\" = _credo ]; then _credo \"$@\"; else compdef "
         "_credo credo; fi\n";
}

// ---- fish ----

namespace {
std::string fish_line(const CommandArguments& command, const Argument& argument) {
  std::string line =
      fmt::format("complete -c credo -n '__fish_seen_subcommand_from {}'", command.row->name);
  for (const std::string& name : argument.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  const Values& values = argument.values;
  if (!values.choices.empty())
    line += " -x -a " + quoted(joined(values.choices), "\\'");
  else if (names_file(values))
    line += " -r -F";
  else if (!argument.is_flag())
    line += " -x";
  return line + " -d " + quoted(argument.help, "\\'") + "\n";
}

std::string fish_positional(const CommandArguments& command, const Argument& argument) {
  const std::string condition =
      fmt::format("complete -c credo -n '__fish_seen_subcommand_from {}'", command.row->name);
  if (!argument.values.choices.empty())
    return condition + " -a " + quoted(joined(argument.values.choices), "\\'") + "\n";
  return names_file(argument.values) ? condition + " -F\n" : std::string();
}
}  // namespace

std::string fish_completion() {
  std::string text =
      "# fish completion of credo; made by `credo completion fish`\ncomplete -c credo -f\n"
      "complete -c credo -n __fish_use_subcommand -l help -d 'list the commands'\n"
      "complete -c credo -n __fish_use_subcommand -l version -d 'the version'\n";
  for (const CommandArguments& command : all_commands()) {
    text += fmt::format("complete -c credo -n __fish_use_subcommand -a {} -d {}\n",
                        command.row->name, quoted(command.row->summary, "\\'"));
    for (const Argument& argument : command.arguments.all())
      text +=
          argument.positional ? fish_positional(command, argument) : fish_line(command, argument);
  }
  return text;
}

}  // namespace credo::cli
