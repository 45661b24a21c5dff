#include "lang/typed/data_use.hpp"

#include "lang/typed/each_operand.hpp"
#include "lang/typed/loop_facts.hpp"

namespace credo::lang {
namespace {
using typed::BlockKind;

// Follows values from the data through one block's statements until nothing new is reached.
class Flow {
 public:
  Flow(const typed::Program& program, std::vector<DataUse::Reads>& reads)
      : program_(program),
        reads_(reads),
        globals_(program.globals.size()),
        mixed_globals_(program.globals.size()) {
    for (std::size_t k = 0; k < globals_.size(); ++k) {
      const BlockKind block = program.globals[k].block;
      globals_[k] = block == BlockKind::data || block == BlockKind::transformed_data;
    }
  }

  void run(const typed::Block& block) {
    locals_.assign(block.locals.size(), 0);
    mixed_locals_.assign(block.locals.size(), 0);
    do {
      changed_ = false;
      all(block.statements);
    } while (changed_);
  }

 private:
  void reach(typed::Slot slot, bool reached) {
    char& mark = (slot.local ? locals_ : globals_)[static_cast<std::size_t>(slot.index)];
    changed_ |= reached && mark == 0;
    mark |= reached ? 1 : 0;
  }
  void set(const typed::Statement& s, DataUse::Reads reads) {
    reads_[static_cast<std::size_t>(s.id)] = reads;
  }

  // ---- statements
  void all(std::span<const typed::Statement> statements) {
    for (const typed::Statement& s : statements) one(s);
  }
  void one(const typed::Statement& s) {
    std::visit([&](const auto& node) { look(node, s); }, s.node);
  }
  void body(const typed::Body& s) {
    if (s != nullptr) one(*s);
  }
  template <class T>
  void look(const T&, const typed::Statement&) {}
  void look(const typed::Declaration& d, const typed::Statement&) {
    if (d.value == nullptr) return;
    reach(d.slot, flows(*d.value));
    mix(d.slot, mixes(*d.value));
  }
  void look(const typed::Assignment& a, const typed::Statement&) {
    const bool computes = a.op.builtin >= 0 || a.op.is_user();
    reach(a.target.slot, flows(a.value));
    mix(a.target.slot, mixes(a.value) || (computes && is_reached(a.target.slot)));
  }
  void look(const typed::Unpacking& u, const typed::Statement&) {
    for (const auto& leaf : u.leaves)
      reach(leaf.target.slot, flows(u.value)), mix(leaf.target.slot, mixes(u.value));
  }
  void look(const typed::TargetIncrement& t, const typed::Statement& s) {
    has_outcome_ = has_mixed_outcome_ = false;
    const bool value = flows(t.value);
    set(s, {.value = value,
            .outcome = has_outcome_,
            .mixed = has_mixed_outcome_,
            .decided = is_decided_});
  }
  void look(const typed::JacobianIncrement&, const typed::Statement& s) {
    set(s, {false, false, false});
  }
  void look(const typed::Distribution& d, const typed::Statement& s) {
    const bool outcome = flows(d.density.arguments[0]);
    set(s,
        {.value = outcome, .outcome = outcome, .mixed = outcome && mixes(d.density.arguments[0])});
  }
  void look(const typed::If& s, const typed::Statement&) {
    const bool before = is_decided_;
    is_decided_ |= reads_elements(s.condition);
    body(s.if_true), body(s.if_false);
    is_decided_ = before;
  }
  // True if the expression reads elements of data, or values computed from data. Scalar data don't count: they are
  // switches of the program.
  bool reads_elements(const typed::Expression& e) {
    const Facts facts = facts_of(e);
    return std::any_of(facts.slots.begin(), facts.slots.end(), [&](const SlotUse& use) {
      const auto place = static_cast<std::size_t>(use.slot.index);
      if (use.slot.local) return locals_[place] != 0;
      return globals_[place] != 0 && !program_.globals[place].type.is_scalar();
    });
  }
  void look(const typed::While& s, const typed::Statement&) { body(s.body); }
  void look(const typed::ForRange& s, const typed::Statement&) { body(s.body); }
  void look(const typed::ForEach& s, const typed::Statement&) {
    reach(s.slot, flows(s.container));
    body(s.body);
  }
  void look(const typed::Sequence& s, const typed::Statement&) { all(s.statements); }
  void look(const typed::Profile& s, const typed::Statement&) { all(s.statements); }

  // ---- values computed from data and parameters together, as opposed to containers with elements of both

  // Functions that only move elements.
  static bool moves(std::string_view name) {
    static constexpr std::array<std::string_view, 10> kNames{
        "to_vector",    "to_row_vector", "to_array_1d", "append_row", "append_col",
        "append_array", "head",          "tail",        "segment",    "to_matrix"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
  }
  bool mixes(const typed::Expression& e) {
    if (const auto* use = std::get_if<typed::VariableUse>(&e.node))
      return (use->slot.local ? mixed_locals_
                              : mixed_globals_)[static_cast<std::size_t>(use->slot.index)] != 0;
    if (const auto* indexed = std::get_if<typed::Indexed>(&e.node)) return mixes(*indexed->base);
    if (const auto* promotion = std::get_if<typed::Promotion>(&e.node))
      return mixes(*promotion->operand);
    if (const auto* choice = std::get_if<typed::Conditional>(&e.node))
      return mixes(*choice->if_true) || mixes(*choice->if_false);
    const auto* call = std::get_if<typed::Call>(&e.node);
    if (call != nullptr && moves(call->function.name))
      return std::any_of(call->arguments.begin(), call->arguments.end(),
                         [&](const typed::Expression& x) { return mixes(x); });
    return !e.autodiff.is_data() && flows(e);
  }
  void mix(typed::Slot slot, bool mixed) {
    char& mark =
        (slot.local ? mixed_locals_ : mixed_globals_)[static_cast<std::size_t>(slot.index)];
    changed_ |= mixed && mark == 0;
    mark |= mixed ? 1 : 0;
  }
  bool is_reached(typed::Slot slot) const {
    return (slot.local ? locals_ : globals_)[static_cast<std::size_t>(slot.index)] != 0;
  }

  // ---- expressions
  bool flows(const typed::Expression& e) {
    if (std::holds_alternative<typed::TargetValue>(e.node)) return true;
    if (const auto* use = std::get_if<typed::VariableUse>(&e.node)) return is_reached(use->slot);
    const auto* call = std::get_if<typed::Call>(&e.node);
    const bool has_places = call != nullptr && takes_places(call->function.name);
    bool any = false;
    for_each_operand(e, [&](const typed::Expression& x) {
      const bool reads = !(has_places && x.type.is_int()) && flows(x);
      any |= reads;
      if (reads && call != nullptr && &x == call->arguments.data()) note_outcome(*call);
    });
    return any;
  }
  void note_outcome(const typed::Call& call) {
    const std::string_view name = call.function.name;
    if (!name.ends_with("_lpdf") && !name.ends_with("_lpmf")) return;
    has_outcome_ = true;
    has_mixed_outcome_ |= mixes(call.arguments[0]);
  }

  const typed::Program& program_;
  std::vector<DataUse::Reads>& reads_;
  bool is_decided_ = false;             // elements of the data decide whether the statement runs
  bool has_outcome_ = false;            // the expression has a density whose outcome reads data
  bool has_mixed_outcome_ = false;      // such an outcome is computed from data and parameters
  std::vector<char> globals_, locals_;  // variables that values of the data have reached
  std::vector<char> mixed_globals_,
      mixed_locals_;  // variables computed from data and parameters
  bool changed_ = false;
};
}  // namespace

bool takes_places(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kNames{
      "rep_vector",   "rep_row_vector",  "rep_matrix",  "rep_array",
      "zeros_vector", "ones_vector",     "head",        "tail",
      "segment",      "block",           "row",         "col",
      "sub_row",      "identity_matrix", "diag_matrix", "linspaced_vector"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

DataUse::DataUse(const typed::Program& program) : reads_(program.statement_ranges.size()) {
  Flow flow(program, reads_);
  flow.run(program.transformed_parameters);
  flow.run(program.model);
}

}  // namespace credo::lang
