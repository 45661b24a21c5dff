// A check that a kernel leaves log densities invariant. The library's own kernels pass it.
//
//   const credo::KernelCheck check = credo::check_kernel(credo::own("walk", maker));
//   if (!check.ok()) std::printf("%s", check.text().c_str());
//
// Seven targets whose moments are known and from which exact draws are easy: a normal, a correlated
// one, a funnel, a banana, two with bounds through their transforms, two modes. The ends of a few
// transitions from independent exact draws are exact draws, if the kernel is right, whatever its
// autocorrelation. Moments of the ends are compared with the known ones in standard errors, ranks
// with those of fresh draws by the statistic of Kolmogorov and Smirnov, scaled to the same
// probabilities. Beyond 4 (6e-5 by chance) a target is checked again with four times the draws.
//
// Kernels run without warm-up, as they begin: `learn` isn't called. A kernel that never moves leaves
// everything invariant, and doesn't pass. A kernel that passes may still be slow; and a fault that shows
// rarely needs more starts.
#pragma once
#include "credo/scheme.hpp"

namespace credo {

struct KernelCheckOptions {
  Index num_starts = 10'000;  // exact draws; errors fall with their square root
  Index num_steps = 3;        // transitions from each
  std::uint64_t seed = 99;
};

// Result for one target.
struct TargetCheck {
  std::string target;     // "banana"
  double worst = 0.0;     // the largest statistic, in standard errors
  std::string statistic;  // which: "mean 0", "square 1", "ranks of x[1]"
  double moved = 0.0;     // share of transitions that ended elsewhere
  bool ok() const { return worst <= 4.0 && moved > 0.0; }
};

struct KernelCheck {
  std::vector<TargetCheck> targets;
  bool ok() const;
  CREDO_API std::string text() const;  // a line for each target
};

// Checks a kernel of your own, one of the library, or a composition. Some 30,000 transitions a target.
// Throws Error(usage) for a scheme that names parameters, which the targets don't have, and for
// options that make no sense; Error(evaluation) for what the kernel throws (nested).
CREDO_API KernelCheck check_kernel(const Scheme& scheme, const KernelCheckOptions& options = {});

inline bool KernelCheck::ok() const {
  for (const TargetCheck& target : targets)
    if (!target.ok()) return false;
  return true;
}

}  // namespace credo
