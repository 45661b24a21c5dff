// Fits of topics against closed forms of one topic, and on documents of two vocabularies.
#include "models/topics/topic_fit.hpp"

#include <gtest/gtest.h>

#include <set>

namespace credo::models::topic_fit_test {
namespace {
TEST(corpus, of_texts_has_words_in_small_letters_that_two_documents_have) {
  const std::vector<std::string> texts{"The cat, the CAT!", "a Cat and the dog", "dogs: 3 dogs"};
  const Corpus corpus = corpus_of_texts(texts, {});
  EXPECT_EQ(corpus.words, (std::vector<std::string>{"cat", "the"}));
  EXPECT_EQ(corpus.documents, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(corpus.tokens.size(), 6u);
  EXPECT_EQ(corpus_of_texts(texts, {.shortest = 1, .least_documents = 1}).words,
            (std::vector<std::string>{"a", "and", "cat", "dog", "dogs", "the"}));
}

// One topic: (n_w + b) / (N + W b), so that shares, words and the perplexity are known.
TEST(topic_fit, of_one_topic_is_the_frequency_of_words) {
  std::vector<CountedWord> rows;
  for (int d = 0; d < 30; ++d)
    for (int w = 0; w < 4; ++w)
      rows.push_back({"d" + std::to_string(d), "w" + std::to_string(w), 1 + (d * (w + 1)) % 4});
  const Corpus corpus = corpus_of_counts(rows, {});
  const TopicFit fit =
      fit_topics(corpus, {.num_topics = 1, .num_warmup = 1, .num_draws = 2, .held_out = 0.3});
  EXPECT_GT(fit.num_held_out, 20);
  EXPECT_NEAR(fit.perplexity, fit.plain_perplexity, 1e-10);
  EXPECT_NEAR(fit.topics[0].share, 1.0, 1e-12);
  const TopicFit all =
      fit_topics(corpus, {.num_topics = 1, .num_warmup = 1, .num_draws = 2, .held_out = 0.0});
  EXPECT_EQ(all.num_held_out, 0);
  for (std::size_t w = 0; w < 4; ++w) {
    double count = 0.1;
    for (const Token& token : corpus.tokens) count += token.word == static_cast<Index>(w);
    EXPECT_NEAR(all.topics[0].words[w], count / (static_cast<double>(corpus.tokens.size()) + 0.4),
                1e-12);
  }
}

TEST(topic_fit, of_two_vocabularies_separates_them_and_predicts_better_than_frequencies) {
  std::vector<CountedWord> rows;
  for (int d = 0; d < 40; ++d)
    for (int w = 0; w < 6; ++w)
      rows.push_back(
          {"d" + std::to_string(d), (d % 2 == 0 ? "a" : "b") + std::to_string(w), 2 + (d + w) % 3});
  const Corpus corpus = corpus_of_counts(rows, {});
  const TopicFit fit = fit_topics(corpus, {.num_topics = 2, .num_warmup = 100, .num_draws = 50});
  for (const Topic& topic : fit.topics) {
    std::set<char> vocabulary;
    for (const Index w : top_words(topic, 6))
      vocabulary.insert(corpus.words[static_cast<std::size_t>(w)][0]);
    EXPECT_EQ(vocabulary.size(), 1u);
    // Any two words of a vocabulary are in the same 20 documents.
    EXPECT_NEAR(coherence_of(corpus, top_words(topic, 6)), std::log(21.0 / 20.0), 1e-12);
  }
  // Twelve words overall, six in each document.
  EXPECT_NEAR(fit.plain_perplexity, 12.0, 0.5);
  EXPECT_NEAR(fit.perplexity, 6.0, 0.6);
  for (std::size_t d = 0; d < 40; ++d) {
    EXPECT_NEAR(fit.shares[2 * d] + fit.shares[2 * d + 1], 1.0, 1e-12);
    EXPECT_GT(std::max(fit.shares[2 * d], fit.shares[2 * d + 1]), 0.9);
  }
}

TEST(topic_fit, is_the_same_for_the_same_seed) {
  std::vector<CountedWord> rows;
  for (int d = 0; d < 10; ++d)
    for (int w = 0; w < 5; ++w)
      rows.push_back({"d" + std::to_string(d), "w" + std::to_string(w), 1 + (d * w) % 3});
  const Corpus corpus = corpus_of_counts(rows, {});
  const TopicFitOptions options{.num_topics = 3, .num_warmup = 5, .num_draws = 5, .seed = 4};
  EXPECT_EQ(fit_topics(corpus, options).shares, fit_topics(corpus, options).shares);
}
}  // namespace
}  // namespace credo::models::topic_fit_test
