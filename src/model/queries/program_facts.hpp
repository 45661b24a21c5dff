// Facts in the text of a program about its variables and densities, as plain data.
#pragma once
#include "density/program_facts.hpp"
#include "lang/typed/typed.hpp"
#include "model/data/source.hpp"

namespace credo::model {

density::Block block_of(lang::typed::BlockKind block);
density::ProgramFacts facts_of(const ProgramSource& program);

}  // namespace credo::model
