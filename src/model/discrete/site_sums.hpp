// Sums over discrete parameters (sites) as expressions of a graph: each is made once, whatever the
// number of sites that need it.
#pragma once
#include "graph/factors/factors.hpp"
#include "numerics/elimination.hpp"

namespace credo::model {

using Summands = std::vector<graph::Expr>;  // scalars

// Scalars that are equal whatever the input is, as far as elements of containers go: each has one
// representative.
class Representatives {
 public:
  graph::Expr of(const graph::Expr& scalar);

 private:
  graph::Expr found(const graph::Expr& scalar);
  graph::Expr of_elements(const graph::Expr& scalar, const graph::Node& node);

  int depth_ = 0;
  std::map<std::pair<std::int32_t, std::int32_t>, graph::Expr> known_;  // by node and element
  std::map<std::vector<std::int64_t>, graph::Expr> computed_;           // by row and operands
};

// The summands of each element of x, taken out of the rows that put them together: so one sees
// which are constant, and that sites with the same data have the same.
std::vector<Summands> summands_of(const graph::Expr& x, Representatives& representatives);

// True for a state that is impossible at all unconstrained values; it takes no part.
bool is_impossible(const graph::Expr& x);

// Identity of a scalar: the node and element, or the bits of a constant.
using Key = std::vector<std::int64_t>;
void append_key(Key& key, const graph::Expr& scalar);

// Sums of scalars and of their exponentials; equal operands give the same expression.
class SharedSums {
 public:
  graph::Expr total(std::span<const graph::Expr> terms);
  graph::Expr log_sum(std::span<const graph::Expr> terms);

 private:
  std::map<Key, graph::Expr> totals_, log_sums_;
};

// Form of sums over the values of sites: `exact` guards against infinities in products and shares the shift of the exponentials; `plain` has
// products and log_sum_exp alone, which graph/moments reads.
enum class SumForm : std::uint8_t { exact, plain };

// Sites that meet no other and have the same possible values. Those with the same summands share a
// row.
struct LoneSites {
  std::vector<std::int32_t> sites, rows;  // the row of each site
  std::vector<double> counts;             // sites of each row
  std::vector<std::int32_t> possible;     // values; none: the density is 0 everywhere
  std::vector<graph::Expr> weights;       // by number of a possible value: the logarithms, by row
};

// The sites' factors, the values of all factors for each value of the sites, and their summands.
LoneSites lone_sites(std::span<const std::int32_t> factors, std::vector<std::int32_t> possible,
                     std::span<const graph::Expr> values,
                     std::span<const std::vector<Summands>> summands,
                     SumForm form = SumForm::exact);
// The values that are possible for a factor; summands by value, then factor.
std::vector<std::int32_t> possible_values(std::span<const std::vector<Summands>> summands,
                                          std::size_t factor);

// Over the sites, of the log of the sum over their values.
graph::Expr log_sum(const LoneSites& sites, SumForm form = SumForm::exact);

// exp(x[k] - m) for all k, with m near the largest, element by element; m has no derivative.
struct Shifted {
  graph::Expr shift;
  std::vector<graph::Expr> exps;
};
Shifted shifted_exps(std::span<const graph::Expr> x);

// Result of summing out all sites.
struct SiteSums {
  std::vector<LoneSites> lone;
  numerics::EliminationPlan plan;  // plan of the others
  // Log weights of a site's values, by step of the plan and assignment of the step's neighbours.
  std::vector<Summands> buckets;
  graph::Expr total = 0.0;  // the logarithm of the sum over all
};

}  // namespace credo::model
