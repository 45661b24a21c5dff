// Problems of a program's text: a sink for all phases of the front end, one table of codes,
// and the two ways to print them. The table is lang/diagnostics/diagnostics_table.inc; a new diagnostic is one
// line there.
#pragma once
#include "base/std.hpp"
#include "lang/diagnostics/names.hpp"
#include "lang/diagnostics/source.hpp"

namespace credo::lang {

enum class Severity { error, warning };

enum class DiagCode : std::uint16_t {
#define DIAGNOSTIC(code, severity, text, way_out) code,
#include "lang/diagnostics/diagnostics_table.inc"
#undef DIAGNOSTIC
};

// One row of the table. The name is the code in kebab-case: DiagCode::type_mismatch is
// "type-mismatch". Each {} of the text is replaced by a fact, in order, and {0}, {1}, ... likewise in
// the hint, for reports without one. Texts are lower case without a full stop.
struct DiagRow {
  DiagCode code;
  Severity severity;
  std::string name;
  std::string_view text, way_out;
};
std::span<const DiagRow> diagnostic_rows();  // in the order of DiagCode
const DiagRow& row(DiagCode code);

// A second place that explains the first one: "first declared here".
struct Note {
  SourceRange range;
  std::string text;
};

// Replaces a range of the text; an empty range inserts text.
struct Edit {
  SourceRange range;
  std::string text;
};

struct Diagnostic {
  DiagCode code;
  SourceRange range;
  std::vector<std::string> facts;
  std::string hint;  // the way out
  std::vector<Note> notes = {};
  std::vector<Edit> edits = {};  // together they correct the error (`credo check --fix`)

  Severity severity() const { return row(code).severity; }
  std::string message() const;  // the row's text with the facts put in
  Diagnostic& note(SourceRange where, std::string text);
  Diagnostic& edit(SourceRange where, std::string text);
};

// Collects diagnostics. Errors past kMaxErrors are counted, not kept; so is a second one with the
// same code and begin.
class Diagnostics {
 public:
  static constexpr int kMaxErrors = 200;

  // facts fill the {} of the row's text, one each; without a hint the row's way out is taken. The
  // returned reference lives until the next report.
  Diagnostic& report(DiagCode code, SourceRange range, std::vector<std::string> facts = {},
                     std::string hint = {});

  std::span<const Diagnostic> all() const { return kept_; }  // in the order of reporting
  int num_errors() const { return num_errors_; }
  int num_warnings() const { return num_warnings_; }
  bool has_errors() const { return num_errors_ > 0; }
  bool full() const { return num_errors_ >= kMaxErrors; }

 private:
  std::vector<Diagnostic> kept_;
  Diagnostic dropped_{};
  int num_errors_ = 0, num_warnings_ = 0;
};

// "glm.stan:9:14: error[arg-type]: ...", the source line, a caret under the range, the hint, and
// for an included file the chain of includes.
std::string render(const SourceMap& source, const Diagnostic& diagnostic);
// All of them ordered by place, then "2 errors, 1 warning"; empty without diagnostics.
std::string render(const SourceMap& source, const Diagnostics& diagnostics);
// The source line of a place with carets under it, as in a message, and the chain of its includes.
std::string render_place(const SourceMap& source, SourceRange range);
// One JSON array with an object per diagnostic: code, severity, message, hint, file, line, column,
// end_line, end_column, included_from, notes.
std::string render_json(const SourceMap& source, const Diagnostics& diagnostics);

}  // namespace credo::lang
