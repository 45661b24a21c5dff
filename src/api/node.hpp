// The expressions that a traced callable makes: a directed acyclic graph, shared by the values of
// credo/value.hpp, later written as a Stan program (api/program_text.hpp).
#pragma once
#include "base/std.hpp"
#include "credo/value.hpp"

namespace credo::detail {

enum class NodeKind {
  literal,    // number, or whole where the type is whole
  data,       // reals or wholes
  parameter,  // by its name
  call,       // name(operands)
  infix,      // operand name operand
  negated,
  choice,   // operand ? operand : operand
  element,  // operand[places], from 1
  segment,  // operand[places[0] : places[1]]
  taken,    // operand[operand]
  row,
  column,
  listed  // [operands]
};

struct Node {
  NodeKind kind = NodeKind::literal;
  Type type = Type::real;
  Index rows = 1, cols = 1;
  std::string name = {};
  std::vector<NodePtr> operands = {};
  double number = 0.0;
  std::int64_t whole = 0;
  std::vector<Index> places = {};
  std::vector<double> reals = {};  // values of data, column by column
  std::vector<std::int32_t> wholes = {};

  Node() = default;
  Node(const Node&) = default;
  // A chain of a million sums is as many nodes deep: they are freed one by one.
  ~Node();
};

inline bool is_atom(const Node& node) {
  return node.kind == NodeKind::literal || node.kind == NodeKind::data ||
         node.kind == NodeKind::parameter;
}

NodePtr parameter(const std::string& name, Type type, Index rows, Index cols);

}  // namespace credo::detail
