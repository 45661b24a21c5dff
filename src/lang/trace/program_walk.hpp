// The walk over the statements and expressions of a program: in which order things happen. The machine and columns are
// its heirs. They say what a value is, how it is decided which way a branch goes, and what an assignment does.
#pragma once
#include "lang/trace/indexing.hpp"
#include "lang/typed/typed.hpp"

namespace credo::lang {

enum class ControlFlow : std::uint8_t { next, leave_loop, next_round, leave_function };

bool is_any_density(const typed::Call& call);  // lang/trace/density_call.hpp
bool is_tail(const typed::Call& call);

// The elements that a loop over a container runs through: elements of an array, or the scalars of a vector or a matrix in
// storage order.
struct LoopElements {
  explicit LoopElements(const Value& container)
      : dims(dims_of(container)), by_scalar(dims.count == inner_dims(base_of(container))) {}
  Index count() const { return by_scalar ? dims.total() : dims[0]; }
  Value at(const Value& container, std::int32_t i, graph::Graph* graph) const {
    if (by_scalar) return scalar_of(container, i);
    return read(container, *contiguous_part(base_of(container), dims, std::array{i}), graph);
  }
  Dims dims;
  bool by_scalar;
};

template <class Heir>
class ProgramWalk {
 protected:
  using Flow = ControlFlow;

  std::vector<Value> evaluate_all(std::span<const typed::Expression> all) {
    std::vector<Value> values;
    values.reserve(all.size());
    for (const auto& e : all) values.push_back(self().evaluate_open(e));
    return values;
  }
  // Afterwards messages and nodes belong to the statement again, even if a function refused some points.
  template <class Run>
  auto within_statement(const Run& run) {
    const std::int32_t here = self().machine().statement();
    auto result = run();
    self().machine().enter(here);
    return result;
  }
  Value evaluate_here(const typed::Expression& e) {
    return within_statement([&] { return self().evaluate_open(e); });
  }
  std::vector<Value> evaluate_here(std::span<const typed::Expression> all) {
    return within_statement([&] { return evaluate_all(all); });
  }

  // ---- statements

  Flow exec(const typed::Empty&) { return Flow::next; }
  Flow exec(const typed::Sequence& s) { return self().execute_all(s.statements); }
  Flow exec(const typed::Profile& s) { return self().execute_all(s.statements); }
  Flow exec(const typed::Break&) { return Flow::leave_loop; }
  Flow exec(const typed::Continue&) { return Flow::next_round; }
  Flow exec(const typed::Return& s) {
    self().leave_with(s.value ? self().evaluate_open(*s.value) : Value());
    return Flow::leave_function;
  }
  Flow exec(const typed::CallStatement& s) {
    std::vector<Value> arguments;
    for (const auto& argument : s.call.arguments) arguments.push_back(self().evaluate(argument));
    call(s.call, std::move(arguments));
    return Flow::next;
  }
  Flow exec(const typed::Assignment& s) {
    if (self().add_to_sum(s)) return Flow::next;
    Value value = self().evaluate_open(s.value);
    if (s.op.builtin >= 0 || s.op.is_user()) {
      typed::Call operation;
      operation.function = s.op;
      operation.is_operator = true;
      std::vector<Value> operands{self().value_before(s.target), std::move(value)};
      value = call(operation, std::move(operands));
    }
    self().assign(s, value);
    return Flow::next;
  }
  Flow exec(const typed::While& s) {
    return rounds(*s.body, [&](std::uint64_t round) {
      self().require_end(s, round);
      return self().evaluate_int(s.condition) != 0;
    });
  }
  Flow exec(const typed::ForEach& s) {
    const Value container = self().evaluate(s.container);
    if (self().runs_by_columns(s, container)) return Flow::next;
    const LoopElements elements(container);
    return rounds(*s.body, [&](std::uint64_t round) {
      const bool runs = static_cast<Index>(round) < elements.count();
      if (runs)
        self().slot(s.slot) =
            elements.at(container, static_cast<std::int32_t>(round), self().machine().graph());
      return runs;
    });
  }
  Flow count_up(const typed::ForRange& s, std::int64_t first, std::int64_t last) {
    return rounds(*s.body, [&](std::uint64_t round) {
      const std::int64_t i = first + static_cast<std::int64_t>(round);
      if (i <= last) self().slot(s.slot) = static_cast<std::int32_t>(i);
      return i <= last;
    });
  }
  // Runs the body while `begins(round)` is true, which sets the loop's variable.
  template <class Begins>
  Flow rounds(const typed::Statement& body, const Begins& begins) {
    for (std::uint64_t round = 0;; ++round) {
      const typename Heir::Deeper deeper(self(), round);
      if (!begins(round)) return Flow::next;
      const Flow flow = self().execute(body);
      if (flow == Flow::leave_loop) return Flow::next;
      if (flow == Flow::leave_function) return flow;
    }
  }

  // ---- expressions

  Value eval(const typed::IntLiteral& n, const typed::Expression&) { return n.value; }
  Value eval(const typed::RealLiteral& n, const typed::Expression&) { return Scalar(n.value); }
  Value eval(const typed::Call& n, const typed::Expression&) {
    return call(n, evaluate_all(n.arguments));
  }

  // A density of the program's own is marked with what its outcome says, whatever its body calls.
  Value call(const typed::Call& c, std::vector<Value> arguments) {
    if (!c.function.is_user()) return self().call_builtin(c, arguments);
    auto& machine = self().machine();
    const bool is_own_density = machine.graph() != nullptr && is_any_density(c);
    const bool is_own_tail = machine.graph() != nullptr && is_tail(c);
    auto outcome = Heir::Known::none;
    if (is_own_density || is_own_tail)
      outcome = self().known_of(arguments[0], machine.autodiff_bits(c.arguments));
    const auto begun = machine.begin_own_density(outcome);
    const typename Heir::Deeper deeper(self(), static_cast<std::uint64_t>(c.site));
    Value value = self().call_user(c, std::move(arguments));
    if (is_own_density) machine.mark_own_density(begun, self().marked(value));
    if (is_own_tail) machine.mark_tail(self().marked(value), outcome);
    return value;
  }

 private:
  Heir& self() { return static_cast<Heir&>(*this); }
};

}  // namespace credo::lang
