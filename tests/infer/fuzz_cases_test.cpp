// What fuzzing found, each case through the body of its target.
#include "support/fuzz/cases.hpp"
#include "support/fuzz/state.hpp"

namespace credo::fuzz::fuzz_cases_test {
namespace {

TEST(fuzz_cases, state_claims_hold) { expect_cases_hold("state", run_state); }

}  // namespace
}  // namespace credo::fuzz::fuzz_cases_test
