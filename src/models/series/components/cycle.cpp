// A stochastic cycle about 0, with damping [durbin2012, sec. 3.2.4]. The period is a parameter, or known.
#include <fmt/format.h>

#include "models/series/component.hpp"

namespace credo::models {
namespace {
std::optional<SeriesComponent> make_cycle(const Expression& call, const SeriesContext& context) {
  std::vector<double> numbers;
  if (!series_numbers(call, context, 0, 2, numbers)) return std::nullopt;
  const double longest = static_cast<double>(context.axis.num_times) / 2.0;
  if (numbers.empty()) numbers = {2.0, std::max(4.0, longest)};
  if (!(numbers[0] >= 2.0) || (numbers.size() == 2 && !(numbers[1] > numbers[0]))) {
    context.faults.add(call.place,
                       "a period is at least 2 times, and the second bound above the first",
                       "write cycle(20) for a known period or cycle(18, 144) for bounds");
    return std::nullopt;
  }
  SeriesComponent made{
      .label = numbers.size() == 1 ? fmt::format("cycle({})", context.exact(numbers[0])) : "cycle",
      .key = "cycle",
      .num_states = 2};
  const SeriesParameter sd = context.state_sd("cycle", 0.1);
  const std::string rho = context.take("rho", "cycle"), angle = context.take("angle", "cycle");
  made.parameters = {
      sd, {.name = "rho(cycle)", .declaration = "real<lower=0, upper=1> " + rho, .element = rho}};
  std::string period = context.exact(numbers[0]);
  if (numbers.size() == 2) {
    const std::string lower = period;
    period = context.take("period", "cycle");
    made.parameters.push_back({.name = "period(cycle)",
                               .declaration = fmt::format("real<lower={}, upper={}> {}", lower,
                                                          context.exact(numbers[1]), period),
                               .element = period});
  }
  made.prepared = {fmt::format("real {} = 2 * pi() / {}", angle, period)};
  const auto entry = [&](Index i, Index j, const char* of) {
    return SeriesEntry{
        i, j,
        fmt::format("{}{} * {}({})", of[0] == '-' ? "-" : "", rho, of + (of[0] == '-'), angle),
        false};
  };
  made.transition = {entry(0, 0, "cos"), entry(0, 1, "sin"), entry(1, 0, "-sin"),
                     entry(1, 1, "cos")};
  const std::string variance = fmt::format("square({})", sd.element);
  made.noise = {{0, variance}, {1, variance}};
  made.mean = {0.0, 0.0};
  const std::string start = fmt::format("{} / (1 - square({}))", variance, rho);
  made.start = {{0, 0, start, false}, {1, 1, start, false}};
  return made;
}
}  // namespace

extern const SeriesRow cycle_series{
    .name = "cycle",
    .usage = "cycle, cycle(20) or cycle(18, 144)",
    .words = "a damped cycle whose period is estimated between bounds, or known",
    .used = [](const Expression&) { return std::vector<Expression>(); },
    .make = make_cycle};
}  // namespace credo::models
