// Batches of a population, answered by several evaluators at once.
//
// Slices of eight points, as many as an evaluator takes at a time at most, go to whichever thread is free;
// what is computed doesn't depend on which one that is. Batches that cost less than handing them out
// are left to one evaluator.
#pragma once
#include "base/memory.hpp"
#include "base/stop.hpp"
#include "base/team.hpp"
#include "density/log_density.hpp"

namespace credo::infer {

class BatchDealer {
 public:
  BatchDealer(const density::LogDensity& density, Index num_threads);

  // Throws what an evaluation threw.
  void evaluate(density::Want want, std::span<density::Request* const> batch);

 private:
  using Batch = std::span<density::Request* const>;
  struct Piece;
  void evaluate_alone(density::Want want, Batch batch);
  void deal(density::Want want, Batch batch);
  bool is_worth_dealing(density::Want want, Batch batch) const;

  const density::LogDensity& density_;
  Index num_threads_;
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
