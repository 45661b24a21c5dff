// The table of codes and the sink.
#include "lang/diagnostics/diagnostics.hpp"

#include "base/error.hpp"

namespace credo::lang {
namespace {
std::string kebab_case(std::string_view identifier) {
  std::string name(identifier);
  if (name.ends_with('_')) name.pop_back();
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::vector<DiagRow> make_rows() {
  std::vector<DiagRow> rows = {
#define DIAGNOSTIC(code, severity, text, way_out) \
  {DiagCode::code, Severity::severity, kebab_case(#code), text, way_out},
#include "lang/diagnostics/diagnostics_table.inc"
#undef DIAGNOSTIC
  };
  return rows;
}

// The row's way out, with the facts in the places of {0}, {1}, ...
std::string way_out(DiagCode code, std::span<const std::string> facts) {
  std::string text(row(code).way_out);
  for (std::size_t k = 0; k < facts.size(); ++k) {
    const std::string hole = "{" + std::to_string(k) + "}";
    for (std::size_t at = text.find(hole); at != text.npos; at = text.find(hole, at)) {
      text.replace(at, hole.size(), facts[k]);
      at += facts[k].size();
    }
  }
  return text;
}
}  // namespace

std::span<const DiagRow> diagnostic_rows() {
  static const std::vector<DiagRow> rows = make_rows();
  return rows;
}

const DiagRow& row(DiagCode code) { return diagnostic_rows()[static_cast<std::size_t>(code)]; }

std::string Diagnostic::message() const {
  const std::string_view text = row(code).text;
  std::string message;
  std::size_t begin = 0, fact = 0;
  for (;;) {
    const std::size_t hole = text.find("{}", begin);
    message += text.substr(begin, hole - begin);
    if (hole == text.npos) break;
    CREDO_ASSERT(fact < facts.size(), "a diagnostic has a fact for each {}");
    if (fact < facts.size()) message += facts[fact++];
    begin = hole + 2;
  }
  CREDO_ASSERT(fact == facts.size(), "a diagnostic has no more facts than {}");
  return message;
}

Diagnostic& Diagnostic::note(SourceRange where, std::string text) {
  notes.push_back({where, std::move(text)});
  return *this;
}

Diagnostic& Diagnostic::edit(SourceRange where, std::string text) {
  edits.push_back({where, std::move(text)});
  return *this;
}

Diagnostic& Diagnostics::report(DiagCode code, SourceRange range, std::vector<std::string> facts,
                                std::string hint) {
  if (hint.empty()) hint = way_out(code, facts);
  dropped_ = {code, range, std::move(facts), std::move(hint)};
  for (const Diagnostic& other : kept_) {
    const bool same_place = other.range.file == range.file && other.range.begin == range.begin;
    if (other.code == code && same_place) return dropped_;
  }
  int& count = row(code).severity == Severity::error ? num_errors_ : num_warnings_;
  if (++count > kMaxErrors) return dropped_;
  return kept_.emplace_back(std::move(dropped_));
}

}  // namespace credo::lang
