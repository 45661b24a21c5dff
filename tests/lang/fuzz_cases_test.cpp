// What fuzzing found, each case through the body of its target.
#include "support/fuzz/cases.hpp"
#include "support/fuzz/checker.hpp"
#include "support/fuzz/parser.hpp"

namespace credo::fuzz::fuzz_cases_test {
namespace {

TEST(fuzz_cases, checker_claims_hold) { expect_cases_hold("checker", run_checker); }
TEST(fuzz_cases, parser_claims_hold) { expect_cases_hold("parser", run_parser); }

}  // namespace
}  // namespace credo::fuzz::fuzz_cases_test
