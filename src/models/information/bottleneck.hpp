// The information bottleneck: states of X are grouped into T so that T keeps the information of X about Y.
#pragma once
#include "base/rng.hpp"
#include "models/information/discrete_distributions.hpp"

namespace credo::models {

struct BottleneckOptions {
  Index num_clusters = 2;  // states of T
  double beta = 2.0;       // weight of I(T; Y), > 0
  bool in_bits =
      false;  // the distance in exp(-beta d) is in bits, so that beta counts for beta / log 2
  Index num_starts = 10;  // distributions T given X that are drawn; the best one counts
  Index most_iterations = 1000;
  double tolerance = 1e-12;  // change of the objective, in nats
  std::uint64_t seed = 1;
};

struct Bottleneck {
  std::vector<double> assignment;  // P(t | x), X x T
  std::vector<double> cluster;     // P(t); 0: a cluster that died
  std::vector<double> outcome;     // P(y | t), T x Y
  double compression = 0.0;        // I(X; T), nats
  double relevance = 0.0;          // I(T; Y), nats
  double objective = 0.0;          // I(X; T) - beta I(T; Y), nats
  Index num_iterations = 0, best_start = 0;
  bool has_converged = false;
  // Clusters whose distributions of the outcome differ by more than 1e-3 somewhere, without those that died.
  Index num_distinct() const;
};

// Minimises I(X; T) - beta I(T; Y) over P(t | x) by the self-consistent equations [tishby1999, eq. 28 to 31]:
// P(t | x) ~ P(t) exp(-beta KL(P(Y | x) | P(Y | t))), P(t) and P(y | t) from it. `joint` is P(x, y), X x Y; states of X
// without probability are refused with Error(data). The objective never rises from one iteration to the next.
Bottleneck find_bottleneck(const JointTable& joint, const BottleneckOptions& options);

// One iteration: the assignment from its clusters, then the clusters. Returns the objective.
double bottleneck_step(const JointTable& joint, double beta, Bottleneck& state);

// Solutions for ascending beta. Each one is the best of its own starts and of the one before with small changes.
std::vector<Bottleneck> bottleneck_curve(const JointTable& joint, BottleneckOptions options,
                                         std::span<const double> betas);

}  // namespace credo::models
