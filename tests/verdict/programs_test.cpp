// Whole runs: programs with a known illness are named, healthy ones are left alone.
#include <gtest/gtest.h>

#include "support/judged_runs.hpp"
#include "support/share.hpp"
#include "verdict/programs.hpp"

namespace credo::verdict::programs_test {
namespace {
using credo::testing::ids_of;
using credo::testing::run_of;

class Programs : public ::testing::TestWithParam<TestProgram> {};

bool names(const Verdict& verdict, const TestProgram& program) {
  for (const Finding& finding : verdict.findings) {
    if (finding.id != program.finding) continue;
    if (program.parameter.empty()) return true;
    for (const std::string& name : finding.parameters)
      if (name.substr(0, name.find('.')) == program.parameter) return true;
  }
  return false;
}

// A run in which every chain happens to find the same mode shows none; one seed in three may.
LONG_TEST(verdict, names_the_illness_of_each_program) {
  for (const TestProgram& program : ill_programs()) {
    int named = 0;
    constexpr int kSeeds = 3;
    for (int seed = 1; seed <= kSeeds; ++seed) {
      const auto run = run_of(program.text, program.data, static_cast<std::uint64_t>(seed));
      const Verdict verdict = judge(run->evidence);
      named += names(verdict, program);
      EXPECT_NE(verdict.word, Verdict::Word::good) << program.name << " seed " << seed;
      if (!names(verdict, program))
        std::cout << program.name << " seed " << seed << ": " << ids_of(verdict) << '\n';
    }
    EXPECT_GE(named, kSeeds - 1) << program.name << " has " << program.finding;
  }
}

TEST(verdict, leaves_healthy_programs_alone) {
  for (const TestProgram& program : healthy_programs())
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto run = run_of(program.text, program.data, seed);
      const Verdict verdict = judge(run->evidence);
      EXPECT_EQ(credo::testing::alarms_of(verdict), "") << program.name << " seed " << seed;
      EXPECT_EQ(verdict.word, Verdict::Word::good) << program.name;
    }
}

// One of 16 points is possible: that a chain takes 20 tries has probability 0.27.
TEST(verdict, says_that_chains_hardly_found_a_start) {
  const auto run = run_of(
      "parameters { vector[4] x; } model { if (min(x) < 0) reject(\"outside\"); x ~ normal(4, "
      "0.3); }",
      "", 5, {.num_chains = 16});
  const Verdict verdict = judge(run->evidence);
  EXPECT_EQ(ids_of(verdict), "initial_values");
  EXPECT_NE(verdict.findings[0].text.find("reject: outside"), std::string::npos);
}

TEST(verdict, does_not_take_the_walkers_of_an_ensemble_for_tries) {
  const auto run = run_of("parameters { vector[2] x; } model { x ~ normal(0, 1); }", "", 1,
                          {.sampler = "ensemble"});
  EXPECT_EQ(ids_of(judge(run->evidence)).find("initial_values"), std::string::npos);
}

// A row that is switched off isn't made up for by another one: each id comes from its own check.
LONG_TEST(verdict, without_a_row_its_illness_has_no_name) {
  for (const TestProgram& program : ill_programs()) {
    std::vector<const FindingSpec*> rows;
    for (const FindingSpec* row : table())
      if (row->id != program.finding) rows.push_back(row);
    const auto run = run_of(program.text, program.data, 1);
    EXPECT_FALSE(names(judge(run->evidence, rows), program)) << program.name;
  }
}

}  // namespace
}  // namespace credo::verdict::programs_test
