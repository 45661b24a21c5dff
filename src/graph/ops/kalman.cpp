// The log likelihood of a linear-Gaussian state-space model as one row, and its gradient as another: a loop over times costs two
// nodes, and no memory of nodes.
//
// One lane at a time, unpacked to scratch, with the kernels of numerics/kalman_score. Operands: y, F, G, V, W, m, C. Attributes:
// ints = {states, outcomes, times, V is its diagonal, by F, by G}, the last two of the gradient.
#include "graph/ops/kalman.hpp"

#include "base/error.hpp"
#include "numerics/kalman_score.hpp"

namespace credo::graph {
namespace {
using numerics::KalmanInputs;
using numerics::KalmanSizes;
using numerics::kKalmanParts;

KalmanSizes kalman_sizes(const Attributes& a) {
  return {.states = a.ints[0],
          .outcomes = a.ints[1],
          .times = a.ints[2],
          .variances = a.ints[3] != 0,
          .by_design = a.ints[4] != 0,
          .by_transition = a.ints[5] != 0};
}
Index total_size(const KalmanSizes& sizes) {
  Index total = 0;
  for (std::size_t part = 0; part < kKalmanParts; ++part)
    total += numerics::kalman_part_size(sizes, part);
  return total;
}

// f(operands, the rest of the scratch, the lane) for each lane.
template <class F>
void for_models(const Call& call, const KalmanSizes& sizes, F f) {
  double* rest = call.scratch + total_size(sizes);
  for (Index lane = 0; lane < call.lanes; ++lane) {
    KalmanInputs in{};
    double* to = call.scratch;
    for (std::size_t part = 0; part < kKalmanParts; ++part) {
      const auto k = static_cast<Index>(part);
      const Index size = numerics::kalman_part_size(sizes, part);
      for (Index e = 0; e < size && (lane == 0 || !call.shared(k)); ++e)
        to[e] = call.at(k, e, lane);
      in[part] = to;
      to += size;
    }
    f(in, rest, lane);
  }
}

void kalman_log_density_kernel(const Call& call) {
  const KalmanSizes sizes = kalman_sizes(*call.attributes);
  for_models(call, sizes, [&](const KalmanInputs& in, double* scratch, Index lane) {
    call.out[lane] = numerics::kalman_log_density(sizes, in, scratch);
  });
}

void kalman_score_kernel(const Call& call) {
  const KalmanSizes sizes = kalman_sizes(*call.attributes);
  const Index size = total_size(sizes);
  for_models(call, sizes, [&](const KalmanInputs& in, double* scratch, Index lane) {
    numerics::kalman_score(sizes, in, scratch, scratch + size);
    for (Index e = 0; e < size; ++e) call.out[e * call.lanes + lane] = scratch[e];
  });
}

extern const Op kalman_score_row;

std::vector<Expr> kalman_log_density_rule(const RuleArgs& r) {
  Attributes attributes = *r.attributes;
  attributes.ints[4] = !r.in[numerics::kDesign].is_constant();
  attributes.ints[5] = !r.in[numerics::kTransition].is_constant();
  const KalmanSizes sizes = kalman_sizes(attributes);
  const Expr score = apply(kalman_score_row, r.in, std::move(attributes));
  std::vector<Expr> adjoints(kKalmanParts);
  Index first = 0;
  for (std::size_t part = 0; part < kKalmanParts; ++part) {
    const Index size = numerics::kalman_part_size(sizes, part);
    if (!r.in[part].is_constant()) {
      adjoints[part] = r.in[part].is_scalar() ? r.grad * score.element(first)
                                              : r.grad * slice(r.in[part].shape(), score, first);
    }
    first += size;
  }
  return adjoints;
}

const Op kalman_log_density_row{.name = "kalman_log_density",
                                .kind = OpKind::general,
                                .arity = static_cast<int>(kKalmanParts),
                                .order = 1,
                                .rule = kalman_log_density_rule,
                                .kernel = []() -> Kernel { return kalman_log_density_kernel; },
                                .shape = [](Shapes, const Attributes&) { return Shape{}; },
                                .scratch =
                                    [](Shapes, const Attributes& a) {
                                      const KalmanSizes sizes = kalman_sizes(a);
                                      return total_size(sizes) +
                                             numerics::kalman_log_density_scratch(sizes);
                                    }};
const Op kalman_score_row{
    .name = "kalman_score",
    .kind = OpKind::general,
    .arity = static_cast<int>(kKalmanParts),
    .order = 0,
    .kernel = []() -> Kernel { return kalman_score_kernel; },
    .shape = [](Shapes, const Attributes& a) { return vector_shape(total_size(kalman_sizes(a))); },
    .scratch =
        [](Shapes, const Attributes& a) {
          const KalmanSizes sizes = kalman_sizes(a);
          return 2 * total_size(sizes) + numerics::kalman_score_scratch(sizes);
        }};
}  // namespace

Expr kalman_log_density(const Expr& y, const KalmanMatrices& m) {
  const Shape seen = y.shape(), design = m.design.shape();
  CREDO_ASSERT(design.cols == seen.rows && m.transition.size() == Index{design.rows} * design.rows,
               "sizes agree");
  const std::int32_t variances = m.observation_noise.size() == seen.rows;
  return apply(
      kalman_log_density_row,
      {y, m.design, m.transition, m.observation_noise, m.state_noise, m.mean, m.covariance},
      {{design.rows, seen.rows, seen.cols, variances, 0, 0}, {}});
}

std::span<const Op* const> ops::kalman_rows() {
  static const std::array<const Op*, 2> rows{&kalman_log_density_row, &kalman_score_row};
  return rows;
}

}  // namespace credo::graph
