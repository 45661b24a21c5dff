// A fit that precedes the draws of a run, in stages: climbs and other long work, one after another, in an order that the same options and
// seed repeat. Stages that have ended keep their end, the one in progress its state, so that a fit that was stopped or killed is resumed
// with the same bits.
//
//   FitStage stage;
//   stage.resume(state);                        // the kept state, if there is one
//   while (!stage.has_ended() && …) {
//     …                                         // an iteration
//     stage.look(state);                        // keeps the state if that is due
//   }
//   stage.end(state);
//
// Stages are those of the thread that began the run. A stage within a stage keeps nothing, nor do stages of a run whose fit nobody keeps.
#pragma once
#include "base/archive.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

// Keeps the state of a run's fit: a run file, or a piece of other work.
class FitKeeper {
 public:
  virtual ~FitKeeper() = default;
  virtual std::string kept_fit() = 0;  // the state from which the fit is resumed; empty: none
  virtual void begin_fit() {}          // before the first stage
  virtual bool is_fit_due() = 0;       // asked after each iteration
  virtual void keep_fit(const std::string& state) = 0;
};

class FitStages;

// This thread's run keeps its fit there until the fit or the scope ends; null: nowhere.
class FitScope {
 public:
  explicit FitScope(FitKeeper* keeper);
  ~FitScope();
  FitScope(const FitScope&) = delete;
  FitScope& operator=(const FitScope&) = delete;

 private:
  std::unique_ptr<FitStages> own_;
  FitStages* before_;
};

void end_fit();  // ends the fit of this thread's run, if it is kept

class FitStage {
 public:
  explicit FitStage(bool is_kept = true);  // throws Error(io) where the kept state is damaged
  ~FitStage();
  FitStage(const FitStage&) = delete;
  FitStage& operator=(const FitStage&) = delete;

  bool has_ended() const { return has_ended_; }  // it was resumed at its end
  // False without a kept state: `state` stays as it is.
  template <class State>
  bool resume(State& state) {
    const std::string* const kept = find_kept();
    if (kept == nullptr) return false;
    ArchiveReader(*kept, "the state of a fit")(state).finish();
    return true;
  }
  template <class State>
  void look(const State& state) {
    if (is_due()) keep(archived(state));
  }
  template <class State>
  void end(const State& state) {
    if (stages_ != nullptr && !has_ended_) keep_end(archived(state));
  }

 private:
  const std::string* find_kept();
  bool is_due() const;
  void keep(std::string state);
  void keep_end(std::string state);

  FitStages* stages_;  // null: no state is kept
  Index number_ = 0;
  bool has_ended_ = false;
};

}  // namespace credo::infer
