// The smoothers of state-space models. A new one is a file in filters/ with a class and its row, and the name of the row in smoother_table.cpp.
#pragma once
#include "filters/method_row.hpp"
#include "infer/smc/smoother.hpp"

namespace credo::filters {

struct SmoothedStates : infer::SmootherResult {
  Index num_checked = 0;  // points at which an exact smoother compared the program with its model
};

class Smoother {
 public:
  virtual ~Smoother() = default;
  virtual density::Capability can_follow(const model::StateModel& states) const = 0;
  virtual bool is_exact() const { return true; }            // one run, which has no error
  virtual void set(infer::FilterOptions& /*run*/) const {}  // sets the options of a run that the method decides
  // Throws what infer::run_smoother throws.
  virtual SmoothedStates run(const model::StateModel& states, const infer::FilterOptions& options,
                             Index num_paths, Index repeat) const = 0;
};
using SmootherMethod = MethodRow<Smoother>;
MethodTable<Smoother> smoother_methods();  // in alphabetical order

}  // namespace credo::filters
