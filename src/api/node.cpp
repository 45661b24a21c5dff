#include "api/node.hpp"

#include <fmt/format.h>

namespace credo {
namespace detail {
namespace {
constexpr std::int64_t kLargestWhole = std::numeric_limits<std::int32_t>::max();

std::shared_ptr<Node> make_node(NodeKind kind, Type type, std::vector<NodePtr> operands = {}) {
  auto node = std::make_shared<Node>();
  node->kind = kind;
  node->type = type;
  node->operands = std::move(operands);
  return node;
}

struct Sizes {
  Index rows = 1, cols = 1;
};

bool is_container(Type type) {
  return type == Type::vector || type == Type::row_vector || type == Type::matrix;
}

// The first operand of the type; broadcasting takes the others to its sizes.
Sizes largest(Type type, std::span<const NodePtr> operands) {
  for (const NodePtr& operand : operands)
    if (operand->type == type) return {operand->rows, operand->cols};
  return {};
}

Sizes oriented(Type type, Index size) {
  return type == Type::row_vector ? Sizes{1, size} : Sizes{size, 1};
}

Sizes sizes_of(Rule rule, Type type, std::span<const NodePtr> operands) {
  const auto of = [&](std::size_t k) {
    return k < operands.size() ? Sizes{operands[k]->rows, operands[k]->cols} : Sizes{};
  };
  const Sizes a = of(0), b = of(1);
  switch (rule) {
    case Rule::scalar:
      return {};
    case Rule::largest:
      return largest(type, operands);
    case Rule::first:
      return a;
    case Rule::second:
      return b;
    case Rule::transposed:
      return {a.cols, a.rows};
    case Rule::square_of_rows:
      return {a.rows, a.rows};
    case Rule::square_of_cols:
      return {a.cols, a.cols};
    case Rule::square_of_b_cols:
      return {b.cols, b.cols};
    case Rule::rows_by_b_cols:
      return {a.rows, b.cols};
    case Rule::cols_by_b_cols:
      return {a.cols, b.cols};
    case Rule::rows_by_b_rows:
      return {a.rows, b.rows};
    case Rule::shorter_side:
      return oriented(type, std::min(a.rows, a.cols));
    case Rule::rows_of_first:
      return oriented(type, a.rows);
    case Rule::cols_of_first:
      return oriented(type, a.cols);
    case Rule::size_of_first:
      return oriented(type, a.rows * a.cols);
    case Rule::joined_rows:
      return {a.rows + b.rows, a.cols};
    case Rule::joined_cols:
      return {a.rows, a.cols + b.cols};
    case Rule::square_of_size:
      return {a.rows * a.cols, a.rows * a.cols};
  }
  return {};
}

NodePtr with_sizes(std::shared_ptr<Node> node, Sizes sizes) {
  node->rows = sizes.rows;
  node->cols = sizes.cols;
  return node;
}

void require_place(Index place, Index size, const char* what) {
  if (place >= 0 && place < size) return;
  throw Error(ErrorCode::usage, fmt::format("{} {} of {}", what, place, size), {},
              "places count from 0");
}

const char* kind_of(Type type) {
  constexpr std::array kWords{"a whole number", "a number", "a vector",
                              "a row vector",   "a matrix", "whole numbers"};
  return kWords[static_cast<std::size_t>(type)];
}
}  // namespace

Node::~Node() {
  std::vector<NodePtr> rest = std::move(operands);
  while (!rest.empty()) {
    const NodePtr last = std::move(rest.back());
    rest.pop_back();
    if (last.use_count() > 1) continue;
    auto& below = const_cast<Node&>(*last).operands;  // nobody else has it
    std::move(below.begin(), below.end(), std::back_inserter(rest));
    below.clear();
  }
}

NodePtr literal(double number) {
  auto node = make_node(NodeKind::literal, Type::real);
  node->number = number;
  return node;
}

NodePtr whole_literal(std::int64_t number) {
  if (number > kLargestWhole || number < -kLargestWhole)
    throw Error(ErrorCode::usage, fmt::format("the whole number {} has more than 32 bits", number),
                {}, "use a double");
  auto node = make_node(NodeKind::literal, Type::whole);
  node->whole = number;
  return node;
}

NodePtr parameter(const std::string& name, Type type, Index rows, Index cols) {
  auto node = make_node(NodeKind::parameter, type);
  node->name = name;
  return with_sizes(std::move(node), {rows, cols});
}

NodePtr call(const char* function, Type type, Rule rule,
             std::initializer_list<Argument> arguments) {
  std::vector<NodePtr> operands;
  for (const Argument& argument : arguments) operands.push_back(argument.node());
  auto node = make_node(NodeKind::call, type, std::move(operands));
  node->name = function;
  const Sizes sizes = sizes_of(rule, type, node->operands);
  return with_sizes(std::move(node), sizes);
}

NodePtr infix(const char* symbol, Type type, Rule rule, const Argument& a, const Argument& b) {
  auto node = make_node(NodeKind::infix, type, {a.node(), b.node()});
  node->name = symbol;
  const bool elementwise = rule == Rule::largest && a.node()->type == b.node()->type;
  if (elementwise && is_container(type) &&
      (a.node()->rows != b.node()->rows || a.node()->cols != b.node()->cols))
    throw Error(ErrorCode::usage,
                fmt::format("{} of {} x {} and {} x {}", symbol, a.node()->rows, a.node()->cols,
                            b.node()->rows, b.node()->cols),
                {}, "both sides have the same sizes");
  const bool product = rule == Rule::rows_by_b_cols || (rule == Rule::scalar && node->name == "*");
  if (product && a.node()->cols != b.node()->rows)
    throw Error(ErrorCode::usage,
                fmt::format("* of {} x {} and {} x {}", a.node()->rows, a.node()->cols,
                            b.node()->rows, b.node()->cols),
                {}, "the columns of the left are as many as the rows of the right");
  const Sizes sizes = sizes_of(rule, type, node->operands);
  return with_sizes(std::move(node), sizes);
}

NodePtr negated(const Argument& x) {
  return with_sizes(make_node(NodeKind::negated, x.node()->type, {x.node()}),
                    {x.node()->rows, x.node()->cols});
}

NodePtr choice(const Argument& condition, const Argument& a, const Argument& b) {
  return make_node(NodeKind::choice, Type::real, {condition.node(), a.node(), b.node()});
}

NodePtr element(const Argument& container, Index row, Index col) {
  const NodePtr& from = container.node();
  require_place(row, from->rows, "row");
  require_place(col, from->cols, "column");
  auto node = make_node(NodeKind::element, Type::real, {from});
  if (from->type == Type::matrix)
    node->places = {row + 1, col + 1};
  else
    node->places = {row + col + 1};
  return node;
}

NodePtr segment(const Argument& container, Index first, Index count) {
  const NodePtr& from = container.node();
  if (first < 0 || count < 0 || first + count > from->rows)
    throw Error(ErrorCode::usage,
                fmt::format("{} elements from {} of {}", count, first, from->rows), {},
                "places count from 0");
  auto node = make_node(NodeKind::segment, from->type, {from});
  node->places = {first + 1, first + count};
  return with_sizes(std::move(node), {count, 1});
}

NodePtr taken(const Argument& vector, std::span<const int> places) {
  std::vector<int> from_one(places.begin(), places.end());
  for (int& place : from_one) {
    require_place(place, vector.node()->rows, "element");
    ++place;
  }
  auto node =
      make_node(NodeKind::taken, Type::vector, {vector.node(), whole_numbers({}, from_one)});
  return with_sizes(std::move(node), {std::ssize(places), 1});
}

NodePtr row_or_column(const Argument& matrix, Index place, bool is_row) {
  const NodePtr& from = matrix.node();
  require_place(place, is_row ? from->rows : from->cols, is_row ? "row" : "column");
  auto node = make_node(is_row ? NodeKind::row : NodeKind::column,
                        is_row ? Type::row_vector : Type::vector, {from});
  node->places = {place + 1};
  return with_sizes(std::move(node), is_row ? Sizes{1, from->cols} : Sizes{from->rows, 1});
}

NodePtr listed(std::span<const Real> elements, Type type) {
  std::vector<NodePtr> operands;
  operands.reserve(elements.size());
  for (const Real& element : elements) operands.push_back(element.node());
  return with_sizes(make_node(NodeKind::listed, type, std::move(operands)),
                    oriented(type, std::ssize(elements)));
}

NodePtr numbers(std::string name, std::span<const double> values, Type type, Index rows,
                Index cols) {
  if (rows < 0 || cols < 0 || rows * cols != std::ssize(values))
    throw Error(
        ErrorCode::usage,
        fmt::format("{} numbers for {} of {} x {}", values.size(), kind_of(type), rows, cols), name,
        "give as many numbers as there are elements, column by column");
  auto node = make_node(NodeKind::data, type);
  node->name = std::move(name);
  node->reals.assign(values.begin(), values.end());
  return with_sizes(std::move(node), {rows, cols});
}

NodePtr whole_numbers(std::string name, std::span<const int> values) {
  auto node = make_node(NodeKind::data, Type::wholes);
  node->name = std::move(name);
  node->wholes.assign(values.begin(), values.end());
  return with_sizes(std::move(node), {std::ssize(values), 1});
}

}  // namespace detail

Index Value::rows() const { return node_->rows; }
Index Value::cols() const { return node_->cols; }

}  // namespace credo
