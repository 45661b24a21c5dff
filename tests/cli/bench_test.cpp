// What `credo bench` claims to measure.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/bench/bench_explain.hpp"
#include "cli/bench/bench_suite.hpp"
#include "cli/bench/bench_timing.hpp"
#include "cli/command.hpp"
#include "io/data/data_table.hpp"

namespace credo::cli::bench_test {
namespace {

const std::string kEightSchools = CREDO_SOURCE_DIR "/examples/eight_schools.stan";
const std::string kData = CREDO_SOURCE_DIR "/examples/eight_schools.data.json";

constexpr const char* kNormal = "parameters { vector[3] x; } model { x ~ std_normal(); }";

model::Model normal_model() {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  return model::Model(model::compile_text("normal", kNormal, diagnostics, source),
                      io::DataTable("none"), {});
}

struct Outcome {
  int status;
  std::string out, err;
};

Outcome run(std::vector<std::string> arguments) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int status = run_command_line(std::move(arguments));
  std::fflush(stdout);
  return {status, ::testing::internal::GetCapturedStdout(),
          ::testing::internal::GetCapturedStderr()};
}

TEST(bench, json_has_every_documented_key) {
  const Outcome outcome = run({"bench", kEightSchools, "--data", kData, "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* key :
       {"\"lanes\":[", "{\"lanes\":1,\"us_per_gradient\":", "\"us_per_leapfrog\":", "\"ready_s\":",
        "\"peak_mib\":", "\"load_s\":", "\"trace_s\":", "\"loaded_mib\":", "\"traced_mib\":",
        "\"dimension\":", "\"nodes\":"}) {
    EXPECT_NE(outcome.out.find(key), std::string::npos) << key << " in " << outcome.out;
  }
}

TEST(bench, without_chains_there_is_no_leapfrog_time) {
  const Outcome outcome = run({"bench", kEightSchools, "--data", kData, "--json", "--chains", "0"});
  EXPECT_NE(outcome.out.find("\"us_per_leapfrog\":null"), std::string::npos) << outcome.out;
}

TEST(bench, the_run_has_the_length_asked_for) {
  const Outcome outcome = run({"bench", kEightSchools, "--data", kData, "--chains", "3", "--warmup",
                               "40", "--draws", "30", "--threads", "1"});
  EXPECT_NE(outcome.out.find("3 chains of 40 + 30 transitions on 1 thread,"), std::string::npos)
      << outcome.out;
}

// 20,000 terms of a few nanoseconds.
TEST(bench, a_large_gradient_is_timed_with_all_threads_too) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const model::Model model(
      model::compile_text("long",
                          "parameters { vector[20000] x; } model { x ~ normal(0, exp(sin(x))); }",
                          diagnostics, source),
      io::DataTable("none"), {});
  const auto traced = model.trace(std::vector<double>(20000, 0.0));
  EXPECT_TRUE(GradientRunner(traced, 1, 3).splits());
  const graph::ProgramSummary summary = graph::Inspector(*traced->program).summary(1);
  Index parts = 1;
  for (const auto& group : summary.groups) parts = std::max(parts, group.parts);
  EXPECT_EQ(parts, 20);
  StatementWatch watch;
  const std::string text = explanation_text({.model = &model,
                                             .watch = &watch,
                                             .summary = summary,
                                             .lanes = 1,
                                             .threads = 3,
                                             .microseconds = 1.0});
  EXPECT_NE(text.find("20 parts for 3 threads"), std::string::npos) << text;
}

TEST(bench, a_count_of_gradients_prints_nothing) {
  const Outcome outcome =
      run({"bench", kEightSchools, "--data", kData, "--gradients", "3", "--max-lanes", "4"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST(bench, without_program_or_suite_is_wrong_use) {
  const Outcome outcome = run({"bench"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("name one, or --suite"), std::string::npos) << outcome.err;
}

// Counts the steps that a sink is told of.
class StepCounter final : public infer::DrawSink {
 public:
  void begin(const Sizes& sizes) override {
    for (std::size_t k = 0; k < sizes.columns.size(); ++k)
      if (sizes.columns[k].stan_name == "n_leapfrog__") column_ = k;
  }
  void draw(const infer::DrawRecord& record) override { steps += record.info[column_]; }
  double steps = 0.0;

 private:
  std::size_t column_ = 0;
};

TEST(bench, time_of_a_leapfrog_step_is_shared_by_all_steps_of_all_chains) {
  const model::Model model = normal_model();
  infer::SampleOptions options;
  options.num_chains = 2;
  options.num_threads = 1;
  const LeapfrogTime time = time_leapfrogs(model, options, 1.0);
  options.num_warmup = time.num_warmup;
  options.num_draws = time.num_draws;
  options.save_warmup = true;
  StepCounter counter;
  infer::run_chains(model, options, counter);
  EXPECT_EQ(double(time.num_steps), counter.steps);
  EXPECT_GT(time.microseconds, 0.0);
}

TEST(bench, a_run_that_cannot_start_says_so) {
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const model::Model model(
      model::compile_text("never", "parameters { real x; } model { reject(\"never\"); }",
                          diagnostics, source),
      io::DataTable("none"), {});
  const LeapfrogTime time = time_leapfrogs(model, {}, 1.0);
  EXPECT_FALSE(time.failure.empty());
  EXPECT_FALSE(std::isfinite(time.microseconds));
}

// A density that is there in one corner only: neither the origin nor a random start is in it.
TEST(bench, begins_at_given_initial_values) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("credo_init_{}", getpid());
  fs::create_directory(folder);
  const std::string program = folder / "far.stan", init = folder / "init.json";
  std::ofstream(program) << "parameters { real x; real y; } model {"
                            " if (x < 50) reject(x); x ~ normal(60, 1); y ~ normal(0, 1); }";
  std::ofstream(init) << R"({"x": 60, "z": 1})";
  const Outcome nowhere = run({"bench", program, "--json", "--init", "2"});
  const Outcome there = run({"bench", program, "--json", "--init", init});
  fs::remove_all(folder);
  EXPECT_NE(nowhere.out.find("\"us_per_leapfrog\":null"), std::string::npos) << nowhere.out;
  EXPECT_EQ(there.out.find("\"us_per_leapfrog\":null"), std::string::npos) << there.out;
  EXPECT_NE(there.err.find("z is no parameter of the program"), std::string::npos) << there.err;
}

TEST(bench, explain_says_what_a_loop_became) {
  EXPECT_EQ(becomes({.traced = 900, .scalars = 2, .vectors = 3, .largest = 300}),
            "vectors of up to 300");
  EXPECT_EQ(becomes({.traced = 900, .scalars = 900}), "900 scalars stay");
  EXPECT_EQ(becomes({.traced = 900, .regions = 1}), "region");
  EXPECT_EQ(becomes({.traced = 2, .scalars = 2}), "scalars");
  const Outcome outcome = run({"bench", kEightSchools, "--data", kData, "--explain"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("eight_schools.stan:"), std::string::npos) << outcome.out;
}

TEST(bench, profile_names_source_lines) {
  const Outcome outcome = run({"bench", kEightSchools, "--data", kData, "--profile", "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("eight_schools.stan:"), std::string::npos) << outcome.out;
}

TEST(bench_suite, shares_are_rates_over_those_of_as_many_threads) {
  const MachineSpeed machine{.threads = 2,
                             .read_one = 10e9,
                             .read_all = 15e9,
                             .operations_one = 50e9,
                             .operations_all = 90e9};
  const SuiteResult result{.name = "r",
                           .lanes = 1,
                           .threads = 1,
                           .trace_seconds = 0,
                           .microseconds = 1000,
                           .bytes = 5e6,
                           .operations = 1e7};
  EXPECT_DOUBLE_EQ(result.share_of_bandwidth(machine), 0.5);
  EXPECT_DOUBLE_EQ(result.share_of_throughput(machine), 0.2);
  SuiteResult shared = result;
  shared.threads = 2;
  EXPECT_DOUBLE_EQ(shared.share_of_bandwidth(machine), 5.0 / 15.0);
  EXPECT_DOUBLE_EQ(shared.share_of_throughput(machine), 1.0 / 9.0);
}

}  // namespace
}  // namespace credo::cli::bench_test
