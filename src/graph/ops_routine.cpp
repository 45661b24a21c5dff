// Rows that run a routine (graph/routine.hpp).
#include "graph/differentiate.hpp"
#include "graph/ops.hpp"
#include "graph/routine.hpp"

namespace credo::graph {
namespace {

// Attributes: the routine, and whether its Jacobian follows the values.
bool has_jacobian(const Attributes& a) { return a.ints[0] != 0; }
Index num_values(const Routine& r) { return r.num_results() + r.num_reports(); }

void run_kernel(const Call& call) {
  const Routine& routine = *call.attributes->routine;
  for (Index e = 0; e < routine.num_arguments(); ++e) {
    for (Index l = 0; l < call.lanes; ++l) call.scratch[e * call.lanes + l] = call.at(0, e, l);
  }
  RoutineCall run{.lanes = call.lanes, .arguments = call.scratch, .values = call.out};
  if (has_jacobian(*call.attributes)) run.jacobian = call.out + num_values(routine) * call.lanes;
  routine.run(run);
}

Shape run_shape(Shapes, const Attributes& a) {
  const Index jacobian = a.routine->num_results() * a.routine->num_arguments();
  return vector_shape(num_values(*a.routine) + (has_jacobian(a) ? jacobian : 0));
}

// The Jacobian of a run: a copy that can't be differentiated again.
void jacobian_kernel(const Call& call) {
  const Index size = call.shape.size() * call.lanes;
  const Index first = num_values(*call.attributes->routine);
  if (!call.shared(0)) {
    std::copy_n(call.in(0) + first * call.lanes, size, call.out);
    return;
  }
  for (Index i = 0; i < size; ++i) call.out[i] = call.in(0)[first + i / call.lanes];
}

// Columns are results: element (argument, result) lies as the run wrote it.
Shape jacobian_shape(Shapes, const Attributes& a) {
  return matrix_shape(a.routine->num_arguments(), a.routine->num_results());
}

const Op jacobian_row{.name = "routine_jacobian",
                      .kind = OpKind::general,
                      .order = 0,
                      .kernel = []() -> Kernel { return jacobian_kernel; },
                      .shape = jacobian_shape};

std::vector<Expr> run_rule(const RuleArgs& r) {
  const Routine& routine = *r.attributes->routine;
  if (!has_jacobian(*r.attributes))
    throw NotDifferentiable{routine.name(), r.out.graph()->statement};
  const Index results = routine.num_results();
  const Expr jacobian = apply(jacobian_row, {r.out}, *r.attributes);
  return {matmul(jacobian, part(r.grad, 0, results))};
}

const Op routine_row{
    .name = "routine",
    .kind = OpKind::general,
    .order = 1,
    .rule = run_rule,
    .kernel = []() -> Kernel { return run_kernel; },
    .shape = run_shape,
    .scratch = [](Shapes, const Attributes& a) { return a.routine->num_arguments(); }};
}  // namespace

Expr apply(std::shared_ptr<const Routine> routine, const Expr& arguments, bool with_jacobian) {
  const Index values = num_values(*routine);
  const Expr all = apply(routine_row, {arguments},
                         {.ints = {with_jacobian}, .reals = {}, .routine = std::move(routine)});
  return part(all, 0, values);
}

Expr part(const Expr& x, Index first, Index count) {
  std::vector<std::int32_t> index(static_cast<std::size_t>(count));
  std::iota(index.begin(), index.end(), static_cast<std::int32_t>(first));
  return gather(vector_shape(count), x, std::move(index));
}

std::span<const Op* const> ops::routine_rows() {
  static const std::array<const Op*, 2> rows{&routine_row, &jacobian_row};
  return rows;
}

}  // namespace credo::graph
