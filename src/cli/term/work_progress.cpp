#include "cli/term/work_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "cli/term/progress_views.hpp"
#include "cli/term/terminal.hpp"

namespace credo::cli {
namespace {
constexpr double kLookEvery = 0.2, kFirstLook = 1.0;  // seconds

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_to_terminal(std::string_view text) {
  const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  (void)written;  // a line that can't be printed is no error
}
}  // namespace

std::string work_line(std::string_view what, Index done, Index total, double seconds) {
  if (total <= 0) return fmt::format("{}, {}", what, clock_text(seconds));
  std::string text = fmt::format("{}: {} of {}, {}", what, done, total, clock_text(seconds));
  if (done > 0 && done < total)
    text += fmt::format(", {} left", clock_text(seconds * static_cast<double>(total - done) /
                                                static_cast<double>(done)));
  return text;
}

WorkProgress::WorkProgress(Output& output)
    : output_(output),
      redraws_(screen_of(STDERR_FILENO).redraws),
      start_(seconds_now()),
      stage_start_(start_) {
  if (redraws_)
    output_.note_sink = [this](std::string_view text) {
      const std::lock_guard lock(busy_);
      clear();
      write_to_terminal(text);
    };
  ticker_.emplace(kLookEvery, [this] { look(); });
}

WorkProgress::~WorkProgress() {
  ticker_.reset();
  clear();
  if (redraws_) output_.note_sink = nullptr;
}

void WorkProgress::show(std::string_view what, Index done, Index total) {
  const std::lock_guard lock(busy_);
  if (what != what_) what_ = what, stage_start_ = seconds_now(), done_ = 0;
  done_ = std::max(done_, done), total_ = total;
}

void WorkProgress::look() {
  std::string line;
  {
    const std::lock_guard lock(busy_);
    const double now = seconds_now(), seconds = now - start_;
    if (what_.empty() || seconds < kFirstLook || output_.is_silent) return;
    line = work_line(what_, done_, total_, now - stage_start_);
    if (redraws_) {
      const auto width = static_cast<Index>(screen_of(STDERR_FILENO).width) - 1;
      write_to_terminal(fmt::format("\r\033[K{}", cut_text(line, width)));
      is_drawn_ = true;
      return;
    }
    if (seconds < next_line_) return;
    next_line_ *= 2.0;
  }
  output_.note(line + "\n");
}

void WorkProgress::clear() {
  if (std::exchange(is_drawn_, false)) write_to_terminal("\r\033[K");
}

}  // namespace credo::cli
