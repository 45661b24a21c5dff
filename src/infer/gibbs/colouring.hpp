// Sites in colours such that neighbours differ: those of one colour can be drawn in any order, or
// at the same time [gonzalez2011].
#pragma once
#include "base/types.hpp"

namespace credo::infer::gibbs {

using Adjacency = std::vector<std::vector<Index>>;      // the neighbours of each site, both ways
using ColourClasses = std::vector<std::vector<Index>>;  // the sites of each colour, ascending

// Each site in turn takes the first colour that no neighbour has: at most one more than the largest
// number of neighbours. The fewest possible would be an NP-complete problem; on an open grid these
// are two, the checkerboard.
ColourClasses greedy_colouring(const Adjacency& neighbours);

}  // namespace credo::infer::gibbs
