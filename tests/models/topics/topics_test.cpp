#include "models/topics/topics.hpp"

#include <gtest/gtest.h>

#include "support/finite_checks.hpp"

namespace credo::models::topics_topics_test {
namespace {
using namespace credo::infer;
using namespace credo::testing;
using Labels = std::vector<Index>;

TEST(collapsed_topics, leave_the_posterior_of_all_assignments) {
  const std::vector<Token> tokens{{0, 0}, {0, 1}, {0, 0}, {1, 2}, {1, 1}};
  const TopicOptions right{
      .num_topics = 2, .num_words = 3, .document_concentration = 0.4, .word_concentration = 0.3};
  TopicOptions wrong = right;
  wrong.num_words = 4;  // a denominator with one word too many
  CollapsedTopics topics(tokens, right), mutant(tokens, wrong);
  const auto states = states_of({{2, 2, 2, 2, 2}});
  std::vector<double> logs;
  for (const Labels& labels : states) logs.push_back(topics.log_joint(labels));
  const auto distribution = finite::distribution_from_log_weights(logs);
  const auto matrix = [&](CollapsedTopics& kernel) {
    return finite::transition_matrix([&](Labels& z, Chooser& chooser) { kernel.sweep(z, chooser); },
                                     states);
  };
  EXPECT_TRUE(converges(matrix(topics), distribution));
  EXPECT_FALSE(leaves_invariant(matrix(mutant), distribution));
  const auto single = finite::transition_matrix(
      [&](Labels& z, Chooser& chooser) {
        topics.update_token(z, chooser.uniform_index(5), chooser);
      },
      states);
  EXPECT_TRUE(in_detailed_balance(single, distribution));
}

}  // namespace
}  // namespace credo::models::topics_topics_test
