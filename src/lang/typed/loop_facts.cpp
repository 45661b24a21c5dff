#include "lang/typed/loop_facts.hpp"

#include "lang/typed/walk.hpp"

namespace credo::lang {
namespace {

class LoopUse : public Walk<LoopUse> {
 public:
  Facts facts;

  using Walk::look, Walk::visit;
  void bounds(const typed::SizedType&) {}
  void declares(typed::Slot slot) {
    use(slot).declared = true;
    ++use(slot).whole;
  }
  void visit(const typed::Assignment& s);
  void visit(const typed::Unpacking&) { block("an assignment to several variables"); }
  void look(const typed::VariableUse& e) { ++use(e.slot).reads; }
  void look(const typed::TargetValue&) { block("target() is read"); }

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
