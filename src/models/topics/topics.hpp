// Collapsed Gibbs sampling of latent Dirichlet allocation [griffiths2004]: the topics' words and
// the documents' topics are summed out, the topic of every token is left.
#pragma once
#include "base/error.hpp"
#include "infer/compose/chooser.hpp"

namespace credo::models {

struct Token {
  Index document, word;  // both from 0
};

struct TopicOptions {
  Index num_topics = 2, num_words = 2;
  double document_concentration = 0.1;  // concentration of each topic in a document
  double word_concentration = 0.01;     // concentration of each word in a topic
};

class CollapsedTopics {
 public:
  // Throws Error(data) for words outside the vocabulary, negative documents and concentrations that
  // aren't positive.
  CollapsedTopics(std::vector<Token> tokens, const TopicOptions& options);

  // Every token in order from its full conditional, with weight
  // (tokens of the topic in the document + a) (of the word in the topic + b) / (in the topic + W
  // b), the token itself left out. O(tokens x topics).
  void sweep(std::span<Index> topics, infer::Chooser& chooser);
  void update_token(std::span<Index> topics, Index token, infer::Chooser& chooser);
  // log p(topics, words).
  double log_joint(std::span<const Index> topics) const;
  Index num_tokens() const { return ssize(tokens_); }

 private:
  void load(std::span<const Index> topics);
  void add(const Token& token, Index topic, Index sign);
  void redraw(std::span<Index> topics, Index token, infer::Chooser& chooser);

  std::vector<Token> tokens_;
  TopicOptions options_;
  Index num_documents_ = 0;
  std::vector<Index> in_document_, of_word_, in_topic_;  // D x K, W x K, K
  std::vector<double> weights_;
};

}  // namespace credo::models
