// Topics of a corpus by collapsed Gibbs sampling, with their words, shares, coherence and held-out perplexity.
#pragma once
#include "models/topics/corpus.hpp"

namespace credo::models {

struct TopicFitOptions {
  Index num_topics = 10, num_chains = 4, num_warmup = 300, num_draws = 200;
  double document_concentration = 0.0;  // concentration of each topic in a document; 0: 1 / topics
  double word_concentration = 0.1;
  double held_out = 0.1;  // share of the tokens
  std::uint64_t seed = 1;
};

struct Topic {
  double share = 0.0;         // share of the tokens
  double coherence = 0.0;     // see coherence_of, for its ten most probable words [mimno2011]
  std::vector<double> words;  // probabilities
};

struct TopicFit {
  std::vector<Topic> topics = {};   // the most frequent first
  std::vector<double> shares = {};  // shares of topics in documents, D x K
  double perplexity = kNaN,
         plain_perplexity = kNaN;  // for tokens held out; plain: word frequencies alone
  Index num_held_out = 0, best_chain = 0;
  std::vector<double> log_joint = {};  // means of the chains
};

// Averages over the draws of the chain with the largest mean log p(topics, words); the perplexity is that of all chains together.
TopicFit fit_topics(const Corpus& corpus, const TopicFitOptions& options);

// Numbers of the most probable words.
std::vector<Index> top_words(const Topic& topic, Index number);
// Mean over pairs of these words, the more probable one first, of log((D(both) + 1) / D(first)), D counting documents.
double coherence_of(const Corpus& corpus, std::span<const Index> words);

}  // namespace credo::models
