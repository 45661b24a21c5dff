// The forms that progress takes on standard error.
#pragma once
#include "cli/term/progress.hpp"
#include "cli/term/terminal.hpp"

namespace credo::cli {

using TextSink = std::function<void(std::string_view)>;

// A terminal: a line a chain, or one for all where they are many, drawn in place at most ten times
// a second, cleared at the end.
std::unique_ptr<ProgressView> live_view(TextSink write, std::function<Screen()> screen);
// Anything else: a plain line after 1, 2, 4, … seconds, later every ten minutes, and when the last
// chain leaves warm-up.
std::unique_ptr<ProgressView> line_view(TextSink write);
// Machines: a JSON object a line (docs/json-events.md), progress once a second.
std::unique_ptr<ProgressView> event_view(TextSink write);

// View that suits standard error; null if quiet.
std::unique_ptr<ProgressView> standard_view(bool quiet, bool json);

// "0:09", "12:31", "3:04:05", "4 days".
std::string clock_text(double seconds);

}  // namespace credo::cli
