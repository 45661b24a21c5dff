// credo topics on tables of words and on lines of text.
#include <gtest/gtest.h>

#include <set>

#include "results/arrays/array_file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::topics_test {
namespace {

class Topics : public testing::CommandRun {
 protected:
  Topics() : CommandRun("topics") {
    std::string table = "document,word,count\n", lines;
    for (int d = 0; d < 20; ++d) {
      for (const char* word : d % 2 == 0 ? std::array{"river", "water", "fish"}
                                         : std::array{"money", "bank", "loan"}) {
        table += "page" + std::to_string(d) + "," + word + ",3\n";
        lines += std::string(word) + " " + word + " ";
      }
      lines += "\n";
    }
    write("words.csv", table);
    write("lines.txt", lines);
  }
};

TEST_F(Topics, of_a_table_and_of_lines_have_their_words) {
  for (const char* file : {"words.csv", "lines.txt"}) {
    const testing::Json answer =
        json({"topics", "--data", at(file), "--number", "2", "--words", "3", "-o", at("t.nc")});
    EXPECT_EQ(answer.at("num_documents").number, 20.0);
    std::set<std::string> first;
    for (const testing::Json& topic : answer.at("topics").items) {
      const std::string& words = topic.at("words").text;
      const bool is_river = words.find("river") != words.npos;
      for (const char* word : {"river", "water", "fish"})
        EXPECT_EQ(words.find(word) != words.npos, is_river) << file << words;
      first.insert(is_river ? "river" : "money");
    }
    EXPECT_EQ(first.size(), 2u);
    EXPECT_LT(answer.at("perplexity").number, 4.5);
    EXPECT_GT(answer.at("plain_perplexity").number, 5.0);
    EXPECT_EQ(results::read_arrays(at("t.nc"))->find("documents", "topic_share").size(), 40u);
  }
  ASSERT_EQ(run({"topics", "--data", at("words.csv"), "--number", "2", "--hold-out", "0"}), 0);
  EXPECT_EQ(printed().find("perplexity"), std::string::npos);
}

TEST_F(Topics, refuse_tables_without_words) {
  write("wrong.csv", "document,wrd\na,b\nc,d\n");
  write("half.csv", "document,word,count\na,b,1.5\nc,b,2\n");
  write("minus.csv", "document,word,count\na,b,1\nc,b,-2\n");
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"wrong.csv", "did you mean wrd?"},
      {"half.csv", "count has cells that aren't whole numbers"},
      {"minus.csv", "count is -2 in row 2"}};
  for (const auto& [file, message] : wrong) {
    EXPECT_EQ(run({"topics", "--data", at(file)}), 4) << file;
    EXPECT_NE(on_one_line(said()).find(message), std::string::npos) << said();
  }
  write("one.csv", "document,word\na,b\n");
  EXPECT_EQ(run({"topics", "--data", at("one.csv")}), 4);
  EXPECT_EQ(run({"topics"}), 2);
}
}  // namespace
}  // namespace credo::cli::topics_test
