// Arguments of s(x, z, k = 20, bs = "cr", by = g) and of other smooths.
#pragma once
#include "models/formula/frame.hpp"

namespace credo::models {

struct SmoothCall {
  const Expression* call = nullptr;
  std::vector<const Expression*> columns = {};
  std::map<std::string, const Expression*, std::less<>> options = {};
  Index k = 0;  // number of functions; 0: the default
  std::string kind = "tp";
  const Expression* by = nullptr;

  const Expression* option(std::string_view name) const;
  std::string text() const;  // "s(x, z)"
};

// The call must outlive the result. Faults are added: arguments that aren't columns, unknown options, a k that is no number.
SmoothCall read_smooth_call(const Expression& call, std::span<const std::string_view> options,
                            Frame& frame);
inline SmoothCall read_smooth_call(const Expression& call,
                                   std::initializer_list<std::string_view> options, Frame& frame) {
  return read_smooth_call(call, std::span(options.begin(), options.size()), frame);
}

// True for columns of texts and for factor(x).
bool is_levels(const Expression& e, const Frame& frame);
// The column of factor(x), or the expression itself.
const Expression& column_of_levels(const Expression& e);
// Registers a column, as levels or numbers. False, with faults, if it isn't one.
bool use_smooth_column(const Expression& e, bool as_levels, Frame& frame);

}  // namespace credo::models
