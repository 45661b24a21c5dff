// The data that a model was made with.
#pragma once
#include "density/data_variable.hpp"
#include "density/layout.hpp"

namespace credo::density {

// A variable of the data with its values, in the order of outputs.
struct ObservedVariable {
  Variable variable;
  std::vector<double> values;
};

class DataValues {
 public:
  virtual ~DataValues() = default;
  virtual std::vector<DataVariable> variables() const = 0;  // named as in results
  // The variables that are outcomes of densities, with their values; those of all variables. Tuples are left out.
  virtual std::vector<ObservedVariable> observed() const = 0;
  virtual std::vector<ObservedVariable> all() const = 0;
  // Variables that densities are stated of and that are computed from observed ones, as log_y = log(y): their densities
  // are of another scale. Selections, other orders and shifts have the data's own scale, and are left out.
  virtual std::vector<ObservedVariable> rescaled() const { return {}; }
};

}  // namespace credo::density
