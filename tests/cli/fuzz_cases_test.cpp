// What fuzzing found, each case through the body of its target.
#include "support/fuzz/cases.hpp"
#include "support/fuzz/chain.hpp"
#include "support/fuzz/config.hpp"
#include "support/fuzz/csv.hpp"
#include "support/fuzz/run.hpp"

namespace credo::fuzz::fuzz_cases_test {
namespace {

TEST(fuzz_cases, chain_claims_hold) {
  ::testing::internal::CaptureStdout();  // the reports
  expect_cases_hold("chain", run_chain);
  EXPECT_FALSE(::testing::internal::GetCapturedStdout().empty());
}
TEST(fuzz_cases, config_claims_hold) { expect_cases_hold("config", run_config); }
TEST(fuzz_cases, csv_claims_hold) { expect_cases_hold("csv", run_csv); }
TEST(fuzz_cases, run_claims_hold) { expect_cases_hold("run", run_run); }

}  // namespace
}  // namespace credo::fuzz::fuzz_cases_test
