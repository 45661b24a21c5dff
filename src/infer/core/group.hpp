// Groups of chains: each group is a thread with an Evaluator of its own. It resumes its chains
// until each waits for an evaluation or is done, answers all that wait with one batch, and repeats.
// Chains need not be in step; no locks or handovers are needed. Threads beyond the number of chains
// are lent to the evaluators, or share the points or the parts of a population (infer/core/batch_dealer.hpp).
#pragma once
#include <atomic>

#include "infer/core/sample.hpp"
#include "infer/core/step.hpp"

namespace credo::infer {
class FarEvaluators;

// Refused evaluations of one chain by reason; the vector never grows beyond its reserve.
class RefusalCounts {
 public:
  RefusalCounts() { entries_.reserve(kMaxReasons); }
  void add(const density::Status& status, const density::LogDensity& density);
  void add(const RefusalCounts& others);
  std::span<const Refusal> entries() const { return entries_; }
  static void saved(auto& self, auto&& field) { field(self.entries_); }

 private:
  static constexpr std::size_t kMaxReasons = 32;  // the last one takes the rest
  void append(const Refusal& refusal);
  std::vector<Refusal> entries_;
};

// A chain as a group sees it.
struct ChainProgram {
  Step<Nothing> program;
  Index num_evaluations = 0;
  RefusalCounts refusals;

  static void saved(auto& self, auto&& field) {
    field(self.num_evaluations);
    field(self.refusals);
  }
};

struct GroupOptions {
  Index num_threads = 0;                    // 0: as many as the machine has
  const std::atomic<bool>* stop = nullptr;  // none: the caller's (base/stop.hpp)
  FarEvaluators* far = nullptr;             // ranks that help a group; with a single program only
};

// Runs all programs to their ends; true, or false if stopped before. Throws what a program or the
// evaluator threw, and Error(evaluation) for a fatal status; the other chains end then, too.
bool run_groups(const density::LogDensity& density, std::span<ChainProgram> chains,
                const GroupOptions& options);

}  // namespace credo::infer
