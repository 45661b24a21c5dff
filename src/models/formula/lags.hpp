// Earlier rows of a table, which lag(x, k, time = t, gr = g) and diff() use: by the order of the rows or of a column of times, within series.
#pragma once
#include <set>

#include "models/formula/expression.hpp"
#include "models/formula/stan_parts.hpp"

namespace credo::models {
class Frame;

bool is_lag_call(const Expression& e);

// Columns by their names in the program; empty: the order of the table, and one series.
struct RowOrder {
  std::string time = {}, series = {};

  bool operator==(const RowOrder&) const = default;
};

// The row k rows before each one, or -1. `times` and `series` may be empty. `same`: two rows of a series that have one time.
struct EarlierRows {
  std::vector<Index> rows;
  std::optional<std::pair<Index, Index>> same = {};
};
EarlierRows earlier_rows(Index num_rows, Index k, std::span<const double> times,
                         std::span<const std::int32_t> series);

struct Lag {
  RowOrder order;
  Index k = 1;
  std::string name = {};         // array of rows in the program; 0: none
  std::vector<Index> rows = {};  // from 0; -1: none
};

// The options time = and gr = of a call, whose columns are registered. Nullopt, with faults.
std::optional<RowOrder> use_order(const Expression& call, Frame& frame);
// After the rows are set: the order's rows k before each one. Nullopt, with a fault, for equal times of one series.
std::optional<std::vector<Index>> rows_before(const RowOrder& order, Index k, Frame& frame);
// An expression of the program: rows_before(time, series, k).
std::string rows_before_text(const RowOrder& order, Index k);

// All lags of a formula. After the rows are set: the lines of transformed data, and which rows lack an earlier one (empty: none).
struct LagRows {
  std::vector<char> lacks_one = {};
  std::string flag = {};  // an array of the program: 1 where a row has all of its earlier ones
  std::string seen = {};  // the numbers of these rows
};
LagRows prepare_lags(Frame& frame, StanParts& parts);
std::span<const StanFunction> lag_functions();

}  // namespace credo::models
