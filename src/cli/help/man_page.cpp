#include "cli/help/man_page.hpp"

#include <fmt/format.h>

#include "cli/help/help.hpp"

namespace credo::cli {
namespace {
// A character of UTF-8 as groff's \[uXXXX]; moves `at` behind it.
std::string code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u;
  };
  const unsigned lead = byte(at);
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  unsigned code = lead & (0x3Fu >> more);
  for (std::size_t k = 1; k <= more; ++k) code = code << 6 | (byte(at + k) & 0x3Fu);
  at += more + 1;
  return fmt::format("\\[u{:04X}]", code);
}

// Text as it is: nothing in it is a request or an escape of roff.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += code_point(text, at);
      continue;
    }
    const bool begins_line = at == 0 || text[at - 1] == '\n';
    if (begins_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '~')
      out += "\\(ti";
    else if (c == '^')
      out += "\\(ha";
    else
      out += c;
    ++at;
  }
  return out;
}

std::string head(const std::string& name, std::string_view summary) {
  std::string title = name;
  for (char& c : title)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return fmt::format(
      ".TH {} 1 \"\" \"credo {}\" \"Credo\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.nh\n",
      plain(title), CREDO_VERSION, plain(name), plain(summary));
}

// "-o, --output FILE": names bold, the value in italics.
std::string tag_of(const Argument& argument) {
  if (argument.positional) return "\\fI" + plain(shown_names(argument)) + "\\fR";
  std::string tag;
  for (const std::string& name : argument.names)
    tag += (tag.empty() ? "\\fB" : ", \\fB") + plain(name) + "\\fR";
  const std::string value = shown_value(argument);
  return value.empty() ? tag : tag + " \\fI" + plain(value) + "\\fR";
}

std::string statuses() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitStatus& status : exit_statuses())
    text += fmt::format(".TP\n.B {}\n{}\n", status.number, plain(status.meaning));
  return text;
}

std::string trimmed_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = text.substr(0, end + 1);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    out += line;
    text.remove_prefix(end + 1);
  }
  return out;
}
}  // namespace

std::string command_man_page(const CommandRow& command) {
  const auto made = command.make();
  const Arguments arguments = arguments_of(command, *made);
  std::string text = head(fmt::format("credo-{}", command.name), command.summary);
  text += plain(usage_of(command, arguments)) + "\n.hy\n.SH OPTIONS\n";
  for (const ArgumentGroup& group : groups_of(arguments)) {
    text += ".SS " + plain(group.title) + "\n";
    for (const Argument* argument : group.arguments)
      text += ".TP\n" + tag_of(*argument) + "\n" + plain(full_help(*argument)) + "\n";
  }
  if (!command.writes.empty()) text += ".SH OUTPUT\n" + plain(command.writes) + "\n";
  text += ".SH EXAMPLES\n.nf\n" + plain(trimmed_lines(command.examples)) + ".fi\n";
  return text + statuses() + ".SH SEE ALSO\n.BR credo (1)\n";
}

std::string program_man_page() {
  std::string text = head("credo", kProgramSummary);
  text += plain("credo COMMAND [ARGUMENTS] [OPTIONS]") + "\n.hy\n.SH COMMANDS\n";
  std::string pages;
  for (const CommandRow* row : commands()) {
    text += fmt::format(".TP\n.B {}\n{}\n", plain(row->name), plain(row->summary));
    pages += fmt::format("{}.BR {} (1)", pages.empty() ? "" : ",\n",
                         plain(fmt::format("credo-{}", row->name)));
  }
  text +=
      ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nlist the commands; behind a command, "
      "that "
      "command\\(aqs options\n.TP\n.B \\-\\-version\nthe version\n";
  text +=
      ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif it is set, output has no colours\n.TP\n.B "
      "COLUMNS\nthe "
      "width of text instead of the terminal\\(aqs\n";
  return text + statuses() + ".SH SEE ALSO\n" + pages + "\n";
}

}  // namespace credo::cli
