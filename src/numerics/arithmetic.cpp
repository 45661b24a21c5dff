// The choice of the SIMD target. The library's dispatch tables are indexed by one process-wide
// mask; forcing a target writes it, so every kernel exported anywhere follows.
#include "numerics/arithmetic.hpp"

#include <atomic>
#include <cstdlib>

#include "base/error.hpp"
#include "numerics/simd/highway.hpp"

#include "hwy/highway.h"

namespace credo::numerics {
namespace {

struct TargetRow {
  SimdTarget target;
  std::string_view name;
  int64_t bit;
};
constexpr std::array<TargetRow, 3> kTargets{{
    {SimdTarget::sse4, "sse4", HWY_SSE4},
    {SimdTarget::avx2, "avx2", HWY_AVX2},
    {SimdTarget::avx512, "avx512", HWY_AVX3},
}};

std::atomic<int>& active();
const TargetRow& row_of(SimdTarget target) { return kTargets[static_cast<size_t>(target)]; }

[[noreturn]] void refuse(const std::string& problem, std::string_view where) {
  std::string names;
  for (SimdTarget t : supported_targets())
    names += (names.empty() ? "" : ", ") + std::string(target_name(t));
  throw Error(ErrorCode::usage, problem, std::string(where), "this CPU has " + names);
}

std::vector<SimdTarget> detect() {
  const int64_t bits = hwy::SupportedTargets();
  std::vector<SimdTarget> found;
  for (const TargetRow& row : kTargets) {
    if ((bits & row.bit) != 0) found.push_back(row.target);
  }
  if (!found.empty()) return found;
  throw Error(ErrorCode::usage, "this CPU has no SSE4.2, the least credo runs on");
}

void choose(SimdTarget target, std::string_view where) {
  const auto& have = supported_targets();
  if (std::find(have.begin(), have.end(), target) == have.end()) {
    refuse("SIMD target " + std::string(target_name(target)) + " is not supported by this CPU",
           where);
  }
  // Chosen now, and also if the library should ever detect again.
  hwy::SetSupportedTargetsForTest(row_of(target).bit);
  hwy::GetChosenTarget().Update(row_of(target).bit);
  active().store(static_cast<int>(target));
}

SimdTarget initial_target() {
  const char* name = std::getenv("CREDO_SIMD");
  if (name == nullptr || *name == '\0') return supported_targets().back();
  try {
    return parse_target(name);
  } catch (const Error& error) {
    throw Error(error.code(), error.message(), "CREDO_SIMD", error.hint());
  }
}

constexpr int kUndecided = -1;
std::atomic<int>& active() {
  static std::atomic<int> target{kUndecided};
  return target;
}

}  // namespace

SimdTarget active_target() {
  if (active().load() == kUndecided) choose(initial_target(), "CREDO_SIMD");
  return static_cast<SimdTarget>(active().load());
}

void force_target(SimdTarget target) { choose(target, {}); }

std::string_view target_name(SimdTarget target) { return row_of(target).name; }

SimdTarget parse_target(std::string_view name) {
  for (const TargetRow& row : kTargets) {
    if (row.name == name) return row.target;
  }
  refuse("no SIMD target '" + std::string(name) + "', there are sse4, avx2 and avx512", {});
}

const std::vector<SimdTarget>& supported_targets() {
  static const std::vector<SimdTarget> targets = detect();
  return targets;
}

std::string_view arithmetic_name(SimdTarget target) {
  return target == SimdTarget::sse4 ? "sse4" : "fma";
}

}  // namespace credo::numerics
