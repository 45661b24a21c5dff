// Types: with sizes and constraints in declarations, without them in signatures of functions.
#include "lang/syntax/parse_internal.hpp"

namespace credo::lang {
using ast::TypeName;
namespace {
// Sizes and constraints of a type in a declaration: bounds, or offset and multiplier; the types that
// carry neither are either special themselves or complex.
struct TypeFacts {
  TypeName name;
  int min_sizes, max_sizes;
  bool bounds, affine, special;
};
constexpr TypeFacts kTypes[] = {
    {TypeName::void_, 0, 0, false, false, false},
    {TypeName::int_, 0, 0, true, false, false},
    {TypeName::real, 0, 0, true, true, false},
    {TypeName::complex, 0, 0, false, false, false},
    {TypeName::vector, 1, 1, true, true, false},
    {TypeName::row_vector, 1, 1, true, true, false},
    {TypeName::matrix, 2, 2, true, true, false},
    {TypeName::complex_vector, 1, 1, false, false, false},
    {TypeName::complex_row_vector, 1, 1, false, false, false},
    {TypeName::complex_matrix, 2, 2, false, false, false},
    {TypeName::ordered, 1, 1, false, false, true},
    {TypeName::positive_ordered, 1, 1, false, false, true},
    {TypeName::simplex, 1, 1, false, false, true},
    {TypeName::unit_vector, 1, 1, false, false, true},
    {TypeName::sum_to_zero_vector, 1, 1, false, false, true},
    {TypeName::sum_to_zero_matrix, 2, 2, false, false, true},
    {TypeName::column_stochastic_matrix, 2, 2, false, false, true},
    {TypeName::row_stochastic_matrix, 2, 2, false, false, true},
    {TypeName::cholesky_factor_corr, 1, 1, false, false, true},
    {TypeName::cholesky_factor_cov, 1, 2, false, false, true},
    {TypeName::corr_matrix, 1, 1, false, false, true},
    {TypeName::cov_matrix, 1, 1, false, false, true},
    {TypeName::tuple, 0, 0, false, false, false},
};
const TypeFacts& facts_of_type(TypeName name) { return kTypes[static_cast<std::size_t>(name)]; }

std::string plain_type(TypeName name) {
  const bool is_vector = facts_of_type(name).max_sizes == 1 && name != TypeName::corr_matrix &&
                         name != TypeName::cov_matrix && name != TypeName::cholesky_factor_corr;
  return is_vector ? "vector" : "matrix";
}
}  // namespace

// sized_type := ("array" "[" expression ("," expression)* "]")? element_type
ast::SizedType Parser::sized_type(Scope scope) {
  const Nesting level(*this);
  const Token first = peek();
  std::vector<ast::Expression> array_sizes;
  if (accept(TokenKind::array)) {
    expect(TokenKind::left_bracket, "an array needs sizes: array[N] real x");
    array_sizes = expressions_until(TokenKind::right_bracket);
    if (at(TokenKind::array)) fail("an element type", "list all sizes at once: array[M, N]");
  }
  ast::SizedType type = element_type(scope);
  type.array_sizes = std::move(array_sizes);
  type.range = since(first);
  return type;
}

// tuple_types := "(" element "," (element ("," element)*)? ")"
template <class Element>
void Parser::tuple_types(Element element) {
  expect(TokenKind::left_paren);
  element();
  if (!accept(TokenKind::comma)) fail("`,`", "a tuple of a single element is written tuple(T, )");
  if (accept(TokenKind::right_paren)) return;
  do element();
  while (accept(TokenKind::comma));
  expect(TokenKind::right_paren);
}

// element_type := type_word constraint? sizes? | "tuple" tuple_types
ast::SizedType Parser::element_type(Scope scope) {
  const Token word = peek();
  if (word.kind != TokenKind::type_word) fail("a type", suggestion_for(word));
  ast::SizedType type;
  type.name = static_cast<TypeName>(static_cast<int>(word.value));
  if (type.name == TypeName::void_) fail("a type", "void is only a function's result");
  take();
  if (type.name == TypeName::tuple) {
    tuple_types([&] { type.elements.push_back(sized_type(scope)); });
    return type;
  }
  if (at(TokenKind::less)) constraint(type);
  type.range = since(word);
  check_constraint(type, scope);
  sizes(type);
  return type;
}

// constraint := "<" constraint_part ("," constraint_part)* ">"
void Parser::constraint(ast::SizedType& type) {
  const Token open = take();
  do {
    constraint_part(type.constraint);
  } while (accept(TokenKind::comma));
  expect(TokenKind::greater, "put comparisons and conditionals in a bound into parentheses");
  ast::Constraint& result = type.constraint;
  result.range = since(open);
  if ((result.lower || result.upper) && (result.offset || result.multiplier)) {
    report(DiagCode::constraint_conflict, result.range,
           {result.lower ? "lower" : "upper", result.offset ? "offset" : "multiplier"});
  }
}

// constraint_part := ("lower" | "upper" | "offset" | "multiplier") "=" constraint_expression
void Parser::constraint_part(ast::Constraint& constraint) {
  ast::ExpressionPtr ignored;
  ast::ExpressionPtr* place = &ignored;
  if (at(TokenKind::lower)) place = &constraint.lower;
  if (at(TokenKind::upper)) place = &constraint.upper;
  if (at(TokenKind::offset)) place = &constraint.offset;
  if (at(TokenKind::multiplier)) place = &constraint.multiplier;
  const Token word = peek();
  if (place == &ignored) {
    if (word.kind < TokenKind::type_word && word.kind != TokenKind::identifier) {
      fail("a constraint", "one of lower, upper, offset, multiplier");
    }
    static const std::vector<std::string> kNames = {"lower", "upper", "offset", "multiplier"};
    const std::string found_name(text(word));
    const std::string near = did_you_mean(found_name, kNames);
    report(DiagCode::unknown_constraint, word.range, {found_name}, near);
  } else if (*place) {
    report(DiagCode::duplicate_constraint, word.range, {std::string(text(word))});
  }
  take();
  expect(TokenKind::assign);
  *place = boxed(constraint_expression());
}

// Checks that the type may carry its constraint, and that locals carry none (language facts 2.3, 4.2).
void Parser::check_constraint(const ast::SizedType& type, Scope scope) {
  const TypeFacts& facts = facts_of_type(type.name);
  const ast::Constraint& has = type.constraint;
  const std::string name(spelling(type.name));
  if (scope == Scope::local && (facts.special || !has.empty())) {
    const std::string hint = facts.special ? "declare it as " + plain_type(type.name)
                                           : "remove it; check the value with an if and reject";
    report(DiagCode::constraint_not_allowed, facts.special ? type.range : has.range,
           {"a local variable", facts.special ? "type " + name : "a constraint"}, hint);
    return;
  }
  if ((has.lower || has.upper) && !facts.bounds) {
    report(DiagCode::constraint_not_allowed, has.range, {"type " + name, "bounds"});
  } else if ((has.offset || has.multiplier) && !facts.affine) {
    report(DiagCode::constraint_not_allowed, has.range,
           {"type " + name, "an offset or a multiplier"});
  }
}

// sizes := ("[" expression ("," expression)* "]")?, as many as the type takes
void Parser::sizes(ast::SizedType& type) {
  const TypeFacts& facts = facts_of_type(type.name);
  const std::string name(spelling(type.name));
  const Token open = peek();
  if (facts.max_sizes == 0) {
    if (open.kind != TokenKind::left_bracket) return;
    take();
    type.array_sizes = expressions_until(TokenKind::right_bracket);
    report(DiagCode::removed_array_syntax, since(open), {}, "write array[...] " + name);
    return;
  }
  expect(TokenKind::left_bracket,
         "a declaration needs sizes: " + name + (facts.min_sizes == 2 ? "[M, N]" : "[N]"));
  type.sizes = expressions_until(TokenKind::right_bracket);
  const int given = static_cast<int>(type.sizes.size());
  if (given >= facts.min_sizes && given <= facts.max_sizes) return;
  const std::string wanted =
      facts.min_sizes < facts.max_sizes
          ? std::to_string(facts.min_sizes) + " or " + std::to_string(facts.max_sizes) + " sizes"
      : facts.max_sizes == 1 ? "one size"
                             : std::to_string(facts.max_sizes) + " sizes";
  SourceRange wrong = given > 0 ? previous_ : since(open);  // the bracket that comes too early
  if (given > facts.max_sizes)
    wrong.begin = type.sizes[static_cast<std::size_t>(facts.max_sizes - 1)].range.end;
  const bool square = facts.max_sizes == 1 && plain_type(type.name) == "matrix";
  const std::string form = facts.max_sizes == 2 ? "[rows, columns]" : square ? "[K]" : "[N]";
  report(DiagCode::size_count, wrong, {name, wanted, std::to_string(given)},
         "write " + name + form + (square ? ", of K rows and columns" : ""));
}

// array_commas := "[" ","* "]"; the number of dimensions
int Parser::array_commas() {
  expect(TokenKind::left_bracket);
  int dims = 1;
  while (accept(TokenKind::comma)) ++dims;
  if (!at(TokenKind::right_bracket)) {
    fail("`]`", "the type of an argument or a result has no sizes: array[] real");
  }
  take();
  return dims;
}

// unsized_type := ("array" array_commas)? (type_word | "tuple" tuple_types) | "void"
ast::UnsizedType Parser::unsized_type(bool may_be_void) {
  const Nesting level(*this);
  const Token first = peek();
  ast::UnsizedType type;
  if (accept(TokenKind::array)) type.array_dims = array_commas();
  const Token word = peek();
  if (word.kind != TokenKind::type_word) fail("a type", suggestion_for(word));
  type.name = static_cast<TypeName>(static_cast<int>(word.value));
  if (type.name == TypeName::void_ && (!may_be_void || type.array_dims > 0)) {
    fail("a type", "void is only a function's result");
  }
  take();
  if (facts_of_type(type.name).special) {
    report(DiagCode::constraint_not_allowed, word.range,
           {"an argument or result", "type " + std::string(text(word))},
           "declare it as " + plain_type(type.name));
  }
  if (type.name == TypeName::tuple) {
    tuple_types([&] { type.elements.push_back(unsized_type(false)); });
  }
  type.range = since(first);
  unsized_leftovers(type, first);
  return type;
}

// Reports parts that don't belong after a type without sizes: constraints, sizes, the old real[,].
void Parser::unsized_leftovers(const ast::UnsizedType& type, const Token& first) {
  const std::string name(spelling(type.name));
  if (at(TokenKind::less)) {
    ast::SizedType ignored;
    constraint(ignored);
    report(DiagCode::constraint_not_allowed, ignored.constraint.range,
           {"an argument or result", "a constraint"}, "check the value with an if and reject");
  }
  if (!at(TokenKind::left_bracket)) return;
  const Token open = peek();
  const TokenKind inside = peek(1).kind;
  if (inside == TokenKind::right_bracket || inside == TokenKind::comma) {
    const int dims = array_commas();
    const std::string array =
        "array[" + std::string(static_cast<std::size_t>(dims - 1), ',') + "] " + name;
    std::vector<Edit> edits;
    if (type.array_dims == 0 && type.name != TypeName::tuple) edits = {{since(first), array}};
    report(DiagCode::removed_array_syntax, since(first), {}, "write " + array, std::move(edits));
    return;
  }
  take();
  expressions_until(TokenKind::right_bracket);
  report(DiagCode::size_not_allowed, since(open), {}, "write " + name);
}

}  // namespace credo::lang
