#include "lang/typed/loop_facts.hpp"

#include "lang/typed/signatures.hpp"

namespace credo::lang {
namespace {

class LoopUse {
 public:
  Facts facts;

  void statement(const typed::Statement& s) {
    std::visit([&](const auto& node) { visit(node); }, s.node);
  }
  void expression(const typed::Expression& e) {
    std::visit([&](const auto& node) { look(node); }, e.node);
  }

 private:
  SlotUse& use(typed::Slot slot) {
    for (SlotUse& u : facts.slots) {
      if (u.slot.local == slot.local && u.slot.index == slot.index) return u;
    }
    facts.slots.push_back({.slot = slot});
    return facts.slots.back();
  }
  void block(std::string_view reason) {
    if (facts.blocker.empty()) facts.blocker = reason;
  }
  void box(const typed::Box& e) {
    if (e != nullptr) expression(*e);
  }
  void expressions(std::span<const typed::Expression> all) {
    for (const auto& e : all) expression(e);
  }
  void statements(std::span<const typed::Statement> all) {
    for (const auto& s : all) statement(s);
  }
  void indices(std::span<const typed::IndexArgument> all) {
    for (const auto& index : all) {
      box(index.first);
      box(index.last);
    }
  }
  void sizes(const typed::SizedType& type) {
    expressions(type.array_sizes);
    expressions(type.sizes);
    for (const auto& element : type.elements) sizes(element);
  }

  // ---- statements

  template <class T>
  void visit(const T&) {}  // nothing inside: Empty, Break, Continue
  void visit(const typed::Declaration& s) {
    sizes(*s.type);
    box(s.value);
    use(s.slot).declared = true;
    ++use(s.slot).whole;
  }
  void visit(const typed::Assignment& s);
  void visit(const typed::Unpacking&) { block("an assignment to several variables"); }
  void visit(const typed::TargetIncrement& s) { expression(s.value); }
  void visit(const typed::JacobianIncrement& s) { expression(s.value); }
  void visit(const typed::Distribution& s) {
    expressions(s.density.arguments);
    box(s.lower);
    box(s.upper);
  }
  void visit(const typed::If& s) {
    expression(s.condition);
    statement(*s.if_true);
    if (s.if_false) statement(*s.if_false);
  }
  void visit(const typed::While& s) {
    expression(s.condition);
    statement(*s.body);
  }
  void visit(const typed::ForRange& s) {
    expression(s.first);
    expression(s.last);
    use(s.slot).declared = true;
    ++use(s.slot).whole;
    statement(*s.body);
  }
  void visit(const typed::ForEach& s) {
    expression(s.container);
    use(s.slot).declared = true;
    ++use(s.slot).whole;
    statement(*s.body);
  }
  void visit(const typed::Sequence& s) { statements(s.statements); }
  void visit(const typed::Profile& s) { statements(s.statements); }
  void visit(const typed::Return& s) {
    if (s.value) expression(*s.value);
  }
  void visit(const typed::CallStatement& s) { expressions(s.call.arguments); }
  void visit(const typed::Message& s) { expressions(s.arguments); }

  // ---- expressions

  template <class T>
  void look(const T&) {}  // literals, names of functions
  void look(const typed::VariableUse& e) { ++use(e.slot).reads; }
  void look(const typed::Promotion& e) { expression(*e.operand); }
  void look(const typed::Conditional& e) {
    expression(*e.condition);
    expression(*e.if_true);
    expression(*e.if_false);
  }
  void look(const typed::ShortCircuit& e) {
    expression(*e.left);
    expression(*e.right);
  }
  void look(const typed::TargetValue&) { block("target() is read"); }
  void look(const typed::Call& e) { expressions(e.arguments); }
  void look(const typed::Indexed& e) {
    expression(*e.base);
    indices(e.indices);
  }
  void look(const typed::Projection& e) { expression(*e.base); }
  void look(const typed::ArrayLiteral& e) { expressions(e.elements); }
  void look(const typed::RowVectorLiteral& e) { expressions(e.elements); }
  void look(const typed::MatrixLiteral& e) { expressions(e.rows); }
  void look(const typed::TupleLiteral& e) { expressions(e.elements); }
};

void LoopUse::visit(const typed::Assignment& s) {
  for (const typed::Access& access : s.target.accesses) {
    indices(access.indices);
    if (access.projection >= 0) block("an element of a tuple is assigned");
  }
  if (const auto sum = sum_update(s)) {
    expression(*sum->increment);
    ++use(s.target.slot).sums;
    return;
  }
  const bool reads_itself = s.op.builtin >= 0 || s.op.is_user();
  if (reads_itself) ++use(s.target.slot).reads;
  expression(s.value);
  ++(s.target.accesses.empty() ? use(s.target.slot).whole : use(s.target.slot).elements);
}

bool same(typed::Slot a, typed::Slot b) { return a.local == b.local && a.index == b.index; }

bool mentions(const typed::Expression& e, typed::Slot slot) {
  return facts_of(e).find(slot) != nullptr;
}

// s in `s = s + e`; a promotion around it would change the type.
bool is_use_of(const typed::Expression& e, typed::Slot slot) {
  const auto* use = std::get_if<typed::VariableUse>(&e.node);
  return use != nullptr && same(use->slot, slot);
}
}  // namespace

const SlotUse* Facts::find(typed::Slot slot) const {
  const auto place = std::find_if(slots.begin(), slots.end(),
                                  [&](const SlotUse& u) { return same(u.slot, slot); });
  return place == slots.end() ? nullptr : &*place;
}

std::optional<SumUpdate> sum_update(const typed::Assignment& s) {
  if (s.target.type.depth != 0 || !s.target.type.is_scalar() || s.op.is_user()) return std::nullopt;
  const auto by_name = [&](std::string_view name, const typed::Expression& increment) {
    const bool fits = (name == "add" || name == "subtract") && increment.type.is_scalar() &&
                      !mentions(increment, s.target.slot);
    return fits ? std::optional(SumUpdate{&increment, name == "subtract"}) : std::nullopt;
  };
  if (s.op.builtin >= 0) return by_name(s.op.name, s.value);
  const auto* call = std::get_if<typed::Call>(&s.value.node);
  const bool self = call != nullptr && s.target.accesses.empty() && call->arguments.size() == 2 &&
                    !call->function.is_user() && is_use_of(call->arguments[0], s.target.slot);
  return self ? by_name(call->function.name, call->arguments[1]) : std::nullopt;
}

Facts facts_of(const typed::Statement& s) {
  LoopUse walk;
  walk.statement(s);
  return std::move(walk.facts);
}
Facts facts_of(const typed::Expression& e) {
  LoopUse walk;
  walk.expression(e);
  return std::move(walk.facts);
}

}  // namespace credo::lang
