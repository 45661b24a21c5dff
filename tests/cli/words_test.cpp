// What users type and what they are told: commands that aren't there, numbers out of range, columns
// by pattern, the table on a terminal, --quiet, times, signals.
#include <csignal>
#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/run/summarise.hpp"
#include "cli/term/stop.hpp"
#include "infer/core/recorder.hpp"
#include "support/json_tree.hpp"
#include "support/one_line.hpp"

namespace credo::cli::words_test {
namespace {
namespace fs = std::filesystem;

constexpr const char* kProgram =
    "parameters { real m; matrix[2, 3] B; vector[4] beta; vector[2] beta_2; }\n"
    "model { m ~ std_normal(); to_vector(B) ~ std_normal(); beta ~ std_normal(); beta_2 ~ "
    "std_normal(); }\n";

class Words : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("credo_words_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    write("m.stan", kProgram);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const char* name, std::string_view text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string at(const std::string& name) const { return folder_ / name; }

  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    out_ = ::testing::internal::GetCapturedStdout();
    said_ = on_one_line(::testing::internal::GetCapturedStderr());
    return status;
  }
  int sample(std::vector<std::string> more) {
    std::vector<std::string> words = {"sample", at("m.stan"), "--warmup", "50", "--draws", "40"};
    words.insert(words.end(), more.begin(), more.end());
    return run(std::move(words));
  }
  bool said(const char* text) const { return said_.find(text) != std::string::npos; }
  bool printed(const char* text) const { return out_.find(text) != std::string::npos; }

  fs::path folder_;
  std::string out_, said_;
};

// ---- commands

TEST_F(Words, a_program_where_the_command_should_be_gets_the_line_to_type) {
  EXPECT_EQ(run({"model.stan", "--data", "d.json"}), 2);
  EXPECT_TRUE(said("'model.stan' stands where the command should, but is a Stan program")) << said_;
  EXPECT_TRUE(said("hint: credo sample model.stan --data d.json;")) << said_;
  EXPECT_EQ(run({"fit.nc"}), 2);
  EXPECT_TRUE(said("credo summary fit.nc")) << said_;
  EXPECT_EQ(run({"fit.nc.run"}), 2);
  EXPECT_TRUE(said("credo resume fit.nc.run")) << said_;
  EXPECT_EQ(run({"--data", "d.json"}), 2);
  EXPECT_TRUE(said("'--data' stands where the command should, but is an option")) << said_;
}

TEST_F(Words, no_command_and_a_wrong_one_say_what_to_type) {
  EXPECT_EQ(run({}), 2);
  EXPECT_TRUE(said("no command is given")) << said_;
  EXPECT_TRUE(said("credo sample model.stan --data data.json")) << said_;
  EXPECT_EQ(run({"sampel", "m.stan"}), 2);
  EXPECT_TRUE(said("there is no command 'sampel'")) << said_;
  EXPECT_TRUE(said("type: credo sample m.stan")) << said_;
  EXPECT_EQ(run({"compile", "m.stan"}), 2);
  EXPECT_TRUE(said("type: credo check m.stan")) << said_;
}

// ---- numbers

testing::Json tree_of(const std::string& text) { return testing::JsonParser(text).parse(); }

bool is_number(const Argument& argument) {
  return std::holds_alternative<double*>(argument.target) ||
         std::holds_alternative<Index*>(argument.target);
}

TEST(numbers, of_every_command_have_a_range_that_help_shows) {
  int count = 0;
  for (const CommandRow* row : commands()) {
    const auto command = row->make();
    const Arguments arguments = arguments_of(*row, *command);
    for (const Argument& argument : arguments.all()) {
      if (!is_number(argument)) continue;
      ++count;
      const std::string range = range_text(argument.values.range);
      EXPECT_NE(range, "") << row->name << " " << argument.name();
      EXPECT_NE(full_help(argument).find(range), std::string::npos) << argument.name();
    }
  }
  EXPECT_GE(count, 20);
}

TEST_F(Words, a_number_out_of_range_is_refused_with_the_range) {
  struct Case {
    std::vector<std::string> words;
    const char* says;
  };
  const std::string model = at("m.stan");
  const std::vector<Case> cases = {
      {{"sample", model, "--sig-figs", "-1"},
       "--sig-figs: error: must be a whole number from 0 to 18, is -1"},
      {{"sample", model, "--sig-figs", "99"},
       "--sig-figs: error: must be a whole number from 0 to 18, is 99"},
      {{"export", "fit.nc", "--sig-figs", "-1"},
       "--sig-figs: error: must be a whole number from 0 to 18"},
      {{"sample", model, "--max-trace-steps", "0"},
       "--max-trace-steps: error: must be a whole number of at least 1"},
      {{"sample", model, "--chains", "0"},
       "--chains: error: must be a whole number from 1 to 1000000, is 0"},
      {{"sample", model, "--thin", "0"},
       "--thin: error: must be a whole number from 1 to 1000000000, is 0"},
      {{"sample", model, "--threads", "-1"},
       "--threads: error: must be a whole number from 0 to 4096, is -1"},
      {{"sample", model, "--adapt-delta", "nan"}, "--adapt-delta: error: must be in (0, 1)"},
      {{"sample", model, "--max-lanes", "3"}, "--max-lanes: error: must be 1, 2, 4 or 8, is 3"},
      {{"sample", model, "--init", "-1"}, "--init: error: a radius must be at least 0"},
      {{"sample", model, "--stepsize", "inf"}, "must be > 0 and finite, is inf"},
      {{"sample", model, "--max-time", "0"}, "above 0 and at most 1e9"},
      {{"resume", "fit.run", "--threads", "-1"},
       "--threads: error: must be a whole number from 0 to 4096"},
      {{"samplers", model, "--draws", "-1"}, "--draws: error: must be a whole number from 0"},
      {{"bench", model, "--gradients", "-1"},
       "--gradients: error: must be a whole number of at least 0, is -1"},
      {{"bench", model, "--writes", "-1"},
       "--writes: error: must be a whole number of at least 0, is -1"},
      {{"bench", model, "--max-depth", "0"},
       "--max-depth: error: must be a whole number from 1 to 30, is 0"},
      {{"chain", "c.csv", "--epsilon", "2"}, "--epsilon: error: must be in (0, 1), is 2"},
      {{"chain", "c.csv", "--steps", "-1"},
       "--steps: error: must be a whole number of at least 0, is -1"}};
  for (const Case& c : cases) {
    EXPECT_EQ(run(c.words), 2) << c.says << "\n" << said_;
    EXPECT_TRUE(said(c.says)) << c.says << "\n" << said_;
  }
}

// ---- columns

std::vector<std::string> names_in(const std::string& json) {
  std::vector<std::string> names;
  for (const testing::Json& row : tree_of(json).items) names.push_back(row.at("name").text);
  return names;
}

TEST_F(Words, columns_of_a_summary_are_variables_patterns_and_ranges) {
  using Names = std::vector<std::string>;
  ASSERT_EQ(sample({"-o", at("fit.nc"), "--quiet"}), 0) << said_;
  const auto columns = [&](std::vector<std::string> patterns) {
    std::vector<std::string> words = {"summary", at("fit.nc"), "--json"};
    for (const std::string& pattern : patterns) words.insert(words.end(), {"--columns", pattern});
    EXPECT_EQ(run(words), 0) << said_;
    return names_in(out_);
  };
  EXPECT_EQ(columns({"beta"}), (Names{"beta.1", "beta.2", "beta.3", "beta.4"}));
  EXPECT_EQ(columns({"beta[1:3]"}), (Names{"beta.1", "beta.2", "beta.3"}));
  EXPECT_EQ(columns({"beta[3:]"}), (Names{"beta.3", "beta.4"}));
  EXPECT_EQ(columns({"beta*"}).size(), 6u);
  EXPECT_EQ(columns({"B[1,]"}), (Names{"B.1.1", "B.1.2", "B.1.3"}));
  EXPECT_EQ(columns({"B[2:2,1:2]"}), (Names{"B.2.1", "B.2.2"}));
  EXPECT_EQ(columns({"m", "lp__", "beta[2]", "beta"}),
            (Names{"m", "lp__", "beta.2", "beta.1", "beta.3", "beta.4"}));
  EXPECT_EQ(run({"summary", at("fit.nc"), "--columns", "bete"}), 2);
  EXPECT_TRUE(said("--columns: error: there is no output that 'bete' fits")) << said_;
  EXPECT_TRUE(said("did you mean beta?")) << said_;
}

// ---- the table

Index lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST(table_on_a_terminal, is_cut_where_it_does_not_fit_and_says_how_to_see_the_rest) {
  Summary summary;
  for (int k = 1; k <= 4866; ++k)
    summary.push_back({.name = "theta." + std::to_string(k), .mean = 1.0, .sd = 1.0});
  const TableUse use{.lines_below = 5, .to_see_all = "credo summary fit.nc | less shows all"};
  const std::string text = summary_text(summary, use, 100, 40);
  EXPECT_LE(lines_of(text) + use.lines_below, 40);
  EXPECT_GE(lines_of(text) + use.lines_below, 38);
  EXPECT_NE(text.find("theta.1 "), std::string::npos);
  EXPECT_NE(text.find("of 4866 rows; credo summary fit.nc | less shows all)"), std::string::npos);
  EXPECT_EQ(lines_of(summary_text(summary, use, 0, 0)), 4867) << "a pipe has all";
  summary.resize(12);
  EXPECT_EQ(summary_text(summary, use, 100, 40).find("rows;"), std::string::npos);
}

// ---- --quiet

TEST_F(Words, quiet_keeps_the_verdict_and_leaves_the_table_out) {
  ASSERT_EQ(sample({"--quiet"}), 0) << said_;
  EXPECT_TRUE(printed("Doubtful: too few effective draws")) << out_;
  EXPECT_FALSE(printed("ess_bulk")) << out_;
  EXPECT_EQ(said_, "");
  ASSERT_EQ(sample({"--quiet", "--json"}), 0) << said_;
  const testing::Json answer = tree_of(out_);
  EXPECT_NE(answer.at("sentence").text, "");
  EXPECT_EQ(out_.find("\"summary\""), std::string::npos) << out_;
  EXPECT_EQ(said_, "");
}

// ---- times

TEST_F(Words, the_time_of_a_run_is_that_of_the_whole_command) {
  write("m.stan",
        "transformed data { real s = 0; for (i in 1:2000000) s += i; }\n"
        "parameters { real m; } model { m ~ normal(s, 1); }\n");
  const double begin = infer::clock_seconds();
  ASSERT_EQ(sample({"--json"}), 0) << said_;
  const double took = infer::clock_seconds() - begin;
  const testing::Json answer = tree_of(out_);
  const double seconds = answer.at("seconds").number, before = answer.at("seconds_before").number;
  EXPECT_LE(seconds, took);
  EXPECT_GE(seconds, 0.9 * took - 0.05);
  EXPECT_GT(before, 0.0);
  EXPECT_NEAR(seconds,
              before + answer.at("seconds_chains").number + answer.at("seconds_after").number,
              1e-9);
}

// ---- signals

// Dispositions as they are now, given back at the end.
class SignalsKept {
 public:
  SignalsKept() {
    for (std::size_t k = 0; k < kSignals.size(); ++k) sigaction(kSignals[k], nullptr, &kept_[k]);
  }
  ~SignalsKept() {
    for (std::size_t k = 0; k < kSignals.size(); ++k) sigaction(kSignals[k], &kept_[k], nullptr);
  }

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM};
  std::array<struct sigaction, 2> kept_;
};

bool is_ignored(int signal) {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_IGN;
}

TEST(signals, that_the_parent_ignores_stay_ignored) {
  const SignalsKept kept;
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  end_on_signals();
  EXPECT_TRUE(is_ignored(SIGINT));
  EXPECT_FALSE(is_ignored(SIGTERM));
  stop_flag();
  EXPECT_TRUE(is_ignored(SIGINT));
  std::signal(SIGINT, SIG_DFL);
  end_on_signals();
  EXPECT_FALSE(is_ignored(SIGINT));
}

}  // namespace
}  // namespace credo::cli::words_test
