// Discrete parameters of a program: what its log density is as a sum of factors over them, the
// density with them summed out, and their draws given the others.
//
// A density in which few of them meet at a time (indicators of mixtures, hidden Markov chains,
// trees) is summed exactly by elimination, so the samplers of continuous parameters need not know;
// docs/design/discrete.md.
#pragma once
#include "base/rng.hpp"
#include "graph/factors.hpp"
#include "graph/program.hpp"
#include "numerics/elimination.hpp"

namespace credo::model {

struct DiscreteRanges {
  std::vector<std::int32_t> lower, upper;  // of each, bounds included
  std::vector<std::string> names;          // "z.3"

  Index size() const { return ssize(lower); }
  std::int32_t num_values(std::size_t m) const { return upper[m] - lower[m] + 1; }
};

class DiscreteFactors {
 public:
  // The graph's input has the free values first, then the discrete ones. Throws Error(program) if
  // the parameters can't be summed out in the memory there is; `where` names a statement.
  DiscreteFactors(graph::Traced traced, graph::Factors factors, const DiscreteRanges& ranges,
                  const std::function<std::string(std::int32_t)>& where);

  // A graph of the free values. Its outputs: the log density with the discrete parameters summed
  // out; then the given graph's, none of which depends on them.
  graph::Traced summed_out() const;
  graph::Traced factor_graph() const;  // its output: the factors

  // All discrete parameters take these values together: assignment a in mixed radix, a digit for
  // each colour.
  Index num_assignments() const { return num_assignments_; }
  std::vector<double> values_in(Index assignment) const;

  // Table of factor f from the factors' values in each assignment.
  template <class T, class Value>
  std::vector<T> table(std::size_t f, const Value& value) const;

  const numerics::EliminationPlan& plan() const { return plan_; }
  const DiscreteRanges& ranges() const { return ranges_; }

 private:
  void colour();
  void check_size() const;
  void find_assignments();
  std::vector<char> that_meet_others() const;
  graph::Expr sum_single(std::span<const graph::Expr> values) const;

  graph::Traced traced_;
  graph::Factors factors_;
  DiscreteRanges ranges_;
  numerics::EliminationPlan plan_;               // of all
  std::vector<std::int32_t> colours_;            // parameters of one colour never share a factor
  std::vector<std::vector<Index>> assignments_;  // that hold the entries of each factor's table
  Index num_colours_ = 1, num_assignments_ = 1;
  std::int32_t most_values_ = 1;
};

template <class T, class Value>
std::vector<T> DiscreteFactors::table(std::size_t f, const Value& value) const {
  std::vector<T> entries;
  for (const Index assignment : assignments_[f]) entries.push_back(value(assignment, f));
  return entries;
}

// Draws the discrete parameters given the others; the working memory of one thread.
class DiscreteDrawer {
 public:
  DiscreteDrawer(std::shared_ptr<const DiscreteFactors> factors,
                 std::shared_ptr<const graph::Program> program);

  // `point`: the free values. Writes as many values as there are discrete parameters.
  void draw(std::span<const double> point, Rng& rng, std::span<double> out);

 private:
  void evaluate(std::span<const double> point);

  std::shared_ptr<const DiscreteFactors> factors_;
  std::shared_ptr<const graph::Program> program_;
  graph::Workspace workspace_;
  std::vector<double> input_;
  std::vector<std::vector<double>> states_;  // of the parameters, by assignment
  std::vector<std::vector<double>> values_;  // of the factors, by assignment
};

}  // namespace credo::model
