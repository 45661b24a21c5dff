// Effects of a program's statements on its log density: refusals, constants that lp__ lacks, rows.
#pragma once
#include <memory>
#include <optional>

#include "density/linearised_rows.hpp"

namespace credo::density {

// The statement that refused a point.
struct RefusedBy {
  std::int32_t statement = 0;  // its number; 0: none, or not known
  bool is_check = false;       // a check of the model, not a term that isn't finite
};

class Statements {
 public:
  virtual ~Statements() = default;
  virtual RefusedBy refused_by(const Status& status) const = 0;
  // The constants in the log density that lp__ lacks; none where they depend on the path of the
  // model's decisions: then evaluations report them (density::Request).
  virtual std::optional<double> dropped(std::span<const double> point) const = 0;
  // True if the rows of the likelihood are the elements of the model's own log_lik and not its density statements.
  virtual bool has_own_rows() const = 0;
  // True if the prior is a posterior given earlier data.
  virtual bool has_earlier_posterior() const = 0;
  // The likelihood row by row, linearised, for as long as the model lives. Throws Error(program) where a statement's rows can't be.
  virtual std::unique_ptr<LinearisedRows> make_linearised_rows() const = 0;
};

}  // namespace credo::density
