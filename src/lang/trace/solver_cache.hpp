// Routines that the interpreter has made, so that the same call with other numbers runs the same
// programs again.
#pragma once
#include <mutex>

#include "graph/solve/routine.hpp"
#include "lang/trace/machine.hpp"

namespace credo::lang {

// A routine and the possible refusals of the functions that it calls (graph/solve/ode.hpp).
struct Solver {
  std::shared_ptr<const graph::Routine> routine;
  std::vector<Failure> refusals;
};

// Shared by all machines of a model. The key holds all values that aren't arguments of the routine.
class SolverCache {
 public:
  using Make = std::function<Solver()>;
  std::shared_ptr<const Solver> get(const void* call, const std::vector<double>& key,
                                    const Make& make) {
    const std::lock_guard lock(mutex_);
    auto& known = solvers_[{call, key}];
    if (known == nullptr) known = std::make_shared<const Solver>(make());
    return known;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<const void*, std::vector<double>>, std::shared_ptr<const Solver>> solvers_;
};

}  // namespace credo::lang
