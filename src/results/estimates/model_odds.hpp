// Models compared by the probability of their data: posterior odds = Bayes factor × prior odds.
#pragma once
#include "results/files/data_digest.hpp"

namespace credo::results {

struct ModelOdds {
  std::string name;  // the file
  double log_evidence = kNaN, error = kNaN;
  bool is_of_bound = false;  // the log evidence is a lower bound's
  double num_equivalent_modes =
      1.0;  // modes, if a bound counts only one of them; their logarithm is in the log evidence
  double prior = 1.0;  // probability of the model; relative to the others' before odds_of
  double probability = kNaN, probability_error = kNaN;
  std::vector<DataDigest> data = {};  // empty: not known
};

// Throws Error(data) with the names of two models whose data differ.
void require_same_data(std::span<const ModelOdds> models);

// Sorted, the most probable first, with p_k ∝ prior_k Z_k, and errors to first order in those of log Z, which are
// taken to be independent: p_k √Σ_j (δ_kj - p_j)² e_j². Throws Error(data) for an evidence or an error that isn't finite.
std::vector<ModelOdds> odds_of(std::vector<ModelOdds> models);

// A sentence on the two most probable models: the Bayes factor with its error, and its strength by Kass and Raftery
// [kass1995].
std::string sentence_of(std::span<const ModelOdds> models);
std::string_view words_of_bayes_factor(double log_bayes_factor);  // >= 0

// From a file of `credo evidence`, or a result whose sampler estimates an evidence. Throws Error(data) without an
// evidence, or if methods disagree about it.
ModelOdds read_evidence(const std::string& path);

// The lower bound that the method elbo gives for one mode, plus the log of the number of equal modes: K! for K components
// whose names may be exchanged [murphy2023, sec. 10.2.6]. Throws Error(data) for a file without such a bound.
ModelOdds read_bound(const std::string& path, double num_equivalent_modes);

}  // namespace credo::results
