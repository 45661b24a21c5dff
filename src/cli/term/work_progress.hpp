// Progress of work other than runs: one line on standard error. Work of less than a second prints nothing.
//
//   WorkProgress progress(output);
//   progress.show("figures of quantities", 120, 1000);  // any thread
#pragma once
#include <mutex>

#include "cli/command.hpp"
#include "cli/term/ticker.hpp"

namespace credo::cli {

// "figures of quantities: 120 of 1000, 0:04, 0:29 left"; without a total "verdict, 0:04".
std::string work_line(std::string_view what, Index done, Index total, double seconds);

class WorkProgress {
 public:
  // On a terminal the line is redrawn in place; otherwise lines are printed after 2, 4, 8, ... seconds.
  explicit WorkProgress(Output& output);
  ~WorkProgress();
  WorkProgress(const WorkProgress&) = delete;
  WorkProgress& operator=(const WorkProgress&) = delete;

  void show(std::string_view what, Index done = 0, Index total = 0);

 private:
  void look();
  void clear();

  Output& output_;
  const bool redraws_;
  const double start_;
  std::mutex busy_;
  std::string what_;
  Index done_ = 0, total_ = 0;
  double stage_start_, next_line_ = 2.0;
  bool is_drawn_ = false;
  std::optional<Ticker> ticker_;
};

}  // namespace credo::cli
