// --scheme: compositions of samplers from a file draw what they should, are part of a run's specification,
// go on where they were stopped, and are refused with the place of what makes no sense.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "diagnose/convergence.hpp"
#include "io/file.hpp"
#include "support/test_seed.hpp"

namespace credo::cli::scheme_test {
namespace {
namespace fs = std::filesystem;

// The normal with mean 1 and variances 4, 5, 5, and beside it a simplex.
const char* const kProgram = R"(
parameters { real mu; vector[2] theta; simplex[3] p; }
model { mu ~ normal(1, 2); theta ~ normal(mu, 1); p ~ dirichlet([2, 3, 5]'); })";

// A label is drawn by Gibbs: z is 1 with probability 0.3, x around 2 z.
const char* const kLabels = R"(
parameters { int<lower=0, upper=1> z; real x; }
model { z ~ bernoulli(0.3); x ~ normal(2 * z, 1); })";

class Schemes : public ::testing::Test {
 protected:
  Schemes() {
    fs::create_directories(folder_);
    write("m.stan", kProgram);
    write("labels.stan", kLabels);
  }
  ~Schemes() override { fs::remove_all(folder_); }
  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  int run(std::vector<std::string> words) {
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const int status = run_command_line(std::move(words));
    std::fflush(stdout);
    out_ = ::testing::internal::GetCapturedStdout();
    said_ = unwrapped(::testing::internal::GetCapturedStderr());
    return status;
  }
  static std::string unwrapped(const std::string& text) {
    std::string joined;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool breaks = text[i] == '\n' && i + 1 < text.size() && text[i + 1] == ' ';
      joined += breaks ? ' ' : text[i];
      while (breaks && i + 1 < text.size() && text[i + 1] == ' ') ++i;
    }
    return joined;
  }
  // In a process of its own: what a limit of time sets isn't taken back.
  static int run_apart(const std::vector<std::string>& words) {
    const pid_t child = fork();
    if (child == 0) {
      const int null = open("/dev/null", O_WRONLY);
      for (const int stream : {1, 2}) dup2(null, stream);
      _exit(run_command_line(words));
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  }
  int sample(const std::string& scheme, std::vector<std::string> more = {},
             const char* program = "m.stan") {
    write("s.json", scheme);
    more.insert(more.begin(),
                {"sample", at(program), "--scheme", at("s.json"), "--quiet", "-o", at("a.nc")});
    return run(std::move(more));
  }
  int sample_briefly(const std::string& scheme) {
    return sample(scheme, {"--draws", "2", "--warmup", "2"});
  }
  bool are_same(const std::string& one, const std::string& other) const {
    return io::read_file(at(one)) == io::read_file(at(other));
  }
  density::Draws draws_of(const std::string& column) const {
    const std::string path = at("a.nc");
    const auto fit = open_fit(std::span(&path, 1));
    return fit->quantities(false, *find_quantity(*fit, column), 1);
  }
  // 4 Monte Carlo standard errors: once in 16,000 for each figure.
  void expect_mean(const std::string& column, double exact, double power = 1.0) const {
    density::Draws draws = draws_of(column);
    for (Index c = 0; c < draws.num_chains(); ++c)
      for (Index s = 0; s < draws.num_draws(); ++s)
        draws(s, c, 0) = std::pow(draws(s, c, 0), power);
    const diagnose::Chains chains = diagnose::quantity(draws, 0);
    EXPECT_NEAR(diagnose::mean(chains.values), exact, 4.0 * diagnose::mcse_mean(chains)) << column;
  }

  fs::path folder_ = fs::temp_directory_path() / ("credo_scheme_" + std::to_string(getpid()));
  std::string out_, said_;
};

const char* const kBlocks = R"({"cycle": [
  {"sampler": "nuts", "options": {"metric": "dense_e"}, "on": ["mu", "p"]},
  {"mixture": [{"weight": 2, "sampler": "slice"}, {"weight": 1, "sampler": "rwm"}],
   "on": ["theta"]}]})";

TEST_F(Schemes, of_every_kind_have_the_distribution_of_the_model) {
  const char* const schemes[] = {
      kBlocks,
      R"({"mixture": [{"weight": 0.7, "sampler": "nuts"}, {"weight": 0.3, "sampler": "ram"}]})",
      R"({"shuffled_cycle": [{"sampler": "slice", "on": ["mu", "theta[2]"]},
                             {"sampler": "nuts", "on": ["theta[1]", "p"]}]})",
      R"({"palindrome": [{"sampler": "nuts", "on": ["theta"]},
                         {"cycle": [{"sampler": "slice", "on": ["mu"]}, {"sampler": "mala"}],
                          "on": ["mu", "p"]}]})",
      R"({"sampler": "slice"})"};
  for (const char* scheme : schemes) {
    SCOPED_TRACE(scheme);
    ASSERT_EQ(
        sample(scheme, {"--draws", "4000", "--seed", std::to_string(credo::testing::test_seed(2))}),
        0)
        << said_;
    expect_mean("mu", 1.0);
    expect_mean("mu", 5.0, 2.0);
    expect_mean("theta.2", 6.0, 2.0);
    expect_mean("p.3", 0.5);
    expect_mean("p.1", 0.2);
  }
}

TEST_F(Schemes, come_before_the_gibbs_updates_of_discrete_parameters) {
  ASSERT_EQ(sample(R"({"cycle": [{"sampler": "slice", "on": ["x"]}, {"sampler": "rwm"}]})",
                   {"--discrete", "gibbs", "--draws", "4000", "--seed",
                    std::to_string(credo::testing::test_seed(3))},
                   "labels.stan"),
            0)
      << said_;
  expect_mean("z", 0.3);
  expect_mean("x", 0.6);
  expect_mean("x", 2.2, 2.0);
  EXPECT_EQ(
      sample(R"({"sampler": "slice", "on": ["x", "z"]})", {"--discrete", "gibbs"}, "labels.stan"),
      2);
  EXPECT_NE(said_.find("z is discrete"), std::string::npos) << said_;
  EXPECT_EQ(sample(R"({"sampler": "slice", "on": ["x", "z"]})", {}, "labels.stan"), 2);
  EXPECT_NE(said_.find("no values that are moved"), std::string::npos) << said_;
}

TEST_F(Schemes, are_repeated_from_a_result_and_a_printed_specification) {
  const std::vector<std::string> few = {"--draws", "30", "--warmup", "40", "--threads", "1"};
  ASSERT_EQ(sample(kBlocks, few), 0) << said_;
  fs::copy(at("a.nc"), at("first.nc"));
  ASSERT_EQ(sample(kBlocks, {"--draws", "30", "--warmup", "40", "--threads", "3"}), 0) << said_;
  EXPECT_TRUE(are_same("a.nc", "first.nc"));
  ASSERT_EQ(sample(kBlocks, {"--draws", "30", "--warmup", "40", "--print-spec"}), 0) << said_;
  EXPECT_NE(out_.find(R"("name":"composition")"), std::string::npos) << out_;
  EXPECT_NE(out_.find(R"("on":["theta"])"), std::string::npos) << out_;
  write("spec.json", out_);
  fs::remove(at("s.json"));
  ASSERT_EQ(run({"run", at("spec.json"), "-o", at("run.nc")}), 0) << said_;
  EXPECT_TRUE(are_same("run.nc", "first.nc"));
  ASSERT_EQ(run({"sample", "--like", at("first.nc"), "-o", at("like.nc"), "--quiet"}), 0) << said_;
  EXPECT_TRUE(are_same("like.nc", "first.nc"));
  ASSERT_EQ(run({"sample", "--like", at("first.nc"), "--sampler", "nuts", "--print-spec"}), 0);
  EXPECT_EQ(out_.find("\"scheme\""), std::string::npos) << out_;
}

TEST_F(Schemes, that_are_stopped_go_on_to_the_same_file) {
  ASSERT_EQ(sample(kBlocks, {"--draws", "400"}), 0) << said_;
  fs::copy(at("a.nc"), at("whole.nc"));
  fs::remove(at("a.nc"));
  ASSERT_EQ(run_apart({"sample", at("m.stan"), "--scheme", at("s.json"), "--draws", "400",
                       "--quiet", "-o", at("a.nc"), "--max-time", "0.001"}),
            7);
  fs::remove(at("s.json"));
  ASSERT_EQ(run({"resume", at("a.nc.run"), "--quiet"}), 0) << said_;
  EXPECT_TRUE(are_same("a.nc", "whole.nc"));
}

TEST_F(Schemes, tell_what_their_parts_tuned_and_which_of_them_is_biased) {
  ASSERT_EQ(sample(R"({"cycle": [{"sampler": "nuts", "on": ["mu", "p"]},
                                 {"sampler": "nuts", "on": ["theta"]}, {"sampler": "ula"}]})",
                   {"--draws", "20", "--warmup", "60", "--json"}),
            0)
      << said_;
  EXPECT_NE(out_.find(R"("step_size":[)"), std::string::npos) << out_;
  EXPECT_NE(out_.find(R"("step_size_2":[)"), std::string::npos) << out_;
  EXPECT_NE(out_.find("the part 'ula' is biased"), std::string::npos) << out_;
  const std::string blocks =
      R"({"cycle": [{"sampler": "nuts", "on": ["mu", "p"]}, {"sampler": "slice", "on": ["theta"]}]})";
  ASSERT_EQ(sample(blocks, {"--draws", "20", "--warmup", "60", "--json"}), 0) << said_;
  const std::string head = R"("widths":[)";  // of theta alone: two
  const std::size_t begin = out_.find(head);
  ASSERT_NE(begin, std::string::npos) << out_;
  const std::string widths = out_.substr(begin, out_.find(']', begin) - begin);
  EXPECT_EQ(std::count(widths.begin(), widths.end(), ','), 1) << widths;
}

struct Wrong {
  const char *scheme, *place, *said;
};
const Wrong kWrong[] = {
    {"[1]", ":1:1:", "must be an object"},
    {"{}", ":1:1:", "has no kind"},
    {R"({"sampler": "nuts", "cycle": []})", ":1:1:", "both 'sampler' and 'cycle'"},
    {R"({"cycle": []})", ":1:11:", "has no part"},
    {R"({"sampler": "nutz"})", ":1:13:", "no sampler 'nutz'"},
    {R"({"sampler": "ensemble"})", ":1:13:", "can't be a part"},
    {R"({"sampler": "exact"})", ":1:13:", "can't be a part"},
    {R"({"sampler": "composition"})", ":1:13:", "is no sampler"},
    {R"({"cycle": [{"own": "walk"}]})", ":1:12:", "the kernel 'walk' is of a program of its own"},
    {R"({"sampler": "nuts", "options": {"max_depth": 3}})", ":1:", "no member 'max_depth'"},
    {R"({"sampler": "nuts", "options": {"max_tree_depth": 0}})", ":1:", "in [1, 30], is 0"},
    {R"({"mixture": [{"sampler": "nuts"}]})", ":1:14:", "no weight"},
    {R"({"mixture": [{"sampler": "nuts", "weight": 0}]})", ":1:", "must be > 0"},
    {R"({"cycle": [{"sampler": "nuts", "weight": 1}]})", ":1:", "no member 'weight'"},
    {R"({"sampler": "nuts", "on": []})", ":1:", "names no parameter"},
    {R"({"sampler": "nuts", "on": ["mu"]})", ":1:1:", "moves theta.1, theta.2, p.1, p.2"},
    {R"({"sampler": "nuts", "on": ["thata"]})", ":1:1:", "no parameter that 'thata' fits"},
    {R"({"sampler": "nuts", "on": ["theta[3]"]})", ":1:1:", "no parameter that 'theta[3]' fits"},
    {R"({"sampler": "nuts", "on": ["p[1]"]})", ":1:1:", "3 elements made of 2"},
    {R"({"sampler": "nuts", "on": ["mu", "m*"]})", ":1:1:", "names mu once more"},
    {R"({"cycle": [{"sampler": "nuts", "on": ["mu"]}], "on": ["p"]})", ":1:12:", "moves mu, which"},
};

TEST_F(Schemes, that_make_no_sense_are_refused_with_their_place) {
  for (const Wrong& wrong : kWrong) {
    SCOPED_TRACE(wrong.scheme);
    EXPECT_EQ(sample_briefly(wrong.scheme), 2);
    EXPECT_NE(said_.find(std::string("s.json") + wrong.place), std::string::npos) << said_;
    EXPECT_NE(said_.find(wrong.said), std::string::npos) << said_;
    EXPECT_NE(said_.find("hint:"), std::string::npos) << said_;
  }
}

TEST_F(Schemes, beside_options_that_they_state_themselves_are_refused) {
  const std::string alone = R"({"sampler": "nuts"})";
  EXPECT_EQ(sample(alone, {"--sampler", "nuts"}), 2);
  EXPECT_NE(said_.find("leave out one of --sampler and --scheme"), std::string::npos) << said_;
  EXPECT_EQ(sample(alone, {"--max-depth", "3"}), 2);
  EXPECT_NE(said_.find("the scheme gives"), std::string::npos) << said_;
  write("metric.json", R"({"inv_metric": [1, 1, 1, 1, 1]})");
  EXPECT_EQ(sample(alone, {"--inv-metric", at("metric.json")}), 2);
  EXPECT_NE(said_.find("no metric to start from"), std::string::npos) << said_;
  EXPECT_EQ(run({"sample", at("m.stan"), "--sampler", "composition"}), 2);
  EXPECT_NE(said_.find("needs a scheme"), std::string::npos) << said_;
  EXPECT_EQ(sample(alone, {"-o", at("s.json")}), 2);  // the scheme would be replaced
  EXPECT_EQ(io::read_file(at("s.json")), alone);
}

}  // namespace
}  // namespace credo::cli::scheme_test
