// What fuzzing found, each case through the body of its target.
#include "support/fuzz/cases.hpp"
#include "support/fuzz/tracer.hpp"
#include "support/fuzz/values.hpp"

namespace credo::fuzz::fuzz_cases_test {
namespace {

TEST(fuzz_cases, tracer_claims_hold) { expect_cases_hold("tracer", run_tracer); }
TEST(fuzz_cases, values_claims_hold) { expect_cases_hold("values", run_values); }

}  // namespace
}  // namespace credo::fuzz::fuzz_cases_test
