// A walk over all statements and expressions inside a piece of a program, in the order of evaluation.
#pragma once
#include "lang/typed/typed.hpp"

namespace credo::lang {

// `class Reads : public Walk<Reads>` visits everything. It sees the nodes for which it has a `visit` (statements) or a
// `look` (expressions), beside `using Walk::visit, Walk::look`; such a member calls the walk's to go inside.
template <class Heir>
class Walk {
 public:
  void statement(const typed::Statement& s) {
    std::visit([&](const auto& node) { self().visit(node); }, s.node);
  }
  void statements(std::span<const typed::Statement> all) {
    for (const auto& s : all) statement(s);
  }
  void expression(const typed::Expression& e) {
    if (self().enters(e)) std::visit([&](const auto& node) { self().look(node); }, e.node);
  }
  void expression(const typed::Box& e) {
    if (e != nullptr) expression(*e);
  }
  void expressions(std::span<const typed::Expression> all) {
    for (const auto& e : all) expression(e);
  }

  bool enters(const typed::Expression&) { return true; }  // false: nothing inside is visited
  void assigns(const typed::AssignmentTarget&) {}
  void declares(typed::Slot) {}  // variables of loops, too

  void body(const typed::Body& s) {
    if (s != nullptr) statement(*s);
  }
  void indices(std::span<const typed::IndexArgument> all) {
    for (const auto& index : all) {
      expression(index.first);
      expression(index.last);
    }
  }
  void target(const typed::AssignmentTarget& t) {
    for (const typed::Access& access : t.accesses) indices(access.indices);
    self().assigns(t);
  }
  void bounds(const typed::SizedType& type) {
    for (const typed::Box* bound : {&type.lower, &type.upper, &type.offset, &type.multiplier})
      expression(*bound);
  }
  void type(const typed::SizedType& declared) {
    expressions(declared.array_sizes);
    expressions(declared.sizes);
    self().bounds(declared);
    for (const auto& element : declared.elements) type(element);
  }

  template <class T>
  void visit(const T&) {}  // nothing inside: Empty, Break, Continue
  void visit(const typed::Declaration& s) {
    type(*s.type);
    expression(s.value);
    self().declares(s.slot);
  }
  void visit(const typed::Assignment& s) {
    expression(s.value);
    target(s.target);
  }
  void visit(const typed::Unpacking& s) {
    expression(s.value);
    for (const auto& leaf : s.leaves) target(leaf.target);
  }
  void visit(const typed::TargetIncrement& s) { expression(s.value); }
  void visit(const typed::JacobianIncrement& s) { expression(s.value); }
  void visit(const typed::Distribution& s) {
    self().look(s.density);
    expression(s.lower);
    expression(s.upper);
  }
  void visit(const typed::If& s) {
    expression(s.condition);
    body(s.if_true);
    body(s.if_false);
  }
  void visit(const typed::While& s) {
    expression(s.condition);
    body(s.body);
  }
  void visit(const typed::ForRange& s) {
    expression(s.first);
    expression(s.last);
    self().declares(s.slot);
    body(s.body);
  }
  void visit(const typed::ForEach& s) {
    expression(s.container);
    self().declares(s.slot);
    body(s.body);
  }
  void visit(const typed::Sequence& s) { statements(s.statements); }
  void visit(const typed::Profile& s) { statements(s.statements); }
  void visit(const typed::Return& s) { expression(s.value); }
  void visit(const typed::CallStatement& s) { self().look(s.call); }
  void visit(const typed::Message& s) { expressions(s.arguments); }

  template <class T>
  void look(const T&) {}  // literals, variables, names
  void look(const typed::Promotion& n) { expression(n.operand); }
  void look(const typed::Conditional& n) {
    expression(n.condition);
    expression(n.if_true);
    expression(n.if_false);
  }
  void look(const typed::ShortCircuit& n) {
    expression(n.left);
    expression(n.right);
  }
  void look(const typed::Call& n) { expressions(n.arguments); }
  void look(const typed::Indexed& n) {
    expression(n.base);
    indices(n.indices);
  }
  void look(const typed::Projection& n) { expression(n.base); }
  void look(const typed::ArrayLiteral& n) { expressions(n.elements); }
  void look(const typed::RowVectorLiteral& n) { expressions(n.elements); }
  void look(const typed::MatrixLiteral& n) { expressions(n.rows); }
  void look(const typed::TupleLiteral& n) { expressions(n.elements); }

 private:
  Heir& self() { return static_cast<Heir&>(*this); }
};

}  // namespace credo::lang
