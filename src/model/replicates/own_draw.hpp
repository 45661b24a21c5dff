// Draws of outcomes whose density the program defines: by the program's own _rng function of the same name.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::model {

// The function foo_rng with the arguments of foo_lpdf without its outcome, and a result of the outcome's type; null if
// the program defines none.
const lang::typed::Function* find_own_rng(const lang::typed::Program& program,
                                          const lang::typed::Call& density);

// The numbers of the outcome in storage order. The stream is named by the seed and the path to the statement. Throws
// NotDrawn.
std::vector<double> draw_own_outcome(lang::Machine& machine, const lang::SeenDensity& seen,
                                     std::uint64_t seed);

}  // namespace credo::model
