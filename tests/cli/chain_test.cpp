// credo chain: files in, verdicts and errors out.
#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "support/json_tree.hpp"
#include "support/one_line.hpp"

namespace credo::cli::chain_test {
namespace {

const std::string kExamples = std::string(CREDO_SOURCE_DIR) + "/examples/";

struct Printed {
  int status = 0;
  std::string out, err;
};

Printed run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "chain");
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Printed printed;
  printed.status = run_command_line(std::move(arguments));
  printed.out = ::testing::internal::GetCapturedStdout();
  printed.err = ::testing::internal::GetCapturedStderr();
  return printed;
}

class ChainFileOnDisk {
 public:
  ChainFileOnDisk(const std::string& text, const char* ending)
      : path_((std::filesystem::temp_directory_path() /
               ("credo_chain_" + std::to_string(::getpid()) + ending))
                  .string()) {
    std::ofstream(path_) << text;
  }
  ~ChainFileOnDisk() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

testing::Json json_of(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const Printed printed = run(std::move(arguments));
  EXPECT_EQ(printed.status, 0) << printed.out << printed.err;
  return testing::parse_json(printed.out);
}

bool says(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos ||
         on_one_line(text).find(words) != std::string::npos;
}

TEST(chain_command, gives_the_figures_of_the_walk_on_21_states) {
  const auto json = json_of({kExamples + "chain_walk_21.json", "--epsilon", "0.05"});
  EXPECT_EQ(json.at("mixing_time").number, 227.0);
  EXPECT_NEAR(json.at("gap").number, 0.01117, 5e-6);
  EXPECT_TRUE(json.at("irreducible").truth);
  EXPECT_TRUE(json.at("reversible").truth);
  EXPECT_TRUE(json.at("target").at("invariant").truth);
  EXPECT_TRUE(json.at("good").truth);
  EXPECT_EQ(json.at("conductance").at("set").items.size(), 10u);
}

TEST(chain_command, prints_a_verdict_in_plain_words) {
  const Printed walk = run({kExamples + "chain_walk_21.json", "--epsilon", "0.05"});
  EXPECT_TRUE(says(walk.out, "after 227 steps it is within 0.05 of it")) << walk.out;
  EXPECT_TRUE(says(walk.out, "It leaves the target invariant"));
  const Printed islands = run({kExamples + "chain_two_islands.csv"});
  EXPECT_TRUE(says(islands.out, "narrowest set       a, b, c (probability 0.5)")) << islands.out;
  const ChainFileOnDisk swap("0,1\n1,0\n", ".csv");
  EXPECT_TRUE(says(run({swap.path()}).out, "Averages converge all the same"));
  const ChainFileOnDisk parts("0.5 0.5 0\n0.5 0.5 0\n0 0 1\n", ".csv");
  EXPECT_TRUE(says(run({parts.path()}).out, "falls into 2 closed classes"));
}

TEST(chain_command, tells_a_right_kernel_from_a_wrong_one) {
  const std::string proposal = R"([[0.2, 0.8, 0], [0.5, 0, 0.5], [0, 0.3, 0.7]])";
  const ChainFileOnDisk right(
      R"({"kernel": "metropolis", "target": [1, 2, 3], "proposal": )" + proposal + "}", ".json");
  EXPECT_EQ(run({right.path(), "--strict"}).status, 0);
  const Printed wrong = run({right.path(), "--target", "1,2,4", "--strict"});
  EXPECT_EQ(wrong.status, 8);
  EXPECT_TRUE(says(wrong.out, "It does NOT leave the target invariant")) << wrong.out;
}

TEST(chain_command, knows_the_kernels_by_name) {
  for (const char* text :
       {R"({"kernel": "barker", "target": [1, 2, 3], "proposal": "uniform"})",
        R"({"kernel": "metropolis", "log_target": [-800, -801, -802], "proposal": "walk"})",
        R"({"kernel": "gibbs-sweep", "target": [1, 2, 3, 4], "sizes": [2, 2]})",
        R"({"kernel": "gibbs-random", "target": [1, 2, 3, 4], "sizes": [2, 2], "lazy": 0.1})"}) {
    const ChainFileOnDisk file(text, ".json");
    EXPECT_EQ(run({file.path(), "--strict"}).status, 0) << text;
  }
}

TEST(chain_command, follows_a_start_and_a_function) {
  const ChainFileOnDisk file("dry, wet\n0.9, 0.1 # a comment\n0.4, 0.6\n", ".csv");
  const auto json =
      json_of({file.path(), "--start", "wet", "--steps", "2", "--function", "0,1", "--matrix"});
  EXPECT_NEAR(json.at("law_after").items[0].number, 0.6, 1e-15);  // 0.4 0.9 + 0.6 0.4
  EXPECT_NEAR(json.at("function").at("mean").number, 0.2, 1e-15);
  EXPECT_NEAR(json.at("function").at("autocorrelation_time").number, 3.0, 1e-13);
  EXPECT_EQ(json.at("matrix").items.size(), 2u);
  EXPECT_EQ(json.at("states").items[1].text, "wet");
}

TEST(chain_command, takes_few_digits_when_told_to) {
  const ChainFileOnDisk file("0.333,0.333,0.333\n0.5,0.5,0\n0,0,1\n", ".csv");
  EXPECT_EQ(run({file.path()}).status, 4);
  EXPECT_EQ(run({file.path(), "--normalise"}).status, 0);
}

struct WrongFile {
  const char *text, *ending;
  std::vector<std::string> arguments;
  int status;
  std::vector<std::string> says;
};

TEST(chain_command, says_what_is_wrong_where_and_the_way_out) {
  const WrongFile cases[] = {
      {"0.5,0.5\n0.5,0.4\n",
       ".csv",
       {},
       4,
       {"row 2", "sums to 0.9", "must sum to 1 within", "hint"}},
      {"0.5,0.5\n1.5,-0.5\n", ".csv", {}, 4, {"row 2", "2 -> 1 is 1.5", "between 0 and 1"}},
      {"0.5,0.5\n0.5\n", ".csv", {}, 4, {".csv:2", "1 fields, the first line has 2"}},
      {"0.5,0.5\n0.5,x\n", ".csv", {}, 4, {".csv:2", "'x' is no number"}},
      {"0.5,0.5\n", ".csv", {}, 4, {"1 rows of 2 numbers", "square"}},
      {"a,b,a\n1,0,0\n0,1,0\n0,0,1\n", ".csv", {}, 4, {"'a' is given twice"}},
      {"", ".csv", {}, 4, {"no number in the file"}},
      {"{}", ".json", {}, 4, {"neither 'matrix' nor 'kernel'", "hint"}},
      {"[1]", ".json", {}, 4, {"expected an object, found an array of 1"}},
      {R"({"matrx": [[1]]})", ".json", {}, 4, {".json:1:11", "'matrx' is not known", "matrix"}},
      {R"({"matrix": [[1, 0], [1]]})", ".json", {}, 4, {".json:1:21", "row of 1 numbers"}},
      {R"({"kernel": "nuts", "target": [1]})", ".json", {}, 4, {"no kernel 'nuts'", "metropolis"}},
      {R"({"kernel": "metropolis", "target": [1, 2]})", ".json", {}, 4, {"'proposal' is missing"}},
      {R"({"kernel": "metropolis", "proposal": "walk"})", ".json", {}, 4, {"'target' is missing"}},
      {R"({"kernel": "gibbs-sweep", "target": [1, 2], "sizes": [3]})",
       ".json",
       {},
       4,
       {"sizes make 3 states, the target has 2"}},
      {R"({"matrix": [[1]], "target": [-1]})", ".json", {}, 4, {"target", "weight 1 is -1"}},
      {R"({"matrix": [[1]], "lazy": 2})", ".json", {}, 4, {"lazy is 2"}},
      {R"({"matrix": [[1]], "states": ["a", "b"]})", ".json", {}, 4, {"2 names for 1 states"}},
      {"1\n", ".csv", {"--target", "1,2"}, 4, {"target", "2 values for 1 states"}},
      {"1\n", ".csv", {"--target", "1,x"}, 2, {"--target", "'x' is no number"}},
      {"1\n", ".csv", {"--epsilon", "1.5"}, 2, {"epsilon", "in (0, 1)", "1.5"}},
      {"1\n", ".csv", {"--start", "z"}, 2, {"--start", "no state 'z'"}},
      {"1\n", ".csv", {"--steps", "-1"}, 2, {"--steps", "is -1"}}};
  for (const WrongFile& wrong : cases) {
    const ChainFileOnDisk file(wrong.text, wrong.ending);
    std::vector<std::string> arguments{file.path()};
    arguments.insert(arguments.end(), wrong.arguments.begin(), wrong.arguments.end());
    const Printed printed = run(arguments);
    EXPECT_EQ(printed.status, wrong.status) << wrong.text << printed.err;
    for (const std::string& words : wrong.says)
      EXPECT_TRUE(says(printed.err, words)) << "'" << words << "' is not in\n" << printed.err;
  }
  EXPECT_EQ(run({"there/is/none.csv"}).status, 6);
}

// A gambler with 1 of 3 who wins with probability 0.4: all is lost with (q/p - (q/p)^3) / (1 - (q/p)^3),
// that is 1.875 / 2.375.
TEST(chain_command, tells_where_a_transient_start_ends) {
  const ChainFileOnDisk ruin("none,one,two,all\n1,0,0,0\n0.6,0,0.4,0\n0,0.6,0,0.4\n0,0,0,1\n",
                             ".csv");
  const auto json = json_of({ruin.path(), "--start", "one", "--limit"});
  const testing::Json limit = json.at("limit");
  EXPECT_EQ(limit.at("start").text, "one");
  const double lost = 1.875 / 2.375;
  EXPECT_NEAR(limit.at("ends").items[0].number, lost, 1e-14);
  EXPECT_NEAR(limit.at("law").items[0].number, lost, 1e-14);
  EXPECT_NEAR(limit.at("law").items[3].number, 1.0 - lost, 1e-14);
  const Printed text = run({ruin.path(), "--start", "one", "--limit"});
  EXPECT_TRUE(says(text.out, "ends in the class of none with probability 0.789474")) << text.out;
  EXPECT_TRUE(says(text.out, "stationary 2           limit")) << text.out;
  const Printed alone = run({ruin.path(), "--coupling", "5"});  // of which distribution?
  EXPECT_EQ(alone.status, 2);
  EXPECT_TRUE(says(alone.err, "there are 2 stationary distributions")) << alone.err;
  EXPECT_TRUE(says(alone.err, "--partner STATE")) << alone.err;
}

TEST(chain_command, says_that_a_periodic_chain_has_no_limit) {
  const ChainFileOnDisk turns("0,1\n1,0\n", ".csv");
  EXPECT_TRUE(says(run({turns.path(), "--limit"}).out, "the distribution has no limit"));
}

// Two states with rates 0.3 and 0.2: apart after each step with probability 0.7 · 0.8 + 0.3 · 0.2, and
// the distributions approach each other by 1 - 0.3 - 0.2.
TEST(chain_command, bounds_the_distance_of_two_chains_by_their_meeting) {
  const ChainFileOnDisk flips("a,b\n0.7,0.3\n0.2,0.8\n", ".csv");
  const auto json = json_of({flips.path(), "--start", "b", "--partner", "a", "--coupling", "8"});
  const testing::Json coupling = json.at("coupling");
  ASSERT_EQ(coupling.at("not_met").items.size(), 9u);
  for (std::size_t t = 0; t <= 8; ++t) {
    EXPECT_NEAR(coupling.at("not_met").items[t].number, std::pow(0.62, t), 1e-14);
    EXPECT_NEAR(coupling.at("distance").items[t].number, std::pow(0.5, t), 1e-14);
  }
  // The stationary one is in b with probability 0.6.
  const auto forever = json_of({flips.path(), "--coupling", "3"});
  const testing::Json stationary = forever.at("coupling");
  EXPECT_EQ(stationary.at("partner").text, "stationary");
  EXPECT_NEAR(stationary.at("not_met").items[3].number, 0.6 * std::pow(0.62, 3), 1e-14);
  EXPECT_NEAR(stationary.at("distance").items[3].number, 0.6 * std::pow(0.5, 3), 1e-14);
  const Printed text = run({flips.path(), "--coupling", "30"});
  EXPECT_TRUE(says(text.out, "one from a, one stationary")) << text.out;
  EXPECT_TRUE(says(text.out, "\n            20")) << text.out;
  EXPECT_TRUE(says(text.out, "\n            30")) << text.out;
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--coupling", "-1"},
                                                {"--coupling", "5", "--partner", "c"},
                                                {"--partner", "a"},
                                                {"--coupling", "5", "--start", "c"},
                                                {"--limit", "--start", "c"}}) {
    std::vector<std::string> words = {flips.path()};
    words.insert(words.end(), wrong.begin(), wrong.end());
    EXPECT_EQ(run(words).status, 2) << wrong[0] << wrong.back();
  }
}

// The figures of the source, to their three decimals.
TEST(chain_command, knows_how_far_riffles_of_52_cards_are_from_random) {
  const ChainFileOnDisk deck(R"({"kernel": "riffle", "cards": 52})", ".json");
  const auto json = json_of({deck.path(), "--epsilon", "0.5"});
  EXPECT_EQ(json.at("mixing_time").number, 7.0);
  const double stated[] = {0.924, 0.614, 0.334, 0.167, 0.085, 0.043};
  for (std::size_t t = 5; t <= 10; ++t)
    EXPECT_NEAR(json.at("distances").items.at(t).number, stated[t - 5], 5.1e-4) << t;
  EXPECT_LT(json.at("distances").items.back().number, 0.01);
  const Printed text = run({deck.path()});
  EXPECT_TRUE(says(text.out, "mixing time to 0.25   8")) << text.out;
  EXPECT_EQ(json_of({deck.path(), "--epsilon", "1e-9"}).at("mixing_time").number, 36.0);
  EXPECT_EQ(run({deck.path(), "--epsilon", "1e-11"}).status, 2);  // rounding is as large
  const Printed start = run({deck.path(), "--start", "1"});
  EXPECT_EQ(start.status, 2);
  EXPECT_TRUE(says(start.err, "--start: error: the option isn't known of riffle")) << start.err;
  for (const char* wrong :
       {R"({"kernel": "riffle"})", R"({"kernel": "riffle", "cards": 0})",
        R"({"kernel": "riffle", "cards": 2.5})", R"({"kernel": "riffle", "cards": 2000})",
        R"({"kernel": "riffle", "cards": 5, "target": [1]})"}) {
    const ChainFileOnDisk file(wrong, ".json");
    EXPECT_EQ(run({file.path()}).status, 4) << wrong;
  }
}

}  // namespace
}  // namespace credo::cli::chain_test
