#include "model/statements/statement_frame.hpp"

namespace credo::model {
namespace {

// The values that each statement assigns, and the elements of containers that loops visit.
class AssignedIn {
 public:
  AssignedIn(StatementFrame& frame, AssignedValues& globals) : frame_(frame), globals_(globals) {
    std::set<const typed::Statement*> loops;
    for (const PlacedStatement& placed : frame.statements) {
      at_ = &placed;
      for (const Enclosing& around : placed.around)
        if (loops.insert(around.statement).second) look_at(*around.statement);
      look_at(*placed.statement);
    }
  }

 private:
  void look_at(const typed::Statement& s) {
    std::visit([&](const auto& node) { look(node); }, s.node);
  }
  void add(typed::Slot slot, const typed::Expression& value, bool is_compound = false) {
    (slot.local ? frame_.locals : globals_)[slot.index].push_back(
        {&value, at_, &frame_, is_compound});
  }
  template <class T>
  void look(const T&) {}
  void look(const typed::Declaration& d) {
    if (d.slot.local) frame_.declared[d.slot.index] = d.type.get();
    if (d.value != nullptr) add(d.slot, *d.value);
  }
  void look(const typed::Assignment& a) {
    add(a.target.slot, a.value, a.op.builtin >= 0 || a.op.is_user());
  }
  void look(const typed::Unpacking& u) {
    for (const auto& leaf : u.leaves) add(leaf.target.slot, u.value);
  }
  void look(const typed::ForEach& loop) { add(loop.slot, loop.container); }

  StatementFrame& frame_;
  AssignedValues& globals_;
  const PlacedStatement* at_ = nullptr;
};

// ---- lengths

using Ranges = std::vector<RowRange>;

Ranges unstated(std::size_t count) { return Ranges(count); }

Ranges lengths_of_type(const typed::SizedType* type, const lang::UnsizedType& needed) {
  const auto count = static_cast<std::size_t>(lang::num_dimensions(needed));
  if (type == nullptr) return unstated(count);
  Ranges lengths;
  for (const auto* sizes : {&type->array_sizes, &type->sizes})
    for (const typed::Expression& size : *sizes) lengths.push_back({nullptr, &size});
  return lengths.size() == count ? lengths : unstated(count);  // square matrices have one size
}

class Lengths {
 public:
  explicit Lengths(const typed::Program& program) : program_(program) {}

  // The ranges of the dimensions, outermost first.
  Ranges of(FramedExpression framed) const {
    framed = resolved(framed);
    const typed::Expression& e = *framed.expression;
    if (const auto* use = std::get_if<typed::VariableUse>(&e.node))
      return lengths_of_type(type_of(use->slot, *framed.frame), e.type);
    if (const auto* indexed = std::get_if<typed::Indexed>(&e.node))
      return of_indexed(*indexed, *framed.frame);
    if (const auto* call = std::get_if<typed::Call>(&e.node))
      if (const typed::Expression* like = of_same_lengths(*call, e.type))
        return of({like, framed.frame});
    return unstated(static_cast<std::size_t>(lang::num_dimensions(e.type)));
  }

 private:
  const typed::SizedType* type_of(typed::Slot slot, const StatementFrame& frame) const {
    if (!slot.local) return program_.globals[static_cast<std::size_t>(slot.index)].sized_type.get();
    const auto found = frame.declared.find(slot.index);
    return found == frame.declared.end() ? nullptr : found->second;
  }
  Ranges of_indexed(const typed::Indexed& indexed, const StatementFrame& frame) const {
    const Ranges whole = of({indexed.base.get(), &frame});
    Ranges left;
    for (std::size_t k = 0; k < whole.size(); ++k) {
      if (k >= indexed.indices.size()) {
        left.push_back(whole[k]);
        continue;
      }
      const typed::IndexArgument& index = indexed.indices[k];
      if (index.kind == typed::IndexKind::all) left.push_back(whole[k]);
      if (index.kind == typed::IndexKind::multi)
        left.push_back(of({index.first.get(), &frame}).front());
      if (index.kind == typed::IndexKind::range)
        left.push_back({index.first.get(), index.last ? index.last.get() : whole[k].last});
    }
    return left;
  }
  // The argument that has as many elements: operators and functions of one argument work element by element.
  static const typed::Expression* of_same_lengths(const typed::Call& call,
                                                  const lang::UnsizedType& type) {
    if (call.function.is_user()) return nullptr;
    const auto dimensions = lang::num_dimensions(type);
    if (call.arguments.size() == 1) {
      const bool is_same = lang::num_dimensions(call.arguments[0].type) == dimensions;
      return is_same && call.function.name != "transpose" ? call.arguments.data() : nullptr;
    }
    if (!call.is_operator || call.function.name == "multiply") return nullptr;
    for (const typed::Expression& argument : call.arguments)
      if (lang::num_dimensions(argument.type) == dimensions) return &argument;
    return nullptr;
  }

  const typed::Program& program_;
};

// The dimensions of to_vector(x) are those of x.
FramedExpression before_reshaping(FramedExpression e) {
  e = resolved(e);
  const auto* call = std::get_if<typed::Call>(&e.expression->node);
  return call != nullptr && only_reshapes(*call)
             ? before_reshaping({call->arguments.data(), e.frame})
             : e;
}
}  // namespace

StatementFrame::StatementFrame(std::span<const typed::Statement> body,
                               std::span<const typed::Variable> variables_, AssignedValues& globals)
    : variables(variables_), statements(placed_statements(body)) {
  AssignedIn(*this, globals);
}

const typed::Expression* StatementFrame::argument(typed::Slot slot) const {
  const auto k = static_cast<std::size_t>(slot.index);
  return slot.local && k < arguments.size() ? arguments[k] : nullptr;
}

FramedExpression resolved(FramedExpression e) {
  if (const auto* promotion = std::get_if<typed::Promotion>(&e.expression->node))
    return resolved({promotion->operand.get(), e.frame});
  const auto* use = std::get_if<typed::VariableUse>(&e.expression->node);
  const typed::Expression* argument = use == nullptr ? nullptr : e.frame->argument(use->slot);
  return argument == nullptr ? e : resolved({argument, e.frame->caller});
}

namespace {
OutcomeSource source_of(const typed::Program& program, typed::Slot slot) {
  if (slot.local) return OutcomeSource::local;
  switch (program.globals[static_cast<std::size_t>(slot.index)].block) {
    case typed::BlockKind::data:
      return OutcomeSource::data;
    case typed::BlockKind::transformed_data:
      return OutcomeSource::transformed_data;
    case typed::BlockKind::parameters:
      return OutcomeSource::parameter;
    default:
      return OutcomeSource::transformed_parameter;
  }
}

Selection selection_of(const typed::Expression& e) {
  return e.type.is_scalar() ? Selection::element : Selection::slice;
}
}  // namespace

StatementOutcome outcome_named(const typed::Program& program, FramedExpression framed) {
  framed = resolved(framed);
  const typed::Expression& e = *framed.expression;
  StatementOutcome outcome{.expression = &e};
  if (const auto* use = std::get_if<typed::VariableUse>(&e.node)) {
    const auto k = static_cast<std::size_t>(use->slot.index);
    outcome.selection = Selection::whole;
    outcome.source = source_of(program, use->slot);
    outcome.slot = use->slot;
    outcome.variable = use->slot.local ? &framed.frame->variables[k] : &program.globals[k];
    return outcome;
  }
  const auto* call = std::get_if<typed::Call>(&e.node);
  const bool reshapes = call != nullptr && only_reshapes(*call);
  const auto* indexed = std::get_if<typed::Indexed>(&e.node);
  if (!reshapes && indexed == nullptr) return outcome;
  outcome = outcome_named(program,
                          {reshapes ? call->arguments.data() : indexed->base.get(), framed.frame});
  outcome.expression = &e;
  if (!reshapes && outcome.selection != Selection::expression) outcome.selection = selection_of(e);
  return outcome;
}

RowRange rounds_of(const typed::Program& program, const typed::Statement& loop,
                   const StatementFrame& frame) {
  if (const auto* range = std::get_if<typed::ForRange>(&loop.node))
    return {&range->first, &range->last};
  const auto* each = std::get_if<typed::ForEach>(&loop.node);
  if (each == nullptr) return {};
  const Ranges lengths = Lengths(program).of({&each->container, &frame});
  return lengths.size() == 1 || each->container.type.depth > 0 ? lengths.front() : RowRange{};
}

// Outcomes of a univariate distribution are all elements of its longest argument. A multivariate one has
// as many as its outer dimension, unless all counts are drawn together (multinomial).
Ranges rows_of_call(const typed::Program& program, const dist::Distribution& d,
                    const typed::Call& call, const StatementFrame& frame) {
  const Lengths lengths(program);
  const auto of = [&](const typed::Expression& e) {
    return lengths.of(before_reshaping({&e, &frame}));
  };
  const lang::UnsizedType& type = call.arguments[0].type;
  if (d.kind == dist::Kind::multivariate) {
    const bool draws_all =
        d.discrete && d.draw_all != nullptr && d.parts == nullptr && d.num_categories == nullptr;
    const bool has_many = d.parts != nullptr ? !type.is_scalar() : type.depth > 0;
    return draws_all || !has_many ? Ranges{} : Ranges{of(call.arguments[0]).front()};
  }
  for (const typed::Expression& argument : call.arguments)
    if (!argument.type.is_scalar()) return of(argument);
  return {};
}

}  // namespace credo::model
