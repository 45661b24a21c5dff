// Programs that leave the states of a state-space model out of their model block.
#pragma once
#include "density/query.hpp"
#include "model/data/source.hpp"

namespace credo::model {

// Same as density::LogDensity::has_likelihood().
density::Capability has_likelihood(const ProgramSource& source, const density::Query& query);

}  // namespace credo::model
