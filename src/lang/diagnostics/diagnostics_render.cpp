// Diagnostics as text for people and as JSON for programs.
#include <fmt/format.h>

#include "lang/diagnostics/diagnostics.hpp"

namespace credo::lang {
namespace {
// A source line as it is shown: at most kMaxShown bytes around the range, control characters
// replaced, and below it carets under the range.
struct Excerpt {
  std::string line, carets;
};
constexpr std::size_t kMaxShown = 160;
Excerpt excerpt(const SourceMap& source, SourceRange range);
std::string excerpt_lines(const SourceMap& source, SourceRange range);
std::string include_chain(const SourceMap& source, SourceRange range);
std::string_view spelling(Severity severity);
std::string counted(int count, std::string_view what);
std::vector<const Diagnostic*> by_place(const Diagnostics& diagnostics);
std::string json_string(std::string_view text);
std::string json_place(const SourceMap& source, SourceRange range);
std::string json_object(const SourceMap& source, const Diagnostic& diagnostic);
}  // namespace

std::string render(const SourceMap& source, const Diagnostic& diagnostic) {
  const DiagRow& kind = row(diagnostic.code);
  std::string text = fmt::format("{}: {}[{}]: {}\n", source.where(diagnostic.range),
                                 spelling(kind.severity), kind.name, diagnostic.message());
  text += excerpt_lines(source, diagnostic.range);
  text += include_chain(source, diagnostic.range);
  for (const Note& note : diagnostic.notes) {
    text += fmt::format("  note: {}: {}\n", source.where(note.range), note.text);
    text += excerpt_lines(source, note.range);
  }
  if (!diagnostic.hint.empty()) text += fmt::format("  hint: {}\n", diagnostic.hint);
  return text;
}

std::string render(const SourceMap& source, const Diagnostics& diagnostics) {
  if (diagnostics.all().empty()) return {};
  std::string text;
  for (const Diagnostic* diagnostic : by_place(diagnostics)) text += render(source, *diagnostic);
  const int errors = diagnostics.num_errors(), warnings = diagnostics.num_warnings();
  if (errors > 0) text += counted(errors, "error");
  if (errors > 0 && warnings > 0) text += ", ";
  if (warnings > 0) text += counted(warnings, "warning");
  const int left_out = errors + warnings - static_cast<int>(diagnostics.all().size());
  if (left_out > 0) text += fmt::format(" ({} not shown)", left_out);
  return text + "\n";
}

std::string render_place(const SourceMap& source, SourceRange range) {
  return excerpt_lines(source, range) + include_chain(source, range);
}

std::string render_json(const SourceMap& source, const Diagnostics& diagnostics) {
  std::string text = "[";
  for (const Diagnostic* diagnostic : by_place(diagnostics)) {
    text += (text.size() == 1 ? "\n  " : ",\n  ") + json_object(source, *diagnostic);
  }
  return text + (text.size() == 1 ? "]" : "\n]");
}

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::string shown(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if ((c >= 0 && c < ' ' && c != '\t') || c == '\x7f') c = '?';
  }
  return result;
}

// White space as wide as the text: tabs stay, a character of several bytes is one place.
std::string padding(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (!is_continuation(c)) result += c == '\t' ? '\t' : ' ';
  }
  return result;
}

std::size_t width(std::string_view text) {
  const auto wide = std::count_if(text.begin(), text.end(), is_continuation);
  return text.size() - static_cast<std::size_t>(wide);
}

Excerpt excerpt(const SourceMap& source, SourceRange range) {
  const SourceFile& file = source.file(range);
  const Position at = file.position(range.begin);
  std::string_view line = file.line(at.line);
  std::size_t begin = std::min(static_cast<std::size_t>(at.column - 1), line.size());
  std::size_t end = std::min(begin + (range.end - range.begin), line.size());
  std::string before, after;
  if (line.size() > begin + kMaxShown / 2) {
    line = line.substr(0, begin + kMaxShown / 2);
    after = "...";
  }
  if (begin > kMaxShown / 2) {
    const std::size_t cut = begin - kMaxShown / 2;
    line.remove_prefix(cut);
    begin -= cut, end -= cut;
    before = "...";
  }
  end = std::min(end, line.size());
  const std::size_t carets = std::max<std::size_t>(1, width(line.substr(begin, end - begin)));
  return {before + shown(line) + after,
          padding(before) + padding(line.substr(0, begin)) + '^' + std::string(carets - 1, '~')};
}

std::string excerpt_lines(const SourceMap& source, SourceRange range) {
  if (source.file(range).text.empty()) return {};
  const Excerpt shows = excerpt(source, range);
  const int number = source.position(range).line;
  const std::string gutter = fmt::format("{:4}", number);
  return fmt::format("{} | {}\n{} | {}\n", gutter, shows.line, std::string(gutter.size(), ' '),
                     shows.carets);
}

std::string include_chain(const SourceMap& source, SourceRange range) {
  std::string text;
  for (auto from = source.file(range).included_from; from;) {
    text += fmt::format("  included from {}\n", source.where(*from));
    from = source.file(*from).included_from;
  }
  return text;
}

std::string_view spelling(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

std::string counted(int count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::vector<const Diagnostic*> by_place(const Diagnostics& diagnostics) {
  std::vector<const Diagnostic*> sorted;
  for (const Diagnostic& diagnostic : diagnostics.all()) sorted.push_back(&diagnostic);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic* a, const Diagnostic* b) {
    return std::pair(a->range.file, a->range.begin) < std::pair(b->range.file, b->range.begin);
  });
  return sorted;
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      (result += '\\') += c;
    } else if (c >= 0 && c < ' ') {
      result += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string json_place(const SourceMap& source, SourceRange range) {
  const SourceFile& file = source.file(range);
  const Position begin = file.position(range.begin), end = file.position(range.end);
  return fmt::format(R"("file": {}, "line": {}, "column": {}, "end_line": {}, "end_column": {})",
                     json_string(file.name), begin.line, begin.column, end.line, end.column);
}

std::string json_object(const SourceMap& source, const Diagnostic& diagnostic) {
  const DiagRow& kind = row(diagnostic.code);
  std::string chain, notes;
  for (auto from = source.file(diagnostic.range).included_from; from;) {
    chain += (chain.empty() ? "" : ", ") + json_string(source.where(*from));
    from = source.file(*from).included_from;
  }
  for (const Note& note : diagnostic.notes) {
    notes += fmt::format(R"({}{{{}, "message": {}}})", notes.empty() ? "" : ", ",
                         json_place(source, note.range), json_string(note.text));
  }
  return fmt::format(R"({{"code": "{}", "severity": "{}", "message": {}, "hint": {}, {}, )"
                     R"("included_from": [{}], "notes": [{}]}})",
                     kind.name, spelling(kind.severity), json_string(diagnostic.message()),
                     json_string(diagnostic.hint), json_place(source, diagnostic.range), chain,
                     notes);
}

}  // namespace
}  // namespace credo::lang
