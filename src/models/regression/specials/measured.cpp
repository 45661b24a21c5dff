// me(x, s): a column that was measured with the standard error s. Its true values are normal and unknown, as in brms; rows that are
// predicted have those that their own measurement leaves open.
#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/formula/bases.hpp"
#include "models/regression/special.hpp"

namespace credo::models {
namespace {
bool use(const Expression& call, Frame& frame) {
  const bool is_right = call.parts.size() == 2 && call.parts[0].kind == Expression::Kind::name &&
                        call.parts[1].kind == Expression::Kind::name;
  if (!is_right) {
    frame.faults().add(call.place, "me() is of a column and of the column of its standard errors",
                       "me(x, s)");
    return false;
  }
  const bool is_column = frame.use(call.parts[0], ColumnRole::number).has_value();
  return frame.use(call.parts[1], ColumnRole::number).has_value() && is_column;
}

bool check_errors(const UsedColumn& error, Frame& frame) {
  const std::vector<double> errors = frame.numbers(error.name);
  for (std::size_t n = 0; n < errors.size(); ++n) {
    if (errors[n] > 0.0 && std::isfinite(errors[n])) continue;
    frame.faults().add_of_table(
        frame.where(error.name, static_cast<Index>(n)),
        fmt::format("{} is {} in row {}", error.column, io::number_text(errors[n]), n + 1),
        "a standard error is positive");
    return false;
  }
  return true;
}

std::optional<SpecialBlock> make(const Expression& call, SpecialContext& context) {
  const UsedColumn x = *context.frame.use(call.parts[0], ColumnRole::number),
                   error = *context.frame.use(call.parts[1], ColumnRole::number);
  if (!check_errors(error, context.frame)) return std::nullopt;
  const std::vector<double> values = context.frame.numbers(x.name);
  const auto take = [&](const char* kind) { return context.name(kind, x.name); };
  const std::string b = take("b_me"), mean = take("mean_me"), sd = take("sd_me"), z = take("z_me"),
                    latent = take("true");
  SpecialBlock block;
  block.text = call.text();
  const Index n = context.frame.num_rows();
  block.parameters = {fmt::format("real {}", b), fmt::format("real {}", mean),
                      fmt::format("real<lower=0> {}", sd), fmt::format("vector[{}] {}", n, z)};
  block.transformed = {fmt::format("vector[{}] {} = {} + {} * {}", n, latent, mean, sd, z)};
  block.statements = {z + " ~ std_normal()",
                      fmt::format("{} ~ normal({}, {})", x.name, latent, error.name)};
  block.predictor = fmt::format("{} * {}", b, latent);
  const double spread = sample_sd(values);
  const auto add = [&](const std::string& name, const std::string& element, std::string prior) {
    block.priors.push_back(
        {.coefficient = {.name = name, .element = element, .predictor = context.predictor},
         .prior = std::move(prior)});
  };
  const std::string label = context.prefix + block.text;
  block.priors.push_back({.coefficient = {.name = label,
                                          .element = b,
                                          .column_sd = spread,
                                          .predictor = context.predictor},
                          .is_slope = true});
  const double width = spread > 0.0 ? spread : 1.0;
  add(fmt::format("mean({})", label), mean,
      fmt::format("normal({:.3g}, {:.3g})", sample_mean(values), 2.5 * width));
  add(fmt::format("sd({})", label), sd, fmt::format("exponential({:.3g})", 1.0 / width));
  // Given its measurement the true value of a new row is normal.
  const std::string share = take("known"), drawn = take("drawn");
  block.prediction_lines = {
      fmt::format("vector[N] {0} = square({1}) ./ (square({1}) + square({2}))", share, sd,
                  error.name),
      fmt::format("vector[N] {0} = {1} + {2} .* ({3} - {1}) + {4} * sqrt(1 - {2}) .* "
                  "to_vector(normal_rng(rep_vector(0, N), 1))",
                  drawn, mean, share, x.name, sd)};
  block.prediction = fmt::format("{} * {}", b, drawn);
  block.prediction_note = fmt::format(
      "{}: true values are drawn from what the measurement of each row leaves open", block.text);
  block.words = fmt::format("true values of {}, {} of them", x.column, n);
  return block;
}
}  // namespace

extern const SpecialRow measured_special{.name = "me",
                                         .words = "a column with measurement errors",
                                         .usage = "me(x, s)",
                                         .use = use,
                                         .make = make};
}  // namespace credo::models
