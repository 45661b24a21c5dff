// What fuzzing found, each case through the body of its target.
#include "support/fuzz/archive.hpp"
#include "support/fuzz/cases.hpp"

namespace credo::fuzz::fuzz_cases_test {
namespace {

TEST(fuzz_cases, archive_claims_hold) { expect_cases_hold("archive", run_archive); }

}  // namespace
}  // namespace credo::fuzz::fuzz_cases_test
