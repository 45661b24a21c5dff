// Runs a constraint's map at a point: value, log Jacobian and their derivatives by everything that
// goes in (free values, then symbolic bounds).
#pragma once
#include "graph/execute/program.hpp"
#include "graph/passes/differentiate.hpp"
#include "transform/transform.hpp"

namespace credo::transform {

using Numbers = std::vector<double>;

// One unit to transform. Bounds are empty, one number, or a container of the unit's size.
struct Case {
  std::string name;
  const Transform* transform = nullptr;
  Shape unit;
  Numbers first = {}, second = {};
  bool symbolic_bounds = false;

  Index free_size() const { return transform->free_size(unit); }
};

// A traced case: the inputs are the free values, then the bounds where they are symbolic.
class TracedCase {
 public:
  explicit TracedCase(const Case& c) : case_(c) {
    const Index bounds_size = c.symbolic_bounds ? ssize(c.first) + ssize(c.second) : 0;
    input_ = graph_.add_input(graph::vector_shape(c.free_size() + bounds_size));
    bounds_.first = bound(c.first, c.free_size());
    bounds_.second = bound(c.second, c.free_size() + ssize(c.first));
    free_ = part(0, c.free_size());
    result_ = c.transform->constrain(free_, c.unit, bounds_);
  }

  graph::Graph& graph() { return graph_; }
  graph::NodeId input() const { return input_; }
  const Constrained& result() const { return result_; }
  const Expr& free() const { return free_; }
  const Bounds& bounds() const { return bounds_; }

  Numbers inputs(const Numbers& free) const {
    Numbers all = free;
    if (!case_.symbolic_bounds) return all;
    all.insert(all.end(), case_.first.begin(), case_.first.end());
    all.insert(all.end(), case_.second.begin(), case_.second.end());
    return all;
  }

  Expr gradient(const Expr& scalar) {
    const std::array inputs{input_};
    return graph::gradient(graph_, scalar, inputs)[0];
  }

  // sum_k weights_k value_k
  Expr weighted(const Numbers& weights) {
    const Expr w = graph::constant(graph::vector_shape(ssize(weights)), weights);
    return graph::dot(result_.value.reshaped(graph::vector_shape(ssize(weights))), w);
  }

  Numbers run(const Expr& output, const Numbers& at) const {
    const std::array outputs{output};
    const graph::Program program(graph_, input_, outputs);
    graph::Workspace workspace(program, 1);
    workspace.set_input(0, at);
    workspace.run();
    Numbers values(static_cast<std::size_t>(program.output_size(0)));
    workspace.copy_output(0, 0, values);
    return values;
  }

 private:
  Expr part(Index begin, Index count) {
    std::vector<std::int32_t> index(static_cast<std::size_t>(count));
    std::iota(index.begin(), index.end(), static_cast<std::int32_t>(begin));
    return graph::gather(graph::vector_shape(count), Expr(graph_, {input_, -1}), std::move(index));
  }
  Expr bound(const Numbers& values, Index begin) {
    if (values.empty()) return {};
    const Shape shape = values.size() == 1 ? Shape{} : case_.unit;
    if (!case_.symbolic_bounds) return graph::constant(shape, values);
    return part(begin, ssize(values)).reshaped(shape);
  }

  Case case_;
  graph::Graph graph_;
  graph::NodeId input_ = graph::kNoNode;
  Bounds bounds_;
  Expr free_;
  Constrained result_;
};

inline Bounds constant_bounds(const Case& c) {
  const auto one = [&](const Numbers& values) -> Expr {
    if (values.empty()) return {};
    return graph::constant(values.size() == 1 ? Shape{} : c.unit, values);
  };
  return {one(c.first), one(c.second)};
}

// What the checks of known values say; empty: nothing is wrong.
class Verdict final : public Checks {
 public:
  std::string text;

 private:
  std::int32_t number(const graph::Requirement&) override { return 1; }
  void failed(const graph::Requirement& r, double) override {
    if (text.empty()) text = std::string(r.argument) + " must be " + std::string(r.rule);
  }
};

inline std::string check_value(const Case& c, const Numbers& value) {
  Verdict verdict;
  c.transform->check(graph::constant(c.unit, value), c.unit, constant_bounds(c), "x", verdict);
  return verdict.text;
}

inline std::string check_requirements(const Case& c, const Numbers& free) {
  Verdict verdict;
  if (c.transform->require == nullptr) return {};
  const Expr y = graph::constant(graph::vector_shape(ssize(free)), free);
  c.transform->require(y, constant_bounds(c), "x", verdict);
  return verdict.text;
}

}  // namespace credo::transform
