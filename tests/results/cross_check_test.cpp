// Two runs compared: the same density agrees, by any two algorithms; a planted other one is told with its figure and output.
#include "results/draws/cross_check.hpp"

#include <gtest/gtest.h>

#include "infer/core/table.hpp"
#include "results/draws/cross_run.hpp"
#include "results/draws/quiet_run.hpp"
#include "support/text_model.hpp"

namespace credo::results::cross_check_test {
namespace {
using verdict::CrossCheck;
using verdict::CrossFigure;

constexpr const char* kHealthy = R"(parameters { real a; vector[3] b; }
model { a ~ normal(1, 2); b ~ normal(a, 1); [0.3, 2, 1] ~ normal(b, 1.5); })";

std::unique_ptr<model::Model> model_of(const std::string& program) {
  return model::model_from(program);
}

infer::SampleOptions nuts(std::uint64_t seed) {
  return {.num_warmup = 500, .num_draws = 500, .seed = seed, .num_threads = 1};
}

infer::SampleOptions particles(std::uint64_t seed, const char* from = "prior") {
  infer::SampleOptions run{.sampler = "smc",
                           .num_chains = 16,
                           .num_warmup = 0,
                           .num_draws = 64,
                           .seed = seed,
                           .num_threads = 1,
                           .kernel = infer::find_sampler("smc").options()};
  infer::set_field(run.kernel, "from", from);
  return run;
}

std::vector<CrossFigure> differing(const std::vector<CrossFigure>& all) {
  std::vector<CrossFigure> chosen;
  std::ranges::copy_if(all, std::back_inserter(chosen), &CrossFigure::differs);
  return chosen;
}

bool has(const std::vector<CrossFigure>& figures, std::string_view output,
         std::string_view figure) {
  return std::ranges::any_of(figures, [&](const CrossFigure& one) {
    return one.output == output && one.figure == figure;
  });
}

// All figures of a run differ by chance in one of 1000; here are 10 runs, and none differs. A program with a wider prior of a
// is told each time, by a's spread.
TEST(cross_check, agrees_of_one_density_and_tells_another) {
  const auto model = model_of(kHealthy);
  const auto other = model_of(R"(parameters { real a; vector[3] b; }
model { a ~ normal(4, 2); b ~ normal(a, 1); [0.3, 2, 1] ~ normal(b, 1.5); })");
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const QuietRun first(*model, nuts(seed)), second(*model, particles(seed)),
        shifted(*other, particles(seed));
    const CrossCheck same = cross_checked(first.fit(), second.fit());
    EXPECT_EQ(same.outcome, CrossCheck::Outcome::agree) << same.reason;
    EXPECT_GE(ssize(same.figures), 4 * 4)
        << "five figures of each output, but sds of tails that look heavy";
    EXPECT_TRUE(differing(same.figures).empty());
    const CrossCheck told = cross_checked(first.fit(), shifted.fit());
    EXPECT_EQ(told.outcome, CrossCheck::Outcome::differ);
    EXPECT_TRUE(has(differing(told.figures), "a", "mean"));
    const CrossCheck reversed = cross_checked(shifted.fit(), first.fit());
    EXPECT_EQ(reversed.outcome, CrossCheck::Outcome::differ);
  }
}

TEST(cross_check, agrees_of_two_kinds_of_chains) {
  const auto model = model_of(kHealthy);
  infer::SampleOptions slice = nuts(2);
  slice.sampler = "slice";
  slice.kernel = infer::find_sampler("slice").options();
  const QuietRun first(*model, nuts(1)), second(*model, slice);
  const CrossCheck same = cross_checked(first.fit(), second.fit());
  EXPECT_EQ(same.outcome, CrossCheck::Outcome::agree) << same.reason;
}

// What each mutant changes is the figure that is told: location, spread, and one tail alone.
TEST(cross_check, names_what_differs) {
  const auto normal = model_of("parameters { real x; } model { x ~ normal(0, 1); }");
  const auto wide = model_of("parameters { real x; } model { x ~ normal(0, 1.6); }");
  const QuietRun first(*normal, nuts(1)), second(*wide, particles(1));
  const std::vector<CrossFigure> told = differing(compare_draws(first.fit(), second.fit()));
  EXPECT_TRUE(has(told, "x", "sd"));
  EXPECT_TRUE(has(told, "x", "5 % quantile"));
  EXPECT_FALSE(has(told, "x", "mean"));
  EXPECT_FALSE(has(told, "x", "median"));
}

// Chains in one of two modes; particles from the prior find both, with their shares, and the mean of the other one's mass is told.
// The prior makes the far mode exp(-2) times as probable, the weights 0.88 / 0.12: so both have half the mass.
TEST(cross_check, sees_a_mode_that_all_chains_missed) {
  const auto model = model_of(R"(transformed data { real y = 0; }
parameters { real x; } model { x ~ normal(0, 20);
target += log_mix(0.12, normal_lpdf(y | x, 1), normal_lpdf(y | x - 40, 1)); })");
  const QuietRun first(*model, nuts(1)), second(*model, particles(1));
  const CrossCheck told = cross_checked(first.fit(), second.fit());
  ASSERT_EQ(told.outcome, CrossCheck::Outcome::differ) << told.reason;
  EXPECT_EQ(differing(told.figures).front().output, "x");
}

TEST(cross_check, leaves_out_moments_of_heavy_tails) {
  const auto cauchy = model_of("parameters { real x; } model { x ~ cauchy(0, 1); }");
  const QuietRun first(*cauchy, nuts(1)), second(*cauchy, particles(1));
  const std::vector<CrossFigure> all = compare_draws(first.fit(), second.fit());
  EXPECT_FALSE(has(all, "x", "mean"));
  EXPECT_FALSE(has(all, "x", "sd"));
  EXPECT_TRUE(has(all, "x", "median"));
}

TEST(cross_check, does_not_count_a_run_that_is_ill_itself_as_agreement) {
  const auto modes = model_of(
      "parameters { real x; } model { target += log_mix(0.5, normal_lpdf(x | -20, 1), "
      "normal_lpdf(x | 20, 1)); }");
  infer::SampleOptions slice = nuts(1);
  slice.sampler = "slice", slice.kernel = infer::find_sampler("slice").options();
  slice.init = {{-20.0}, {20.0}, {-20.0}, {20.0}};
  const QuietRun first(*modes, nuts(1)), second(*modes, slice);
  const CrossCheck found = cross_checked(first.fit(), second.fit());
  EXPECT_EQ(found.outcome, CrossCheck::Outcome::undecided);
  EXPECT_NE(found.reason.find("failed its own checks"), std::string::npos) << found.reason;
}

TEST(cross_check, does_not_count_agreement_with_a_reservation) {
  const auto model = model_of(kHealthy);
  const QuietRun first(*model, nuts(1)), second(*model, particles(1));
  const CrossCheck found = cross_checked(first.fit(), second.fit(), "why not.");
  EXPECT_EQ(found.outcome, CrossCheck::Outcome::undecided);
  EXPECT_EQ(found.reason, "why not.");
}

CrossPlan plan_of(const model::Model& model, const CrossCheckSpec& spec) {
  const QuietRun first(model, nuts(1));
  return plan_cross_run(spec, nuts(1), first.fit().result(), model);
}

TEST(cross_plan, begins_at_the_prior_where_it_can_be_drawn_from) {
  const auto proper = model_of(kHealthy);
  EXPECT_TRUE(plan_of(*proper, {.algorithm = "smc"}).reservation.empty());
  const auto flat = model_of("parameters { real x; } model { 1.5 ~ normal(x, 1); }");
  const CrossPlan plan = plan_of(*flat, {.algorithm = "smc"});
  EXPECT_NE(plan.reservation.find("the prior can't be drawn from"), std::string::npos);
  EXPECT_NE(plan.words.find("from a normal distribution"), std::string::npos);
  EXPECT_TRUE(plan_of(*flat, {.algorithm = "smc", .from = "normal"}).reservation.empty());
}

TEST(cross_plan, that_can_not_be_run_says_why) {
  const auto flat = model_of("parameters { real x; } model { 1.5 ~ normal(x, 1); }");
  const CrossPlan plan = plan_of(*flat, {.algorithm = "smc", .from = "prior"});
  RunStore store(*flat, plan.run);
  const std::string reason = run_within_budget(*flat, plan, store);
  EXPECT_NE(reason.find("the prior can't be drawn from"), std::string::npos) << reason;
}

// The budget is a multiple of the run's evaluations, and what is beyond it is not compared, for one thread or four.
TEST(cross_plan, ends_where_its_budget_is_spent) {
  const auto model = model_of(kHealthy);
  for (const char* algorithm : {"smc", "slice"}) {
    const CrossPlan whole = plan_of(*model, {.algorithm = algorithm, .budget = 100.0});
    RunStore done(*model, whole.run);
    ASSERT_EQ(run_within_budget(*model, whole, done), "");
    for (const Index threads : {1, 4}) {
      CrossPlan little = whole;
      little.run.num_threads = threads;
      Index most = 0;
      for (const auto& chain : done.result().chains) most = std::max(most, chain.num_evaluations);
      little.evaluations_each = most / 2;
      RunStore store(*model, little.run);
      EXPECT_NE(run_within_budget(*model, little, store).find("budget was spent"),
                std::string::npos);
    }
  }
}

TEST(cross_algorithm, is_another_one_that_draws_from_the_target) {
  infer::SampleOptions run;
  EXPECT_EQ(cross_algorithm({.algorithm = "auto"}, run), "smc");
  EXPECT_EQ(cross_algorithm({.algorithm = "slice"}, run), "slice");
  for (const char* wrong : {"nuts", "lbfgs", "composition", "none"})
    EXPECT_THROW(cross_algorithm({.algorithm = wrong}, run), Error) << wrong;
  run.sampler = "smc";
  EXPECT_EQ(cross_algorithm({.algorithm = "auto"}, run), "nuts");
}

}  // namespace
}  // namespace credo::results::cross_check_test
