// The flow with the highest mean log density at draws: maximum likelihood [papamakarios2017], which makes KL(p ‖ q) small, p the distribution of the
// draws. It begins at the normal distribution with their moments, climbs by batches of four fifths of the draws, and is judged by the rest.
#pragma once
#include "infer/maps/flow.hpp"
#include "infer/variational/families/graph_family.hpp"
#include "infer/variational/climbs/fitted_family.hpp"

namespace credo::infer {

struct FlowToDrawsOptions {
  std::string layers = "maf:5";
  Index hidden = 32;
  double step = 0.003;
  Index batch = 64;
  Index max_steps = 20'000;
  std::uint64_t seed = 1;
};

struct DensityOfDraws : ClimbResult {  // the objective: mean log q of the draws that were held out
  FlowSpec spec;
  std::shared_ptr<GraphFamily> family;
  double normal_objective = kNaN;  // mean log density by the normal distribution
};

// Throws Error(usage) for layers without an inverse, and for fewer than 50 draws.
DensityOfDraws fit_flow_to_draws(std::span<const std::vector<double>> points,
                                 std::span<const double> log_weights,
                                 const FlowToDrawsOptions& options);

}  // namespace credo::infer
