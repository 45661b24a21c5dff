// The parts of a model that don't depend on its query: models of all queries share them.
#pragma once
#include "model/output_layout.hpp"
#include "model/parameters.hpp"

namespace credo::model {

struct ProgramParts {
  ProgramData data;
  Parameters parameters;
  OutputLayout outputs;
};

}  // namespace credo::model
