// Search over expressions of kernels by BIC [duvenaud2013; murphy2023, section 18.6.4]: y ~ ?
#pragma once
#include "models/gp/gp_table.hpp"
#include "models/gp/optima.hpp"

namespace credo::models {

// A factor of a term.
struct SearchAtom {
  enum class Base { se, rq, periodic, rising, falling };
  Base base = Base::se;
  std::string column = {};  // name in the formula
  auto operator<=>(const SearchAtom&) const = default;
};
// A sum of products, sorted.
using SearchExpression = std::vector<std::vector<SearchAtom>>;

struct SearchStep {
  std::string formula;
  double evidence = -kInfinity;
  double score = -kInfinity;  // log evidence - 1/2 (number of hyperparameters) log N: -1/2 BIC
  Index num_candidates = 0;
};

struct KernelSearchOptions {
  Index max_depth = 10;
  Index num_rows = 400;  // rows, spread evenly over the table, that candidates are scored with
  std::uint64_t seed = 1;
  Index num_threads = 0;
};

struct KernelSearch {
  std::string formula;            // the best; empty: noise alone is best
  std::vector<SearchStep> steps;  // the first is noise alone
  SearchExpression expression = {};
  std::vector<double> theta =
      {};  // hyperparameters at the rows that were used, as a table of `formula` has them
  Index num_rows = 0;         // rows that were used
  bool has_finished = false;  // no move is better; false: the depth has ended it
};

// The formula's right side is ?, or ?(x, z), perhaps behind a mean: y ~ 1 + x | ?
bool asks_for_kernel(const std::string& formula);
// `request.formula` asks for a kernel. Throws Error(usage) if no column is left to search over. Faults are added; then the result isn't
// complete. Moves: add a base kernel, multiply a term by one, replace a factor by one. The best candidate is kept while it is better.
KernelSearch search_kernel(const GpRequest& request, const GpTextOf& text_of,
                           const KernelSearchOptions& options, FormulaFaults& faults,
                           const std::function<void(const SearchStep&)>& on_step = nullptr);

// The expression with parameters in words: "a linear trend, plus a pattern of period 1.0 year whose size grows". `theta`: parameters of a
// table made of the search's formula.
std::string kernel_in_words(const SearchExpression& expression, const GpTable& table,
                            std::span<const double> theta);

}  // namespace credo::models
