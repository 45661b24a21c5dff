// A kernel together with its adaptation. Compositions are made of these.
//
// All parts of a composition move one point. A part may see some of its coordinates only; it then
// moves these, the others as they are. A part that needs a gradient asks for it where another part
// has moved the point since.
#pragma once
#include "base/archive.hpp"
#include "infer/core/point.hpp"
#include "infer/core/sample.hpp"
#include "infer/core/step.hpp"

namespace credo::infer {

// Report of a part on a transition.
struct PartInfo {
  double accept_sum = 0.0;  // sum over kernels below it with an acceptance statistic
  Index num_decisions = 0;  // how many there were
  Index num_evaluations = 0;
  Index num_divergent = 0;

  void add(const PartInfo& other);
  // Mean over the decisions; NaN without one.
  double acceptance() const {
    return num_decisions > 0 ? accept_sum / static_cast<double>(num_decisions) : kNaN;
  }
};

class TransitionKernel : public PooledKernel {
 public:
  virtual ~TransitionKernel() = default;
  virtual Step<PartInfo> step(PointState& state, Rng& rng) = 0;

  // Warm-up, of the kernels that made the last transition. search() comes first and whenever
  // learn() says true.
  virtual Step<Nothing> search(PointState& state, Rng& rng) = 0;
  virtual bool learn() = 0;
  virtual void finish() = 0;
  // The density has changed: known gradients are out of date.
  virtual void forget() = 0;
  virtual void report_tuned(ChainResult& result) const = 0;
  // Its state between two transitions (base/archive.hpp).
  virtual void save(ArchiveWriter& to) const = 0;
  virtual void load(ArchiveReader& from) = 0;
};

// Setting of a part within a composition.
struct PartSetup {
  const SampleOptions& run;
  Index dimension;                          // dimension of the whole point
  std::span<const Index> coordinates = {};  // that it moves; none: all
  double share = 1.0;                       // of transitions in which it moves, to plan warm-up
  bool has_gradient = true;                 // the log density
};

// Makes a part; called once for each chain.
using KernelMaker = std::function<std::unique_ptr<TransitionKernel>(const PartSetup&)>;

}  // namespace credo::infer
