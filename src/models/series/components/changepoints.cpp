// Prophet's trend: a line whose slope changes at n times in the first 80 % of the fit, by amounts with a Laplace prior [taylor2018]. With s
// the share of the fit's times that has passed: m + k s + sum_j delta_j (s - s_j)+. Priors are Prophet's: k and m normal(0, 5), delta
// Laplace(0, 0.05), in units of the largest |y|.
#include <fmt/format.h>

#include "models/series/component.hpp"

namespace credo::models {
namespace {
constexpr double kHistory = 0.8, kLineScale = 5.0, kChangeScale = 0.05;

std::optional<SeriesComponent> make_changepoints(const Expression& call,
                                                 const SeriesContext& context) {
  std::vector<double> numbers;
  if (!series_numbers(call, context, 0, 1, numbers)) return std::nullopt;
  if (numbers.empty()) numbers = {25.0};
  const auto count = static_cast<Index>(numbers[0]);
  const auto history = static_cast<Index>(kHistory * static_cast<double>(context.axis.num_times));
  if (static_cast<double>(count) != numbers[0] || count < 0 || count > history - 1) {
    context.faults.add(
        call.place,
        fmt::format("changes of the slope are a whole number, at most {} for {} times", history - 1,
                    context.axis.num_times),
        "write changepoints(25)");
    return std::nullopt;
  }
  SeriesComponent made{
      .label = fmt::format("changepoints({})", count), .key = "changepoints", .is_level = true};
  const double last = static_cast<double>(context.axis.num_times - 1);
  const auto share = [&](Index t) { return static_cast<double>(t) / last; };
  const auto add = [&](auto value) {
    std::vector<double> column;
    for (Index t = 0; t < context.num_times; ++t) column.push_back(value(t));
    made.columns.push_back(std::move(column));
  };
  add([](Index) { return 1.0; });
  add(share);
  for (Index j = 1; j <= count; ++j) {
    const auto at = static_cast<Index>(
        std::nearbyint(static_cast<double>(j * (history - 1)) / static_cast<double>(count)));
    add([&](Index t) { return std::max(0.0, share(t) - share(at)); });
  }
  const std::string line = context.take("line", "changepoints");
  made.parameters = {{.name = "line",
                      .declaration = fmt::format("vector[2] {}", line),
                      .element = line,
                      .prior = context.prior(fmt::format(
                          "normal(0, {})", context.number(kLineScale * context.largest))),
                      .size = 2,
                      .names = {"start", "slope"}}};
  made.coefficients = line;
  if (count > 0) {
    // A Laplace variable is the difference of two exponential ones, whose joint density has the same mode and no kink.
    const double rate = 1.0 / (kChangeScale * context.largest);
    std::array<std::string, 2> parts;
    for (const bool is_fall : {false, true}) {
      const char* const word = is_fall ? "falls" : "rises";
      std::string& name = parts[is_fall ? 1 : 0];
      name = context.take(word, "changepoints");
      made.parameters.push_back(
          {.name = word,
           .declaration = fmt::format("vector<lower=0>[{}] {}", count, name),
           .element = name,
           .prior = context.prior(fmt::format("exponential({})", context.number(rate))),
           .size = count});
    }
    made.coefficients = fmt::format("append_row({}, {} - {})", line, parts[0], parts[1]);
    made.change_scale = fmt::format("mean(abs({} - {}))", parts[0], parts[1]);
    made.change_rate = static_cast<double>(count) / last;
    made.change_unit = last;
  }
  return made;
}
}  // namespace

extern const SeriesRow changepoints_series{
    .name = "changepoints",
    .usage = "changepoints(25)",
    .words = "Prophet's trend: a line whose slope changes at n times",
    .used = [](const Expression&) { return std::vector<Expression>(); },
    .make = make_changepoints};
}  // namespace credo::models
