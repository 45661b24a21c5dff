// Expressions: precedence climbing over one table of operators (language facts 6.2).
#include "base/error.hpp"
#include "lang/syntax/lexer_tables.hpp"
#include "lang/syntax/parse_internal.hpp"

namespace credo::lang {
using ast::Expression;
namespace {
// Higher binds tighter. Conditional is 1, prefix 9, postfix 11 and calls 12; the rest is here.
struct Operator {
  TokenKind token;
  ast::BinaryOp op;
  int precedence;
  bool right_associative = false;
};
constexpr int kLogicalOr = 2, kAdditive = 6, kPower = 10;
constexpr Operator kOperators[] = {
    {TokenKind::logical_or, ast::BinaryOp::logical_or, kLogicalOr},
    {TokenKind::logical_and, ast::BinaryOp::logical_and, 3},
    {TokenKind::equal, ast::BinaryOp::equal, 4},
    {TokenKind::not_equal, ast::BinaryOp::not_equal, 4},
    {TokenKind::less, ast::BinaryOp::less, 5},
    {TokenKind::less_equal, ast::BinaryOp::less_equal, 5},
    {TokenKind::greater, ast::BinaryOp::greater, 5},
    {TokenKind::greater_equal, ast::BinaryOp::greater_equal, 5},
    {TokenKind::plus, ast::BinaryOp::add, kAdditive},
    {TokenKind::minus, ast::BinaryOp::subtract, kAdditive},
    {TokenKind::times, ast::BinaryOp::multiply, 7},
    {TokenKind::divide, ast::BinaryOp::divide, 7},
    {TokenKind::modulo, ast::BinaryOp::modulo, 7},
    {TokenKind::elementwise_times, ast::BinaryOp::elementwise_multiply, 7},
    {TokenKind::elementwise_divide, ast::BinaryOp::elementwise_divide, 7},
    {TokenKind::left_divide, ast::BinaryOp::left_divide, 8},
    {TokenKind::int_divide, ast::BinaryOp::int_divide, 8},
    {TokenKind::power, ast::BinaryOp::power, kPower, true},
    {TokenKind::elementwise_power, ast::BinaryOp::elementwise_power, kPower, true},
};

const Operator* find_operator(TokenKind token) {
  for (const Operator& row : kOperators) {
    if (row.token == token) return &row;
  }
  return nullptr;
}

std::optional<ast::UnaryOp> prefix_operator(TokenKind token) {
  if (token == TokenKind::minus) return ast::UnaryOp::minus;
  if (token == TokenKind::plus) return ast::UnaryOp::plus;
  if (token == TokenKind::logical_not) return ast::UnaryOp::logical_not;
  return std::nullopt;
}

// The height of the tallest part of a node.
class PartHeight {
 public:
  template <class Leaf>
  int operator()(const Leaf&) const {
    return 0;
  }
  int operator()(const ast::Unary& e) const { return of(e.operand); }
  int operator()(const ast::Binary& e) const { return std::max(of(e.left), of(e.right)); }
  int operator()(const ast::Conditional& e) const {
    return std::max({of(e.condition), of(e.if_true), of(e.if_false)});
  }
  int operator()(const ast::Call& e) const { return of(e.arguments); }
  int operator()(const ast::Projection& e) const { return of(e.tuple); }
  int operator()(const ast::ArrayLiteral& e) const { return of(e.elements); }
  int operator()(const ast::RowLiteral& e) const { return of(e.elements); }
  int operator()(const ast::TupleLiteral& e) const { return of(e.elements); }
  int operator()(const ast::Indexed& e) const {
    int height = of(e.base);
    for (const ast::Index& i : e.indices) height = std::max({height, of(i.first), of(i.last)});
    return height;
  }

 private:
  static int of(const ast::ExpressionPtr& e) { return e ? e->height : 0; }
  static int of(const std::vector<Expression>& list) {
    int height = 0;
    for (const Expression& e : list) height = std::max<int>(height, e.height);
    return height;
  }
};
}  // namespace

namespace {
// Limit of a node's height: the left operands of a chain of operators don't count as nested.
int max_height(const Expression::Node& node) {
  const auto* binary = std::get_if<ast::Binary>(&node);
  const bool continues = binary != nullptr && binary->right->height < ast::kMaxTreeHeight;
  return continues ? ast::kMaxChain : ast::kMaxTreeHeight;
}
}  // namespace

Expression Parser::make(Expression::Node node, SourceRange range) {
  const int height = 1 + std::visit(PartHeight(), node), most = max_height(node);
  if (height > most) {
    report(DiagCode::expression_too_long, range, {std::to_string(most)},
           "split it, or sum a vector");
    throw GiveUp();
  }
  return {std::move(node), range, height};
}

ast::ExpressionPtr Parser::boxed(Expression e) {
  return std::make_unique<Expression>(std::move(e));
}

// expression := binary ("?" expression ":" expression)?
Expression Parser::expression() {
  const Nesting level(*this);
  return conditional_rest(binary(kLogicalOr));
}

Expression Parser::conditional_rest(Expression condition) {
  if (!accept(TokenKind::question)) return condition;
  Expression if_true = expression();
  expect(TokenKind::colon);
  Expression if_false = expression();
  const SourceRange range = since(condition.range);
  return make(ast::Conditional{boxed(std::move(condition)), boxed(std::move(if_true)),
                               boxed(std::move(if_false))},
              range);
}

// The rest of an expression whose first operand has been read.
Expression Parser::rest_of_expression(Expression left) {
  return conditional_rest(binary_rest(std::move(left), kLogicalOr));
}

// constraint_expression := an expression without ? : and || && == != < <= > >= outside parentheses
Expression Parser::constraint_expression() {
  const Nesting level(*this);
  return binary(kAdditive);
}

// binary := prefix (operator binary)*, operators no looser than the given precedence
Expression Parser::binary(int loosest) { return binary_rest(prefix(), loosest); }

Expression Parser::binary_rest(Expression left, int loosest) {
  for (;;) {
    const Operator* row = find_operator(peek().kind);
    if (!row || row->precedence < loosest) return left;
    const SourceRange op_range = take().range;
    const Nesting level(*this);
    Expression right = binary(row->precedence + (row->right_associative ? 0 : 1));
    const SourceRange range = since(left.range);
    left = make(ast::Binary{row->op, boxed(std::move(left)), boxed(std::move(right)), op_range},
                range);
  }
}

// prefix := ("-" | "+" | "!") power | postfix; a prefix binds looser than ^, tighter than the rest
Expression Parser::prefix() {
  const auto op = prefix_operator(peek().kind);
  if (!op) return postfix();
  const Nesting level(*this);
  const Token sign = take();
  Expression operand = binary(kPower);
  return make(ast::Unary{*op, boxed(std::move(operand))}, since(sign));
}

// postfix := primary ("[" indices "]" | "'" | projection)*
Expression Parser::postfix() {
  Expression e = primary();
  for (;;) {
    const SourceRange first = e.range;
    if (at(TokenKind::left_bracket)) {
      e = indexed(std::move(e));
    } else if (accept(TokenKind::transpose)) {
      e = make(ast::Unary{ast::UnaryOp::transpose, boxed(std::move(e))}, since(first));
    } else if (at(TokenKind::projection)) {
      const auto position = static_cast<std::int32_t>(take().value);
      e = make(ast::Projection{boxed(std::move(e)), position}, since(first));
    } else {
      return e;
    }
  }
}

// primary := number | name | call | "target" "(" ")" | "(" ... ")" | "{" ... "}" | "[" ... "]"
Expression Parser::primary() {
  switch (peek().kind) {
    case TokenKind::int_literal:
    case TokenKind::real_literal:
    case TokenKind::imaginary_literal:
      return number(take());
    case TokenKind::left_paren:
      return parentheses();
    case TokenKind::left_brace:
      return array_literal();
    case TokenKind::left_bracket:
      return row_literal();
    case TokenKind::target:
      return target_value();
    case TokenKind::string_literal:
      return misplaced_string();
    case TokenKind::identifier:
    case TokenKind::lower:
    case TokenKind::upper:
    case TokenKind::offset:
    case TokenKind::multiplier:
    case TokenKind::array:
    case TokenKind::reserved:
      return name_or_call();
    default:
      fail("an expression", at(TokenKind::times) && previous_.end == peek().range.begin
                                ? "a power is written x ^ y"
                                : "");
  }
}

Expression Parser::number(const Token& token) {
  const std::string digits = without_underscores(text(token));
  if (token.kind == TokenKind::int_literal) {
    return make(ast::IntLiteral{static_cast<std::int32_t>(token.value)}, token.range);
  }
  if (token.kind == TokenKind::real_literal) {
    return make(ast::RealLiteral{token.value, digits}, token.range);
  }
  return make(ast::ImaginaryLiteral{token.value, digits.substr(0, digits.size() - 1)}, token.range);
}

Expression Parser::misplaced_string() {
  const Token token = take();
  report(DiagCode::string_not_allowed, token.range);
  return make(ast::IntLiteral{0}, token.range);
}

// target_value := "target" "(" ")"
Expression Parser::target_value() {
  const Token word = take();
  expect(TokenKind::left_paren, "the log density so far is target(); to add to it, target += ...");
  expect(TokenKind::right_paren);
  return make(ast::TargetValue{}, since(word));
}

// name := identifier; a reserved word in its place is reported and taken
ast::Name Parser::name() {
  const TokenKind kind = peek().kind;
  if (kind == TokenKind::identifier) {
    const Token token = take();
    return {std::string(text(token)), token.range};
  }
  const bool is_word = kind >= TokenKind::type_word;
  if (!is_word) fail("a name");
  const Token token = take();
  report(DiagCode::reserved_word, token.range, {std::string(text(token))}, "choose another name");
  return {std::string(text(token)), token.range};
}

// name_or_call := name ("(" arguments ")")?
Expression Parser::name_or_call() {
  ast::Name id = name();
  const SourceRange range = id.range;
  if (!at(TokenKind::left_paren)) return make(ast::Variable{std::move(id.text)}, range);
  ast::Call call{std::move(id), {}, false};
  call_arguments(call);
  if (call.function.text == "get_lp") {
    report(DiagCode::removed_function, range, {"get_lp"}, "write target()", {{range, "target"}});
  }
  return make(std::move(call), since(range));
}

// call_arguments := "(" (expression (("," | "|") expression ("," expression)*)?)? ")"
void Parser::call_arguments(ast::Call& call) {
  expect(TokenKind::left_paren);
  if (accept(TokenKind::right_paren)) return;
  call.arguments.push_back(expression());
  if (accept(TokenKind::bar)) {
    call.has_bar = true;
    if (accept(TokenKind::right_paren)) return;
  } else if (!accept(TokenKind::comma)) {
    expect(TokenKind::right_paren);
    return;
  }
  for (Expression& e : expressions_until(TokenKind::right_paren)) {
    call.arguments.push_back(std::move(e));
  }
}

// expressions_until := expression ("," expression)* close
std::vector<Expression> Parser::expressions_until(TokenKind close) {
  std::vector<Expression> list;
  do {
    list.push_back(expression());
  } while (accept(TokenKind::comma));
  expect(close);
  return list;
}

// parentheses := "(" expression ")" | "(" expression "," (expression ("," expression)*)? ")"
Expression Parser::parentheses() {
  const Token open = take();
  Expression first = expression();
  if (accept(TokenKind::right_paren)) {
    first.range = since(open);
    return first;
  }
  if (!accept(TokenKind::comma)) expect(TokenKind::right_paren);
  ast::TupleLiteral tuple;
  tuple.elements.push_back(std::move(first));
  if (!accept(TokenKind::right_paren)) {
    for (Expression& e : expressions_until(TokenKind::right_paren)) {
      tuple.elements.push_back(std::move(e));
    }
  }
  return make(std::move(tuple), since(open));
}

// array_literal := "{" expression ("," expression)* "}"
// After an error in it the closing brace is taken, so that it isn't read as the end of a block.
Expression Parser::array_literal() {
  const Token open = take();
  try {
    if (at(TokenKind::right_brace)) fail("an expression", "an array literal is never empty");
    std::vector<Expression> elements = expressions_until(TokenKind::right_brace);
    return make(ast::ArrayLiteral{std::move(elements)}, since(open));
  } catch (const SyntaxError&) {
    while (!at(TokenKind::semicolon) && !at(TokenKind::end_of_file) && !at_block()) {
      if (take().kind == TokenKind::right_brace) break;
    }
    throw;
  }
}

// row_literal := "[" (expression ("," expression)*)? "]"
Expression Parser::row_literal() {
  const Token open = take();
  std::vector<Expression> elements;
  if (!accept(TokenKind::right_bracket)) elements = expressions_until(TokenKind::right_bracket);
  return make(ast::RowLiteral{std::move(elements)}, since(open));
}

// indexed := base "[" index ("," index)* "]"
Expression Parser::indexed(Expression base) {
  const SourceRange first = base.range;
  take();
  std::vector<ast::Index> indices;
  do {
    indices.push_back(index());
  } while (accept(TokenKind::comma));
  expect(TokenKind::right_bracket);
  return make(ast::Indexed{boxed(std::move(base)), std::move(indices)}, since(first));
}

// index := (expression? ":" expression?)? | expression
ast::Index Parser::index() {
  const auto at_end = [this] { return at(TokenKind::comma) || at(TokenKind::right_bracket); };
  const Token first = peek();
  ast::Index result{ast::IndexKind::all, nullptr, nullptr, {}};
  result.range = {first.range.file, first.range.begin, first.range.begin};
  if (at_end()) return result;
  if (!at(TokenKind::colon)) {
    result.first = boxed(expression());
    result.kind = ast::IndexKind::at;
  }
  if (accept(TokenKind::colon)) {
    if (!at_end()) result.last = boxed(expression());
    const bool from = result.first != nullptr, to = result.last != nullptr;
    result.kind = from && to ? ast::IndexKind::between
                  : from     ? ast::IndexKind::from
                  : to       ? ast::IndexKind::up_to
                             : ast::IndexKind::all;
  }
  result.range = since(first);
  return result;
}

}  // namespace credo::lang
