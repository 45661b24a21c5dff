// Finds which elements of the data a local variable or transformed parameter contains that is the outcome of a
// density. Programs build such outcomes from data and from parameters that stand for missing values.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::model {

struct ProgramParts;

// An element of a data variable, by its place in storage.
struct DataPlace {
  int slot = -1;  // -1: not an element of the data
  std::int32_t place = 0;
};

class Provenance {
 public:
  // Runs the program once with real data replaced by numbers that encode their places.
  Provenance(const ProgramParts& parts, std::span<const double> position);

  // For the k-th run of the call, the data element of each element of its outcome; empty: unknown.
  std::span<const DataPlace> of(const lang::typed::Call& call, std::size_t k) const;

 private:
  std::map<const lang::typed::Call*, std::vector<std::vector<DataPlace>>> places_;
};

}  // namespace credo::model
