// What is asked of the density: tails, ridges, bounds, other modes.
#include <gtest/gtest.h>

#include "model/queries/program_facts.hpp"
#include "support/judged_runs.hpp"
#include "verdict/case.hpp"
#include "verdict/report.hpp"
#include "verdict/scouts.hpp"

namespace credo::verdict::density_test {
namespace {
using credo::testing::compiled;
using credo::testing::run_of;

struct Tail {
  std::string declaration, density;
  double lower, upper;  // orders; infinite: lighter than 8
};

// x^(-1-α) in closed form: Cauchy 1, Student's t its degrees of freedom, Pareto its shape.
TEST(tail_order, is_that_of_the_distribution) {
  const std::vector<Tail> tails = {
      {"real x;", "x ~ cauchy(1, 2);", 1, 1},
      {"real x;", "x ~ student_t(3, 0, 1);", 3, 3},
      {"real x;", "x ~ normal(0, 1);", kInfinity, kInfinity},
      {"real x;", "x ~ gumbel(0, 1);", kInfinity, kInfinity},
      {"real<lower=0> x;", "x ~ cauchy(0, 1);", 1, 1},  // flat at 0: its logarithm's slope is 1
      {"real<lower=0> x;", "x ~ gamma(2, 1);", 2, kInfinity},
      {"real<lower=1> x;", "x ~ pareto(1, 2.5);", 1, 2.5},
      {"real<lower=0, upper=1> x;", "x ~ beta(1, 1);", kInfinity, kInfinity}};
  for (const Tail& tail : tails) {
    const auto run =
        run_of("parameters { " + tail.declaration + " } model { " + tail.density + " }", "", 1,
               {.num_warmup = 300, .num_draws = 300});
    const Case at_hand(run->evidence);
    ASSERT_NE(at_hand.probe(), nullptr);
    const TailOrder order = tail_order(*at_hand.probe(), 0);
    const auto expect = [&](double got, double wanted) {
      if (std::isinf(wanted)) {
        EXPECT_GT(got, 8.0) << tail.density;
      } else {
        EXPECT_NEAR(got, wanted, 1e-3) << tail.density;
      }
    };
    expect(order.lower, tail.lower);
    expect(order.upper, tail.upper);
  }
}

// In a mixture with a share w of a distribution with α = 1.12 the weight is about log w, and a few nats more
// or less by where the draws are; the finding is that of tails which can be seen.
TEST(tail_order, says_how_much_of_the_tail_there_is) {
  for (const double log_share : {-10.0, -1000.0}) {
    const auto run = run_of(
        "parameters { real<lower=0> x; } model { target += log_sum_exp(gamma_lpdf(x | 9, 3), " +
            std::to_string(log_share) + " + inv_gamma_lpdf(x | 1.12, 1)); }",
        "", 1, {.num_warmup = 300, .num_draws = 300});
    const Case at_hand(run->evidence);
    const TailOrder order = tail_order(*at_hand.probe(), 0);
    EXPECT_NEAR(order.upper, 1.12, 1e-3);
    EXPECT_NEAR(order.upper_weight, log_share, 10.0);
    EXPECT_EQ(credo::testing::alarms_of(judge(run->evidence)),
              log_share > -50 ? "heavy_tails" : "");
  }
}

// n normal data with location and scale flat in their logarithm: Student's t with n - 1.
TEST(dilation_order, of_location_and_scale_is_students_degrees_of_freedom) {
  const std::map<std::string, double> data = {{"[1, 3]'", 1.0}, {"[1, 3, 2.5, 0.5]'", 3.0}};
  for (const auto& [y, freedom] : data) {
    const auto run = run_of(
        "parameters { real m; real<lower=0> s; } model { target += -log(s) + "
        "normal_lpdf(" +
            y + " | m, s); }",
        "", 1, {.num_warmup = 300, .num_draws = 300});
    const Case at_hand(run->evidence);
    EXPECT_NEAR(dilation_order(*at_hand.probe(), 1, std::vector<Index>{0}), freedom, 1e-6) << y;
  }
}

// Data hold the groups' values, and only their location goes along with a flat scale: with J groups
// the scale's density falls like its power J - 1.
TEST(dilation_order, of_a_flat_scale_of_groups_is_two_less_than_their_number) {
  for (const int groups : {3, 4}) {
    const auto run = run_of(
        "data { int J; } parameters { vector[J] theta; real mu; real<lower=0> tau; } model { theta "
        "~ normal(mu, tau); for (j in 1:J) 2.0 * j ~ normal(theta[j], 0.2); }",
        R"({"J": )" + std::to_string(groups) + "}", 1, {});
    const Dilation dilation = Case(run->evidence).heaviest_dilation();
    EXPECT_NEAR(dilation.order, groups - 2.0, 1e-6);
    EXPECT_EQ(dilation.along, std::vector<Index>{groups});
    EXPECT_EQ(credo::testing::ids_of(judge(run->evidence)).find("heavy_tails") == 0, groups == 3);
  }
}

TEST(other_mode, is_found_though_all_chains_are_in_one) {
  infer::SampleOptions options{.num_chains = 2};
  options.init = {{-8.0}};
  const std::string text =
      "parameters { real x; } model { target += log_mix(0.5, normal_lpdf(x | -8, 1), normal_lpdf(x "
      "| "
      "10, 1)); }";
  const auto run = run_of(text, "", 2, options);
  const auto other = search_modes(Case(run->evidence)).found;
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->output, "x");
  EXPECT_NEAR(other->value, 10.0, 1e-3);
  EXPECT_NEAR(other->log_share, 0.0, 0.5);  // both hold half; 128 draws give the spread to 6 %
}

// A climb ends at the mode on whose side of the plane between both it begins; random points alone were all on one side.
TEST(other_mode, is_found_in_forty_dimensions_on_either_side) {
  for (const char* other : {"4", "-4"}) {
    const auto run = run_of(
        "parameters { vector[40] x; } model { target += log_mix(0.5, "
        "normal_lpdf(x | 0, 1), normal_lpdf(x | " +
            std::string(other) + ", 1)); }",
        "", 2);
    const auto found = search_modes(Case(run->evidence)).found;
    ASSERT_TRUE(found.has_value()) << other;
    EXPECT_NEAR(found->value, std::stod(other), 1e-3);
  }
}

TEST(other_mode, is_none_where_it_holds_nothing_or_there_is_one) {
  infer::SampleOptions options{.num_chains = 2};
  options.init = {{-8.0}};
  const std::string tiny =
      "parameters { real x; } model { target += log_mix(0.999, normal_lpdf(x | -8, 1), "
      "normal_lpdf(x | "
      "10, 1)); }";
  EXPECT_FALSE(search_modes(Case(run_of(tiny, "", 2, options)->evidence)).found.has_value());
  const std::string one =
      "parameters { real x; real<lower=0> s; } model { x ~ normal(3, 1); s ~ gamma(3, 1); }";
  EXPECT_FALSE(search_modes(Case(run_of(one, "", 2)->evidence)).found.has_value());
}

TEST(text_without_bounds, takes_one_declarations_bounds_away) {
  const density::ProgramFacts program = model::facts_of(*compiled(
      "data { int N; } parameters { real<lower=0> a; vector<lower=(N > 2 ? 0 : 1), upper=9>[2] b; "
      "real c; "
      "} model { a ~ normal(0, 1); }"));
  EXPECT_NE(program.text_without_bounds("a")->find("real a;"), std::string::npos);
  EXPECT_NE(program.text_without_bounds("b")->find("vector[2] b;"), std::string::npos);
  EXPECT_NE(program.text_without_bounds("b")->find("real<lower=0> a;"), std::string::npos);
  EXPECT_FALSE(program.text_without_bounds("c").has_value());
}

TEST(report, shows_the_place_and_keeps_to_the_width) {
  const std::string text =
      "parameters {\n  real v;\n  vector[9] x;\n}\nmodel {\n  v ~ normal(0, 3);\n  x ~ "
      "normal(0, exp(v / 2));\n}\n";
  const auto run = run_of(text, "", 1);
  const Verdict verdict = judge(run->evidence);
  const std::string report = report_text(verdict, 60);
  EXPECT_NE(report.find("7 |   x ~ normal(0, exp(v / 2));"), std::string::npos) << report;
  EXPECT_NE(report.find("^~~"), std::string::npos);
  for (std::size_t begin = 0, end; begin < report.size(); begin = end + 1) {
    end = report.find('\n', begin);
    EXPECT_LE(end - begin, 60u) << report.substr(begin, end - begin);
  }
}

}  // namespace
}  // namespace credo::verdict::density_test
