// Seeds of statistical tests. They are fixed; CREDO_TEST_SEED=n moves all of them, so that the same
// claims can be asked on other seeds (CONTRIBUTING.md).
#pragma once
#include <cstdint>
#include <cstdlib>

namespace credo::testing {

inline std::uint64_t test_seed(std::uint64_t usual) {
  static const std::uint64_t shift = [] {
    const char* const given = std::getenv("CREDO_TEST_SEED");
    return given ? std::strtoull(given, nullptr, 10) : 0;
  }();
  return usual + 100'003 * shift;
}

}  // namespace credo::testing
