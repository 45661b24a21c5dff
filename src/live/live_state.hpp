// Progress of a run, as JSON for its page: read from its run file, which the run continues
// to write. The run itself can't be changed from here.
#pragma once
#include "results/files/fit.hpp"

namespace credo::live {

class LiveState {
 public:
  // `writer`: number of the process that writes the run file, 0 without one.
  LiveState(std::string run_file, std::function<int()> writer)
      : run_file_(std::move(run_file)), writer_(std::move(writer)) {}

  // {"state": "waiting" | "running" | "stopped" | "ended", "model", "sampler", "num_warmup", "num_draws",
  //  "asked_draws": more draws that were requested, or null, "seconds_left", "chains": [{"iteration", "draws", "divergent", "step_size"}],
  //  "num_parameters", "parameters": [{"index", "name", "mean", "sd", "mean_text", "sd_text": as many digits as their
  //  errors support, "r_hat", "ess_bulk", "ess_tail"}], "history": [{"seconds", "r_hat", "ess"}],
  //  "trace": {"index", "name", "warmup", "values": [[…]], "divergent": [[…]]}}
  // Parameters: those that are sampled, as many as can be read quickly. `parameter`: by index, whose
  // trace is included; -1: the one that mixes worst. Read anew at most once a second.
  std::string json(std::int64_t parameter);
  // Requests so many draws of each chain, in all. Returns the reason why that isn't possible; otherwise empty.
  std::string extend(std::int64_t num_draws) const;
  // True if the run was active and isn't any more: it has all of its draws, or was stopped.
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
