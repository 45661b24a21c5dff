// Progress of a run. The class keeps the state of each chain and passes it to a view
// (cli/term/progress_views.hpp), which decides when and how it is shown.
//
//   Progress progress(live_view(write, screen), clock);
//   progress.begin({.num_chains = 4, .num_warmup = 1000, .num_draws = 1000});
//   progress.update(…);        // infer::SampleOptions::on_progress
//   progress.note("text\n");   // what the program prints meanwhile
//   progress.end(0);           // with the exit status
#pragma once
#include <mutex>

#include "cli/term/ticker.hpp"
#include "infer/core/sample.hpp"

namespace credo::cli {

// Plan of a run.
struct RunPlan {
  std::string model = {}, sampler = {}, output = {}, run_file = {};
  Index num_chains = 1, num_warmup = 0, num_draws = 0;
  std::uint64_t seed = 1;
  std::vector<Index> done = {};  // transitions by chain, of a run that is resumed; empty: 0
};

// Seconds per transition: over a phase so far, or over its last seconds if transitions change their
// length, as they do in warm-up.
class Pace {
 public:
  void begin(double now, Index done);
  void note(double now, Index done, bool only_last_seconds);
  double seconds_per_transition() const;  // NaN: not known yet

 private:
  struct Mark {
    double time = 0.0;
    Index done = 0;
  };
  std::vector<Mark> marks_;  // the first is what the pace is measured from
  Mark last_;
  double earlier_ = kNaN;  // pace of the previous phase, until this one has its own
};

enum class Phase { waiting, warmup, sampling, done };
std::string_view to_string(Phase phase);

struct ChainProgress {
  Phase phase = Phase::waiting;
  Index done = 0, num_divergent = 0;
  double step_size = kNaN, seconds_left = kNaN;
  double updated = 0.0;  // time of the clock
  Pace pace;
};

struct RunState {
  RunPlan plan;
  std::vector<ChainProgress> chains;
  std::optional<infer::FitProgress> fit = {};  // before the chains begin
  double seconds = 0.0;                        // since the run began

  bool is_fitting() const { return fit && num_in(Phase::waiting) == ssize(chains); }

  Index num_transitions() const { return plan.num_warmup + plan.num_draws; }
  Index num_in(Phase phase) const;
  Index num_done() const;       // transitions of all chains
  Index num_divergent() const;  // of all chains
  double seconds_left() const;  // of the slowest chain; NaN: not known yet
};

class ProgressView {
 public:
  virtual ~ProgressView() = default;
  virtual void begin(const RunState&) {}
  virtual void update(const RunState& state) = 0;
  virtual void phase(const RunState&, Index) {}  // a chain has entered its next phase
  virtual void note(std::string_view text) = 0;
  virtual void warn(std::string_view) {}
  virtual void stop(const RunState&, std::string_view) {}  // why
  virtual void rest() {}  // removes the drawn lines; the run is over, or has failed
  virtual void end(const RunState&, int) {}  // the exit status
};

class Progress {
 public:
  // Without a view, calls have no effect. With a `period`, in seconds, the view is updated again and
  // again, also while a transition takes long.
  Progress(std::unique_ptr<ProgressView> view, std::function<double()> clock, double period = 0.0)
      : view_(std::move(view)), clock_(std::move(clock)), period_(period) {}
  ~Progress() { rest(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Any thread may call any of these.
  void begin(const RunPlan& plan);
  void update(const infer::Progress& progress);
  void update(const infer::FitProgress& progress);
  void note(std::string_view text);
  void warn(std::string_view text);
  void stop(std::string_view reason);
  void rest();
  void end(int status);

 private:
  Phase phase_after(Index done) const;
  void take(const infer::Progress& progress, ProgressView& view);
  void estimate(double now);
  void with_view(const std::function<void(ProgressView&)>& what);

  std::unique_ptr<ProgressView> view_;
  std::function<double()> clock_;
  std::mutex busy_;
  RunState state_;
  double start_ = 0.0, period_ = 0.0;
  std::optional<Ticker> ticker_;
};

}  // namespace credo::cli
