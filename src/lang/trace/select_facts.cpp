#include "lang/trace/select_facts.hpp"

namespace credo::lang {
namespace {

// Sums, differences, comparisons and what only moves values; products with data.
bool is_total_function(std::string_view name) {
  constexpr std::array<std::string_view, 14> kNames{
      "add",         "logical_eq",        "logical_gt",  "logical_gte", "logical_lt",
      "logical_lte", "logical_negation",  "logical_neq", "minus",       "negative_infinity",
      "plus",        "positive_infinity", "subtract",    "not_a_number"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

class SelectCheck {
 public:
  bool total = true;

  void statement(const typed::Statement& s) {
    std::visit([&](const auto& node) { visit(node); }, s.node);
  }
  void expression(const typed::Expression& e) {
    if (!e.autodiff.is_data()) std::visit([&](const auto& node) { look(node); }, e.node);
  }

 private:
  template <class T>
  void visit(const T&) {  // everything that does more than assign
    total = false;
  }
  void visit(const typed::Empty&) {}
  void visit(const typed::Declaration& s) {
    if (s.value != nullptr) expression(*s.value);
  }
  void visit(const typed::Assignment& s) {
    if (s.op.builtin >= 0 || s.op.is_user()) function(s.op, s.value.autodiff.is_data());
    expression(s.value);
  }
  void visit(const typed::If& s) {
    statement(*s.if_true);
    if (s.if_false) statement(*s.if_false);
  }
  void visit(const typed::ForRange& s) { statement(*s.body); }
  void visit(const typed::Sequence& s) {
    for (const auto& inner : s.statements) statement(inner);
  }

  template <class T>
  void look(const T&) {
    total = false;
  }
  void look(const typed::RealLiteral&) {}
  void look(const typed::IntLiteral&) {}
  void look(const typed::VariableUse&) {}
  void look(const typed::Promotion& n) { expression(*n.operand); }
  void look(const typed::Conditional& n) {
    expression(*n.if_true);
    expression(*n.if_false);
  }
  void look(const typed::Indexed& n) { expression(*n.base); }
  void look(const typed::Call& n) {
    const bool one_is_data = std::any_of(n.arguments.begin(), n.arguments.end(),
                                         [](const auto& a) { return a.autodiff.is_data(); });
    function(n.function, one_is_data);
    for (const auto& argument : n.arguments) expression(argument);
  }
  void function(const typed::FunctionRef& f, bool one_is_data) {
    const bool scales = one_is_data && (f.name == "multiply" || f.name == "elt_multiply");
    if (f.is_user() || (!is_total_function(f.name) && !scales)) total = false;
  }
};
}  // namespace

SelectFacts select_facts_of(const typed::If& s) {
  SelectCheck walk;
  walk.statement(*s.if_true);
  if (s.if_false) walk.statement(*s.if_false);
  SelectFacts facts{walk.total, facts_of(*s.if_true)};
  if (s.if_false) {
    for (const SlotUse& use : facts_of(*s.if_false).slots) facts.touched.slots.push_back(use);
  }
  return facts;
}

bool is_total(const typed::Conditional& n) {
  SelectCheck walk;
  walk.expression(*n.if_true);
  walk.expression(*n.if_false);
  return walk.total;
}

}  // namespace credo::lang
