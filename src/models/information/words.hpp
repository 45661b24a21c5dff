// Entropies of the words of a sequence: information of its past about its future.
#pragma once
#include "models/information/entropy_estimator.hpp"

namespace credo::models {

// Entropies S(1), S(2), ... of words of that length, overlapping, and figures that follow from them, in nats.
struct WordEntropies {
  std::vector<EntropyEstimate> entropy;  // S(T), T = 1 ... L
  std::vector<double> per_symbol;        // l(T) = S(T) - S(T - 1), with S(0) = 0
  std::vector<double> predictive;        // I(T) = S(T) + S(L - T) - S(L) for T = 1 ... L - 1
  std::vector<double> learning;  // Lambda(T) = l(T) - l(L), the excess of what a symbol costs
  std::vector<Index> num_words;  // different words that were seen
  double rate() const { return per_symbol.back(); }  // S_0, estimated by l(L)
};

// `codes` from 0, with `num_levels` levels, in the order of time. Words of length T have num_levels^T states, at most 10^15.
// Overlapping words depend on each other, so that the sds are too small where the sequence has a long memory. Throws
// Error(usage) where the length is no smaller than the sequence's.
WordEntropies word_entropies(std::span<const std::int32_t> codes, Index num_levels, Index length,
                             const EntropyEstimator& estimator, const EntropyOptions& options);

// I(x_n; x_{n-1}) of a stationary Markov chain, by its transition matrix (states x states): what its past says about its
// future. Nats.
double markov_predictive_information(std::span<const double> transitions, Index num_states);

}  // namespace credo::models
