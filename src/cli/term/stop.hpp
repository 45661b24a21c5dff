// Reasons for a command to stop early: SIGINT, SIGTERM, a limit of time.
//
// A command that has something to keep asks for the flag and ends by itself soon after it is set
// (base/stop.hpp); a second signal then ends the program at once. The others end at the first one.
#pragma once
#include "base/error.hpp"
#include "base/gentle_stop.hpp"
#include "base/stop.hpp"

namespace credo::cli {

enum class StopReason { none, signal, time };

// Signals end the program with the status of an interruption, until stop_flag() is called.
void end_on_signals();

const StopFlag* stop_flag();  // signals set it from the first call on
StopReason stop_reason();
// Stops by the clock, from now. Commands that keep progress say so to gentle_stop(), and have a second from their
// first progress on to keep more, or a minute; others end at once.
void stop_after(double seconds);
GentleStop& gentle_stop();
void stop_now();  // sets the flag

// Error of a command, or of a run with this run file, that was stopped: the reason, the remaining files,
// how to continue.
Error stopped_command();
Error stopped_run(const std::string& run_file);
Error stopped_work(const std::string& work_file);  // for a command with numbered pieces

// "90", "90s", "15m", "2h", "1.5d" in seconds. Throws Error(usage), which names `option`.
double parse_duration(const std::string& text, const std::string& option);

}  // namespace credo::cli
