// Distributions of a finite chain: after n steps, stationary, in the limit; their distances and how long
// they take to vanish. Distances are in total variation, 1/2 sum |a - b|, between 0 and 1; a text
// that measures by the sum itself (L1) has twice that.
#pragma once
#include "infer/finite/chain.hpp"
#include "infer/finite/structure.hpp"

namespace credo::infer::finite {

double total_variation(std::span<const double> a, std::span<const double> b);

// The distribution after num_steps steps from `distribution`.
std::vector<double> distribution_after(const FiniteChain& chain,
                                       std::span<const double> distribution, Index num_steps);

// The stationary distributions from which all others are mixed: one for each closed class, 0 outside it.
// Elimination without subtractions [grassmann1985]: every probability is right to about n
// roundings, however small. O(n^3).
std::vector<std::vector<double>> stationary_distributions(const FiniteChain& chain,
                                                          const Structure& structure);
// The only one. Throws Error(data) if there are several closed classes.
std::vector<double> stationary_distribution(const FiniteChain& chain);

// lim P^n(start, .): exists when the classes that the start leads to are aperiodic.
std::optional<std::vector<double>> limiting_distribution(const FiniteChain& chain, Index start);

// Probability that the chain from `start` ends in each closed class, in the order of
// stationary_distributions.
std::vector<double> absorption_probabilities(const FiniteChain& chain, const Structure& structure,
                                             Index start);

// Powers P^(2^k), each computed when first needed.
class Squarings {
 public:
  explicit Squarings(const FiniteChain& chain) : powers_{chain} {}
  const FiniteChain& operator[](Index k);

 private:
  std::vector<FiniteChain> powers_;
};

// d = max over x of TV(P(x, .), distribution), and the x. Does not grow from P^t to P^(t+1).
struct WorstStart {
  double distance = 0.0;
  Index start = 0;
};
WorstStart worst_start(const FiniteChain& power, std::span<const double> distribution);

// The first t at which the distance to the stationary distribution is at most epsilon, from every start or
// from one; exact, by bisection over powers. Empty: not within max_time (never, if periodic).
struct MixingOptions {
  double epsilon = 0.25;
  Index max_time = Index{1} << 40;
};
std::optional<Index> mixing_time(Squarings& powers, std::span<const double> distribution,
                                 const MixingOptions& options = {});
std::optional<Index> mixing_time_from(Squarings& powers, std::span<const double> distribution,
                                      Index start, const MixingOptions& options = {});

// ---- is a kernel correct? ----

// Largest |(target P)(y) - target(y)| / target(y); infinite where mass goes to a state of weight 0.
struct InvarianceError {
  double relative = 0.0, absolute = 0.0;  // the absolute one may be another state's
  Index state = 0;                        // of the relative one
};
InvarianceError invariance_error(const FiniteChain& chain, std::span<const double> target);

// Largest difference of the flows target(x) P(x, y) and target(y) P(y, x), relative to the larger
// of the two. Pairs whose probabilities are both below 1e-15 count as rounding.
struct BalanceError {
  double relative = 0.0, absolute = 0.0;
  Index from = 0, to = 0;  // places of the relative error
};
BalanceError balance_error(const FiniteChain& chain, std::span<const double> target);

// Sums of positive numbers keep a relative error of one rounding for each term: matrices of a few
// hundred states and as many branches stay far below, a wrong acceptance ratio far above.
inline constexpr double kBalanceTolerance = 1e-11;

// The verdict on a kernel for a target (weights), with a sentence for each fault in `faults`.
struct Verdict {
  bool leaves_target = false, reversible = false, irreducible = false, aperiodic = false;
  InvarianceError invariance;
  BalanceError balance;
  std::string faults;
  // Conditions of a sampler: the target is invariant, and every start forgets itself.
  bool converges_to_target() const { return leaves_target && irreducible && aperiodic; }
};
Verdict judge(const FiniteChain& chain, std::span<const double> target,
              double tolerance = kBalanceTolerance);

}  // namespace credo::infer::finite
