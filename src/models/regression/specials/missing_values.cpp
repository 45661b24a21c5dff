// mi(x): a column whose missing cells are parameters [little2019]. A part x | mi() ~ z says how it varies.
#include <fmt/format.h>

#include "models/formula/bases.hpp"
#include "models/regression/special.hpp"

namespace credo::models {
namespace {
bool use(const Expression& call, Frame& frame) {
  if (call.parts.size() != 1 || call.parts[0].kind != Expression::Kind::name) {
    frame.faults().add(call.place, "mi() is of one column", "y ~ mi(x); x | mi() ~ z");
    return false;
  }
  return frame.use_with_gaps(call.parts[0]).has_value();
}

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const std::string column = context.frame.use_with_gaps(call.parts[0])->name;
  const auto missing = std::ranges::find(context.missing, column,
                                         [](const MissingColumn& m) { return m.column.name; });
  const std::string& name = call.parts[0].word;
  if (missing == context.missing.end()) {
    context.frame.faults().add(
        call.place, fmt::format("nothing says how {} varies where it is missing", name),
        fmt::format("add a part with its own columns: ...; {} | mi() ~ 1", name));
    return std::nullopt;
  }
  if (missing->predictor <= context.predictor) {
    context.frame.faults().add(
        call.place, fmt::format("{} stands in a part behind its own", name),
        fmt::format("parts have an order: the part of {} is behind those that use it", name));
    return std::nullopt;
  }
  const std::string b = context.name("b_mi", column);
  SpecialBlock block;
  block.text = fmt::format("mi({})", name);
  block.parameters = {fmt::format("real {}", b)};
  block.predictor = fmt::format("{} * {}", b, missing->full);
  block.priors = {{.coefficient = {.name = context.prefix + block.text,
                                   .element = b,
                                   .column_sd = sample_sd(missing->seen),
                                   .predictor = context.predictor},
                   .is_slope = true}};
  block.words = fmt::format("{} of {} cells are missing and parameters", missing->number,
                            missing->number + ssize(missing->seen));
  block.notes = {block.text + ": " + block.words};
  return block;
}
}  // namespace

extern const SpecialRow missing_values_special{.name = "mi",
                                               .words = "a column with missing cells",
                                               .usage = "mi(x), with a part x | mi() ~ z",
                                               .use = use,
                                               .make = make};
}  // namespace credo::models
