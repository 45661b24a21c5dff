// One error may hide others, so the program is checked and edited again until no edits are left.
#include "lang/check/modernise.hpp"

#include <set>

#include "lang/check/check.hpp"
#include "lang/syntax/parser.hpp"

namespace credo::lang {
namespace {
constexpr int kMostRounds = 100;  // rounds of at most Diagnostics::kMaxErrors errors each

bool overlap(SourceRange a, SourceRange b) { return a.begin < b.end && b.begin < a.end; }

// The edits of one text. All edits of a diagnostic are made, or none of them.
class Edits {
 public:
  bool take(const Diagnostic& diagnostic) {
    for (const Edit& edit : diagnostic.edits)
      for (const Edit& other : taken_)
        if (overlap(edit.range, other.range) || edit.range == other.range) return false;
    taken_.insert(taken_.end(), diagnostic.edits.begin(), diagnostic.edits.end());
    return true;
  }
  bool empty() const { return taken_.empty(); }
  std::string applied_to(const std::string& text) {
    std::ranges::sort(taken_, {}, [](const Edit& edit) {
      return std::pair(edit.range.begin, edit.range.end);  // insertions first
    });
    std::string result;
    std::size_t at = 0;
    for (const Edit& edit : taken_) {
      result += text.substr(at, edit.range.begin - at) + edit.text;
      at = edit.range.end;
    }
    return result + text.substr(at);
  }

 private:
  std::vector<Edit> taken_;
};

void count(Modernised& result, const Diagnostic& diagnostic) {
  const std::string& code = row(diagnostic.code).name;
  const auto known = std::ranges::find(result.done, code, &EditCount::code);
  if (known == result.done.end())
    result.done.push_back({code, 1});
  else
    ++known->count;
}
}  // namespace

Modernised modernise(const std::string& name, std::string text,
                     std::span<const std::string> include_dirs, const FileReader& read) {
  Modernised result{.text = std::move(text), .done = {}, .in_includes = {}};
  std::set<std::string> included;
  for (int round = 0; round < kMostRounds; ++round) {
    Diagnostics diagnostics;
    const SourceMap source =
        SourceMap::from_text(name, result.text, diagnostics, include_dirs, read);
    const ast::Program program = parse(source, diagnostics);
    if (!diagnostics.has_errors())
      (void)check(program, diagnostics, {.discrete_parameters = true, .source = &source});
    Edits edits;
    for (const Diagnostic& diagnostic : diagnostics.all()) {
      if (diagnostic.edits.empty()) continue;
      const auto is_own = [](const Edit& edit) { return edit.range.file == 0; };
      if (!std::ranges::all_of(diagnostic.edits, is_own))
        included.insert(source.file(diagnostic.range).name);
      else if (edits.take(diagnostic))
        count(result, diagnostic);
    }
    if (edits.empty()) break;
    result.text = edits.applied_to(source.files()[0].text);
  }
  result.in_includes.assign(included.begin(), included.end());
  return result;
}

}  // namespace credo::lang
