// credo sample --sampler abc_smc on programs that simulate, and credo expect --method cross_entropy.
#include <gtest/gtest.h>

#include "cli/results.hpp"
#include "io/file.hpp"
#include "results/draws/summary.hpp"
#include "support/command_run.hpp"
#include "support/one_line.hpp"

namespace credo::cli::abc_test {
namespace {
using namespace credo::testing;

const std::string kFolder = CREDO_SOURCE_DIR "/examples/abc/";

class AbcCommand : public CommandRun {
 protected:
  AbcCommand() : CommandRun("abc") {}
  int sample(const std::string& program, std::vector<std::string> more) {
    std::vector<std::string> words{"sample",    kFolder + program + ".stan",
                                   "--data",    kFolder + program + ".json",
                                   "--sampler", "abc_smc"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::unique_ptr<Fit> open(std::vector<std::string> names) const {
    for (std::string& name : names) name = at(name);
    return open_fit(names);
  }
};

// mu ~ N(0, 2²), 20 numbers of N(mu, 1): the posterior is N(20 m / 20.25, 1 / 20.25), and epsilon adds epsilon² / 3 to the variance of m.
TEST_F(AbcCommand, comes_to_the_posterior_of_a_normal_mean) {
  ASSERT_EQ(sample("normal_mean", {"--distance", "distance", "--tolerance", "0.05", "--draws",
                                   "1000", "--seed", "1", "-o", at("fit.nc")}),
            0)
      << said();
  EXPECT_NE(on_one_line(printed() + said()).find("the draws are an approximation"),
            std::string::npos)
      << said();
  EXPECT_NE(on_one_line(printed() + said()).find("4 of 4 populations ended by the tolerance"),
            std::string::npos)
      << said();
  const Json data = parse_json(io::read_file(kFolder + "normal_mean.json"));
  double mean = 0.0;
  for (const Json& value : data.at("y").items) mean += value.number / 20.0;
  const auto fit = open({"fit.nc"});
  const auto rows = results::summarise_outputs(*fit);
  ASSERT_FALSE(rows.empty());
  EXPECT_NEAR(rows[0].mean, 20.0 * mean / 20.25, 0.03);
  EXPECT_NEAR(rows[0].sd, 1.0 / std::sqrt(20.25), 0.02);
  ASSERT_EQ(fit->tables().size(), 1u);
  EXPECT_EQ(fit->tables()[0].name, "stages");
}

TEST_F(AbcCommand, gives_the_same_bits_for_any_number_of_threads) {
  const std::vector<std::string> words{
      "--simulated", "q",        "--observed", "q_of_y", "--draws", "60",     "--max-simulations",
      "1000",        "--chains", "2",          "--seed", "3",       "--quiet"};
  for (const auto& [threads, name] : {std::pair("1", "a"), std::pair("3", "b")}) {
    std::vector<std::string> more = words;
    more.insert(more.end(), {"--threads", threads, "-o", at(std::string(name) + ".csv")});
    ASSERT_TRUE(sample("g_and_k", more) == 0) << said();
  }
  EXPECT_EQ(io::read_file(at("a.stages.csv")), io::read_file(at("b.stages.csv")));
  const auto a = open({"a_1.csv", "a_2.csv"}), b = open({"b_1.csv", "b_2.csv"});
  const density::Draws of_a = a->quantities(false, *find_quantity(*a, "g"), 1),
                       of_b = b->quantities(false, *find_quantity(*b, "g"), 1);
  EXPECT_TRUE(std::ranges::equal(of_a.quantity(0), of_b.quantity(0)));
}

TEST_F(AbcCommand, refuses_a_likelihood_and_names_what_is_missing) {
  write("m.stan",
        "data { real y; } parameters { real x; } model { x ~ normal(0, 1); y ~ normal(x, 1); }\n"
        "generated quantities { real far = abs(normal_rng(x, 1) - y); }");
  write("d.json", R"({"y": 1.0})");
  EXPECT_EQ(run({"sample", at("m.stan"), "--data", at("d.json"), "--sampler", "abc_smc",
                 "--distance", "far"}),
            2);
  EXPECT_NE(on_one_line(said()).find("has a likelihood, and abc_smc uses none"), std::string::npos)
      << said();
  EXPECT_EQ(sample("normal_mean", {}), 2);
  EXPECT_NE(on_one_line(said()).find("--distance NAME"), std::string::npos) << said();
}

// P(x > 5) of a standard normal, and of the half of it that a bound leaves.
TEST_F(AbcCommand, tells_a_rare_event_by_the_cross_entropy_method) {
  write("n.stan",
        "parameters { real x; real<lower=0> s; } model { x ~ normal(0, 1); s ~ normal(0, 1); }");
  for (const auto& [event, truth] :
       {std::pair("x > 5", 2.8665e-7), std::pair("s > 5", 5.7330e-7)}) {
    ASSERT_EQ(run({"expect", at("n.stan"), "--probability", event, "--method", "cross_entropy",
                   "--seed", "2", "--json"}),
              0)
        << said();
    const Json told = parse_json(printed());
    const double p = told.at("probability").number, error = told.at("error").number;
    EXPECT_NEAR(p, truth, 3.0 * error) << event;
    EXPECT_LT(error, 0.1 * truth) << event;
  }
  write("flat.stan", "parameters { real x; } model { x ~ normal(0, 1); target += -x^4; }");
  EXPECT_NE(run({"expect", at("flat.stan"), "--probability", "x > 2", "--method", "cross_entropy"}),
            0);
  EXPECT_EQ(run({"expect", at("n.stan"), "--of", "x", "--method", "cross_entropy"}), 2);
}

}  // namespace
}  // namespace credo::cli::abc_test
