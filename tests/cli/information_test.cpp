// credo information and credo bottleneck as a user calls them: figures of the texts, refusals with their way out.
#include <gtest/gtest.h>

#include "support/command_run.hpp"

namespace credo::cli::information_test {
namespace {
class Information : public testing::CommandRun {
 protected:
  Information() : CommandRun("information") {}
  static std::string example(const std::string& name) {
    return std::string(CREDO_SOURCE_DIR) + "/examples/information/" + name;
  }
  bool says(const std::string& text) {
    return (printed() + said()).find(text) != std::string::npos;
  }
};

TEST_F(Information, capacities_of_the_texts_are_printed) {
  ASSERT_EQ(run({"information", "--channel", "z(0.15)", "--bits"}), 0) << said();
  EXPECT_TRUE(says("0.6854")) << said();
  ASSERT_EQ(run({"information", "--channel", "bsc(0.1)", "--bits"}), 0) << said();
  EXPECT_TRUE(says("0.5310")) << said();
  ASSERT_EQ(run({"information", "--channel", example("channel.json")}), 0) << said();
  // Decoded as they come: 1 - (0.5 0.9 + 0.3 0.9 + 0.2 0.8).
  EXPECT_TRUE(says("decoded wrongly with probability 0.12\n")) << printed();
}

TEST_F(Information, a_condition_uncovers_what_is_hidden) {
  ASSERT_EQ(run({"information", "--data", example("penalty.csv"), "--between", "defendant", "--and",
                 "penalty", "--given", "victim"}),
            0)
      << said();
  EXPECT_TRUE(says("I(defendant; penalty | victim)")) << said();
  EXPECT_TRUE(says("by the chain rule")) << said();
}

TEST_F(Information, words_divergences_and_groups_have_their_tables) {
  ASSERT_EQ(run({"information", "--data", example("spins.csv"), "--of", "spin", "--words", "4"}), 0)
      << said();
  EXPECT_TRUE(says("predictive")) << said();
  ASSERT_EQ(run({"information", "--data", example("penalty.csv"), "--of", "penalty", "--against",
                 example("penalty.csv")}),
            0)
      << said();
  EXPECT_TRUE(says("alpha-divergence")) << said();
  ASSERT_EQ(run({"bottleneck", "--data", example("hair.csv"), "--between", "hair", "--and", "eyes",
                 "--clusters", "2", "--beta", "1..20"}),
            0)
      << said();
  EXPECT_TRUE(says("I(T; eyes)")) << said();
}

TEST_F(Information, what_cannot_be_asked_is_refused_with_a_way_out) {
  write("bad.csv", "a,b,c,e\nx,1.5,s,1\n,2.5,s,2\ny,1.5,s,3\nx,3.5,s,5\n");
  write("sum.json", R"({"channel": [[0.9, 0.2], [0.5, 0.5]]})");
  const auto refused = [&](std::vector<std::string> words, const std::string& text) {
    EXPECT_NE(run(words), 0);
    EXPECT_TRUE(says(text)) << said();
  };
  refused({"information", "--channel", at("sum.json")}, "sum 1.1");
  refused({"information", "--channel", "z(2)"}, "no probability");
  refused({"information", "--data", at("bad.csv"), "--of", "a"}, "bad.csv:3");
  refused(
      {"information", "--data", at("bad.csv"), "--missing", "drop", "--between", "a", "--and", "c"},
      "same level in all rows");
  refused({"information", "--data", at("bad.csv"), "--of", "d"}, "there is no column d");
  refused({"information", "--data", at("bad.csv"), "--between", "b", "--and", "e", "--estimator",
           "ksg"},
          "too few");
  refused({"information", "--data", at("bad.csv"), "--of", "b", "--estimator", "ksg"},
          "two columns");
  refused({"information", "--data", at("bad.csv"), "--of", "b", "--channel", "z(0.1)"},
          "one question");
  refused({"bottleneck", "--data", at("bad.csv"), "--between", "b", "--and", "c", "--beta", "0"},
          "positive number");
}

TEST_F(Information, numbers_are_not_counted_as_levels) {
  const std::string faithful = CREDO_SOURCE_DIR "/examples/cluster/faithful.csv";
  EXPECT_NE(run({"information", "--data", faithful, "--between", "eruptions", "--and", "waiting"}),
            0);
  EXPECT_TRUE(says("ties")) << said();
  EXPECT_NE(run({"information", "--data", faithful, "--between", "eruptions", "--and", "waiting",
                 "--estimator", "plugin"}),
            0);
  EXPECT_TRUE(says("eruptions has 126 levels")) << said();
}

TEST_F(Information, missing_rows_that_are_left_out_are_named) {
  write("gaps.csv", "a\nx\n\"\"\ny\nx\ny\n");
  ASSERT_EQ(run({"information", "--data", at("gaps.csv"), "--missing", "drop", "--of", "a"}), 0)
      << said();
  EXPECT_TRUE(says("4 rows")) << said();
  EXPECT_TRUE(says("left out")) << said();
}
}  // namespace
}  // namespace credo::cli::information_test
