// Which elements of the data stand in a local variable or a transformed parameter that is the outcome of a density: data
// with missing values, which parameters fill, are put together so.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::model {

class Model;

// An element of a variable of the data, by its place in storage.
struct DataPlace {
  int slot = -1;  // -1: it is no element of the data
  std::int32_t place = 0;
};

class Provenance {
 public:
  // Runs the program once with data that carry their places. Of real variables alone.
  Provenance(const Model& model, std::span<const double> position);

  // Of the elements of an outcome, as the call is run the k-th time; empty: nothing is known.
  std::span<const DataPlace> of(const lang::typed::Call& call, std::size_t k) const;

 private:
  std::map<const lang::typed::Call*, std::vector<std::vector<DataPlace>>> places_;
};

}  // namespace credo::model
