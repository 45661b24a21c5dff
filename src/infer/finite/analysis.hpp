// Every analysis of a finite chain, in one call: the report of `credo chain`.
#pragma once
#include "infer/finite/bottleneck.hpp"
#include "infer/finite/spectrum.hpp"
#include "infer/finite/times.hpp"

namespace credo::infer::finite {

struct AnalysisOptions {
  double epsilon = 0.25;  // tolerance of the mixing time, in total variation
  Index max_time = Index{1} << 40;
  double tolerance = kBalanceTolerance;  // relative; for what counts as balanced and invariant
  Index max_exact_states = 22;           // of the conductance
  std::vector<double> target = {};       // weights, or none: judged against it
  std::vector<double> function = {};     // a value for each state, or none: its tau
};

// Speed of a chain with one closed class, on its recurrent states.
struct Speed {
  std::vector<Index> states;  // the closed class; numbers below count within it
  Spectrum spectrum;
  MixingBounds bounds;
  Bottleneck bottleneck;
  double kemeny = 0.0;
  double worst_tau = 0.0;  // over all functions; reversible chains only, else NaN
};

struct DistanceAt {
  Index time;
  WorstStart worst;
};

struct Analysis {
  Structure structure;
  std::vector<std::vector<double>> distributions;  // one for each closed class
  // With one closed class:
  std::optional<Speed> speed;
  BalanceError balance;
  bool reversible = false;
  bool converges = false;             // from every start to the one stationary distribution
  std::optional<Index> mixing_time;   // nothing: not within max_time
  Index slowest_start = 0;            // at that time less one
  std::vector<DistanceAt> distances;  // at 0, 1, 2, 4, 8, ... until below epsilon / 100
  std::optional<double> tau;          // of options.function
  double function_mean = 0.0;
  // With a target:
  std::optional<Verdict> verdict;
};

Analysis analyse(const FiniteChain& chain, const AnalysisOptions& options = {});

}  // namespace credo::infer::finite
