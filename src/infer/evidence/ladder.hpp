// The log evidence from chains on a ladder of temperatures, prior · likelihood^β, 0 = β₀ < … < β_K = 1, of which each
// begins at draws of the one below:
//
//   thermodynamic integration   log Z = ∫₀¹ E_β[log L] dβ, trapezium with its first correction [gelman1998; friel2014];
//                               from β₁ on, since E₀[log L] need not exist: from 0 to β₁ the first stepping stone
//   stepping stones             log Z = Σ_k log E_k[L^(β_{k+1} - β_k)] [xie2011]
//
// Both have the same draws, and so errors that aren't independent of each other.
#pragma once
#include "density/draws.hpp"
#include "infer/core/sample.hpp"

namespace credo::infer {

extern const RowTable kLadderSamplers;  // samplers that can move along a ladder

struct LadderOptions {
  ChosenRow sampler = {};        // sampler of each rung; empty: nuts, without a gradient slice
  double conditional_ess = 0.9;  // share of the effective draws that a step up keeps
  Index num_chains = 4, num_warmup = 200, num_draws = 500, num_threads = 0;
  std::uint64_t seed = 1;
  Index most_rungs = 1000;

  static void describe(auto& self, auto&& field) {  // all but the run's options
    field(self.sampler,
          FieldSpec{.name = "sampler",
                    .help = "sampler on each rung; empty: nuts, or slice without a gradient",
                    .rows = &kLadderSamplers});
    field(self.conditional_ess,
          FieldSpec{.name = "conditional_ess",
                    .help = "share of the effective draws that a step up keeps",
                    .range = between(0.0, 1.0)});
    field(
        self.most_rungs,
        FieldSpec{.name = "most_rungs", .help = "rungs at most", .range = {.lo = 2.0, .hi = 1e6}});
  }
};

struct LadderRung {
  double inverse_temperature = 0.0;
  double mean = 0.0, mean_error = 0.0;  // mean log likelihood; error by autocorrelation
  double variance = 0.0;
  double log_step = 0.0, step_error = 0.0;  // log E[L^Δβ] to the next rung; 0 on the last one
  // `mean` and `log_step` of each chain, and the largest R-hat of the rung's coordinates and log likelihood; 1 on the
  // first rung.
  std::vector<double> chain_means = {}, chain_steps = {};
  double r_hat = 1.0;
};

// Above this R-hat the chains of a rung haven't mixed: they stay in separate modes, whose relative weights are
// unknown.
inline constexpr double kMostRungRHat = 1.05;

struct LadderEvidence {
  std::vector<LadderRung> rungs;
  // A chain begins where the same chain of the rung below ended, so that each chain is a ladder by itself. The error
  // combines the errors of the rungs; if the chains' ladders differ by far more, it is the error from their spread.
  // It is infinite if the chains of a rung haven't mixed.
  LogEvidence thermodynamic, stepping;
  const LadderRung& least_mixed() const {
    return *std::ranges::max_element(rungs, {}, &LadderRung::r_hat);
  }
  // The first stone and the sums of the left and of the right ends from there on, between which log Z lies, as
  // E_β[log L] rises; without the share of the prior that has a likelihood, which is in both evidences.
  double lower = 0.0, upper = 0.0;
  double log_share = 0.0;  // log share of the prior that has a likelihood
  Index num_evaluations = 0;
  bool interrupted = false;
};

// `from`: the beginning of the path, which can be drawn from. Throws Error(usage) for options that can't be run, and
// like run_chains.
LadderEvidence ladder_evidence(const density::LogDensity& from, const density::LogDensity& to,
                               const LadderOptions& options);

// The integral of the mean log likelihood over the rungs' powers: the rule below, extrapolated from all rungs and every other one
// (Richardson), with the rest of its error.
struct PathIntegral {
  double value = 0.0, error = 0.0;
};
PathIntegral integrate_along(std::span<const LadderRung> rungs);

// Σ ½ (m_k + m_{k+1}) Δβ - (v_{k+1} - v_k) Δβ² / 12, means and variances of the log likelihood by rung.
double corrected_trapezium(std::span<const LadderRung> rungs);

}  // namespace credo::infer
