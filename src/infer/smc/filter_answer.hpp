// The answer of a run of a filter: likelihood and states, and arrays that only its method has.
#pragma once
#include "infer/smc/particle_filter.hpp"

namespace credo::infer {

// Values at each time that a method reports beside the state, such as the probabilities of regimes. They become the group `group` of the
// result, with the field `field` of dimensions (time, dimension). An answer about several runs has their mean.
struct TimeArray {
  std::string group, field, dimension, help;
  std::vector<std::vector<double>>
      values;  // at each time, of the same length at all times and in all runs

  static void saved(auto& self, auto&& field_of) {
    field_of(self.group);
    field_of(self.field);
    field_of(self.dimension);
    field_of(self.help);
    field_of(self.values);
  }
};

struct FilterAnswer {
  FilterResult filtered;
  std::vector<TimeArray> arrays = {};
  Index num_checked = 0;  // points at which an exact filter compared the program with its model

  static void saved(auto& self, auto&& field) {
    field(self.filtered);
    field(self.arrays);
    field(self.num_checked);
  }
};

}  // namespace credo::infer
