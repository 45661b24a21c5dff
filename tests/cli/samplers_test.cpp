// credo samplers: what its table claims.
#include "cli/command.hpp"
#include "cli/help/sampler_table.hpp"
#include "density/function_density.hpp"
#include "infer/core/table.hpp"
#include "infer/mcmc/langevin/langevin.hpp"
#include "infer/mcmc/walk/rwm.hpp"
#include "support/json_tree.hpp"

namespace credo::cli::samplers_test {
namespace {
using credo::testing::Json;

const std::string kNormal = CREDO_SOURCE_DIR "/examples/correlated_normal.stan";
const std::string kData = CREDO_SOURCE_DIR "/examples/correlated_normal.data.json";

struct Printed {
  int status = 0;
  std::string out, err;
};

Printed run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"samplers", kNormal, "--data", kData});
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Printed printed;
  printed.status = run_command_line(std::move(arguments));
  std::fflush(stdout);
  printed.out = ::testing::internal::GetCapturedStdout();
  printed.err = ::testing::internal::GetCapturedStderr();
  return printed;
}

Json table_of(const Printed& printed) {
  EXPECT_EQ(printed.status, 0) << printed.err;
  return credo::testing::JsonParser(printed.out).parse();
}

const Quantities kCoordinate{{"x"}, [](const infer::StoredDraws& store) { return store.draws; }};

std::shared_ptr<const density::LogDensity> normal_density() {
  return density::make_density(1, [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = -x[0];
    return -0.5 * x[0] * x[0];
  });
}

// A density that has values only.
class WithoutGradient final : public density::LogDensity {
 public:
  Index dimension() const override { return inner_->dimension(); }
  bool has_gradient() const override { return false; }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return inner_->make_evaluator();
  }
  std::string describe(const density::Status& status) const override {
    return inner_->describe(status);
  }

 private:
  std::shared_ptr<const density::LogDensity> inner_ = normal_density();
};

TEST(samplers, all_of_the_table_are_listed_and_the_biased_ones_marked) {
  const Json table = table_of(run({"--json", "--warmup", "200", "--draws", "200"}));
  std::vector<const infer::SamplerSpec*> rows;
  for (const infer::SamplerSpec* row : infer::samplers())
    if (row->has_warmup && !row->needs_states) rows.push_back(row);  // `exact` draws priors only
  ASSERT_EQ(table.items.size(), rows.size());
  for (std::size_t i = 0; i < table.items.size(); ++i) {
    const infer::SamplerSpec& spec = *rows[i];
    const Json& row = table.items[i];
    EXPECT_EQ(row.at("sampler").text, spec.name);
    EXPECT_NE(row.at("verdict").text, "failed") << spec.name;
    EXPECT_GT(row.at("worst_time").value(), 0.0);
    EXPECT_GE(row.at("evaluations_per_draw").value(), 0.99) << spec.name;
    bool says_biased = false;
    for (const Json& remark : row.at("remarks").items)
      says_biased = says_biased || remark.text.find("nearly the posterior") != std::string::npos;
    EXPECT_EQ(says_biased, spec.name == "ula" || spec.name == "underdamped") << spec.name;
  }
}

TEST(samplers, figures_are_the_same_with_any_number_of_threads) {
  const std::vector<std::string> arguments = {
      "--json", "--only", "nuts,slice,ensemble,dram", "--warmup", "100", "--draws", "200"};
  std::vector<std::string> with_two = arguments;
  with_two.insert(with_two.end(), {"--threads", "2"});
  const Json one = table_of(run(arguments)), two = table_of(run(with_two));
  ASSERT_EQ(one.items.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i)
    for (const char* figure : {"worst_time", "mean_time", "acceptance", "effective_draws",
                               "evaluations_per_draw", "worst_r_hat"})
      EXPECT_EQ(one.items[i].at(figure).value(), two.items[i].at(figure).value()) << figure;
}

// Langevin steps of size h on a normal density are an autoregression: φ = 1 - h²/2, time
// (1 + φ) / (1 - φ). The error of a time of 15 from 200,000 draws, which sums about 75 lags, is
// 15 sqrt(2 · 151 / 200,000) = 0.6. One gradient a draw and every draw another.
TEST(samplers, figures_of_an_autoregression_are_the_closed_form) {
  const infer::SampleOptions options{.sampler = "ula",
                                     .num_warmup = 100,
                                     .num_draws = 50'000,
                                     .init = {{0.0}},
                                     .kernel = infer::UlaOptions{.step_size = 0.5}};
  const SamplerRow row = measure_sampler(*normal_density(), options, kCoordinate);
  EXPECT_NEAR(row.worst_time, 15.0, 2.4);
  EXPECT_EQ(row.mean_time, row.worst_time);
  EXPECT_EQ(row.num_draws, 200'000);
  EXPECT_EQ(row.effective_draws, 200'000.0 / row.worst_time);
  EXPECT_EQ(row.acceptance, 1.0);
  EXPECT_EQ(row.evaluations_per_draw, 1.0);
  EXPECT_EQ(row.seconds_per_independent, row.seconds_per_draw * row.worst_time);
  EXPECT_EQ(row.verdict, SamplerVerdict::biased);
}

TEST(samplers, without_a_gradient_say_so_and_the_others_run) {
  const WithoutGradient density;
  const SamplerRow nuts = measure_sampler(density, {.sampler = "nuts"}, kCoordinate);
  EXPECT_EQ(nuts.verdict, SamplerVerdict::failed);
  ASSERT_EQ(nuts.remarks.size(), 1U);
  EXPECT_NE(nuts.remarks[0].find("needs a gradient"), std::string::npos) << nuts.remarks[0];
  const SamplerRow slice = measure_sampler(density, {.sampler = "slice"}, kCoordinate);
  EXPECT_EQ(slice.verdict, SamplerVerdict::fine);
}

// Small steps from points that lie apart: R-hat is large, the verdict comes before that of length.
TEST(samplers, that_have_not_converged_are_not_believed) {
  const infer::SampleOptions options{.sampler = "rwm",
                                     .num_warmup = 0,
                                     .num_draws = 100,
                                     .init = {{-3.0}, {-1.0}, {1.0}, {3.0}},
                                     .kernel = infer::RwmOptions{.scale = 0.01}};
  const SamplerRow row = measure_sampler(*normal_density(), options, kCoordinate);
  EXPECT_EQ(row.verdict, SamplerVerdict::disagree);
  EXPECT_GT(row.worst_r_hat, 1.5);
  EXPECT_NE(sampler_table_text(std::vector{row}).find("disagree"), std::string::npos);
}

TEST(samplers, judge_outputs_of_the_program_and_take_options_of_one_sampler) {
  const Json table = table_of(run({"--json", "--only", "hmc_static", "--columns", "xy", "--set",
                                   "hmc_static.integration_time=3", "--warmup", "100"}));
  EXPECT_EQ(table.items.at(0).at("slowest").text, "xy");
}

TEST(samplers, wrong_options_name_the_option) {
  EXPECT_NE(run({"--only", "nuts,gibs"}).err.find("--only"), std::string::npos);
  EXPECT_NE(run({"--columns", "z"}).err.find("--columns"), std::string::npos);
  EXPECT_NE(run({"--draws", "-1"}).err.find("--draws"), std::string::npos);
  for (const char* setting : {"nuts", "nuts.depth=3", "gibs.width=1", "nuts.max_tree_depth=x"}) {
    const Printed printed = run({"--set", setting});
    EXPECT_EQ(printed.status, 2) << setting;
    EXPECT_NE(printed.err.find("--set"), std::string::npos) << printed.err;
  }
}

TEST(samplers, text_has_a_line_for_each_and_says_what_it_means) {
  const Printed printed = run({"--only", "nuts,ula", "--warmup", "100", "--draws", "100"});
  EXPECT_EQ(printed.status, 0) << printed.err;
  for (const char* words : {"\nnuts ", "\nula ", "biased", "time: draws for one independent draw"})
    EXPECT_NE(printed.out.find(words), std::string::npos) << words << " in " << printed.out;
}

}  // namespace
}  // namespace credo::cli::samplers_test
