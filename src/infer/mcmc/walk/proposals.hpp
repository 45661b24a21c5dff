// Proposals from knowledge of the problem, for Metropolis–Hastings (infer/mcmc/walk/metropolis.hpp).
#pragma once
#include "infer/core/transition_kernel.hpp"
#include "infer/mcmc/walk/metropolis.hpp"

namespace credo::infer {

// Metropolis–Hastings with a proposal as a part of compositions, of the coordinates it stands for.
KernelMaker metropolis(std::shared_ptr<const Proposal> proposal);

// Data-driven proposals [tu2002]: predictions f_k(D) of some coordinates, as a mixture of
// normals independent of their current values; the other coordinates stay. Mixed with a random walk as
//   mixture({{w0, kernel("rwm")}, {w1, metropolis(predicted_block(…))}, …}):
// a bad predictor is slow, not wrong, as long as the walk has a weight. Predictions of the same
// coordinates belong into one block, which can then jump from one to the other.
struct Prediction {
  double weight = 1.0;           // > 0
  std::vector<double> mean, sd;  // one for each coordinate
};
std::shared_ptr<const Proposal> predicted_block(std::vector<Index> coordinates,
                                                std::vector<Prediction> predictions);

// Latent input: a stretch of a latent path is drawn anew from the process that generates it, given
// the rest. Proposals are exact conditional draws of the prior f(x | θ), so that the acceptance is
// the ratio of what remains, the likelihood.
struct Generator {
  Index first, count;  // coordinates of the path
  Index window;        // length of a stretch
  // Draws coordinates [begin, end) of `position` given all other coordinates, from the prior.
  std::function<void(std::span<double> position, Index begin, Index end, Rng& rng)> regenerate;
  // log f(x | θ) up to what does not depend on the path.
  std::function<double(std::span<const double> position)> log_prior;
};
std::shared_ptr<const Proposal> regenerated_window(Generator generator);

}  // namespace credo::infer
