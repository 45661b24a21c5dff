// A user's function that is traced into graphs of its own, now and later: what solvers call.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::lang {

// Everything needed for tracing, independent of the machine that runs the call. It may be used by any
// thread while the program lives.
class TracedFunction {
 public:
  TracedFunction(const Machine& machine, const typed::FunctionName& name);

  // A machine that traces into `graph` at a point of the graph's input.
  Machine machine(graph::Graph& graph, graph::NodeId input, std::span<const double> point) const;
  // The function's value; arguments are values of that machine.
  Value call(Machine& machine, std::vector<Value> arguments) const;

 private:
  const typed::Program* program_;
  MachineOptions options_;
  std::function<std::string(std::int32_t)> locate_;
  typed::FunctionName name_;
  std::int32_t statement_;
};

// The distinct scalars among values of a call that a routine (graph/solve/routine.hpp) takes as its
// arguments: those that depend on parameters, or all, where everything is known.
class RoutineArguments {
 public:
  explicit RoutineArguments(Machine& machine) : machine_(machine) {}

  // The number of its argument, or -1 for a number that is a constant of the routine.
  std::int32_t number(const Scalar& scalar);
  Index count() const { return ssize(scalars_); }
  Expr vector() const;                 // all of them
  std::vector<double> values() const;  // at the point where decisions are taken

 private:
  Machine& machine_;
  std::vector<Scalar> scalars_;
  std::map<std::pair<graph::NodeId, std::int32_t>, std::int32_t> known_;
};

// Values as they are outside, to be made anew inside each graph that is traced: reals are numbers
// or elements of the graph's input, everything else is known.
class ValueTemplate {
 public:
  // place(scalar): the element of the input, or -1 for a constant.
  using Place = std::function<std::int32_t(const Scalar&)>;
  ValueTemplate(const Value& value, const Place& place);
  Value make(graph::NodeId input) const;
  // Other values that distinguish two calls: whole numbers, sizes, constants.
  void append_key(std::vector<double>& key) const;

 private:
  struct Real {
    double known;
    std::int32_t place;
  };
  Value pattern_;  // ints, or sizes of reals
  std::vector<Real> reals_;
  std::vector<ValueTemplate> parts_;  // parts of a tuple
  BaseType base_ = BaseType::real;
  Dims dims_;
  enum class Kind : std::uint8_t { whole, scalar, reals, tuple } kind_ = Kind::whole;
};

}  // namespace credo::lang
