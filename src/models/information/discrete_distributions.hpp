// Entropies and divergences of distributions on finitely many states, in nats. A distribution is a list of probabilities with sum 1.
#pragma once
#include "base/types.hpp"

namespace credo::models {

// -log p, the information of an event of probability p; infinity for p = 0. The potential of the distribution, up to its constant.
double self_information(double p);

// -sum p log p with 0 log 0 = 0. The distribution need not be normalised to the last bit.
double entropy(std::span<const double> p);

// Relative entropy sum p log(p / q) >= 0 (Kullback, Leibler); infinity where p has a state that q lacks. Throws
// Error(data) if the sizes differ.
double relative_entropy(std::span<const double> p, std::span<const double> q);

// 4 / (1 - a^2) (1 - sum p^((1 + a) / 2) q^((1 - a) / 2)): at a = 0 twice the squared Hellinger distance sum (sqrt p -
// sqrt q)^2, towards a = 1 the relative entropy of p to q, towards a = -1 that of q to p.
double alpha_divergence(std::span<const double> p, std::span<const double> q, double alpha);

// The entropy of a distribution step by step: H(p1, 1 - p1) + (1 - p1) H(p2 / (1 - p1), ...) and so on. Part k is the information in
// the answer to "is it state k?" when it isn't any earlier one; the parts sum up to the entropy.
std::vector<double> entropy_by_questions(std::span<const double> p);

// Counts or probabilities of several variables: the last one varies fastest.
struct JointTable {
  std::vector<Index> sizes;
  std::vector<double> cells;

  double total() const;
  // Sums over all variables but these, which stay in their order.
  std::vector<double> margin(std::span<const Index> variables) const;
};

// I(first; second | third) of a distribution on the cells, with the variables' numbers; `given` may be empty. In nats.
double mutual_information(const JointTable& distribution, std::span<const Index> first,
                          std::span<const Index> second, std::span<const Index> given = {});

}  // namespace credo::models
