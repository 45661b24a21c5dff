// What fuzzing found, each case through the body of its target.
#include "support/fuzz/cases.hpp"
#include "support/fuzz/data.hpp"

namespace credo::fuzz {
namespace {

TEST(fuzz_cases, data_claims_hold) { expect_cases_hold("data", run_data); }

}  // namespace
}  // namespace credo::fuzz
