// Rows that run a routine (graph/solve/routine.hpp).
#include "graph/core/ops.hpp"
#include "graph/passes/differentiate.hpp"
#include "graph/solve/routine.hpp"

namespace credo::graph {
namespace {
constexpr double kMost = std::numeric_limits<double>::max();

// Attributes: the routine, whether it is to be differentiated, and the check of that (0: none).
bool has_jacobian(const Attributes& a) { return a.ints[0] != 0 && !a.routine->pulls_back(); }
Index num_values(const Routine& r) { return r.num_results() + r.num_reports(); }

// An operand, of each lane.
double* spread(const Call& call, Index operand, Index size, double* out) {
  for (Index e = 0; e < size; ++e) {
    for (Index l = 0; l < call.lanes; ++l) out[e * call.lanes + l] = call.at(operand, e, l);
  }
  return out;
}

void run_kernel(const Call& call) {
  const Routine& routine = *call.attributes->routine;
  RoutineCall run{.lanes = call.lanes,
                  .arguments = spread(call, 0, routine.num_arguments(), call.scratch),
                  .values = call.out,
                  .keep = call.attributes->ints[0] != 0};
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

void pull_kernel(const Call& call) {
  const Routine& routine = *call.attributes->routine;
  const Index arguments = routine.num_arguments();
  double* weights = call.scratch + arguments * call.lanes;
  routine.pull_back({.lanes = call.lanes,
                     .arguments = spread(call, 0, arguments, call.scratch),
                     .weights = spread(call, 1, routine.num_results(), weights),
                     .adjoints = call.out});
}

const Op pull_row{
    .name = "routine_pullback",
    .kind = OpKind::general,
    .arity = 2,
    .order = 0,
    .kernel = []() -> Kernel { return pull_kernel; },
    .shape = [](Shapes,
                const Attributes& a) { return vector_shape(a.routine->num_arguments() + 1); },
    .scratch =
        [](Shapes, const Attributes& a) {
          return a.routine->num_arguments() + a.routine->num_results();
        }};

std::vector<Expr> run_rule(const RuleArgs& r) {
  const Routine& routine = *r.attributes->routine;
  if (r.attributes->ints[0] == 0) throw NotDifferentiable{routine.name(), r.out.graph()->statement};
  const Index results = routine.num_results();
  if (routine.pulls_back()) {
    const Expr all = apply(pull_row, {r.in[0], part(r.grad, 0, results)}, *r.attributes);
    const std::int32_t check = r.attributes->ints[1];
    if (check != 0) check_less(all.element(routine.num_arguments()), -kMost, check);
    return {part(all, 0, routine.num_arguments())};
  }
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

Expr apply(std::shared_ptr<const Routine> routine, const Expr& arguments, bool differentiable,
           std::int32_t check) {
  const Index values = num_values(*routine);
  const Expr all =
      apply(routine_row, {arguments},
            {.ints = {differentiable, check}, .reals = {}, .routine = std::move(routine)});
  return part(all, 0, values);
}

Expr part(const Expr& x, Index first, Index count) { return slice(vector_shape(count), x, first); }

std::span<const Op* const> ops::routine_rows() {
  static const std::array<const Op*, 3> rows{&routine_row, &jacobian_row, &pull_row};
  return rows;
}

}  // namespace credo::graph
