// A question that a model answers with a log density of its own: which of its terms, over which
// rows. Each request states its kind (a value, a gradient, ...).
#pragma once
#include <string>

#include "base/types.hpp"

namespace credo::density {

//   prior, likelihood   add up to all terms; the Jacobian terms of the parameters belong to the prior
//   statement           those that one statement of the program adds
enum class Terms : std::uint8_t { all, prior, likelihood, statement };

// Source of the rows of the likelihood. A program may have two: its density statements and a generated quantity
// called log_lik.
//   statements_first   the statements; log_lik if the statements give no rows
//   own_first          log_lik; the statements if there is no log_lik, or if it is a single number
//   statements         the statements alone
enum class RowsBy : std::uint8_t { statements_first, own_first, statements };

struct Query {
  Terms terms = Terms::all;
  std::int32_t statement = 0;  // number of the statement, for Terms::statement
  // Number of rows of the likelihood that count; each request gives their numbers and weights. 0:
  // all.
  Index batch = 0;
  bool jacobian = true;   // false: the density of the constrained parameters, no Jacobian terms
  bool constants = true;  // false: without the constants that `~` drops
  // Rows of the likelihood that are left out: their numbers from 0, in the order of Want::pointwise, each
  // once, ascending. A density without some rows doesn't report rows (Want::pointwise) itself.
  std::vector<Index> without = {};
  RowsBy rows_by = RowsBy::statements_first;
  // Every term but those of the Jacobian counts so many times: the density of the parameters to this power. A query that
  // leaves it at 1 has the power of its model.
  double power = 1.0;
  bool operator==(const Query&) const = default;
};

// Support of a query by a model; without it the reason, the place, and a change of the program that would make it possible.
struct Capability {
  bool can = true;
  std::string reason = {}, where = {}, hint = {};
};

}  // namespace credo::density
