// Statements and declarations.
#include "lang/syntax/parse_internal.hpp"

namespace credo::lang {
using ast::Expression;
using ast::Statement;
namespace {
std::optional<ast::AssignOp> assign_operator(TokenKind token) {
  switch (token) {
    case TokenKind::assign:
      return ast::AssignOp::set;
    case TokenKind::plus_assign:
      return ast::AssignOp::add;
    case TokenKind::minus_assign:
      return ast::AssignOp::subtract;
    case TokenKind::times_assign:
      return ast::AssignOp::multiply;
    case TokenKind::divide_assign:
      return ast::AssignOp::divide;
    case TokenKind::elementwise_times_assign:
      return ast::AssignOp::elementwise_multiply;
    case TokenKind::elementwise_divide_assign:
      return ast::AssignOp::elementwise_divide;
    default:
      return std::nullopt;
  }
}

bool is_old_target(const Expression& e) {
  const auto* variable = ast::as<ast::Variable>(e);
  return variable != nullptr && variable->name == kOldTarget;
}

// A variable, a part of a variable, or a tuple of such.
bool is_assignable(const Expression& e) {
  if (ast::as<ast::Variable>(e)) return true;
  if (const auto* indexed = ast::as<ast::Indexed>(e)) {
    return !ast::as<ast::TupleLiteral>(*indexed->base) && is_assignable(*indexed->base);
  }
  if (const auto* projection = ast::as<ast::Projection>(e)) {
    return !ast::as<ast::TupleLiteral>(*projection->tuple) && is_assignable(*projection->tuple);
  }
  const auto* tuple = ast::as<ast::TupleLiteral>(e);
  return tuple && std::all_of(tuple->elements.begin(), tuple->elements.end(), is_assignable);
}
}  // namespace

// statements := statement* (up to the closing brace, which is left)
std::vector<Statement> Parser::statements(Scope scope) {
  std::vector<Statement> list;
  while (!at(TokenKind::right_brace) && !at(TokenKind::end_of_file)) {
    if (at_block()) break;  // the closing brace is missing; whoever expects it says so
    if (scope == Scope::declarations_only && accept(TokenKind::semicolon)) continue;
    list.push_back(statement(scope));
  }
  return list;
}

// A statement, or an empty one in the place of one with a syntax error.
Statement Parser::statement(Scope scope) {
  const Token first = peek();
  try {
    return unguarded_statement(scope);
  } catch (const SyntaxError&) {
    if (first.range == peek().range) take();
    synchronise();
    return {ast::Empty{}, first.range};
  }
}

// statement := declaration | "if" ... | "while" ... | "for" ... | "{" ... "}" | "profile" ...
//   | output | "return" ... | "break" ";" | "continue" ";" | ";" | increment | expression_statement
Statement Parser::unguarded_statement(Scope scope) {
  const Nesting level(*this);
  const Token first = peek();
  Statement::Node node;
  if (scope == Scope::declarations_only && !at_type()) {
    if (first.kind == TokenKind::right_brace) fail("a declaration");
    report(DiagCode::statement_not_allowed, first.range, {}, suggestion_for(first));
    scope = Scope::local;
  }
  switch (first.kind) {
    case TokenKind::type_word:
    case TokenKind::array:
      node = declaration(scope);
      break;
    case TokenKind::if_:
      node = if_statement();
      break;
    case TokenKind::while_:
      node = while_statement();
      break;
    case TokenKind::for_:
      node = for_statement();
      break;
    case TokenKind::left_brace:
      node = at_outcome() ? expression_statement() : braces();
      break;
    case TokenKind::profile:
      node = profile();
      break;
    case TokenKind::print:
    case TokenKind::reject:
    case TokenKind::fatal_error:
      node = output();
      break;
    case TokenKind::return_:
      node = return_statement();
      break;
    case TokenKind::jacobian:
      node = increment();
      break;
    case TokenKind::target:
      node = peek(1).kind == TokenKind::left_paren ? expression_statement() : increment();
      break;
    case TokenKind::break_:
      node = lone_word(ast::Break{});
      break;
    case TokenKind::continue_:
      node = lone_word(ast::Continue{});
      break;
    case TokenKind::semicolon:
      take(), node = ast::Empty{};
      break;
    case TokenKind::else_:
      fail("a statement", "this else belongs to no if");
    default:
      node = expression_statement();
  }
  return {std::move(node), since(first)};
}

// At an array literal that is the outcome of a density: nothing in it ends a statement.
bool Parser::at_outcome() const {
  std::size_t ahead = 0;
  for (int open = 0; ahead == 0 || open > 0; ++ahead) {
    const TokenKind kind = peek(ahead).kind;
    if (kind == TokenKind::semicolon || kind == TokenKind::end_of_file) return false;
    if (kind == TokenKind::left_brace) ++open;
    if (kind == TokenKind::right_brace) --open;
  }
  return peek(ahead).kind == TokenKind::tilde;
}

// lone_word := ("break" | "continue") ";"
Statement::Node Parser::lone_word(Statement::Node form) {
  take();
  expect_semicolon();
  return form;
}

// The body of a loop or a branch: any statement, a scope of its own.
ast::StatementPtr Parser::body() { return std::make_unique<Statement>(statement(Scope::local)); }

// declaration := sized_type declarator ("," declarator)* ";"
Statement::Node Parser::declaration(Scope scope) {
  ast::Declaration result{sized_type(scope), {}};
  do {
    if (at_type() && !result.variables.empty())
      fail("a name", "one type is for all names of a declaration; end it with ; before another");
    result.variables.push_back(declarator(result.type, scope));
  } while (accept(TokenKind::comma));
  expect_semicolon();
  return result;
}

// declarator := name ("=" expression)?
ast::Declarator Parser::declarator(ast::SizedType& type, Scope scope) {
  const Token first = peek();
  if (scope != Scope::local && at(TokenKind::identifier, TokenKind::left_paren)) {
    report(DiagCode::function_outside_block, first.range, {}, "move it to a block functions");
    throw SyntaxError();
  }
  ast::Declarator result{name(), nullptr};
  if (at(TokenKind::left_bracket)) removed_array_sizes(type, first);
  const bool arrow = at(TokenKind::less, TokenKind::minus);
  if (arrow) {
    report_arrow();
  } else if (!accept(TokenKind::assign)) {
    return result;
  }
  if (scope == Scope::declarations_only) {
    report(DiagCode::definition_not_allowed, previous_);
  }
  result.value = boxed(expression());
  return result;
}

// real x[N] of old programs
void Parser::removed_array_sizes(ast::SizedType& type, const Token& name) {
  const Token open = take();
  std::vector<Expression> list = expressions_until(TokenKind::right_bracket);
  const std::string element(source_.text(type.range));
  const SourceRange brackets = since(open);
  const std::string array = "array" + std::string(source_.text(brackets)) + " ";
  std::vector<Edit> edits;
  if (type.array_sizes.empty() && is_only_name(name)) {
    const SourceRange begin{type.range.file, type.range.begin, type.range.begin};
    edits = {{begin, array}, {brackets, ""}};
  }
  report(DiagCode::removed_array_syntax, brackets, {},
         "write " + array + element + " " + std::string(text(name)), std::move(edits));
  if (type.array_sizes.empty()) type.array_sizes = std::move(list);
}

// True if the declaration whose name and brackets were just read declares no other name.
bool Parser::is_only_name(const Token& name) const {
  if (next_ < 2) return false;
  std::size_t first = next_;
  while (first > 0 && tokens_[first].range.begin != name.range.begin) --first;
  if (first == 0 || tokens_[first - 1].kind == TokenKind::comma) return false;
  int open = 0;
  for (std::size_t ahead = 0;; ++ahead) {
    const TokenKind kind = peek(ahead).kind;
    if (kind == TokenKind::semicolon || kind == TokenKind::end_of_file) return true;
    if (kind == TokenKind::comma && open == 0) return false;
    if (kind == TokenKind::left_paren || kind == TokenKind::left_bracket ||
        kind == TokenKind::left_brace)
      ++open;
    if (kind == TokenKind::right_paren || kind == TokenKind::right_bracket ||
        kind == TokenKind::right_brace)
      --open;
  }
}

// if := "if" "(" expression ")" statement ("else" statement)?
Statement::Node Parser::if_statement() {
  take();
  ast::If result;
  header([&] { result.condition = expression(); });
  result.then = body();
  if (accept(TokenKind::else_)) result.otherwise = body();
  return result;
}

// while := "while" "(" expression ")" statement
Statement::Node Parser::while_statement() {
  take();
  ast::While result;
  header([&] { result.condition = expression(); });
  result.body = body();
  return result;
}

// for := "for" "(" name "in" expression (":" expression)? ")" statement
Statement::Node Parser::for_statement() {
  take();
  ast::Name variable;
  Expression first;
  std::optional<Expression> last;
  header([&] {
    variable = name();
    expect(TokenKind::in, "write for (" + variable.text + " in 1:N)");
    first = expression();
    if (accept(TokenKind::colon)) last = expression();
  });
  ast::StatementPtr repeated = body();
  if (!last) return ast::ForEach{std::move(variable), std::move(first), std::move(repeated)};
  return ast::ForRange{std::move(variable), std::move(first), *std::move(last),
                       std::move(repeated)};
}

// braces := "{" statements "}"
Statement::Node Parser::braces() {
  const Token open = expect(TokenKind::left_brace);
  ast::Block block{statements(Scope::local)};
  expect_closing_brace(open, "the braces");
  return block;
}

// profile := "profile" "(" string ")" "{" statements "}"
Statement::Node Parser::profile() {
  take();
  ast::Profile result;
  header([&] {
    const Token token = expect(TokenKind::string_literal);
    const std::string_view quoted = text(token);
    result.name = quoted.substr(1, quoted.size() - (token.value > 0 ? 2 : 1));
  });
  expect(TokenKind::left_brace);
  result.statements = statements(Scope::local);
  expect(TokenKind::right_brace);
  return result;
}

// output := ("print" | "reject" | "fatal_error") "(" item ("," item)* ")" ";"
// item := string | expression
Statement::Node Parser::output() {
  const TokenKind word = take().kind;
  ast::Output result;
  if (word == TokenKind::reject) result.kind = ast::Output::Kind::reject;
  if (word == TokenKind::fatal_error) result.kind = ast::Output::Kind::fatal_error;
  expect(TokenKind::left_paren);
  do {
    if (!at(TokenKind::string_literal)) {
      result.items.push_back(expression());
      continue;
    }
    const Token token = take();
    const std::string_view quoted = text(token);
    const std::string_view content = quoted.substr(1, quoted.size() - (token.value > 0 ? 2 : 1));
    result.items.push_back(make(ast::StringLiteral{std::string(content)}, token.range));
  } while (accept(TokenKind::comma));
  expect(TokenKind::right_paren);
  expect_semicolon();
  return result;
}

// return := "return" expression? ";"
Statement::Node Parser::return_statement() {
  take();
  ast::Return result;
  if (!at(TokenKind::semicolon)) result.value = boxed(expression());
  expect_semicolon();
  return result;
}

// increment := ("target" | "jacobian") "+=" expression ";"
Statement::Node Parser::increment() {
  const Token word = take();
  const std::string name(text(word));
  ast::Increment result;
  if (word.kind == TokenKind::jacobian) result.of = ast::Increment::Of::jacobian;
  expect(TokenKind::plus_assign, name + " can only be added to: " + name + " += ...");
  result.value = expression();
  expect_semicolon();
  return result;
}

// expression_statement := expression (assign_op expression | "~" distribution)? ";"
// The first operand is read alone, because `x <- 3` of old programs would be the comparison x < -3.
Statement::Node Parser::expression_statement() {
  if (auto foreign = foreign_statement()) return std::move(*foreign);
  const Token first_token = peek();
  Expression first = prefix();
  const Token next = peek();
  const bool arrow = next.kind == TokenKind::less && peek(1).kind == TokenKind::minus &&
                     peek(1).range.begin == next.range.end && is_assignable(first);
  if (arrow) return removed_arrow(std::move(first));
  first = rest_of_expression(std::move(first));
  if (assign_operator(peek().kind)) return assignment(std::move(first));
  if (at(TokenKind::tilde)) return tilde(std::move(first));
  if (ast::as<ast::Call>(first)) return call_statement(std::move(first));
  const std::string hint = suggestion_for(first_token);
  if (!at(TokenKind::semicolon)) fail("an assignment, `~` or `;`", hint);
  report(DiagCode::expression_statement, first.range, {}, "assign it, or remove it");
  expect_semicolon();
  return ast::Empty{};
}

// Statements of other languages: elseif (...), x++ and x--.
std::optional<Statement::Node> Parser::foreign_statement() {
  const Token first = peek();
  if (first.kind != TokenKind::identifier) return std::nullopt;
  const std::string word(text(first));
  if ((word == "elseif" || word == "elif") && peek(1).kind == TokenKind::left_paren) {
    report(DiagCode::unexpected_token, first.range, {"`else if`", found()}, "write else if");
    return if_statement();
  }
  const TokenKind sign = peek(1).kind;
  const bool twice = (sign == TokenKind::plus || sign == TokenKind::minus) &&
                     peek(2).kind == sign && peek(3).kind == TokenKind::semicolon;
  if (!twice) return std::nullopt;
  const std::string plus = sign == TokenKind::plus ? "+" : "-";
  report(DiagCode::unexpected_token, join(peek(1).range, peek(2).range),
         {"an assignment", "`" + plus + plus + "`"}, "write " + word + " " + plus + "= 1");
  for (int k = 0; k < 4; ++k) take();
  return ast::Empty{};
}

// assignment := target assign_op expression ";"
Statement::Node Parser::assignment(Expression target) {
  const ast::AssignOp op = *assign_operator(take().kind);
  check_assignable(target, op);
  Expression value = expression();
  expect_semicolon();
  if (op == ast::AssignOp::set && is_old_target(target)) return removed_target(target.range, value);
  return ast::Assignment{op, std::move(target), std::move(value)};
}

Statement::Node Parser::removed_arrow(Expression target) {
  report_arrow();
  Expression value = expression();
  expect_semicolon();
  if (is_old_target(target)) return removed_target(target.range, value);
  return ast::Assignment{ast::AssignOp::set, std::move(target), std::move(value)};
}

void Parser::report_arrow() {
  const Token first = take(), last = take();
  const SourceRange arrow = join(first.range, last.range);
  report(DiagCode::removed_arrow, arrow, {}, "write =", {{arrow, "="}});
}

// lp__ = lp__ + u and lp__ = lp__ - u: the expression after the sign is added to target, with a minus sign if it was
// subtracted.
Statement::Node Parser::removed_target(SourceRange target, const Expression& value) {
  const Expression* first = &value;
  SourceRange sign;
  ast::BinaryOp op{};
  for (const auto* sum = ast::as<ast::Binary>(*first); sum != nullptr;
       sum = ast::as<ast::Binary>(*first)) {
    op = sum->op, sign = sum->op_range, first = sum->left.get();
    if (op != ast::BinaryOp::add && op != ast::BinaryOp::subtract) break;
  }
  const bool is_sum = op == ast::BinaryOp::add || op == ast::BinaryOp::subtract;
  std::vector<Edit> edits;
  if (is_sum && is_old_target(*first) && first->range.begin == value.range.begin) {
    const bool is_taken_off = op == ast::BinaryOp::subtract;
    edits.push_back({target, "target"});
    edits.push_back({{target.file, target.end, value.range.begin}, is_taken_off ? " += " : " +="});
    edits.push_back({{target.file, value.range.begin, sign.end}, is_taken_off ? "-" : ""});
  }
  report(DiagCode::removed_function, target, {std::string(kOldTarget)}, "write target += ...",
         std::move(edits));
  return ast::Empty{};
}

void Parser::check_assignable(const Expression& target, ast::AssignOp op) {
  const bool is_tuple = ast::as<ast::TupleLiteral>(target) != nullptr;
  if (!is_assignable(target)) {
    report(DiagCode::not_assignable, target.range);
  } else if (is_tuple && op != ast::AssignOp::set) {
    report(DiagCode::not_assignable, target.range, {}, "a tuple is only assigned to with =");
  }
}

// call_statement := call ";"
Statement::Node Parser::call_statement(Expression expression) {
  auto& call = std::get<ast::Call>(expression.node);
  expect_semicolon(suggestion_for({TokenKind::identifier, false, call.function.range}));
  if (call.function.text != "increment_log_prob") return ast::CallStatement{std::move(call)};
  report(DiagCode::removed_function, call.function.range, {call.function.text},
         "write target += ...", edits_of_increment(call, expression.range));
  if (call.arguments.empty()) return ast::Empty{};
  return ast::Increment{ast::Increment::Of::target, std::move(call.arguments.front())};
}

// Replaces increment_log_prob(u) by target += u.
std::vector<Edit> Parser::edits_of_increment(const ast::Call& call, SourceRange range) const {
  const SourceRange name = call.function.range;
  const std::size_t open = source_.file(name).text.find('(', name.end);
  if (call.arguments.size() != 1 || open >= call.arguments[0].range.begin) return {};
  const auto paren = static_cast<std::uint32_t>(open);
  return {{name, "target +="},
          {{name.file, paren, paren + 1}, open == name.end ? " " : ""},
          {{name.file, range.end - 1, range.end}, ""}};
}

// tilde := expression "~" name "(" (expression ("," expression)*)? ")" truncation? ";"
Statement::Node Parser::tilde(Expression outcome) {
  take();
  ast::Tilde result{std::move(outcome), name(), {}, std::nullopt};
  expect(TokenKind::left_paren);
  if (!accept(TokenKind::right_paren)) {
    result.arguments = expressions_until(TokenKind::right_paren);
  }
  result.truncation = truncation();
  expect_semicolon();
  return result;
}

// truncation := "T" "[" expression? "," expression? "]"
std::optional<ast::Truncation> Parser::truncation() {
  const Token first = peek();
  if (first.kind != TokenKind::identifier || text(first) != "T") return std::nullopt;
  take();
  ast::Truncation result;
  expect(TokenKind::left_bracket);
  if (!at(TokenKind::comma)) result.lower = boxed(expression());
  expect(TokenKind::comma, "both bounds are written: T[a, ], T[, b] or T[a, b]");
  if (!at(TokenKind::right_bracket)) result.upper = boxed(expression());
  expect(TokenKind::right_bracket);
  result.range = since(first);
  return result;
}

}  // namespace credo::lang
