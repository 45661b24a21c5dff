// mo(x): an effect that has one direction, with a share of each step [burkner2020, doi 10.1111/bmsp.12195].
#include <fmt/format.h>

#include "models/regression/special.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kMonotonic =
    R"(  // The number of steps times the sum of the shares of those below each level.
  vector monotonic(array[] int level, vector shares) {
    return rows(shares) * append_row(0, cumulative_sum(shares))[level];
  }
)";

bool use(const Expression& call, Frame& frame) {
  if (call.parts.size() != 1 || call.parts[0].kind != Expression::Kind::name) {
    frame.faults().add(call.place, "mo() is of one column", "mo(income)");
    return false;
  }
  const Expression& column = call.parts[0];
  const io::DataValue* const value = frame.find(column);
  if (value == nullptr) return false;
  if (frame.is_text(column) && !frame.has_order(*value)) {
    frame.faults().add(
        column.place, fmt::format("{} has texts, whose order isn't known", value->column->name),
        fmt::format("--levels '{}=[...]' states it, the lowest first", value->column->name));
    return false;
  }
  return frame.use(column, ColumnRole::factor).has_value();
}

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const auto used = context.frame.use(call.parts[0], ColumnRole::factor);
  const std::vector<std::string> levels = context.frame.levels(used->name);
  if (levels.size() < 2) {
    context.frame.faults().add(call.place,
                               fmt::format("{} has one level in these rows", used->column),
                               "leave the term out");
    return std::nullopt;
  }
  const std::string b = context.name("b_mo", used->name),
                    shares = context.name("shares", used->name);
  const std::size_t steps = levels.size() - 1;
  SpecialBlock block;
  block.text = fmt::format("mo({})", used->column);
  block.parameters = {fmt::format("real {}", b), fmt::format("simplex[{}] {}", steps, shares)};
  block.statements = {fmt::format("{} ~ dirichlet(rep_vector(1, {}))", shares, steps)};
  block.predictor = fmt::format("{} * monotonic({}, {})", b, used->name, shares);
  const std::string name = context.prefix + block.text;
  block.priors = {{.coefficient = {.name = name, .element = b, .predictor = context.predictor},
                   .prior = "normal(0, {})",
                   .brms = {},
                   .rstanarm = {}}};
  block.factors = {used->name};
  block.words = fmt::format("steps from {} to {}, of which the coefficient is the mean",
                            levels.front(), levels.back());
  return block;
}
}  // namespace

extern const SpecialRow monotonic_special{.name = "mo",
                                          .words = "a monotonic effect",
                                          .usage = "mo(x)",
                                          .use = use,
                                          .make = make,
                                          .functions = {{"monotonic", kMonotonic}}};
}  // namespace credo::models
