// The log likelihood of one series under a state-space model as one row, and its gradient as another: a loop over times costs two
// nodes.
//
// One lane at a time, unpacked to scratch. Operands: y, z, A, q, r, m, P, E, kinds. Attributes: ints = {times, states, unknowns, kinds,
// z varies, r varies, by z, by A}, the last two of the gradient.
#include "graph/ops/series.hpp"

#include "base/error.hpp"
#include "numerics/series_likelihood.hpp"

namespace credo::graph {
namespace {
using numerics::kSeriesParts;
using numerics::SeriesInputs;
using numerics::SeriesSizes;

SeriesSizes series_sizes(const Attributes& a) {
  return {.times = a.ints[0],
          .states = a.ints[1],
          .unknowns = a.ints[2],
          .kinds = a.ints[3],
          .design_varies = a.ints[4] != 0,
          .noise_varies = a.ints[5] != 0,
          .by_design = a.ints[6] != 0,
          .by_transition = a.ints[7] != 0};
}
Index series_total_size(const SeriesSizes& sizes) {
  Index total = 0;
  for (std::size_t part = 0; part < kSeriesParts; ++part)
    total += numerics::series_part_size(sizes, part);
  return total;
}

// f(operands, the rest of the scratch, the lane) for each lane.
template <class F>
void for_series(const Call& call, const SeriesSizes& sizes, F f) {
  double* rest = call.scratch + series_total_size(sizes);
  for (Index lane = 0; lane < call.lanes; ++lane) {
    SeriesInputs in{};
    double* to = call.scratch;
    for (std::size_t part = 0; part < kSeriesParts; ++part) {
      const auto k = static_cast<Index>(part);
      const Index size = numerics::series_part_size(sizes, part);
      for (Index e = 0; e < size && (lane == 0 || !call.shared(k)); ++e)
        to[e] = call.at(k, e, lane);
      in[part] = to;
      to += size;
    }
    f(in, rest, lane);
  }
}

void series_log_density_kernel(const Call& call) {
  const SeriesSizes sizes = series_sizes(*call.attributes);
  for_series(call, sizes, [&](const SeriesInputs& in, double* scratch, Index lane) {
    call.out[lane] = numerics::series_log_density(sizes, in, scratch);
  });
}

void series_score_kernel(const Call& call) {
  const SeriesSizes sizes = series_sizes(*call.attributes);
  const Index size = series_total_size(sizes);
  for_series(call, sizes, [&](const SeriesInputs& in, double* scratch, Index lane) {
    numerics::series_score(sizes, in, scratch, scratch + size);
    for (Index e = 0; e < size; ++e) call.out[e * call.lanes + lane] = scratch[e];
  });
}

extern const Op series_score_row;

std::vector<Expr> series_log_density_rule(const RuleArgs& r) {
  Attributes attributes = *r.attributes;
  attributes.ints[6] = !r.in[numerics::kSeriesDesign].is_constant();
  attributes.ints[7] = !r.in[numerics::kSeriesTransition].is_constant();
  const SeriesSizes sizes = series_sizes(attributes);
  const Expr score = apply(series_score_row, r.in, std::move(attributes));
  std::vector<Expr> adjoints(kSeriesParts);
  Index first = 0;
  for (std::size_t part = 0; part < kSeriesParts; ++part) {
    const Index size = numerics::series_part_size(sizes, part);
    if (!r.in[part].is_constant() && size > 0) {
      adjoints[part] = r.in[part].is_scalar() ? r.grad * score.element(first)
                                              : r.grad * slice(r.in[part].shape(), score, first);
    }
    first += size;
  }
  return adjoints;
}

const Op series_log_density_row{.name = "series_log_density",
                                .kind = OpKind::general,
                                .arity = static_cast<int>(kSeriesParts),
                                .order = 1,
                                .rule = series_log_density_rule,
                                .kernel = []() -> Kernel { return series_log_density_kernel; },
                                .shape = [](Shapes, const Attributes&) { return Shape{}; },
                                .scratch =
                                    [](Shapes, const Attributes& a) {
                                      const SeriesSizes sizes = series_sizes(a);
                                      return series_total_size(sizes) +
                                             numerics::series_log_density_scratch(sizes);
                                    }};
const Op series_score_row{
    .name = "series_score",
    .kind = OpKind::general,
    .arity = static_cast<int>(kSeriesParts),
    .order = 0,
    .kernel = []() -> Kernel { return series_score_kernel; },
    .shape = [](Shapes,
                const Attributes& a) { return vector_shape(series_total_size(series_sizes(a))); },
    .scratch =
        [](Shapes, const Attributes& a) {
          const SeriesSizes sizes = series_sizes(a);
          return 2 * series_total_size(sizes) + numerics::series_score_scratch(sizes);
        }};
}  // namespace

Expr series_log_density(const Expr& y, const SeriesModel& m) {
  const auto times = static_cast<std::int32_t>(y.size());
  const auto states = static_cast<std::int32_t>(m.mean.size());
  const std::int32_t unknowns = m.unknown.shape().cols;
  const std::int32_t kinds = m.transition.shape().cols / states;
  CREDO_ASSERT(m.kinds.size() == times && m.covariance.size() == Index{states} * states,
               "sizes agree");
  const std::int32_t design_varies = m.design.shape().cols != 1;
  const std::int32_t noise_varies = m.noise.size() != 1;
  return apply(
      series_log_density_row,
      {y, m.design, m.transition, m.state_noise, m.noise, m.mean, m.covariance, m.unknown, m.kinds},
      {{times, states, unknowns, kinds, design_varies, noise_varies, 0, 0}, {}});
}

std::span<const Op* const> ops::series_rows() {
  static const std::array<const Op*, 2> rows{&series_log_density_row, &series_score_row};
  return rows;
}

}  // namespace credo::graph
