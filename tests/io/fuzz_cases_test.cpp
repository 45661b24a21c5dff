// What fuzzing found, each case through the body of its target.
#include "support/fuzz/cases.hpp"
#include "support/fuzz/data.hpp"
#include "support/fuzz/table.hpp"

namespace credo::fuzz::fuzz_cases_test {
namespace {

TEST(fuzz_cases, data_claims_hold) { expect_cases_hold("data", run_data); }
TEST(fuzz_cases, table_claims_hold) { expect_cases_hold("table", run_table); }

}  // namespace
}  // namespace credo::fuzz::fuzz_cases_test
