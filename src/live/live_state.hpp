// What a run has done so far, as JSON for its page: read from its run file, which the run goes on
// writing. Nothing here can touch the run.
#pragma once
#include "results/files/fit.hpp"

namespace credo::live {

class LiveState {
 public:
  // Who writes the run file: the number of a process, 0: nobody.
  LiveState(std::string run_file, std::function<int()> writer)
      : run_file_(std::move(run_file)), writer_(std::move(writer)) {}

  // {"state": "waiting" | "running" | "stopped" | "ended", "model", "sampler", "num_warmup", "num_draws",
  //  "asked_draws": more draws that the run was asked for, or null, "seconds_left", "chains": [{"iteration", "draws", "divergent", "step_size"}],
  //  "num_parameters", "parameters": [{"index", "name", "mean", "sd", "mean_text", "sd_text": as many digits as their
  //  errors support, "r_hat", "ess_bulk", "ess_tail"}], "history": [{"seconds", "r_hat", "ess"}],
  //  "trace": {"index", "name", "warmup", "values": [[…]], "divergent": [[…]]}}
  // Parameters: those that are sampled, as many as can be read quickly. `parameter`: by index, whose
  // trace is wanted; -1: the one that mixes worst. Read anew at most once a second.
  std::string json(std::int64_t parameter);
  // Asks the run for so many draws of each chain, in all. Why that isn't possible; empty: it was asked.
  std::string extend(std::int64_t num_draws) const;
  // Whether the run went on and doesn't any more: it has all of its draws, or was stopped.
  bool has_ended();

 private:
  struct Seen {
    double seconds = 0.0, r_hat = kNaN, ess = kNaN;
    Index iterations = 0;
  };
  void read(std::int64_t parameter);
  void set_state(std::string_view state);
  void remember(Seen seen);
  double seconds_left(Index total) const;

  std::string run_file_;
  std::function<int()> writer_;
  std::string state_ = "waiting", text_ = R"({"state":"waiting"})";
  std::vector<Seen> history_;
  double read_at_ = -kInfinity;
  std::int64_t parameter_ = -1;
  bool was_there_ = false, went_on_ = false;
};

}  // namespace credo::live
