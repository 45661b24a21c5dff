// Effects of holidays: a column that is 1 on these days and 0 or empty on others, with a coefficient. Days without a row are unknown.
#include <fmt/format.h>

#include "models/series/component.hpp"

namespace credo::models {
namespace {
std::optional<SeriesComponent> make_holiday(const Expression& call, const SeriesContext& context) {
  if (call.parts.size() != 1 || call.parts[0].kind != Expression::Kind::name) {
    context.faults.add(call.place, "holiday() has one argument, a column", "write holiday(easter)");
    return std::nullopt;
  }
  std::vector<double> values = context.values_of(call.parts[0]);
  if (values.empty()) return std::nullopt;
  double sum = 0.0;
  for (std::size_t t = 0; t < values.size(); ++t) {
    double& x = values[t];
    if (!std::isnan(x) && x != 0.0 && x != 1.0) {
      context.faults.add(
          call.place,
          fmt::format("{} has the value {}, and a holiday is 0 or 1", call.parts[0].text(), x),
          "use the column without holiday()");
      return std::nullopt;
    }
    if (std::isnan(x) && context.has_row(static_cast<Index>(t))) x = 0.0;
    if (x == 1.0 && static_cast<Index>(t) < context.axis.num_times) sum += x;
  }
  if (sum == 0.0) {
    context.faults.add(call.place,
                       fmt::format("{} is 1 at no time of the fit, so its effect is unknown",
                                   call.parts[0].text()),
                       "leave the term out");
    return std::nullopt;
  }
  const std::string key = io::name_for_programs(call.parts[0].text()),
                    name = context.take("b", key);
  SeriesComponent made{.label = call.text(), .key = key};
  made.coefficients = name;
  made.columns = {std::move(values)};
  made.parameters = {{.name = call.parts[0].text(),
                      .declaration = fmt::format("vector[1] {}", name),
                      .element = name,
                      .prior = context.prior(fmt::format(
                          "normal(0, {})", context.number(context.coefficient_sd(1.0)))),
                      .names = {call.text()}}};
  return made;
}
}  // namespace

extern const SeriesRow holiday_series{.name = "holiday",
                                      .usage = "holiday(h)",
                                      .words = "effect of days on which a column is 1",
                                      .used = [](const Expression& call) { return call.parts; },
                                      .make = make_holiday};
}  // namespace credo::models
