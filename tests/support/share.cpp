#include "support/share.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>

namespace credo::testing {
namespace {

std::set<std::string, std::less<>>& long_tests() {
  static std::set<std::string, std::less<>> names;
  return names;
}

[[noreturn]] void stop(const std::string& words) {
  std::fprintf(stderr, "%s\n", words.c_str());
  std::exit(2);
}

// The declared name of a test: suite and name without what instances of TEST_P add before and behind.
std::string declared_name(std::string_view suite, std::string_view test) {
  suite.remove_prefix(suite.rfind('/') + 1);
  return std::string(suite) + "." + std::string(test.substr(0, test.find('/')));
}

}  // namespace

bool Share::has(std::string_view name) const {
  std::uint64_t hash = 2166136261u;  // FNV-1a
  for (const char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u % 0x1'0000'0000u;
  return has(hash);
}

Share read_share(std::string_view text) {
  Share share;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, share.number);
  if (number.ec != std::errc{} || number.ptr == end || *number.ptr != '/') return {0, 0};
  const auto count = std::from_chars(number.ptr + 1, end, share.count);
  const bool valid = count.ec == std::errc{} && count.ptr == end && share.number < share.count;
  return valid ? share : Share{0, 0};
}

const Share& this_share() {
  static const Share share = [] {
    const char* const given = std::getenv("CREDO_SHARE");
    const Share read = given ? read_share(given) : Share{};
    if (read.count == 0)
      stop(std::string("CREDO_SHARE=") + given + ": expected K/N with 0 <= K < N, such as 3/10");
    return read;
  }();
  return share;
}

bool declare_long(std::string_view test) { return long_tests().emplace(test).second; }

void leave_out_other_shares() {
  const Share& share = this_share();
  std::set<std::string> found;
  std::string others;
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const std::string test = suite.GetTestInfo(j)->name();
      const std::string declared = declared_name(suite.name(), test);
      const std::string full = std::string(suite.name()) + "." + test;
      if (!long_tests().contains(declared)) continue;
      found.insert(declared);
      if (!share.has(full)) others += (others.empty() ? "" : ":") + full;
    }
  }
  for (const std::string& name : long_tests())
    if (!found.contains(name))
      stop("a long test is declared as " + name + ", but there is no such test");
  std::string& filter = ::testing::GTEST_FLAG(filter);
  if (!others.empty()) filter += (filter.find('-') == std::string::npos ? '-' : ':') + others;
}

}  // namespace credo::testing
