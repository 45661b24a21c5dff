// spike(terms): each coefficient is from a wide normal distribution, the slab, or from a narrow one about 0, the spike; which one is
// summed out [george1993, doi 10.1080/01621459.1993.10476353]. Given a coefficient the probability of the slab is closed, so that its mean over the
// draws is the posterior probability of inclusion. The spike isn't a point: credo select has exact zeros.
#include <fmt/format.h>

#include "io/number_text.hpp"
#include "models/regression/shared_prior.hpp"

namespace credo::models {
namespace {
constexpr std::string_view kDensity =
    R"(  // scales: of the coefficients; share: of the slab; narrow, wide: sds of spike and slab in these units.
  real spike_lpdf(vector b, vector scales, real share, real narrow, real wide) {
    real sum = 0;
    for (k in 1:rows(b))
      sum += log_mix(share, normal_lpdf(b[k] | 0, wide * scales[k]),
                     normal_lpdf(b[k] | 0, narrow * scales[k]));
    return sum;
  }
)";
constexpr std::string_view kInclusion = R"(  // The probability of the slab given each coefficient.
  vector spike_included(vector b, vector scales, real share, real narrow, real wide) {
    vector[rows(b)] included;
    for (k in 1:rows(b))
      included[k] = inv_logit(log(share) - log1m(share) + normal_lpdf(b[k] | 0, wide * scales[k])
                              - normal_lpdf(b[k] | 0, narrow * scales[k]));
    return included;
  }
)";

SpecialBlock make(const Expression& call, SharedPriorContext& context) {
  const double share = option_of(call, "share", 0.5), narrow = option_of(call, "narrow", 0.05),
               wide = option_of(call, "wide", 1.0);
  SpecialBlock block;
  block.text = call.text();
  if (share >= 1.0)
    context.names.frame.faults().add(
        call.place, fmt::format("share = {:g}: the share of the slab lies between 0 and 1", share),
        "spike(x + z, share = 0.2)");
  if (narrow >= wide)
    context.names.frame.faults().add(
        call.place, fmt::format("narrow = {:g} isn't less than wide = {:g}", narrow, wide),
        "spike(x + z, narrow = 0.05, wide = 1)");
  const std::string scales = context.scales("spike"),
                    included = context.names.name("included", "spike");
  std::vector<std::string> parts;
  Index number = 0;
  for (const TermBlock* term : context.terms) {
    parts.push_back(term->is_number ? fmt::format("[{}]'", term->parameter) : term->parameter);
    for (const Coefficient& c : term->coefficients)
      block.rows.push_back({.name = fmt::format("included({})", c.name),
                            .element = fmt::format("{}[{}]", included, ++number),
                            .predictor = context.names.predictor});
  }
  std::string all = parts.back();
  for (std::size_t k = parts.size() - 1; k-- > 0;)
    all = fmt::format("append_row({}, {})", parts[k], all);
  const std::string rest = fmt::format("{}, {}, {}, {}", scales, io::number_text(share),
                                       io::number_text(narrow), io::number_text(wide));
  block.statements = {fmt::format("target += spike_lpdf({} | {})", all, rest)};
  block.quantities = {
      fmt::format("vector[{}] {} = spike_included({}, {})", number, included, all, rest)};
  context.names.parts.functions.emplace("spike_included", kInclusion);
  context.names.parts.functions.emplace("spike_lpdf", kDensity);
  block.words = fmt::format(
      "each of {} coefficients is in the slab, sd {:g}, with probability {:g}, else in the spike, sd "
      "{:g}, in sds of the outcome for one sd of a column",
      number, wide, share, narrow);
  return block;
}
}  // namespace

extern const SharedPriorRow spike_prior{.name = "spike",
                                        .words = "a spike and slab prior",
                                        .labels = {"share", "narrow", "wide"},
                                        .make = make};
}  // namespace credo::models
