// The test that every transition kernel must pass, and every mutant fail: exact starts.
//
//   for (const Target& target : all_targets())
//     if (worst_statistic(target, maker).value > kLimit) …
//
// The ends of a few transitions from independent exact draws are exact draws, if the kernel leaves
// the target invariant. Ends are independent, so that errors are exact, whatever the
// autocorrelation:
//   moments: z is standard normal, |z| > 4 has probability 6e-5;
//   ranks: the ends against as many fresh draws, by the two-sample statistic of Kolmogorov and
//     Smirnov, scaled so that 4 has the same probability.
// A failure counts when it repeats with four times the draws on another seed.
#pragma once
#include "infer/core/point.hpp"
#include "infer/core/step.hpp"
#include "infer/core/transition_kernel.hpp"
#include "infer/invariance/targets.hpp"

namespace credo::infer::invariance {

inline constexpr double kLimit = 4.0;

// ---- a kernel by itself

// Answers a question, of one point or of many.
void answer(density::Evaluator& evaluator, Evaluate& question);

template <class T>
T run_alone(Step<T> step, density::Evaluator& evaluator) {
  for (step.resume(); !step.done(); step.resume()) answer(evaluator, *step.pending());
  return step.result();
}

// With the gradient.
PointState state_at(density::Evaluator& evaluator, std::span<const double> position);

// transition(evaluator, state, rng) makes one.
using Transition = std::function<void(density::Evaluator&, PointState&, Rng&)>;
// Makes a kernel for a dimension. Kernels with a state of their own start it from the point.
using TransitionMaker = std::function<Transition(Index dimension)>;

// Maker for a part of compositions, without warm-up.
TransitionMaker maker_of_parts(const KernelMaker& make);

// ---- statistics

// Distance from the expected value, in standard errors, and the name of the figure.
struct Statistic {
  double value = 0.0;
  std::string what = {};  // "mean 0", "ranks of x[1]"
};

// The larger value. A NaN (a moment of NaN, the error of a chain that stands still) is
// infinitely bad; std::max would drop it.
double worse(double a, double b);
Statistic worse(Statistic a, Statistic b);

struct StartOptions {
  int num_starts = 10'000;
  int num_steps = 3;
  std::uint64_t seed = 99;
};

// The ends of num_steps transitions from exact draws: num_starts × D.
std::vector<double> ends_of(const Target& target, const TransitionMaker& make,
                            const StartOptions& options);

// Statistics of ends, one after another.
Statistic worst_moment(const Target& target, std::span<const double> ends);
Statistic worst_rank(const Target& target, std::span<const double> ends, std::uint64_t seed);

// sup |F - G| sqrt(n / 2) of two samples of n, scaled: 4 is exceeded with probability 6e-5.
double rank_statistic(std::vector<double> a, std::vector<double> b);

// Both, of the ends.
Statistic exact_start(const Target& target, const TransitionMaker& make,
                      const StartOptions& options);

// The statistic, and where it is beyond the limit that of four times the draws on another seed.
Statistic repeated(const std::function<Statistic(const StartOptions&)>& statistic,
                   StartOptions options);

// The decisive statistic: exact_start, repeated.
Statistic worst_statistic(const Target& target, const TransitionMaker& make,
                          const StartOptions& options = {});

}  // namespace credo::infer::invariance
