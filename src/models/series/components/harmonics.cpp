// A season of S times as k pairs of cosines and sines with coefficients [taylor2018].
#include <fmt/format.h>

#include "models/series/component.hpp"

namespace credo::models {
namespace {
std::optional<SeriesComponent> make_harmonics(const Expression& call,
                                              const SeriesContext& context) {
  std::vector<double> numbers;
  if (!series_numbers(call, context, 2, 2, numbers)) return std::nullopt;
  const double period = numbers[0];
  const auto pairs = static_cast<Index>(numbers[1]);
  if (!(period >= 2.0) || static_cast<double>(pairs) != numbers[1] || pairs < 1 ||
      2.0 * numbers[1] > period) {
    context.faults.add(
        call.place, "a period is at least 2 times and has at most half as many pairs of harmonics",
        "write harmonics(365.25, 10)");
    return std::nullopt;
  }
  SeriesComponent made{.label = call.text(), .key = "harmonics"};
  const std::string name = context.take("b", "harmonics");
  for (Index j = 1; j <= pairs; ++j)
    for (const bool is_sine : {false, true}) {
      if (is_sine && 2.0 * static_cast<double>(j) == period) continue;  // it is 0 at all times
      std::vector<double> column;
      for (Index t = 0; t < context.num_times; ++t) {
        const double angle =
            2.0 * std::numbers::pi * static_cast<double>(j) * static_cast<double>(t) / period;
        column.push_back(is_sine ? std::sin(angle) : std::cos(angle));
      }
      made.columns.push_back(std::move(column));
    }
  const Index size = ssize(made.columns);
  made.coefficients = name;
  // A second term has its label as a name.
  made.parameters = {{.name = name == "b_harmonics" ? "harmonics" : call.text(),
                      .declaration = fmt::format("vector[{}] {}", size, name),
                      .element = name,
                      .prior = context.prior(fmt::format(
                          "normal(0, {})", context.number(context.coefficient_sd(1.0)))),
                      .size = size}};
  return made;
}
}  // namespace

extern const SeriesRow harmonics_series{
    .name = "harmonics",
    .usage = "harmonics(365.25, 10)",
    .words = "a season of S times as k pairs of cosines and sines",
    .used = [](const Expression&) { return std::vector<Expression>(); },
    .make = make_harmonics};
}  // namespace credo::models
