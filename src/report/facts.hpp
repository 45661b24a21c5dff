// Text parts of a report: verdict, program, data, settings, chains, the command that makes it again.
#pragma once
#include "report/report.hpp"
#include "verdict/finding.hpp"

namespace credo::report {

// HTML: the verdict's sentence, then findings with their remedies.
std::string verdict_html(const verdict::Verdict& verdict);
// HTML: a section of its own; empty if there were no questions.
std::string answers_html(const Answers& answers);
std::string escaped_html(std::string_view text);

// Members of the object that is open: "model", "program", "data", "settings", "chains", "again", "notes".
void write_facts(io::JsonWriter& json, const Material& material,
                 std::span<const std::string> command);

// Sizes of an array, outermost first, as "8" or "3 × 4"; "number" for one; "ragged" where its parts differ.
std::string shape_text(std::string_view json_text);

}  // namespace credo::report
