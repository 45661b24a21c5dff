// One variable of a model's data, as results describe it.
#pragma once
#include "base/std.hpp"

namespace credo::density {

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

}  // namespace credo::density
