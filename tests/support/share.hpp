// Long tests take turns, so that a test run stays short (CONTRIBUTING.md, "Long tests and checks"). CREDO_SHARE=K/N in the
// environment selects share K (from 0) of N; without it every test runs in full.
//
//   LONG_TEST(suite, name) { ... }      runs only in the share of its name; also LONG_TEST_F, LONG_TEST_P
//   if (!in_this_share(k)) continue;    in a loop over many cases: each share has every N-th case
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace credo::testing {

struct Share {
  std::uint64_t number = 0, count = 1;

  bool has(std::uint64_t item) const { return item % count == number; }
  bool has(std::string_view name) const;  // by a hash of the name, as in tools/shares.py
};

// "K/N"; an invalid text has count 0.
Share read_share(std::string_view text);

// The share that CREDO_SHARE selects.
const Share& this_share();

inline bool in_this_share(std::int64_t item) {
  return this_share().has(static_cast<std::uint64_t>(item));
}

// Marks "suite.name" as long. Called by the macros only.
bool declare_long(std::string_view test);

// Adds the long tests of other shares to the tests that GoogleTest's filter leaves out.
void leave_out_other_shares();

}  // namespace credo::testing

#define CREDO_LONG(suite, name)                          \
  [[maybe_unused]] const bool suite##_##name##_is_long = \
      ::credo::testing::declare_long(#suite "." #name)
#define LONG_TEST(suite, name) \
  CREDO_LONG(suite, name);     \
  TEST(suite, name)
#define LONG_TEST_F(suite, name) \
  CREDO_LONG(suite, name);       \
  TEST_F(suite, name)
#define LONG_TEST_P(suite, name) \
  CREDO_LONG(suite, name);       \
  TEST_P(suite, name)
