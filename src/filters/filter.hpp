// The filters of state-space models. A new one is a file in filters/ with a class and its row, and the name of the row in filter_table.cpp.
#pragma once
#include "filters/method_row.hpp"
#include "infer/smc/filter_answer.hpp"

namespace credo::filters {

// All runs of a command share it.
class Filter {
 public:
  virtual ~Filter() = default;
  virtual density::Capability can_follow(const model::StateModel& states) const = 0;
  virtual density::Capability can_forecast_outcomes(const model::StateModel& states) const {
    return states.can_draw_outcomes();
  }
  virtual bool is_exact() const { return false; }    // one run, which has no error
  virtual bool has_weights() const { return true; }  // of its particles
  // Sets the options of a run that the method decides.
  virtual void set(infer::FilterOptions& /*run*/) const {}
  // Called once, before the first run and at its parameters.
  virtual void learn(const model::StateModel&, const infer::FilterOptions&) {}
  // Called once before several runs, so that the compiled functions don't depend on their order. `same_parameters`: all runs are at
  // the parameters of `states`.
  virtual void settle(model::StateModel& states, const infer::FilterOptions& options,
                      bool /*same_parameters*/) {
    (void)run(states, options, 0);
  }
  // Runs at the parameters of `states`, on any thread. Throws what infer::run_filter throws.
  virtual infer::FilterAnswer run(model::StateModel& states, const infer::FilterOptions& options,
                                  Index repeat) const = 0;
};
using FilterMethod = MethodRow<Filter>;
MethodTable<Filter> filter_methods();  // in alphabetical order

}  // namespace credo::filters
