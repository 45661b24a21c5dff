// Riffle shuffles [bayer1992]: cut the deck binomially, then drop cards from either packet with
// probability proportional to its size. Seven are about enough for 52 cards.
#pragma once
#include "infer/compose/chooser.hpp"

namespace credo::infer::finite {

// One shuffle. Each interleaving has probability 2^-n: a coin for each card says its packet.
void riffle(std::vector<Index>& deck, Chooser& chooser);

// Total variation between the deck after num_shuffles shuffles of a sorted deck and a uniform one,
// exactly, for 1 to 1000 cards.
double riffle_distance(Index num_cards, Index num_shuffles);

}  // namespace credo::infer::finite
