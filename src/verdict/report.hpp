// A verdict as text and as JSON.
#pragma once
#include "verdict/finding.hpp"

namespace credo::io {
class JsonWriter;
}

namespace credo::verdict {

// The sentence; then for each finding its text, the place in the program and the remedy, in
// lines of at most `width` bytes (0: 80). Ends with a line break.
std::string report_text(const Verdict& verdict, std::size_t width = 0);

// Members of the object that is open: "verdict", "sentence", "findings", "figures".
void write_json(io::JsonWriter& writer, const Verdict& verdict);
// The same members without the braces of an object.
std::string json_members(const Verdict& verdict);

}  // namespace credo::verdict
