// The cases that fuzzing found, run through the target's own body: tests/fuzz_cases/TARGET/*, and
// the target's first inputs, fuzz/seeds/TARGET/*.
#pragma once
#include <gtest/gtest.h>

#include "support/fuzz/claims.hpp"

namespace credo::fuzz {

inline std::vector<std::filesystem::path> cases_of(const std::string& target) {
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"/tests/fuzz_cases/", "/fuzz/seeds/"}) {
    const std::string place = CREDO_SOURCE_DIR + (folder + target);
    if (!std::filesystem::exists(place)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(place))
      paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Every case keeps the body's claims, throws nothing, and ends within 10 s.
inline void expect_cases_hold(const std::string& target,
                              const std::function<void(std::string_view)>& body) {
  const auto paths = cases_of(target);
  EXPECT_FALSE(paths.empty()) << "no case of " << target;
  for (const auto& path : paths) {
    SCOPED_TRACE(path.string());
    std::ifstream file(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_NO_THROW(body(bytes));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  }
}

}  // namespace credo::fuzz
