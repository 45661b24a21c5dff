// A distribution of discrete variables that is a product of factors: its sum, the probabilities of each variable and of
// variables that meet, its most probable configuration, independent draws. All are exact, by elimination.
//
// Let step i eliminate v with neighbours N, ψ(v, N) be the product of the factors it uses (messages among them) and
// m(N) = Σ_v ψ(v, N) its message. Then P(v | N) = ψ(v, N) / m(N), and with the steps taken backwards
//
//   b_i(v, N) = P(v | N) Σ b_p(...)     the sum over what step p, which used m, has beside N
//
// are the joint probabilities of all that meet in step i: on a chain smoothing, on a tree belief propagation, on any
// graph the two passes over a junction tree [koller2009, ch. 9, 10]. No probability is divided by one that is 0.
#pragma once
#include "numerics/elimination.hpp"

namespace credo::numerics {

// The logarithm of Π_f exp(tables[f](x)) · exp(constant), over variables of so many values each.
struct FactorTables {
  std::vector<Scope> scopes;
  std::vector<std::int32_t> sizes;
  std::vector<std::vector<double>>
      tables;  // logarithms, as EliminationPlan::place() has them; not NaN or +infinity
  double constant = 0.0;
};

// The tables where variables have these values; -1: not given. A variable that is given has one value from then on, and
// is in no factor.
FactorTables given(const FactorTables& tables, std::span<const std::int32_t> values);

// The same distribution, whose sums keep these variables together: they meet in a factor that is 1.
FactorTables joined(const FactorTables& tables, std::span<const Scope> together);

// How it would be summed: by least fill.
EliminationPlan plan_of(const FactorTables& tables);

class FactorProduct {
 public:
  // Takes plan.num_entries numbers for the sums, and as many at the first request of probabilities.
  FactorProduct(FactorTables tables, EliminationPlan plan);

  const EliminationPlan& plan() const { return plan_; }
  // Log sum over all configurations; if -infinity, none is possible and other members mustn't be called.
  double log_sum() const { return log_sum_; }
  // By variable, the probabilities of its values; alike for a variable that is in no factor.
  const std::vector<std::vector<double>>& marginals();
  // The joint probabilities of variables that meet in a factor, the last one fastest.
  std::vector<double> joint(const Scope& scope);
  // A value of each variable. choose(log weights) picks one.
  std::vector<std::int32_t> draw(
      const std::function<std::int32_t(std::span<const double>)>& choose) const;

 private:
  void calibrate();
  std::vector<double> sums_over(std::size_t step, const Scope& scope) const;  // sums of beliefs_

  EliminationPlan plan_;
  std::vector<std::vector<double>> tables_;   // given ones, then messages by step
  std::vector<Scope> cliques_;                // by step: the variable and its neighbours
  std::vector<std::vector<double>> beliefs_;  // by step: joint probabilities
  std::vector<std::int32_t> step_of_;         // by variable; -1: it is in no factor
  std::vector<std::vector<double>> marginals_;
  double log_sum_ = 0.0;
};

struct Configuration {
  std::vector<std::int32_t> values;
  double log_product = 0.0;
};
// The configuration of the largest product, one of them where several have it: max-product with traceback, on a chain
// Viterbi's algorithm [viterbi1967].
Configuration most_probable(const FactorTables& tables, const EliminationPlan& plan);

}  // namespace credo::numerics
