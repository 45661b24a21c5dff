// Selection of terms of a linear regression: all sets with their evidence, or a walk over sets.
//
//   p(set | y) proportional to p(y | set) p(set);  coefficients and noise are integrated out (slab_prior.hpp)
//
// All sets are leaves of a binary tree. A step down sweeps the columns of one term into the products of its parent, so that each set
// costs one rank-one update for each column of a term, and rounding doesn't accumulate from one set to the next, as it would along a Gray code.
#pragma once
#include "base/rng.hpp"
#include "models/selection/slab_prior.hpp"
#include "models/selection/swept_products.hpp"

namespace credo::models {

struct SelectionTerm {
  std::string name;
  std::vector<Index> columns;
  bool is_kept = false;  // always in
};

// Columns are centred and have the standard deviation 1 (with n - 1); y is centred.
struct SelectionProblem {
  std::vector<SelectionTerm> terms;
  std::vector<std::vector<double>> columns;
  std::vector<double> y;
  double total = 0.0;  // sum of squares of y: set by settle()
  const SlabRow* slab = nullptr;
  SlabOptions options = {};
  double inclusion =
      0.0;  // prior probability of each term; 0: every number of terms is equally probable
  Index num_best = 10;  // sets that are kept

  void settle();
  Index num_free() const;  // terms that may be out
  // log p(set) with so many free terms in.
  double log_prior(Index number) const;
};

using TermSet = std::vector<std::uint8_t>;  // by term, 1: in

struct RatedSet {
  TermSet set;
  double log_joint = -kInfinity, weight = 0.0;
};
struct SizedSet {  // the best fit of its number of terms
  TermSet set;
  double residual = kInfinity;
};

struct Selection {
  bool is_complete = false;  // all sets were rated
  double
      num_sets = 0.0,
      log_total =
          0.0;  // sets rated; log of the sum of exp(log_joint), up to the constant of the evidences
  std::vector<double> inclusion = {}, inclusion_error = {};  // by term; a walk has errors
  std::vector<double> mean = {}, sd = {};  // coefficients of the columns, averaged over sets
  std::vector<RatedSet> best = {};         // by their probability
  std::vector<SizedSet> by_size = {};      // number of free terms 0, 1, ...
  double r_hat = kNaN,
         num_singular = 0.0;  // num_singular: sets without evidence: collinear, or too many columns
};

inline constexpr Index kMostEnumerated = 20;  // free terms

Selection rate_all_sets(const SelectionProblem& problem);

struct WalkOptions {
  Index num_chains = 4,
        num_sweeps = 2000;  // a fifth of the sweeps more are left out at the beginning
  std::uint64_t seed = 1;
};
// Gibbs over terms in random order, then as many proposed exchanges of a term that is in with one that is out, in each sweep.
Selection walk_over_sets(const SelectionProblem& problem, const WalkOptions& options);

// log p(y | set) + log p(set) with sums of its own: for a single set. -infinity where the set has no evidence.
double log_joint(const SelectionProblem& problem, const TermSet& set);

// ---- shared by both
class SetAverages {
 public:
  explicit SetAverages(const SelectionProblem& problem);
  // A set with its weight exp(log_weight).
  void add(const SweptProducts& swept, const TermSet& set, double log_weight);
  void merge(const SetAverages& other);
  void finish(Selection& result) const;
  double log_total() const { return log_total_; }

 private:
  void rescale(double most);

  const SelectionProblem& problem_;
  double most_ = -kInfinity, sum_ = 0.0, log_total_ = -kInfinity;
  std::vector<double> in_, mean_, square_;
};
// The products with the kept terms swept in. Throws Error(data) if these are collinear.
struct SearchStart {
  SweptProducts swept;
  TermSet set;
  std::vector<Index> free;
};
SearchStart start_of(const SelectionProblem& problem);
SubsetFit fit_of(const SelectionProblem& problem, double residual, double log_determinant,
                 Index num_columns);
// Keeps the best sets, each once.
class BestSets {
 public:
  explicit BestSets(const SelectionProblem& problem);
  void add(const TermSet& set, double log_joint, double residual, Index number);
  void merge(const BestSets& other);
  void finish(Selection& result) const;

 private:
  std::size_t most_;
  std::vector<RatedSet> best_;
  std::vector<SizedSet> by_size_;
};

}  // namespace credo::models
