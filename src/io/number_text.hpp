// Numbers as text and back.
#pragma once
#include "base/types.hpp"

namespace credo::io {

// Appends the shortest text that reads back as the same double ("0.1", "1e+100", "nan", "inf",
// "-inf"); with `significant` > 0, that many significant digits instead (what %.*g writes).
void append_number(std::string& out, double value, int significant = 0);
void append_number(std::string& out, std::int64_t value);
std::string number_text(double value);

// The number that the whole of `text` spells (decimal, nan, inf, -inf in any case); nothing if it
// spells none.
std::optional<double> parse_number(std::string_view text);

// A count that a file says: the whole part of the number, within 0 and 10^15, beyond which no file
// is right; 0 for NaN.
Index count_said(double value);

}  // namespace credo::io
