// The data of a program, and which of them are observed.
#pragma once
#include "base/types.hpp"

namespace credo::lang::typed {
struct Program;
}

namespace credo::model {

struct DataVariable {
  std::string name;
  bool whole = false;     // declared as whole numbers
  bool observed = false;  // what a density of the model block is of
  static void saved(auto& self, auto&& field) {
    field(self.name);
    field(self.whole);
    field(self.observed);
  }
};

// In the order of their declarations. A variable is observed if it stands left of `~`, or first in
// a density: alone, a part of it, or in an expression of data
// only; or if a variable of transformed data that stands there is computed from it. Sizes, indices
// and, on the way through transformed data, scalars of whole numbers don't count.
std::vector<DataVariable> data_variables(const lang::typed::Program& program);

}  // namespace credo::model
