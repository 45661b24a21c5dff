// Values of each quantity that the page of a report draws, as bytes: 16 bits a number, in text.
//
// A block a quantity, all of the same size, a multiple of three bytes, so that each is a piece of the text (base64) by itself
// and is decoded when it is first drawn. In it, least significant byte first: eight doubles,
//   the least and the largest draw; low, step and largest value of the marginal; likewise of the prior's;
// then whole numbers of 16 bits, of which 65535 stands for a missing value:
//   kept draws, chain by chain     v = low + q / 65534 (high - low)
//   marginal: all, then each chain v = q / 65534 largest
//   autocorrelations: likewise     v = 2 q / 65534 - 1
//   ranks: counts, chain by chain  v = q `rank_unit`
//   marginal of the prior          v = q / 65534 largest
#pragma once
#include "report/material.hpp"

namespace credo::report {

struct PackedSizes {
  Index num_chains = 0;
  std::vector<std::vector<Index>> kept;  // draws that traces and pairs show, by chain, ascending
  Index num_places = 100, num_lags = 0, num_bins = 0;
  Index rank_unit = 1;

  Index num_kept() const;  // draws of all chains
  Index num_bytes() const;
};

// Sizes for so many quantities. All draws are kept up to `most_values`; beyond it every k-th one and all divergent ones.
PackedSizes packed_sizes(const Material& material, Index num_quantities, Index most_values);

// The block of a quantity, as bytes. `prior`: empty, no prior is known.
std::string packed_block(const Material& material, const diagnose::Chains& chains, Index quantity,
                         const PackedSizes& sizes, bool has_prior);

std::string base64(std::string_view bytes);

}  // namespace credo::report
