// credo label from tables to predictions, scores and programs.
#include <gtest/gtest.h>

#include "results/arrays/array_file.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::label_test {
namespace {
const std::string kNames = CREDO_SOURCE_DIR "/examples/labels/names.csv",
                  kMore = CREDO_SOURCE_DIR "/examples/labels/more_names.csv";
const std::string kFormula =
    "label ~ word + suffix(word, 3) + shape(word) + prev(word) + next(word)";

class Label : public testing::CommandRun {
 protected:
  Label() : CommandRun("label") {
    write("small.csv",
          "s,word,x,tag\n1,the,1,D\n1,dog,2,N\n1,barks,3.5,V\n2,a,1,D\n2,cat,2.5,N\n2,sees,3,V\n"
          "2,the,0.5,D\n2,dog,2,N\n3,dogs,2,N\n3,bark,4,V\n");
    write("new.csv", "s,word,x\n9,the,1\n9,bird,2\n");
  }
  std::string read(const std::string& name) const {
    std::ifstream file(at(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Rows of a file of predictions with a label I-x; `only_faults`: those that don't stand behind B-x or I-x of their sequence.
  static int num_inside(const std::string& csv, bool only_faults) {
    std::istringstream lines(csv);
    std::string line, sequence, row, label, sequence_before, label_before;
    std::getline(lines, line);
    int count = 0;
    while (std::getline(lines, line)) {
      std::istringstream cells(line);
      std::getline(cells, sequence, ','), std::getline(cells, row, ','),
          std::getline(cells, label, ',');
      const bool follows =
          sequence == sequence_before && label_before.size() > 2 &&
          label_before.substr(2) == label.substr(std::min<std::size_t>(2, label.size()));
      if (label.starts_with("I-") && !(only_faults && follows)) ++count;
      sequence_before = sequence, label_before = label;
    }
    return count;
  }
  // The fit labels the rows of its test again from its file, in the same way.
  void expect_same_from_file(std::vector<std::string> words) {
    words.insert(words.end(), {"--test", at("small.csv"), "-o", at("kept.nc")});
    ASSERT_EQ(run(words), 0) << said();
    ASSERT_EQ(
        run({"label", "--of", at("kept.nc"), "--data", at("small.csv"), "-o", at("again.nc")}), 0)
        << said();
    const auto first = results::read_arrays(at("kept.nc")),
               second = results::read_arrays(at("again.nc"));
    EXPECT_EQ(first->find("test", "probability"), second->find("predictions", "probability"));
  }
  int small(std::vector<std::string> more) {
    std::vector<std::string> words{"label", "tag ~ word + x", "--by",
                                   "s",     "--data",         at("small.csv")};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(Label, of_names_are_found_in_new_sentences_with_calibrated_probabilities) {
  const testing::Json answer = json({"label", kFormula, "--by", "sentence", "--data", kNames,
                                     "--test", kMore, "--scheme", "bio", "-o", at("fit.nc")});
  const testing::Json& score = answer.at("scores").items.at(0);
  EXPECT_GT(score.at("accuracy").number, 0.97);
  EXPECT_NEAR(score.at("accuracy").number, score.at("expected_accuracy").number, 0.06);
  EXPECT_GT(answer.at("chunks").items.at(0).at("f1").number, 0.9);
  EXPECT_GT(score.at("log_score").number, -0.15);
  // The saved fit labels the same rows in the same way, and no predicted label breaks the scheme.
  ASSERT_EQ(run({"label", "--of", at("fit.nc"), "--data", kMore, "--predictions", at("p.csv"), "-o",
                 at("p.nc")}),
            0)
      << said();
  const auto first = results::read_arrays(at("fit.nc")), second = results::read_arrays(at("p.nc"));
  EXPECT_EQ(first->find("test", "probability"), second->find("predictions", "probability"));
  EXPECT_EQ(first->find("test", "best"), second->find("predictions", "best"));
  EXPECT_GT(num_inside(read("p.csv"), false), 20);
  EXPECT_EQ(num_inside(read("p.csv"), true), 0);
  EXPECT_NE(read("p.csv").find("sequence,row,label,p(B-LOC)"), std::string::npos);
  EXPECT_NE(printed().find("texts that the training table doesn't have"), std::string::npos);
}

TEST_F(Label, of_a_saved_fit_are_those_of_the_fit) {
  const std::vector<std::string> data{"--by", "s", "--data", at("small.csv")};
  const auto expect_same = [&](std::vector<std::string> words) {
    words.insert(words.end(), data.begin(), data.end());
    expect_same_from_file(words);
  };
  // The column is read as numbers and as texts.
  expect_same({"label", "tag ~ x + factor(x)"});
  // Pairs that weren't seen have no weight, in draws of weights, too.
  expect_same({"label", "tag ~ word", "--method", "approximate", "--pairs", "seen"});
  const std::vector<std::vector<std::string>> fixed{
      {"--by", "s"},           {"--structure", "memm"},     {"--rules", at("small.csv")},
      {"--scores", "p_"},      {"--pairs", "seen"},         {"--forbid", "D,N"},
      {"--scheme", "bio"},     {"--min-count", "2"},        {"--exact-states", "5"},
      {"--steps", "2"},        {"--method", "approximate"}, {"--prior", "laplace(1)"},
      {"--iterations", "100"},
  };
  for (const std::vector<std::string>& option : fixed) {
    std::vector<std::string> words{"label", "--of", at("kept.nc"), "--data", at("small.csv")};
    words.insert(words.end(), option.begin(), option.end());
    EXPECT_EQ(run(words), 2) << option[0];
    EXPECT_NE(on_one_line(said()).find("isn't used with --of"), std::string::npos) << said();
  }
}

// In a grid of one column, all neighbours are below; in one of one row, on the right.
TEST_F(Label, of_a_grid_have_forbidden_pairs_in_both_directions) {
  write("below.csv", "s,word,r,c,tag\n1,a,1,1,X\n1,b,2,1,Y\n2,a,1,1,X\n2,b,2,1,Y\n");
  write("right.csv", "s,word,r,c,tag\n1,a,1,1,X\n1,b,1,2,Y\n2,a,1,1,X\n2,b,1,2,Y\n");
  for (const char* table : {"below.csv", "right.csv"}) {
    const auto forbid = [&](const std::string& pair) {
      return run({"label", "tag ~ word", "--by", "s", "--data", at(table), "--structure",
                  "grid(r, c)", "--forbid", pair});
    };
    EXPECT_EQ(forbid("X,Y"), 4) << table;
    EXPECT_NE(on_one_line(said()).find("a forbidden pair"), std::string::npos) << said();
    EXPECT_EQ(forbid("Y,X"), 0) << table << said();
  }
  write("fat.csv", "s,word,tag,part\n1,a,X,P\n1,b,Y,Q\n2,a,X,P\n2,b,Y,P\n");
  EXPECT_EQ(run({"label", "tag + part ~ word", "--by", "s", "--data", at("fat.csv"), "--structure",
                 "fat(tag, part)", "--forbid", "X,P"}),
            2);
  EXPECT_NE(on_one_line(said()).find("no column has both labels"), std::string::npos) << said();
}

TEST_F(Label, of_new_rows_need_no_labels_and_the_same_columns) {
  ASSERT_EQ(small({"--predict", at("new.csv"), "--predictions", at("p.csv"), "-o", at("fit.nc")}),
            0)
      << said();
  EXPECT_NE(read("p.csv").find("9,1,D,"), std::string::npos) << read("p.csv");
  EXPECT_NE(printed().find("'bird'"), std::string::npos) << printed();
  write("wrong.csv", "s,wort,x\n9,the,1\n");
  EXPECT_EQ(run({"label", "--of", at("fit.nc"), "--data", at("wrong.csv")}), 4);
  EXPECT_NE(said().find("did you mean wort?"), std::string::npos) << said();
  write("other.csv", "s,word,x,tag\n9,the,1,Q\n");
  EXPECT_EQ(small({"--test", at("other.csv")}), 4);
  EXPECT_NE(
      on_one_line(said()).find("tag is Q in row 1, a label that the training table doesn't have"),
      std::string::npos)
      << said();
}

TEST_F(Label, of_each_structure_and_prior_are_fitted) {
  write("wide.csv",
        "s,word,h,r,c,tag,part\n1,a,2,1,1,X,P\n1,b,0,1,2,Y,Q\n1,a,2,2,1,X,P\n1,c,3,2,2,Y,P\n"
        "2,b,2,1,1,Y,Q\n2,b,0,1,2,X,P\n2,c,2,1,3,Y,Q\n2,a,1,2,3,X,Q\n");
  const std::vector<std::pair<std::string, std::string>> structures{
      {"chain", "exact sums over the chain"},
      {"memm", "conditionals"},
      {"skip(word)", "exact sums by elimination"},
      {"tree(h)", "exact sums over trees"},
      {"grid(r, c)", "exact sums by elimination"}};
  for (const auto& [structure, words] : structures) {
    ASSERT_EQ(run({"label", "tag ~ word", "--by", "s", "--data", at("wide.csv"), "--structure",
                   structure, "--test", at("wide.csv")}),
              0)
        << structure << said();
    EXPECT_NE(printed().find(words), std::string::npos) << structure << printed();
  }
  ASSERT_EQ(run({"label", "tag + part ~ word", "--by", "s", "--data", at("wide.csv"), "--structure",
                 "fat(tag, part)", "--test", at("wide.csv"), "--draws", "3", "-o", at("fat.nc")}),
            0)
      << said();
  EXPECT_EQ(results::read_arrays(at("fat.nc"))->find("test_second", "draws").size(), 24u);
  ASSERT_EQ(run({"label", "tag ~ word", "--by", "s", "--data", at("wide.csv"), "--structure",
                 "grid(r, c)", "--exact-states", "3", "--test", at("wide.csv")}),
            0)
      << said();
  EXPECT_NE(printed().find("loopy belief propagation, an approximation"), std::string::npos)
      << printed();
  ASSERT_EQ(run({"label", "tag ~ word", "--by", "s", "--data", at("wide.csv"), "--structure",
                 "dense(r, c)", "--steps", "5", "--test", at("wide.csv")}),
            0)
      << said();
  EXPECT_NE(printed().find("5 mean-field steps"), std::string::npos);
  EXPECT_EQ(run({"label", "tag ~ word", "--by", "s", "--data", at("wide.csv"), "--structure",
                 "dense(r, c)"}),
            2);
  EXPECT_NE(said().find("--steps 5"), std::string::npos) << said();
  EXPECT_EQ(run({"label", "--of", at("nosuch.nc"), "--data", at("wide.csv")}), 6);
  ASSERT_EQ(small({"--prior", "laplace(0.5)"}), 0) << said();
  EXPECT_NE(printed().find("weights are exactly 0"), std::string::npos);
  ASSERT_EQ(small({"--method", "approximate", "--predict", at("new.csv")}), 0) << said();
  EXPECT_NE(printed().find(" sd\n"), std::string::npos) << printed();
}

// The program's log density and gradient at two points differ as the field's own do. Its mode is the field's mode.
TEST_F(Label, of_a_small_chain_are_those_of_the_written_program) {
  ASSERT_EQ(small({"--forbid", "N,D", "--write", at("program"), "--iterations", "200"}), 0)
      << said();
  const testing::Json made =
      json({"log-prob", at("program/program.stan"), "--data", at("program/data.json"),
            "--unconstrained", at("program/point.json"), "--drop-constants"});
  const testing::Json fit =
      json({"label", "tag ~ word + x", "--by", "s", "--data", at("small.csv"), "--forbid", "N,D"});
  // Without constants, normal(0, 1) is -w²/2: the log posterior of both. The mode is found to 1e-8.
  const testing::Json& point = made.items.at(0);
  EXPECT_NEAR(point.at("log_density").number, fit.at("log_posterior").number, 1e-9);
  for (const testing::Json& slope : point.at("gradient").items)
    EXPECT_NEAR(slope.number, 0.0, 2e-7);
}

// Without a fit: the probability of a string by a grammar, and the best places of parts.
TEST_F(Label, of_given_scores_are_those_of_rules_and_springs) {
  write("rules.txt", "S -> A A 0.5\nS -> A S 0.5\nS -> B B 0.001\n");
  write("strings.csv", "s,x,p_A,p_B\n1,0,-1,-2\n1,0,-0.5,-1\n2,0,-1,-3\n2,0,-1,-1\n2,0,-1,-2\n");
  ASSERT_EQ(
      run({"label", "tag ~ x", "--by", "s", "--data", at("strings.csv"), "--structure", "grammar",
           "--rules", at("rules.txt"), "--scores", "p_", "--method", "given", "-o", at("g.nc")}),
      0)
      << said();
  const auto answer = results::read_arrays(at("g.nc"));
  const std::vector<double> log_z = answer->find("predictions_sequences", "log_z");
  EXPECT_NEAR(log_z.at(0), std::log(0.5 * std::exp(-1.5) + 0.001 * std::exp(-3.0)), 1e-12);
  EXPECT_NE(printed().find("(S A (S A A))"), std::string::npos) << printed();
  write("body.csv", "s,head,at_1,at_2,at_5\n1,0,0,1,3\n1,1,2,0,0\n1,1,0,0,0.5\n");
  ASSERT_EQ(
      run({"label", "place ~ head", "--by", "s", "--data", at("body.csv"), "--structure",
           "parts(head, spring = 0.25)", "--scores", "at_", "--method", "given", "-o", at("b.nc")}),
      0)
      << said();
  // Places 1, 2, 5: parts at (5, 5, 5) have 3.5; (2, 1, 2) has 1 + 2 - 0.25; (1, 1, 1) has 2.
  EXPECT_EQ(results::read_arrays(at("b.nc"))->find("predictions", "best"),
            (std::vector<double>{2, 2, 2}));
}

// Rules with weights, trained on labels alone: their trees are summed over.
TEST_F(Label, of_a_grammar_are_trained_through_its_trees) {
  write("rules.txt", "S -> D N\nS -> S V\nS -> V S\nS -> S S\n");
  write("tags.csv",
        "s,word,tag\n1,the,D\n1,dog,N\n1,barks,V\n2,see,V\n2,the,D\n2,cat,N\n3,the,D\n3,dog,N\n3,"
        "sees,V\n");
  ASSERT_EQ(
      run({"label", "tag ~ word", "--by", "s", "--data", at("tags.csv"), "--structure", "grammar",
           "--rules", at("rules.txt"), "--test", at("tags.csv"), "-o", at("g.nc")}),
      0)
      << said();
  EXPECT_NE(printed().find("S -> S V"), std::string::npos) << printed();
  EXPECT_NE(printed().find("best (S (S D N) V)"), std::string::npos) << printed();
  EXPECT_EQ(run({"label", "--of", at("g.nc"), "--data", at("tags.csv")}), 0) << said();
}

TEST_F(Label, refuse_wrong_requests_in_words) {
  write("scored.csv", "s,x,tag,p_D,p_N\n1,1,D,0,-1\n1,2,N,-1,0\n2,1,D,0,-2\n2,2,N,-2,0\n");
  EXPECT_EQ(run({"label", "tag ~ x", "--by", "s", "--data", at("scored.csv"), "--scores", "p_",
                 "--write", at("scored")}),
            2);
  EXPECT_NE(on_one_line(said()).find("scores of columns aren't written"), std::string::npos)
      << said();
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"--structure", "chian"}, "did you mean chain?"},
      {{"--structure", "skip"}, "skip is used so: skip(word)"},
      {{"--forbid", "D,Q"}, "there is no label Q"},
      {{"--forbid", "D,N"}, "a forbidden pair"},
      {{"--scheme", "bio"}, "no column has labels O, B-... and I-... only"},
      {{"--prior", "normal(0)"}, "is no prior of weights"},
      {{"--steps", "3"}, "steps are those of mean field"},
      {{"--draws", "3"}, "draws are in the file of --output"},
      {{"--method", "approximate", "--prior", "laplace(1)"}, "no curvature at 0"},
      {{"--predictions", at("q.csv")}, "there are no rows to predict"},
      {{"--structure", "memm", "--write", at("memm")}, "isn't written as a program"}};
  for (const auto& [words, message] : wrong) {
    EXPECT_NE(small(words), 0) << words.at(1);
    EXPECT_NE(on_one_line(said()).find(message), std::string::npos) << said();
  }
}
}  // namespace
}  // namespace credo::cli::label_test
