// Numbers of the model that a verdict looks up for the outputs of a file; a verdict by one thread and by several.
#include "verdict/probe.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "base/processors.hpp"
#include "infer/mcmc/hamiltonian/hmc_static.hpp"
#include "support/judged_runs.hpp"

namespace credo::verdict::probe_test {
namespace {

TEST(parameter_at, finds_the_number_by_its_name_whatever_the_order_of_a_file) {
  const auto model = credo::testing::model_of(
      "parameters { vector[2] a; real<lower=0> s; } model { a ~ normal(0, 1); s ~ exponential(1); "
      "} "
      "generated quantities { vector[3] g = rep_vector(s, 3); }",
      "{}");
  const Evidence evidence{.variables = {{.name = "g", .first = 0, .count = 3},
                                        {.name = "s", .first = 3, .count = 1},
                                        {.name = "a", .first = 4, .count = 2}},
                          .model = model.get()};
  const std::vector<double> point{0.3, -0.7, std::log(2.0)};
  EXPECT_DOUBLE_EQ(parameter_at(evidence, point, 3), 2.0);
  EXPECT_DOUBLE_EQ(parameter_at(evidence, point, 4), 0.3);
  EXPECT_DOUBLE_EQ(parameter_at(evidence, point, 5), -0.7);
  EXPECT_TRUE(std::isnan(parameter_at(evidence, point, 0)));  // not a parameter
  EXPECT_TRUE(std::isnan(parameter_at(evidence, point, 6)));  // beyond the outputs
}

// All that a verdict says.
std::string said(const Verdict& verdict) {
  std::string text = verdict.sentence;
  for (const Finding& finding : verdict.findings)
    text += "\n" + finding.id + ": " + finding.text + " " + finding.remedy;
  for (const Figure& figure : verdict.figures)
    text += fmt::format("\n{} {:a} {}", figure.name, figure.value, figure.output);
  return text;
}

std::string said_by_one_processor(const Evidence& evidence) {
  std::string text;
  std::jthread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    ASSERT_EQ(num_processors(), 1);
    text = said(judge(evidence));
  }).join();
  return text;
}

// The climbs run ahead, as many at once as there are processors, and the first of two programs has a mode that ends them.
TEST(verdict, is_the_same_by_one_processor_and_by_all) {
  for (const char* text :
       {"parameters { real x; } model { target += log_sum_exp(normal_lpdf(x | -30, 1), "
        "normal_lpdf(x "
        "| 30, 1)); }",
        "parameters { real<lower=0> s; vector[4] x; } model { s ~ exponential(1); x ~ normal(0, "
        "s); } "
        "generated quantities { real t = x[1] / x[2]; real is_above = t > 0; }"}) {
    const auto run = credo::testing::run_of(text, "", 5, {.num_chains = 2});
    EXPECT_EQ(said_by_one_processor(run->evidence), said(judge(run->evidence))) << text;
  }
}

// A tenth of a turn of 2 π: draws resemble the last one.
TEST(tree_depth, says_which_option_allows_longer_trajectories_without_trees) {
  infer::SampleOptions options{.sampler = "hmc_static", .num_warmup = 0};
  options.kernel =
      infer::HmcStaticOptions{.step_size = 0.1, .integration_time = 6.0, .max_steps = 4};
  const auto run =
      credo::testing::run_of("parameters { real x; } model { x ~ normal(0, 1); }", "", 1, options);
  const Verdict verdict = judge(run->evidence);
  const auto found = std::ranges::find(verdict.findings, "tree_depth", &Finding::id);
  ASSERT_NE(found, verdict.findings.end()) << verdict.sentence;
  EXPECT_NE(found->text.find("as many steps as a trajectory may have"), std::string::npos);
  EXPECT_NE(found->remedy.find("--max-steps"), std::string::npos) << found->remedy;
}

}  // namespace
}  // namespace credo::verdict::probe_test
