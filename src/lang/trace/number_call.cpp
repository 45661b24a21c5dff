#include "lang/trace/number_call.hpp"

#include <cmath>

#include "base/error.hpp"
#include "graph/solve/routine.hpp"
#include "lang/trace/draw_call.hpp"
#include "lang/trace/traced_function.hpp"

namespace credo::lang {
namespace {

using Number = std::function<double(std::int32_t place)>;  // argument `place` of the routine

// A value of which some scalars are arguments of a routine.
class Template {
 public:
  Template(const Value& value, RoutineArguments& arguments) : pattern_(value) {
    if (value.is_tuple()) {
      for (const Value& part : value.tuple()->elements) parts_.emplace_back(part, arguments);
      return;
    }
    if (value.is_unset()) return;  // the name of a function
    for (Index i = 0; i < size_of(value); ++i) {
      const Scalar scalar = scalar_of(value, i);
      scalars_.push_back({scalar.known, arguments.number(scalar)});
      is_known_ = is_known_ && scalar.is_known();
    }
    if (is_known_) {
      settle(value);  // threads share it
      return;
    }
    base_ = base_of(value), dims_ = dims_of(value), pattern_ = {};
  }

  bool is_known() const {
    return is_known_ &&
           std::all_of(parts_.begin(), parts_.end(), [](const auto& p) { return p.is_known(); });
  }

  Value with(const Number& number) const {
    if (!parts_.empty()) {
      auto tuple = std::make_shared<TupleValue>();
      for (const Template& part : parts_) tuple->elements.push_back(part.with(number));
      return tuple;
    }
    if (is_known_) return pattern_;
    std::vector<double> values;
    for (const auto& [known, place] : scalars_) values.push_back(place < 0 ? known : number(place));
    if (base_ != BaseType::integer)
      return from_expr(graph::constant(shape_of(base_, dims_), values), base_, dims_);
    const std::vector<std::int32_t> whole(values.begin(), values.end());
    return dims_.count == 0 ? Value(whole[0]) : make_ints(dims_, whole);
  }

 private:
  Value pattern_;  // pattern of a known value
  std::vector<std::pair<double, std::int32_t>> scalars_;
  std::vector<Template> parts_;  // parts of a tuple
  BaseType base_ = BaseType::real;
  Dims dims_;
  bool is_known_ = true;
};

void append_scalars(const Value& value, std::vector<double>& out) {
  if (value.is_tuple()) {
    for (const Value& part : value.tuple()->elements) append_scalars(part, out);
    return;
  }
  for (Index i = 0; i < size_of(value); ++i) out.push_back(scalar_of(value, i).known);
}

// One call of the program, with numbers.
struct NumberCall {
  const typed::Program& program;
  const typed::Call& call;
  BuiltinFunction function;
  TraceLimits limits;
  DrawPath path;
  bool draws;  // the first arguments are the draw's seed
  std::vector<Template> arguments;

  Value run(const Number& number) const {
    MachineOptions options{.limits = limits};
    if (draws) options.seed = DrawSeed{number(0), number(1)};
    Machine machine(program, std::move(options));
    machine.start_at(path);
    std::vector<Value> values;
    for (const Template& argument : arguments) values.push_back(argument.with(number));
    return function({machine, call, call.function.name, values});
  }
};

class NumberRoutine final : public graph::Routine {
 public:
  NumberRoutine(NumberCall call, Index num_arguments, Index num_results)
      : call_(std::move(call)), num_arguments_(num_arguments), num_results_(num_results) {}

  std::string_view name() const override { return call_.call.function.name; }
  Index num_arguments() const override { return num_arguments_; }
  Index num_results() const override { return num_results_; }
  Index num_reports() const override { return 1; }  // 1: the arguments were refused
  bool pulls_back() const override { return false; }
  void pull_back(const graph::PullbackCall&) const override {}

  void run(const graph::RoutineCall& call) const override {
    for (Index lane = 0; lane < call.lanes; ++lane) {
      std::vector<double> results = results_in(call, lane);
      const bool refused = ssize(results) != num_results_;
      if (refused) results.assign(static_cast<std::size_t>(num_results_), kNaN);
      results.push_back(refused ? 1.0 : 0.0);
      for (std::size_t i = 0; i < results.size(); ++i)
        call.values[static_cast<Index>(i) * call.lanes + lane] = results[i];
    }
  }

 private:
  // Empty if the function refuses its arguments.
  std::vector<double> results_in(const graph::RoutineCall& call, Index lane) const {
    std::vector<double> results;
    try {
      const Value value =
          call_.run([&](std::int32_t place) { return call.arguments[place * call.lanes + lane]; });
      append_scalars(value, results);
    } catch (const Rejection&) {
    } catch (const Error&) {
    }
    return results;
  }

  NumberCall call_;
  Index num_arguments_, num_results_;
};

// A value like `pattern` with the elements of a vector from `next` on.
Value value_like(const Value& pattern, const Expr& all, Index& next) {
  if (pattern.is_tuple()) {
    auto tuple = std::make_shared<TupleValue>();
    for (const Value& part : pattern.tuple()->elements)
      tuple->elements.push_back(value_like(part, all, next));
    return tuple;
  }
  const Index first = next, count = size_of(pattern);
  next += count;
  const Expr mine = graph::part(all, first, count);
  const Dims dims = dims_of(pattern);
  if (base_of(pattern) == BaseType::integer) return whole_values(mine, dims, {});
  if (dims.count == 0) return Scalar(mine.element(0));
  return from_expr(mine.reshaped(shape_of(base_of(pattern), dims)), base_of(pattern), dims);
}
}  // namespace

Value call_with_numbers(const BuiltinCall& c, BuiltinFunction function) {
  Machine& machine = c.machine;
  RoutineArguments arguments(machine);
  const bool draws = c.call.site != 0;
  if (draws) {
    const DrawSeed& seed = machine.draw_seed(c.name);
    arguments.number(Scalar(seed.high));
    arguments.number(Scalar(seed.low));
  }
  NumberCall call{machine.program(), c.call, function, machine.options().limits,
                  machine.path(),    draws,  {}};
  for (const Value& argument : c.arguments) call.arguments.emplace_back(argument, arguments);
  if (arguments.count() == 0) return function(c);
  const std::vector<double> here = arguments.values();
  const Value pattern = call.run([&](std::int32_t k) { return here[static_cast<std::size_t>(k)]; });
  std::vector<double> scalars;
  append_scalars(pattern, scalars);
  auto routine =
      std::make_shared<const NumberRoutine>(std::move(call), arguments.count(), ssize(scalars));
  const Expr all = graph::apply(std::move(routine), arguments.vector(), false);
  machine.checks().less(all.element(ssize(scalars)), 0.5, {c.name, "argument", "in its domain"});
  Index next = 0;
  return value_like(pattern, all, next);
}

}  // namespace credo::lang
