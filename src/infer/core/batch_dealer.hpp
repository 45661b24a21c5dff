// Batches of a population, answered by several evaluators at once; and its parts, each run with an evaluator of its own.
//
// Slices of eight points, as many as an evaluator takes at a time at most, go to the next free thread;
// results don't depend on the choice of thread. Batches that cost less than handing them out
// are left to one evaluator. If other ranks help (infer/core/far_evaluators.hpp), a batch that is worth
// sending is dealt over ranks first, in parts of equal length, and each part over the threads of its rank.
#pragma once
#include "base/memory.hpp"
#include "base/stop.hpp"
#include "base/team.hpp"
#include "density/log_density.hpp"

namespace credo::infer {
class FarEvaluators;

class BatchDealer {
 public:
  // `far`: none, or the ranks that help, for as long as this dealer lives.
  BatchDealer(const density::LogDensity& density, Index num_threads, FarEvaluators* far = nullptr);

  // Throws what an evaluation threw.
  void evaluate(density::Want want, std::span<density::Request* const> batch);

  // Calls work(context, k, evaluator) for each k below `count`, on the next free thread. Throws the error of one call;
  // then others may not have begun.
  using Work = void (*)(void* context, Index k, density::Evaluator& evaluator);
  void share_out(Index count, Work work, void* context);
  // True if programs do better side by side, with their requests in one batch: if ranks help, which take batches
  // only, or if there are fewer programs than threads.
  bool wants_batches(Index num_programs) const {
    return far_ != nullptr || num_programs < num_threads_;
  }

 private:
  using Batch = std::span<density::Request* const>;
  struct Piece;
  void evaluate_alone(density::Want want, Batch batch);
  void evaluate_here(density::Want want, Batch batch);
  void deal(density::Want want, Batch batch);
  void deal_over_ranks(density::Want want, Batch batch);
  bool costs_more(density::Want want, Batch batch, double seconds) const;

  const density::LogDensity& density_;
  Index num_threads_;
  FarEvaluators* far_;
  std::unique_ptr<density::Evaluator> alone_;
  std::vector<std::unique_ptr<density::Evaluator>> members_;  // once something has been dealt
  std::unique_ptr<Team> team_;
  struct Cost {
    Index num_seen = 0;                  // batches; the first ones also trace the program
    double seconds_a_point = kInfinity;  // the least
  };
  std::array<Cost, density::kNumWants> costs_;
};

}  // namespace credo::infer
