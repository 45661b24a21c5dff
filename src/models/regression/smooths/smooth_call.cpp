#include "models/regression/smooths/smooth_call.hpp"

#include <fmt/format.h>

#include "io/number_text.hpp"

namespace credo::models {
using Kind = Expression::Kind;

const Expression* SmoothCall::option(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? nullptr : found->second;
}

std::string SmoothCall::text() const {
  std::string columns_text;
  for (const Expression* column : columns)
    columns_text += (columns_text.empty() ? "" : ", ") + column->text();
  return fmt::format("{}({})", call->word, columns_text);
}

bool is_levels(const Expression& e, const Frame& frame) {
  return e.is_call("factor") || (e.kind == Kind::name && frame.is_text(e));
}

const Expression& column_of_levels(const Expression& e) {
  return e.is_call("factor") && e.parts.size() == 1 ? e.parts[0] : e;
}

bool use_smooth_column(const Expression& e, bool as_levels, Frame& frame) {
  const Expression& column = column_of_levels(e);
  if (column.kind == Kind::name)
    return frame.use(column, as_levels ? ColumnRole::factor : ColumnRole::number).has_value();
  frame.faults().add(e.place, fmt::format("{} is no column", e.text()),
                     "smooths are of columns: add a column with these numbers to the table");
  return false;
}

SmoothCall read_smooth_call(const Expression& call, std::span<const std::string_view> options,
                            Frame& frame) {
  SmoothCall read{.call = &call};
  for (std::size_t a = 0; a < call.parts.size(); ++a) {
    const Expression& part = call.parts[a];
    const std::string& label = call.labels[a];
    if (label.empty()) {
      read.columns.push_back(&part);
      continue;
    }
    read.options[label] = &part;
    if (std::ranges::find(options, label) == options.end())
      frame.faults().add(part.place, fmt::format("{}() has no option {}", call.word, label),
                         fmt::format("there are {}", fmt::join(options, ", ")));
  }
  if (read.columns.empty())
    frame.faults().add(call.place, fmt::format("{}() needs a column", call.word),
                       fmt::format("{}(x)", call.word));
  if (const Expression* k = read.option("k"); k != nullptr) {
    const auto number =
        k->kind == Kind::number ? io::parse_number(k->word) : std::optional<double>();
    if (number && *number == std::floor(*number) && *number >= 1.0 && *number <= 1000.0)
      read.k = static_cast<Index>(*number);
    else
      frame.faults().add(k->place, "k is a whole number, the size of the basis, at most 1000");
  }
  if (const Expression* kind = read.option("bs"); kind != nullptr) read.kind = kind->word;
  read.by = read.option("by");
  return read;
}

}  // namespace credo::models
