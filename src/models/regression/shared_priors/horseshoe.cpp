// horseshoe(terms): most coefficients are near 0, a few are free up to a wide slab [piironen2017, doi 10.1214/17-EJS1337SI].
#include <fmt/format.h>

#include "models/regression/shared_prior.hpp"

namespace credo::models {
namespace {
SpecialBlock make(const Expression& call, SharedPriorContext& context) {
  const Index size = context.num_coefficients();
  // Half of the coefficients, one at least, are thought to matter at most; the sum of the others' shrinkage then is about one.
  const auto all = static_cast<double>(size);
  const double relevant = option_of(call, "number", std::max(1.0, std::ceil(std::sqrt(all)))),
               rest = std::max(all - relevant, 1.0),
               width = relevant / rest * context.residual_sd /
                       std::sqrt(static_cast<double>(context.num_rows)),
               df = option_of(call, "df", 1.0), df_slab = option_of(call, "df_slab", 4.0),
               slab = option_of(call, "scale_slab", 2.0);
  const std::string z = context.names.name("z", "horseshoe"),
                    local = context.names.name("local", "horseshoe"),
                    global = context.names.name("global", "horseshoe"),
                    slab2 = context.names.name("slab2", "horseshoe"),
                    b = context.names.name("b", "horseshoe"), scales = context.scales("horseshoe");
  SpecialBlock block;
  block.text = call.text();
  block.parameters = {
      fmt::format("vector[{}] {}", size, z), fmt::format("vector<lower=0>[{}] {}", size, local),
      fmt::format("real<lower=0> {}", global), fmt::format("real<lower=0> {}", slab2)};
  block.transformed = {fmt::format(
      "vector[{0}] {1} = {2} .* {3} .* ({4} * {5} .* sqrt({6} ./ ({6} + square({4} * {5}))))", size,
      b, scales, z, global, local, slab2)};
  for (std::string& line : context.parts_of(b)) block.transformed.push_back(std::move(line));
  block.statements = {fmt::format("{} ~ std_normal()", z)};
  const auto add = [&](const std::string& kind, const std::string& element, std::string prior) {
    block.priors.push_back({.coefficient = {.name = kind + "(horseshoe)", .element = element},
                            .prior = prior,
                            .brms = prior,
                            .rstanarm = prior});
  };
  add("local", local, fmt::format("student_t({:g}, 0, 1)", df));
  add("global", global, fmt::format("student_t({:g}, 0, {:.3g})", df, width));
  add("slab2", slab2,
      fmt::format("inv_gamma({:g}, {:g})", df_slab / 2.0, df_slab * slab * slab / 2.0));
  for (TermBlock* term : context.terms) term->is_computed = true;
  block.words = fmt::format("{:g} of {} coefficients are thought to matter", relevant, size);
  return block;
}
}  // namespace

extern const SharedPriorRow horseshoe_prior{.name = "horseshoe",
                                            .words = "a regularised horseshoe prior",
                                            .labels = {"number", "df", "df_slab", "scale_slab"},
                                            .make = make};
}  // namespace credo::models
