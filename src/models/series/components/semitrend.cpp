// A semi-local linear trend: the slope returns to a slope of the long run, slope_t = D + rho (slope_(t-1) - D) + noise. States: the level,
// the slope less D, and D.
#include "models/series/component.hpp"

namespace credo::models {
namespace {
std::optional<SeriesComponent> make_semitrend(const Expression& call,
                                              const SeriesContext& context) {
  std::vector<double> none;
  if (!series_numbers(call, context, 0, 0, none)) return std::nullopt;
  SeriesComponent made{.label = "semitrend", .key = "semitrend", .num_states = 3, .is_level = true};
  const SeriesParameter level = context.state_sd("level", 0.1),
                        slope = context.state_sd("slope", 0.1);
  const std::string rho = context.take("rho", "slope");
  made.parameters = {
      level,
      slope,
      {.name = "rho(slope)", .declaration = "real<lower=-1, upper=1> " + rho, .element = rho}};
  made.transition = {{0, 0}, {0, 1}, {0, 2}, {1, 1, rho, false}, {2, 2}};
  made.noise = {{0, "square(" + level.element + ")"}, {1, "square(" + slope.element + ")"}};
  made.mean = {context.first, 0.0, 0.0};
  made.start = {context.start_of(0, context.sd),
                {1, 1, "square(" + slope.element + ") / (1 - square(" + rho + "))", false},
                context.start_of(2, context.sd)};
  made.unknown = {0, 2};
  return made;
}
}  // namespace

extern const SeriesRow semitrend_series{
    .name = "semitrend",
    .usage = "semitrend",
    .words = "a level whose slope returns to a slope of the long run",
    .used = [](const Expression&) { return std::vector<Expression>(); },
    .make = make_semitrend};
}  // namespace credo::models
