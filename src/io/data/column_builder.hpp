// One column of a table in the making: cell by cell, what its values are is decided by the first
// cells that have one.
#pragma once
#include "io/data/data_table.hpp"

namespace credo::io {

struct Cell {
  std::string_view text;
  bool quoted = false;
};

// Not quoted: nothing, NA, N/A, NaN, null, or these in small letters; quoted: nothing.
bool is_missing(const Cell& cell);

// Whole numbers, real numbers, truths (TRUE, false, ...: 1 and 0), or texts, which are a factor: codes
// 1, 2, ... for the different texts in the order of their bytes. Cells without a value stand as 0 or NaN
// in the values and are listed in ColumnFacts::missing; the first text among numbers, or number among
// texts, is ColumnFacts::odd.
class ColumnBuilder {
 public:
  // as_factor: numbers are levels, too, in the order of the numbers.
  // decimal_comma: 1,5 is also a number, unless 1.5 occurs, too, because a point may then separate thousands.
  explicit ColumnBuilder(std::string name, bool as_factor = false, bool decimal_comma = false);

  void reserve(Index rows);
  void add(const Cell& cell);
  // An array of the values; `lines` says where they stand.
  DataValue finish(std::shared_ptr<const RowLines> lines);

 private:
  enum class Kind { unknown, whole, real, truth, text };
  void add_number(const Cell& cell);
  void add_real(double number, std::string_view text);
  void add_text(std::string_view text);
  void add_missing();
  void add_odd(std::string_view text);
  void set_kind(Kind kind);
  void sort_levels();
  std::optional<double> number_of(std::string_view text);

  std::string name_, scratch_;
  bool as_factor_, decimal_comma_;
  bool saw_comma_ = false, saw_point_ = false;  // decimal signs so far
  Kind kind_ = Kind::unknown;
  Index num_rows_ = 0, reserved_ = 0, first_not_int_ = -1;
  std::vector<std::int32_t> integers_;
  std::vector<double> reals_;
  std::string not_int_;
  std::map<std::string, std::int32_t, std::less<>> codes_;  // by text, in the order of appearance
  ColumnFacts facts_;
};

}  // namespace credo::io
