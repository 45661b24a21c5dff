// The posteriors of the first rows of the data; for a request with weight n
//
//   log p_n(x) = log prior(x) + sum of log p(row_i | x), i = 1 ... n,   n = 0, 1, ..., num_rows()
//
// This is the path of data tempering [chopin2002; murphy2023, 13.6.3]. Want::pointwise gives all rows of a point at any weight.
// For a request with `rows`, which are M numbers of rows and then M weights v, at any weight of its own:
//
//   log p(x) = log prior(x) + sum of v_j log p(row_j | x), up to a constant, in M evaluations of a row
#pragma once
#include <mutex>

#include "density/log_density.hpp"

namespace credo::density {

// True if the rows of the likelihood are known and can be left out: for models (density/model.hpp) with all terms.
Capability can_leave_rows(const LogDensity& posterior);

// True if rows can have weights: those of one statement, evaluated one at a time.
Capability can_weigh_rows(const LogDensity& posterior);

class RowsPath final : public LogDensity {
 public:
  // Both must live as long: a posterior whose rows can be left out, and its prior.
  RowsPath(const LogDensity& prior, const LogDensity& posterior);
  ~RowsPath() override;

  Index dimension() const override { return posterior_.dimension(); }
  bool has_gradient() const override { return prior_.has_gradient() && posterior_.has_gradient(); }
  Index num_rows() const override { return num_rows_; }
  std::unique_ptr<Evaluator> make_evaluator() const override;
  std::string describe(const Status& status) const override;

 private:
  class Evaluating;
  using Shared = std::shared_ptr<const LogDensity>;
  Shared of_rows(Index count) const;
  Shared of_one_row() const;
  Status renumbered(const Shared& density, const Status& status) const;

  const LogDensity &prior_, &posterior_;
  Index num_rows_;
  // Densities of the last requests: chains are at different rows at the same time.
  mutable std::mutex mutex_;
  mutable std::vector<std::pair<Index, Shared>> last_asked_;
  mutable Shared one_row_;  // likelihood of a row that the request names
  // Reasons why a point was refused: each density has numbers of its own, of either sign. Those of parts come behind kFirstReason.
  struct Reason {
    std::string kind;
    Shared density;
    std::int32_t source;
  };
  mutable std::vector<Reason> reasons_;
};

}  // namespace credo::density
