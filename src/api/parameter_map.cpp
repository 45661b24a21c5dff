#include "api/parameter_map.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/passes/differentiate.hpp"
#include "graph/passes/passes.hpp"

namespace credo {
namespace {
using density::ConstraintKind;
using density::RangeEnd;
using graph::Expr;
using Kind = Constraint::Kind;

Expr part_of(const Expr& x, Index begin, Index count) {
  return graph::slice(graph::vector_shape(count), x, begin);
}

graph::Shape shape_of(const Declaration& d) {
  if (d.type == detail::Type::real) return {};
  if (d.type == detail::Type::vector) return graph::vector_shape(d.rows);
  return graph::matrix_shape(d.rows, d.cols);
}

transform::Bounds bounds_of(const Constraint& c) {
  switch (c.kind) {
    case Kind::none:
      return {};
    case Kind::lower:
      return {.first = c.a, .second = {}};
    case Kind::upper:
      return {.first = {}, .second = c.a};
    case Kind::interval:
    case Kind::affine:
      return {.first = c.a, .second = c.b};
  }
  return {};
}

density::Variable variable_of(const Declaration& d) {
  density::Variable variable{.name = d.name, .block = density::Block::parameters};
  if (d.type != detail::Type::real) variable.dims.push_back(d.rows);
  if (d.type == detail::Type::matrix) variable.dims.push_back(d.cols);
  return variable;
}

ConstraintKind kind_of(const Declaration& d) {
  if (d.constrained == "simplex") return ConstraintKind::simplex;
  if (d.constrained == "unit_vector") return ConstraintKind::unit_vector;
  if (d.constrained == "cholesky_factor_corr") return ConstraintKind::cholesky_factor_corr;
  if (!d.constrained.empty()) return ConstraintKind::other;
  if (d.constraint.kind == Kind::none) return ConstraintKind::none;
  return d.constraint.kind == Kind::affine ? ConstraintKind::affine : ConstraintKind::bounds;
}

// A power of two that the program takes at once.
Index lanes_for(std::size_t num_points) {
  Index lanes = 1;
  while (lanes * 2 <= graph::kMaxLanes && lanes * 2 <= static_cast<Index>(num_points)) lanes *= 2;
  return lanes;
}

bool is_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}
}  // namespace

ParameterMap::Piece ParameterMap::piece_of(const Declaration& d) {
  Piece piece{.unit = shape_of(d), .bounds = bounds_of(d.constraint), .declaration = d};
  piece.num_free = d.size();
  if (!d.constrained.empty()) {
    piece.transform = transform::find(d.constrained);
    CREDO_ASSERT(piece.transform != nullptr, "each declared type has a row");
    if (piece.transform->legal_shape != nullptr && !piece.transform->legal_shape(piece.unit))
      throw Error(ErrorCode::usage,
                  fmt::format("a {} of size {}", d.constrained, graph::to_string(piece.unit)),
                  d.name, "the type doesn't allow this size");
    piece.num_free = piece.transform->free_size(piece.unit);
  } else if (d.constraint.kind != Kind::none) {
    piece.transform = transform::find(d.constraint.kind == Kind::affine ? "affine" : "bounds");
  }
  return piece;
}

ParameterMap::ParameterMap(const Parameters& parameters) {
  bool is_mapped = false;
  for (const Declaration& d : parameters.impl().all) {
    pieces_.push_back(piece_of(d));
    density::Variable variable = variable_of(d);
    outputs_.add(variable);
    if (pieces_.back().num_free != d.size()) variable.dims = {pieces_.back().num_free};
    unconstrained_.add(std::move(variable));
    is_mapped = is_mapped || pieces_.back().transform != nullptr;
  }
  if (is_mapped) make_programs();
}

ParameterMap::Image ParameterMap::image_of(const Expr& free) const {
  std::vector<Expr> values, log_jacobians;
  Index first = 0;
  for (const Piece& piece : pieces_) {
    const Expr own = part_of(free, first, piece.num_free);
    first += piece.num_free;
    if (piece.transform == nullptr) {
      values.push_back(own);
      continue;
    }
    const transform::Constrained image = piece.transform->constrain(
        piece.transform->elementwise ? own.reshaped(piece.unit) : own, piece.unit, piece.bounds);
    values.push_back(image.value.reshaped(graph::vector_shape(piece.declaration.size())));
    log_jacobians.push_back(image.log_jacobian);
  }
  const auto packed = [](std::span<const Expr> all) {
    return graph::pack(graph::vector_shape(ssize(all)), all);
  };
  return {.theta = graph::concat(graph::vector_shape(outputs_.size()), values),
          .log_jacobian = log_jacobians.empty() ? 0.0 : graph::sum(packed(log_jacobians))};
}

void ParameterMap::make_programs() {
  const Index dimension = unconstrained_.size(), size = outputs_.size();
  const graph::Passes passes("all");
  const auto compiled = [&](graph::Traced traced) {
    traced = passes.run(std::move(traced));
    return std::make_unique<const graph::Program>(*traced.graph, traced.input, traced.outputs);
  };
  graph::Traced there{.graph = std::make_unique<graph::Graph>(), .outputs = {}};
  there.input = there.graph->add_input(graph::vector_shape(dimension));
  const Image image = image_of(Expr(*there.graph, {there.input, -1}));
  there.outputs = {image.theta, image.log_jacobian};
  forward_ = compiled(std::move(there));

  graph::Traced back{.graph = std::make_unique<graph::Graph>(), .outputs = {}};
  back.input = back.graph->add_input(graph::vector_shape(dimension + size));
  const Expr both(*back.graph, {back.input, -1});
  const Image again = image_of(part_of(both, 0, dimension));
  const Expr total = graph::dot(part_of(both, dimension, size), again.theta) + again.log_jacobian;
  const Expr slope = graph::gradient(*back.graph, total, std::array{back.input})[0];
  back.outputs = {part_of(slope, 0, dimension)};
  backward_ = compiled(std::move(back));
}

density::ProgramFacts ParameterMap::facts() const {
  density::ProgramFacts facts;
  for (const Piece& piece : pieces_) {
    const Constraint& c = piece.declaration.constraint;
    density::StatedVariable variable{.name = piece.declaration.name,
                                     .block = density::Block::parameters,
                                     .declared = {},
                                     .constraint = kind_of(piece.declaration)};
    if (c.kind == Kind::lower || c.kind == Kind::interval) variable.lower = {true, c.a};
    if (c.kind == Kind::upper) variable.upper = {true, c.a};
    if (c.kind == Kind::interval) variable.upper = {true, c.b};
    facts.variables.push_back(std::move(variable));
  }
  return facts;
}

std::vector<double> ParameterMap::constrain(std::span<const double> free) const {
  if (is_identity()) return {free.begin(), free.end()};
  const Expr theta = image_of(graph::constant(graph::vector_shape(ssize(free)), free)).theta;
  std::vector<double> numbers;
  for (Index k = 0; k < theta.size(); ++k) numbers.push_back(theta.value(k));
  return numbers;
}

std::vector<double> ParameterMap::unconstrain(std::span<const double> numbers) const {
  std::vector<double> free;
  for (const Piece& piece : pieces_) {
    const auto own = numbers.subspan(static_cast<std::size_t>(piece.declaration.first),
                                     static_cast<std::size_t>(piece.declaration.size()));
    if (piece.transform == nullptr) {
      free.insert(free.end(), own.begin(), own.end());
      continue;
    }
    const auto found = piece.transform->unconstrain(own, piece.unit, piece.bounds);
    if (!found)
      throw Error(ErrorCode::data, fmt::format("{}: {}", piece.transform->name, found.error()),
                  piece.declaration.name, "give a value inside the declared constraint");
    free.insert(free.end(), found->begin(), found->end());
  }
  return free;
}

// ---- many points at once

ParameterMap::Bridge::Bridge(const ParameterMap& map)
    : forward_(*map.forward_, graph::kMaxLanes), backward_(*map.backward_, graph::kMaxLanes) {}

void ParameterMap::Bridge::forward(std::span<Crossing> points) {
  while (!points.empty()) {
    const Index lanes = lanes_for(points.size());
    forward_.set_lanes(lanes);
    for (Index l = 0; l < lanes; ++l)
      forward_.set_input(l, points[static_cast<std::size_t>(l)].free);
    forward_.run();
    for (Index l = 0; l < lanes; ++l) {
      Crossing& point = points[static_cast<std::size_t>(l)];
      forward_.copy_output(0, l, point.theta);
      point.log_jacobian = forward_.output(1, 0, l);
      point.is_refused = !is_finite(point.theta) || !std::isfinite(point.log_jacobian);
    }
    points = points.subspan(static_cast<std::size_t>(lanes));
  }
}

void ParameterMap::Bridge::backward(std::span<Crossing> points) {
  while (!points.empty()) {
    const Index lanes = lanes_for(points.size());
    backward_.set_lanes(lanes);
    for (Index l = 0; l < lanes; ++l) {
      const Crossing& point = points[static_cast<std::size_t>(l)];
      input_.assign(point.free.begin(), point.free.end());
      input_.insert(input_.end(), point.adjoint.begin(), point.adjoint.end());
      backward_.set_input(l, input_);
    }
    backward_.run();
    for (Index l = 0; l < lanes; ++l) {
      Crossing& point = points[static_cast<std::size_t>(l)];
      if (!point.is_refused) backward_.copy_output(0, l, point.gradient);
    }
    points = points.subspan(static_cast<std::size_t>(lanes));
  }
}

}  // namespace credo
