// A stationary autoregression of p lags about 0. Parameters are partial autocorrelations, between -1 and 1 each; coefficients and the
// covariance of the first state follow by the recursion of Durbin and Levinson.
#include <fmt/format.h>

#include "models/series/component.hpp"

namespace credo::models {
namespace {
std::optional<SeriesComponent> make_ar(const Expression& call, const SeriesContext& context) {
  std::vector<double> numbers;
  if (!series_numbers(call, context, 1, 1, numbers)) return std::nullopt;
  const auto p = static_cast<Index>(numbers[0]);
  if (numbers[0] != static_cast<double>(p) || p < 1 || p > 50) {
    context.faults.add(call.place, "the number of lags is a whole number from 1 to 50",
                       "write ar(2)");
    return std::nullopt;
  }
  SeriesComponent made{.label = fmt::format("ar({})", p), .key = "ar", .num_states = p};
  const SeriesParameter sd = context.state_sd("ar", 0.5);
  const std::string partial = context.take("partial", "ar"), parts = context.take("parts", "ar");
  made.parameters = {sd,
                     {.name = "partial(ar)",
                      .declaration = fmt::format("vector<lower=-1, upper=1>[{}] {}", p, partial),
                      .element = partial,
                      .size = p}};
  made.functions = {"ar_parts"};
  made.prepared = {fmt::format("vector[{}] {} = ar_parts({})", 2 * p, parts, partial)};
  for (Index k = 0; k < p; ++k)
    made.transition.push_back({0, k, fmt::format("{}[{}]", parts, k + 1), false});
  if (p > 1)
    made.transition.push_back({.row = 1, .col = 0, .count = p - 1, .row_step = 1, .col_step = 1});
  made.noise = {{0, "square(" + sd.element + ")"}};
  made.mean.assign(static_cast<std::size_t>(p), 0.0);
  for (Index i = 0; i < p; ++i)
    for (Index j = 0; j < p; ++j)
      made.start.push_back(
          {i, j, fmt::format("square({}) * {}[{}]", sd.element, parts, p + std::abs(i - j) + 1),
           false});
  return made;
}
}  // namespace

extern const SeriesRow ar_series{
    .name = "ar",
    .usage = "ar(p), as ar(1)",
    .words = "a stationary autoregression of p lags",
    .used = [](const Expression&) { return std::vector<Expression>(); },
    .make = make_ar};
}  // namespace credo::models
