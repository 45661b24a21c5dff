// Figures of `credo chain` for a start: the limit from there, and how soon it meets another chain.
#pragma once
#include "infer/finite/analysis.hpp"
#include "results/arrays/answer_json.hpp"

namespace credo::cli {

// The distribution in the limit from a state.
struct ChainLimit {
  Index start = 0;
  std::optional<std::vector<double>> distribution;  // nullopt: a class where it may end is periodic
  std::vector<double> ends;  // probabilities of the closed classes, in their order
};
ChainLimit limit_from(const infer::finite::FiniteChain& chain,
                      const infer::finite::Structure& structure, Index start);

// Two chains that move independently until they meet, from a state and from another one or
// stationary; by the number of steps, from 0.
struct ChainCoupling {
  Index start = 0;
  std::optional<Index> partner;  // nullopt: stationary
  std::vector<double> not_met;   // P(H > t), which bounds
  std::vector<double> distance;  // the total variation of their distributions
};
// Throws Error(usage) where the partner is stationary and there are several stationary distributions.
ChainCoupling couple(const infer::finite::FiniteChain& chain,
                     std::span<const std::vector<double>> stationary_distributions, Index start,
                     std::optional<Index> partner, Index num_steps);

std::string limit_text(const infer::finite::FiniteChain& chain,
                       const infer::finite::Structure& structure, const ChainLimit& limit);
std::string coupling_text(const infer::finite::FiniteChain& chain, const ChainCoupling& coupling);
// A member each, "limit" and "coupling".
void add_limit(results::ArrayList& answer, const infer::finite::FiniteChain& chain,
               const ChainLimit& limit);
void add_coupling(results::ArrayList& answer, const infer::finite::FiniteChain& chain,
                  const ChainCoupling& coupling);

}  // namespace credo::cli
