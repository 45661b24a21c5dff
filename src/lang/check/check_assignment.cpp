// Assignments (language facts 7.9, 9.1-9.3): allowed targets, compound operators, tuple
// unpacking.
#include "lang/check/check_internal.hpp"
#include "lang/typed/loop_facts.hpp"

namespace credo::lang {
namespace {
struct CompoundFacts {
  std::string_view function, spelling;
};
CompoundFacts facts(ast::AssignOp op);
bool keeps_dimension(const typed::IndexArgument& index) {
  return index.kind != typed::IndexKind::single;
}
bool overlap(const typed::AssignmentTarget& a, const typed::AssignmentTarget& b);
bool is_read_in(const typed::AssignmentTarget& target, typed::Slot slot);  // in an index
}  // namespace

// Walks from the outside of the written target inwards and collects accesses in order.
typed::AssignmentTarget Checker::target(const ast::Expression& e) {
  typed::AssignmentTarget result;
  if (const auto* variable = ast::as<ast::Variable>(e)) {
    open_target(*variable, e.range, result);
  } else if (const auto* indexed = ast::as<ast::Indexed>(e)) {
    result = target(*indexed->base);
    const bool after_multi = !result.accesses.empty() &&
                             std::any_of(result.accesses.back().indices.begin(),
                                         result.accesses.back().indices.end(), keeps_dimension);
    if (after_multi)
      report(DiagCode::nested_multi_index, e.range, {}, "put all indices into one bracket");
    typed::Access access;
    access.indices = indices(indexed->indices);
    result.type = indexed_type(result.type, access.indices, e.range);
    result.accesses.push_back(std::move(access));
  } else if (const auto* projection = ast::as<ast::Projection>(e)) {
    result = target(*projection->tuple);
    typed::Access access;
    access.projection = projection->position - 1;
    result.type = projected_type(result.type, projection->position, e.range);
    result.accesses.push_back(std::move(access));
  } else {
    report(DiagCode::not_assignable, e.range);
  }
  result.range = e.range;
  return result;
}

void Checker::open_target(const ast::Variable& variable, SourceRange range,
                          typed::AssignmentTarget& result) {
  Symbol* symbol = scopes_.find(variable.name);
  if (symbol == nullptr) {
    this->variable(variable, range);  // reports it
    return;
  }
  result.slot = symbol->slot;
  result.type = symbol->type;
  symbol->is_assigned = true;
  if (is_assignable(*symbol)) return;
  report(DiagCode::read_only, range, {symbol->name, why_read_only(*symbol)},
         instead_of_assigning(*symbol))
      .note(symbol->declared, "declared here");
}

bool Checker::is_assignable(const Symbol& symbol) const {
  if (symbol.kind != SymbolKind::variable || symbol.block != block_) return false;
  return block_ != typed::BlockKind::data && block_ != typed::BlockKind::parameters;
}

std::string Checker::why_read_only(const Symbol& symbol) const {
  if (symbol.kind == SymbolKind::argument) return "an argument";
  if (symbol.kind == SymbolKind::loop_variable) return "the variable of a loop";
  if (symbol.block == typed::BlockKind::parameters) return "a parameter";
  return "a variable of block " +
         std::string(spelling(static_cast<ast::BlockKind>(static_cast<int>(symbol.block) - 1)));
}

std::string Checker::instead_of_assigning(const Symbol& symbol) const {
  if (symbol.kind != SymbolKind::variable) return "copy it into a local variable";
  if (symbol.block == typed::BlockKind::parameters)
    return "samplers give parameters their values; declare a variable of its own in transformed "
           "parameters";
  if (symbol.block == typed::BlockKind::data)
    return "assign the computed value to a new variable, in transformed data";
  return "assign it in its own block, or a copy of it here";
}

Checker::Node Checker::assign(const ast::Assignment& s) {
  typed::Assignment result;
  result.value = expression(s.value);
  result.target = target(s.target);
  check_not_read(std::array{&std::as_const(result.target)});
  const UnsizedType& type = result.target.type;
  if (!promotes(result.value.type, type)) {
    report(DiagCode::assignment_type, s.value.range,
           {with_article(result.value.type), with_article(type)},
           conversion_hint(result.value.type, type));
    return result;
  }
  if (result.target.accesses.empty()) note_nonlinear(result.target.slot, result.value);
  result.value = promoted(std::move(result.value), type);
  return result;
}

// x op= e is legal when the type of `x op e` is x's (language facts 9.2).
Checker::Node Checker::assign_with_operator(const ast::Assignment& s) {
  typed::Assignment result;
  result.target = target(s.target);
  result.value = expression(s.value);
  check_not_read(std::array{&std::as_const(result.target)});
  const UnsizedType type = result.target.type;
  if (contains_poison(type) || is_poisoned(result.value)) return result;
  const CompoundFacts of = facts(s.op);
  const bool right_division = s.op == ast::AssignOp::divide &&
                              result.value.type.is(BaseType::matrix) &&
                              (type.is(BaseType::matrix) || type.is(BaseType::row_vector));
  const std::string_view function = right_division ? "mdivide_right" : of.function;
  const bool elementwise =
      s.op == ast::AssignOp::elementwise_multiply || s.op == ast::AssignOp::elementwise_divide;
  const std::array<CallArgument, 2> arguments{CallArgument{type}, CallArgument{result.value.type}};
  const auto match = resolve_call(function, find_builtin(function), {}, arguments);
  const std::string types = to_string(type) + " and " + to_string(result.value.type);
  if (!match || (elementwise && type.is_scalar())) {
    report(DiagCode::operator_types, s.target.range, {std::string(spelling(s.op)), types});
    return result;
  }
  if (match->result != type || match->arguments[0] != type) {
    report(DiagCode::assignment_type, s.target.range,
           {with_article(match->result), with_article(type)});
    return result;
  }
  require_implemented(function, s.target.range);
  result.op = reference(*match, find_builtin(function));
  result.value = promoted(std::move(result.value), match->arguments[1]);
  return result;
}

Checker::Node Checker::unpack(const ast::Assignment& s, const ast::TupleLiteral& targets) {
  typed::Unpacking result;
  result.value = expression(s.value);
  std::vector<int> path;
  const UnsizedType type = collect_leaves(targets, path, result);
  check_written_once(result);
  std::vector<const typed::AssignmentTarget*> written;
  for (const auto& leaf : result.leaves) written.push_back(&leaf.target);
  check_not_read(written);
  if (is_poisoned(result.value) || contains_poison(type)) return result;
  if (!promotes(result.value.type, type)) {
    const bool same_size =
        result.value.type.is_tuple() && result.value.type.elements.size() == type.elements.size();
    if (same_size) {
      report(DiagCode::assignment_type, s.value.range,
             {with_article(result.value.type), with_article(type)},
             conversion_hint(result.value.type, type));
    } else {
      report(DiagCode::unpacking_type, s.value.range,
             {std::to_string(targets.elements.size()), with_article(result.value.type)});
    }
    return result;
  }
  result.value = promoted(std::move(result.value), type);
  return result;
}

UnsizedType Checker::collect_leaves(const ast::TupleLiteral& targets, std::vector<int>& path,
                                    typed::Unpacking& unpacking) {
  std::vector<UnsizedType> types;
  for (const ast::Expression& e : targets.elements) {
    path.push_back(static_cast<int>(types.size()));
    if (const auto* inner = ast::as<ast::TupleLiteral>(e)) {
      types.push_back(collect_leaves(*inner, path, unpacking));
    } else {
      unpacking.leaves.push_back({target(e), path});
      types.push_back(unpacking.leaves.back().target.type);
    }
    path.pop_back();
  }
  return UnsizedType::tuple(std::move(types));
}

void Checker::check_written_once(const typed::Unpacking& unpacking) {
  const auto& leaves = unpacking.leaves;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const typed::AssignmentTarget& target = leaves[k].target;
    const bool is_twice =
        std::any_of(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(k),
                    [&](const auto& other) { return overlap(other.target, target); });
    if (is_twice) report(DiagCode::assigned_twice, target.range, {name_of(target.slot)});
  }
}

// No index on the left may read what the statement writes.
void Checker::check_not_read(std::span<const typed::AssignmentTarget* const> targets) {
  for (const typed::AssignmentTarget* written : targets) {
    const typed::Slot slot = written->slot;
    const bool is_read = slot.index >= 0 &&
                         std::any_of(targets.begin(), targets.end(),
                                     [&](const auto* target) { return is_read_in(*target, slot); });
    if (!is_read) continue;
    report(DiagCode::read_only, written->range,
           {name_of(slot), "used in an index of the same statement"}, "compute the index before");
  }
}

std::string Checker::name_of(typed::Slot slot) const {
  const auto index = static_cast<std::size_t>(slot.index);
  return slot.local ? (*locals_)[index].name : program_.globals[index].name;
}

std::string conversion_hint(const UnsizedType& from, const UnsizedType& to) {
  const bool is_list =
      from.depth == 1 && (from.base == BaseType::integer || from.base == BaseType::real);
  if (is_list && to.is(BaseType::vector)) return "convert it with to_vector";
  if (is_list && to.is(BaseType::row_vector)) return "convert it with to_row_vector";
  if (from.depth == 0 && to == UnsizedType(BaseType::real, 1)) return "convert it with to_array_1d";
  if (from.is(BaseType::real) && to.is(BaseType::integer))
    return "declare it as int where it is a count; else x %/% y is a quotient of ints, and "
           "to_int(x) an int of data";
  if (from.is(BaseType::vector) && to.is(BaseType::matrix))
    return "diag_matrix makes a matrix of it, or to_matrix";
  if (from.is(BaseType::real) && to.is(BaseType::matrix))
    return "diag_matrix(rep_vector(x, n)) makes a matrix of it";
  if (from.is_int() && to == UnsizedType(BaseType::integer, 1)) return "write {n}";
  const bool transposes = (from.is(BaseType::vector) && to.is(BaseType::row_vector)) ||
                          (from.is(BaseType::row_vector) && to.is(BaseType::vector));
  return transposes ? "transpose it with '" : "";
}

namespace {
CompoundFacts facts(ast::AssignOp op) {
  using enum ast::AssignOp;
  switch (op) {
    case add:
      return {"add", "+="};
    case subtract:
      return {"subtract", "-="};
    case multiply:
      return {"multiply", "*="};
    case divide:
      return {"divide", "/="};
    case elementwise_multiply:
      return {"elt_multiply", ".*="};
    case elementwise_divide:
      return {"elt_divide", "./="};
    case set:
      break;
  }
  return {};
}

std::vector<int> projections(const typed::AssignmentTarget& target) {
  std::vector<int> elements;
  for (const typed::Access& access : target.accesses) {
    if (access.projection >= 0) elements.push_back(access.projection);
  }
  return elements;
}

// True for the same variable, except for two different elements of a tuple. Parts taken by indices are only
// known while running: they count as the whole.
bool overlap(const typed::AssignmentTarget& a, const typed::AssignmentTarget& b) {
  if (a.slot.index < 0 || a.slot.index != b.slot.index || a.slot.local != b.slot.local)
    return false;
  const std::vector<int> in_a = projections(a), in_b = projections(b);
  const std::size_t shared = std::min(in_a.size(), in_b.size());
  return std::equal(in_a.begin(), in_a.begin() + static_cast<std::ptrdiff_t>(shared), in_b.begin());
}

bool is_read_in(const typed::AssignmentTarget& target, typed::Slot slot) {
  const auto reads = [&](const typed::Box& e) {
    return e != nullptr && facts_of(*e).find(slot) != nullptr;
  };
  return std::any_of(target.accesses.begin(), target.accesses.end(), [&](const auto& access) {
    return std::any_of(access.indices.begin(), access.indices.end(),
                       [&](const auto& index) { return reads(index.first) || reads(index.last); });
  });
}
}  // namespace
}  // namespace credo::lang
