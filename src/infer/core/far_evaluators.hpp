// Evaluators on other ranks, which answer shares of a batch: values and gradients.
//
// Points that they refuse are evaluated once more by the caller, because the numbers by which a Status
// names its place are those of one process.
#pragma once
#include "base/ranks.hpp"
#include "density/log_density.hpp"

namespace credo::infer {

class FarEvaluators {
 public:
  using Batch = std::span<density::Request* const>;
  FarEvaluators(Ranks& ranks, Index first, Index end) : ranks_(ranks), first_(first), end_(end) {}
  ~FarEvaluators();  // ends the helpers' work
  FarEvaluators(const FarEvaluators&) = delete;
  FarEvaluators& operator=(const FarEvaluators&) = delete;

  Index count() const { return end_ - first_; }
  static bool can_ask(density::Want want, Batch batch);
  // Hands out all but the first part, which is returned and is the caller's own. receive() comes next, even
  // if that part fails.
  Batch send(density::Want want, Batch batch);
  // Puts the answers in their places; returns the points that were refused. Throws Error as a helper did.
  std::vector<density::Request*> receive();

 private:
  struct Sent {
    density::Want want;
    Batch batch;
  };
  Ranks& ranks_;
  Index first_, end_;
  std::vector<Sent> sent_;  // by helper
};

// Loop of a helper: answers its leader until there is no more. Returns the number of points.
Index help_evaluate(Ranks& ranks, Index leader, const density::LogDensity& density,
                    Index num_threads);

}  // namespace credo::infer
