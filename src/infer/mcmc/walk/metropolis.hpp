// Metropolis–Hastings [hastings1970]: any proposal, accepted so that the target stays invariant.
//
//   A = min(1, π(x') q(x | x') / (π(x) q(x' | x))),  a rejection repeats x.
#pragma once
#include "infer/core/point.hpp"
#include "infer/core/sample.hpp"
#include "infer/core/step.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

// How a move is proposed. It must be able to come back from wherever it goes: supp π lies in the
// union of supp q(· | x). Const and shared by the chains.
class Proposal {
 public:
  virtual ~Proposal() = default;
  // Throws Error(usage) where it doesn't fit points of this dimension.
  virtual void check(Index /*dimension*/) const {}
  virtual void draw(std::span<const double> from, std::span<double> to, Rng& rng) const = 0;
  // log q(from | to) - log q(to | from); 0 for a symmetric one, which is Metropolis' algorithm
  // [metropolis1953].
  virtual double log_ratio(std::span<const double> from, std::span<const double> to) const = 0;
};

struct MetropolisOptions {
  std::shared_ptr<const Proposal> proposal;

  static void describe(auto&, auto&&) {}  // a proposal has no text
};

struct MetropolisInfo {
  double log_density = 0.0;
  double accept_stat = 0.0;
  bool accepted = false;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.accepted, kAcceptedColumn);
  }
};

// The decision: moves to a candidate with its probability. `log_ratio` is the log of
// π(x') q(x | x') / (π(x) q(x' | x)).
MetropolisInfo decide(PointState& current, std::span<const double> candidate, double log_density,
                      double log_ratio, Rng& rng);

// Leaves the target invariant for every proposal.
class Metropolis final : public PooledKernel {
 public:
  using Options = MetropolisOptions;
  using State = PointState;
  using Info = MetropolisInfo;
  static constexpr bool kNeedsGradient = false;

  Metropolis(const MetropolisOptions& options, Index dimension);
  Step<MetropolisInfo> step(PointState& current, Rng& rng);

  MetropolisOptions options;
  NoSettings settings;

 private:
  std::vector<double> candidate_;
};

}  // namespace credo::infer
