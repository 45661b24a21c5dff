// Gibbs sampling with latent values: all coefficients at once from a normal distribution given the latent values of rows and priors
// [albert1993; park2008], then the other parameters by a sampler of the table.
//
//   1  u_k given s_k = a_kᵀ f, for each row and prior that isn't normal itself
//   2  f ~ N(A⁻¹ b, A⁻¹),  A = P + Σ precision(u_k) a_k a_kᵀ,  b = h + Σ shift(u_k) a_k
//   3  φ by a transition of the mover, which leaves the density given f invariant
//
// Latent values aren't kept: each of the two steps leaves the program's own density invariant, in which they are integrated out.
#pragma once
#include "infer/augment/block_reader.hpp"
#include "infer/compose/movers.hpp"
#include "infer/core/transition_kernel.hpp"
#include "infer/mcmc/info_fields.hpp"

namespace credo::infer {

struct GibbsOptions {
  std::string block;
  ChosenRow mover = {};

  static void describe(auto& self, auto&& field) {
    field(self.block, FieldSpec{.name = "block",
                                .help = "parameters that are drawn at once given the rest, joined "
                                        "by commas; empty: as many as possible"});
    field(self.mover, FieldSpec{.name = "mover",
                                .help = "the sampler that moves the other parameters; none: nuts",
                                .rows = &kMoversWithWarmup});
  }
};

struct GibbsInfo {
  double log_density = 0.0, accept_stat = kNaN;
  Index num_evaluations = 0;
  bool divergent = false;

  static void describe(auto& self, auto&& field) {
    field(self.log_density, kLogDensityColumn);
    field(self.accept_stat, kAcceptColumn);
    field(self.num_evaluations, kEvaluationsColumn);
    field(self.divergent, kDivergentColumn);
  }
};

// Steps 1 and 2. Working memory of one thread.
class LatentValuesMover final {
 public:
  explicit LatentValuesMover(const BlockPlan& plan) : plan_(plan), reader_(plan) {}
  // Draws the block's values of `position` anew.
  void draw(std::span<double> position, Rng& rng);
  // Throws Error(evaluation) unless the log density changed as the form did in the last draw().
  void check(double before, double after) const;
  Index num_evaluations() const { return reader_.num_evaluations(); }

 private:
  const BlockPlan& plan_;
  BlockReader reader_;
  BlockForm given_;  // the latent values
  numerics::RowMatrix factor_;
  bool has_factor_ = false;
  std::vector<double> f_;
  BlockForm::Value before_, after_;
};

// The kernel of the frame. The plan is made once for all chains.
struct LatentGibbsOptions {
  GibbsOptions own;
  SampleOptions run;
  std::shared_ptr<const BlockPlan> plan;

  static void describe(auto& self, auto&& field) { GibbsOptions::describe(self.own, field); }
};

class LatentGibbs final : public PooledKernel {
 public:
  using Options = LatentGibbsOptions;
  using State = PointState;
  using Info = GibbsInfo;
  static constexpr bool kNeedsGradient = false;  // the mover asks for its own

  LatentGibbs(const LatentGibbsOptions& options, const density::LogDensity& density);
  Step<GibbsInfo> step(PointState& current, Rng& rng);

  std::shared_ptr<const BlockPlan> plan;
  LatentValuesMover block;
  std::unique_ptr<TransitionKernel> parameters;  // null if all are in the block
  struct Settings {
    const TransitionKernel* parameters;
    static void saved(auto&, auto&&) {}  // all is the mover's
  } settings;
  static void saved(auto& self, auto&& field) {
    if (self.parameters != nullptr) field(self.parameters);
  }
};
void report_settings(const LatentGibbs::Settings& settings, ChainResult& result);

}  // namespace credo::infer
