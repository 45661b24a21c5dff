#include "cli/term/stop.hpp"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>

#include "io/number_text.hpp"
#include "io/run_file.hpp"

namespace credo::cli {
namespace {
StopFlag stopped{false};
std::atomic<StopReason> reason{StopReason::none};
static_assert(StopFlag::is_always_lock_free && std::atomic<StopReason>::is_always_lock_free,
              "handlers may only touch lock-free variables");

void on_signal(int signal) {
  StopReason none = StopReason::none;
  reason.compare_exchange_strong(none, StopReason::signal);
  stopped.store(true);
  std::signal(signal, SIG_DFL);
}

GentleStop gentle;
std::atomic<int> seconds_over{0};

// Again each second until the end.
void on_time(int) {
  constexpr int kMost = 60;
  StopReason none = StopReason::none;
  reason.compare_exchange_strong(none, StopReason::time);
  const int over = seconds_over.fetch_add(1);
  const bool is_patient =
      gentle.is_awaited.load() && over < kMost && (over == 0 || !gentle.has_kept.load());
  gentle.is_asked.store(true);
  if (!is_patient) return stopped.store(true);
  ::alarm(1);
}

void end_at_once(int) {
  constexpr std::string_view kWords = "stopped by a signal\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWords.data(), kWords.size());
  ::_exit(static_cast<int>(ErrorCode::interrupted));
}

// Signals that the parent ignores stay ignored: nohup, and a shell that starts something in the
// background, say so that it isn't to be stopped from the terminal.
bool is_ignored(int signal) {
  struct sigaction now = {};
  return sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void handle_signals(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM})
    if (!is_ignored(signal)) std::signal(signal, handler);
}
}  // namespace

void end_on_signals() {
  handle_signals(end_at_once);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the length of files is an error like a full disk
}

const StopFlag* stop_flag() {
  if (!stopped.load()) handle_signals(on_signal);
  return &stopped;
}

StopReason stop_reason() { return reason.load(); }
GentleStop& gentle_stop() { return gentle; }
void stop_now() { stopped.store(true); }

// A timer of the system: where the flag is seen, the clock is.
void stop_after(double seconds) {
  std::signal(SIGALRM, on_time);
  const double whole = std::floor(seconds);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec =
      std::max<suseconds_t>(1, static_cast<suseconds_t>(1e6 * (seconds - whole)));
  setitimer(ITIMER_REAL, &timer, nullptr);  // the same timer as alarm()
}

namespace {
std::string stopped_by() {
  return stop_reason() == StopReason::time ? "stopped: the time is over (--max-time)"
                                           : "stopped by a signal";
}
}  // namespace

Error stopped_command() { return Error(ErrorCode::interrupted, stopped_by()); }

namespace {
// Draws of warm-up count, too. A file that can't be read now may have some.
bool has_draws(const std::string& run_file) {
  const StopScope patient;  // the flag is set
  try {
    const io::RunFile file = io::RunFile::open(run_file);
    for (Index c = 0; c < file.num_chains(); ++c)
      if (file.num_rows(c, io::kDraws) + file.num_rows(c, io::kWarmup) > 0) return true;
    return false;
  } catch (const Error&) {
    return true;
  }
}
}  // namespace

Error stopped_run(const std::string& run_file) {
  if (!run_file.empty() && access(run_file.c_str(), F_OK) == 0) {
    if (!has_draws(run_file))
      return Error(ErrorCode::interrupted, stopped_by() + " before the first draw", run_file,
                   fmt::format("the work so far is kept; resume with: credo resume {}", run_file));
    return Error(
        ErrorCode::interrupted, stopped_by(), run_file,
        fmt::format("resume with: credo resume {0}; write its draws with: credo export {0}",
                    run_file));
  }
  return Error(ErrorCode::interrupted, stopped_by() + " before a draw was kept", "",
               "no part of the work was stored: the same command begins anew");
}

Error stopped_work(const std::string& work_file) {
  if (work_file.empty() || access(work_file.c_str(), F_OK) != 0) return stopped_command();
  return Error(ErrorCode::interrupted, stopped_by(), work_file,
               "resume with: credo resume " + work_file);
}

double parse_duration(const std::string& text, const std::string& option) {
  static const std::map<char, double> units = {
      {'s', 1.0}, {'m', 60.0}, {'h', 3600.0}, {'d', 86400.0}};
  const auto unit = text.empty() ? units.end() : units.find(text.back());
  const std::size_t length = text.size() - (unit == units.end() ? 0 : 1);
  const auto number = io::parse_number(text.substr(0, length));
  const double seconds = number.value_or(kNaN) * (unit == units.end() ? 1.0 : unit->second);
  if (!(seconds > 0.0) || seconds > 1e9)
    throw Error(ErrorCode::usage, fmt::format("'{}' is no length of time", text), option,
                "write seconds above 0 and at most 1e9, or as 90s, 15m, 2h, 1.5d");
  return seconds;
}

}  // namespace credo::cli
