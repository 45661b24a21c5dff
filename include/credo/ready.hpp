// Ready-made models that move by kernels of their own: mixtures, topics, lattices, hidden states, sets of
// predictors. A run, its draws, its summary, its verdict and its files are those of any model.
//
//   const credo::Model model = credo::ready::collapsed_mixture(
//       points, {.mean = {0, 0}, .scale = {1, 0, 0, 1}, .dof = 4}, {.concentration = 1.0});
//   const credo::Fit fit = credo::sample(model, {.warmup = 200, .draws = 1000, .seed = 1});
//   fit.summary("num_clusters").median;
//
// They have no gradient and no other sampler: SampleOptions::sampler, scheme and init stay as they are. Their unconstrained
// values are the states themselves, whole numbers included, which count from 0. Log densities are natural
// logarithms, up to a constant. Matrices are given row by row. All throw Error(data) for numbers that don't fit
// each other or are outside of their domain.
#pragma once
#include "credo/model.hpp"

namespace credo::ready {

// ---- mixtures of normal distributions in D dimensions; `points`: N x D, point by point

// weights ~ Dirichlet(concentrations), mean_k ~ normal(mean, mean_covariance), covariance_k ~ inverse
// Wishart(scale, dof). Variables weights[K], means[K, D], covariances[K, D, D], labels[N], and log_complete, the
// log density of points and labels. Gibbs sampling [murphy2023, 12.3.3]; labels switch.
struct MixturePrior {
  std::vector<double> concentrations = {1.0, 1.0};  // K, > 0
  std::vector<double> mean = {0.0};                 // D
  std::vector<double> mean_covariance = {1.0};      // D x D, positive definite, as is the scale
  std::vector<double> scale = {1.0};
  double dof = 2.0;  // > D - 1
};
CREDO_API Model gaussian_mixture(std::vector<double> points, const MixturePrior& prior);

// A Gaussian mixture with its parameters summed out: covariance ~ inverse Wishart(scale, dof), mean | covariance ~
// normal(mean, covariance / mean_weight). With any number of components it is the Dirichlet-process mixture
// [neal2000, alg. 3]. Variables labels[N] and num_clusters.
struct ClusterPrior {
  std::vector<double> mean = {0.0};   // D
  double mean_weight = 0.01;          // > 0, in observations
  std::vector<double> scale = {1.0};  // D x D, positive definite
  double dof = 2.0;                   // > D - 1
};
struct Partition {
  double concentration = 1.0;  // > 0
  Index num_components =
      0;  // K, a symmetric Dirichlet distribution of concentration / K each; 0: any number
};
CREDO_API Model collapsed_mixture(std::vector<double> points, const ClusterPrior& prior,
                                  const Partition& partition = {});

// Normal data, mean ~ normal(mean, 1 / mean_precision), precision ~ gamma(shape, rate); zeros: flat, and
// 1 / precision. Variables mean and precision.
struct PrecisionPrior {
  double mean = 0.0, mean_precision = 0.0, shape = 0.0, rate = 0.0;
};
CREDO_API Model normal_precision(std::vector<double> data, const PrecisionPrior& prior = {});

// ---- latent Dirichlet allocation, collapsed [griffiths2004]

struct Word {
  Index document = 0, word = 0;  // both from 0
};
struct TopicPrior {
  Index num_topics = 2, num_words = 2;
  double document_concentration = 0.1;  // concentration of each topic in a document
  double word_concentration = 0.01;     // of each word in a topic
};
// Variables topics[tokens], and given them the means topics_of_documents[documents, topics] and
// words_of_topics[topics, words]. Topics switch.
CREDO_API Model topics(const std::vector<Word>& tokens, const TopicPrior& prior);

// ---- Ising and Potts lattices

// log weight: coupling times the number of neighbours with equal values, and log_evidence of each value at its
// site. An Ising model with log weight J sum s_i s_j, s = -1 or +1, has two values and coupling 2 J.
struct LatticeOptions {
  Index rows = 2, cols = 2;
  Index num_values = 2;  // 2 .. 256
  double coupling = 0.0;
  bool periodic = false;
  std::vector<double> log_evidence = {};  // rows x cols x values, site by site; or none
  // "clusters" [swendsen1987] and "one-cluster" [wolff1989] need a coupling >= 0; "checkerboard" and "sweep" draw
  // single sites.
  std::string kernel = "clusters";
};
// Variables spins[rows, cols]; magnetisation, of two values, the mean of -1 and +1; agreement, the share of
// neighbours that are equal.
CREDO_API Model lattice(const LatticeOptions& options);

// ---- hidden Markov models of symbols 0 .. num_symbols - 1

// The initial distribution, rows of transition and of emission have symmetric Dirichlet priors.
struct HiddenMarkovOptions {
  Index num_states = 2, num_symbols = 2;
  double initial = 1.0, transition = 1.0, emission = 1.0;  // concentrations, > 0
};
// Variables initial[K], transition[K, K] from row to column, emission[K, symbols], path[T], which is drawn at
// once by forward filtering and backward sampling. States switch.
CREDO_API Model hidden_markov(const std::vector<Index>& symbols,
                              const HiddenMarkovOptions& options);

// ---- which predictors: linear regression, all numbers integrated out [gelman2013, 14.8]

//   y = F b + X a + e,  b | s ~ normal(0, (fixed_scale s)^2),  a | s ~ normal(0, (candidate_scale s)^2),
//   s^2 ~ inverse gamma(noise_shape, noise_rate)
struct Selection {
  std::vector<double> fixed = {};  // N x F, observation by observation; always in: a column of ones
  std::vector<double> candidates = {};  // N x C
  std::vector<double> y = {};           // N
  double fixed_scale = 3.0, candidate_scale = 3.0;
  double noise_shape = 2.0, noise_rate = 1.0;
  std::vector<double> log_prior_of_number =
      {};  // log prior of 0 .. C candidates; empty: all sets have the same
};
// Variables inclusion[C], 1 where a candidate is in, and num_included.
CREDO_API Model selection(const Selection& problem);

// ---- regression on radial basis functions whose number isn't known [andrieu2001]

//   y_i = b_0 + b'x_i + sum_{j <= k} a_j exp(-|x_i - mu_j|^2 / (2 width^2)) + e_i,  e_i ~ normal(0, s^2)
//   k ~ Poisson(expected_centres) up to max_centres, mu_j ~ normal(centre_mean, centre_sd^2) in each coordinate,
//   a_j | s ~ normal(0, (bump_scale s)^2),  b_0, b | s ~ normal(0, (line_scale s)^2),
//   s^2 ~ inverse gamma(noise_shape, noise_rate)
struct RadialBasis {
  std::vector<double> x = {};  // N x d, point by point
  std::vector<double> y = {};  // N
  Index num_inputs = 1;        // d, at most 16
  double width = 1.0;
  Index max_centres = 10;
  double expected_centres = 2.0;
  double centre_mean = 0.0, centre_sd = 1.0;
  double bump_scale = 3.0, line_scale = 3.0;
  double noise_shape = 2.0, noise_rate = 1.0;
  std::vector<double> at = {};  // M x d: points at which the mean of y is reported
};
// Variables num_centres, noise_sd, and prediction[M]. By reversible jumps [green1995]: birth, death, split and
// merge, and the No-U-Turn sampler within a model; warm-up matters.
CREDO_API Model radial_basis(const RadialBasis& problem);

// ---- a stochastic differential equation: dx = rain(t) dt - x (rate dt + sqrt(rate noise) dW) [albert2016]

struct LogNormal {
  double log_mean = 0.0, log_sd = 1.0;
};
struct Tank {
  double time_step = 0.1;
  std::vector<double> rain = {};        // N values, of each step
  std::vector<Index> observed_at = {};  // increasing steps, 0 .. N
  std::vector<double> observed = {};    // x with normal noise of sd noise_sd
  LogNormal initial = {};               // of x at step 0
  LogNormal rate = {}, noise = {}, noise_sd = {};
};
// Variables rate, noise, noise_sd and the content x[N + 1]. By Hamiltonian Monte Carlo whose quadratic part, of the
// noise between observations, is solved exactly.
CREDO_API Model tank(const Tank& tank);

}  // namespace credo::ready
