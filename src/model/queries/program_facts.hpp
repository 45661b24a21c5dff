// What the text of a program says of its variables and its densities, as plain data.
#pragma once
#include "density/program_facts.hpp"
#include "model/data/source.hpp"

namespace credo::model {

density::ProgramFacts facts_of(const ProgramSource& program);

}  // namespace credo::model
