// The ready-made models (models/ready/ready_model.hpp), one file each. All throw Error(data) for numbers that don't fit.
#pragma once
#include "models/hidden_markov/hidden_path.hpp"
#include "models/jumps/inclusion.hpp"
#include "models/lattice/lattice.hpp"
#include "models/mixture/collapsed_mixture.hpp"
#include "models/mixture/gaussian_mixture.hpp"
#include "models/paths/tank.hpp"
#include "models/ready/ready_model.hpp"
#include "models/topics/topics.hpp"

namespace credo::models {

// weights[K], means[K, D], covariances[K, D, D], labels[N]; log_complete, what samplers are compared by.
Ready gaussian_mixture_model(std::vector<double> points, const GaussianMixturePrior& prior);

// x[D] and its label, drawn from the mixture itself by a Gibbs sampler that moves one given the other.
Ready known_mixture_model(GaussianMixture mixture);

// labels[N], numbered as first members come where there may be any number; num_clusters.
Ready collapsed_mixture_model(std::vector<double> points, const NormalInverseWishart& prior,
                              const PartitionPrior& partition);

// mean, precision.
Ready normal_precision_model(std::vector<double> data, const NormalPrecisionPrior& prior);

// topics[tokens]; topics_of_documents[D, K] and words_of_topics[K, W], means given the tokens' topics.
Ready topic_model(std::vector<Token> tokens, const TopicOptions& options);

enum class LatticeKernel { clusters, one_cluster, checkerboard, sweep };
inline constexpr std::array<std::string_view, 4> kLatticeKernelNames = {"clusters", "one-cluster",
                                                                        "checkerboard", "sweep"};
inline constexpr std::span<const std::string_view> enum_names(LatticeKernel) {
  return kLatticeKernelNames;
}
// spins[rows, cols]; magnetisation of two values, the mean of -1 and +1, and agreement, the share of neighbours with
// equal values.
Ready lattice_model(const Lattice& lattice, LatticeKernel kernel);

// initial[K], transition[K, K] from row to column, emission[K, symbols], path[T].
Ready hidden_markov_model(std::vector<Index> symbols, const HiddenMarkovPrior& prior);

// inclusion[C], num_included. A step tries as many changes as there are candidates.
Ready inclusion_model(const InclusionProblem& problem);

// num_centres, noise_sd, and prediction[M], the mean of y at M points (M x d). By reversible jumps, coefficients
// and noise sampled [andrieu2001].
Ready radial_basis_model(const RbfProblem& problem, std::vector<double> at);

// rate, noise, noise_sd, and the content x[N + 1] of a tank under known rain. By split HMC in staging
// coordinates [albert2016].
Ready tank_model(const TankData& data);

// Independent paths of the same equation with known parameters, by Euler's scheme: x[N + 1], and `level`, the
// probability of a content below the last one in the stationary distribution, if the rain is constant.
struct TankPaths {
  TankParameters parameters = {};  // without noise of observations
  std::vector<double> rain = {};   // of each of N steps
  double time_step = 0.1, start = 1.0;
};
Ready tank_path_model(const TankPaths& paths);

}  // namespace credo::models
