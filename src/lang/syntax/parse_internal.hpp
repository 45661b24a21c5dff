// The parser's insides: one class, its productions spread over parse_expression.cpp,
// parse_type.cpp, parse_statement.cpp and parser.cpp. Not for use outside of them.
//
// Errors. A production that meets a wrong token reports it and throws SyntaxError; the nearest list
// of statements, declarations or functions catches it, skips to a place where it can resume
// (synchronise) and does. GiveUp ends the whole parse: the input is nested too deeply or has too
// many errors.
#pragma once
#include "lang/diagnostics/diagnostics.hpp"
#include "lang/syntax/ast.hpp"
#include "lang/syntax/lexer.hpp"
#include "lang/syntax/parser.hpp"

namespace credo::lang {

struct SyntaxError {};
struct GiveUp {};

// Declarations that a list of statements may hold.
enum class Scope : std::uint8_t {
  local,             // in braces, in the model block, in functions: no constraints
  top_level,         // of a block with statements
  declarations_only  // of data and parameters: also no definitions, no statements
};

class Parser {
 public:
  Parser(const SourceMap& source, Diagnostics& diagnostics);

  ast::Program program();  // parser.cpp

 private:
  // tokens (parser.cpp)
  const Token& peek(std::size_t ahead = 0) const;
  bool at(TokenKind kind) const { return peek().kind == kind; }
  bool at(TokenKind kind, TokenKind next) const { return at(kind) && peek(1).kind == next; }
  Token take();
  bool accept(TokenKind kind);  // takes it if it is next
  Token expect(TokenKind kind, const std::string& hint = {});
  void expect_semicolon(const std::string& hint = {});
  void expect_closing_brace(const Token& open, const std::string& of);
  SourceRange since(const Token& first) const { return join(first.range, previous_); }
  SourceRange since(SourceRange first) const { return join(first, previous_); }
  std::string_view text(const Token& token) const { return source_.text(token.range); }
  std::string found() const;  // the next token, for messages

  // errors
  std::string operator_hint() const;  // empty: no operator word of another language here
  [[noreturn]] void fail(std::string expected, std::string hint = {});
  void report(DiagCode code, SourceRange range, std::vector<std::string> facts = {},
              std::string hint = {}, std::vector<Edit> edits = {});
  void synchronise();
  void skip_past(TokenKind close);  // the matching one; stops before a brace or a semicolon
  void skip_braces();
  bool at_block() const;      // the name of a program block and its brace
  bool at_statement() const;  // a word that begins statements, first on its line
  bool at_outcome() const;    // { ... } ~
  class Nesting;

  // program (parser.cpp)
  void block(ast::Program& program);
  bool accept_block_name(std::string& name);
  void skip_unknown_block();
  void report_second_word();
  void report_unknown_block();
  void functions(ast::Program& program);
  ast::FunctionDefinition function();
  ast::Argument argument();

  // types (parse_type.cpp)
  bool at_type() const { return at(TokenKind::type_word) || at(TokenKind::array); }
  ast::SizedType sized_type(Scope scope);
  ast::SizedType element_type(Scope scope);
  void constraint(ast::SizedType& type);
  void constraint_part(ast::Constraint& constraint);
  void check_constraint(const ast::SizedType& type, Scope scope);
  void sizes(ast::SizedType& type);
  ast::UnsizedType unsized_type(bool may_be_void);
  template <class Element>
  void tuple_types(Element element);  // takes one type each time
  void unsized_leftovers(const ast::UnsizedType& type, const Token& first);
  int array_commas();

  // statements (parse_statement.cpp)
  std::vector<ast::Statement> statements(Scope scope);  // up to the closing brace
  ast::Statement statement(Scope scope);
  ast::Statement unguarded_statement(Scope scope);
  ast::Statement::Node lone_word(ast::Statement::Node form);
  ast::StatementPtr body();
  ast::Statement::Node declaration(Scope scope);
  ast::Declarator declarator(ast::SizedType& type, Scope scope);
  void removed_array_sizes(ast::SizedType& type, const Token& name);
  bool is_only_name(const Token& name) const;
  ast::Statement::Node if_statement();
  ast::Statement::Node while_statement();
  ast::Statement::Node for_statement();
  ast::Statement::Node profile();
  ast::Statement::Node output();
  ast::Statement::Node return_statement();
  ast::Statement::Node increment();
  ast::Statement::Node braces();
  ast::Statement::Node expression_statement();
  std::optional<ast::Statement::Node> foreign_statement();
  ast::Statement::Node assignment(ast::Expression target);
  ast::Statement::Node removed_arrow(ast::Expression target);
  void report_arrow();
  ast::Statement::Node removed_target(SourceRange target, const ast::Expression& value);
  std::vector<Edit> edits_of_increment(const ast::Call& call, SourceRange range) const;
  ast::Statement::Node call_statement(ast::Expression expression);
  ast::Statement::Node tilde(ast::Expression outcome);
  std::optional<ast::Truncation> truncation();
  void check_assignable(const ast::Expression& target, ast::AssignOp op);
  std::string suggestion_for(const Token& first) const;
  template <class Header>
  void header(Header parts);  // header of if, for, while: ( parts ), with recovery

  // expressions (parse_expression.cpp)
  ast::Expression expression();
  ast::ExpressionPtr boxed(ast::Expression e);
  ast::Expression conditional_rest(ast::Expression condition);
  ast::Expression binary(int loosest);
  ast::Expression binary_rest(ast::Expression left, int loosest);
  ast::Expression rest_of_expression(ast::Expression left);
  ast::Expression constraint_expression();
  ast::Expression prefix();
  ast::Expression postfix();
  ast::Expression primary();
  ast::Expression number(const Token& token);
  ast::Expression misplaced_string();
  ast::Expression name_or_call();
  ast::Expression target_value();
  ast::Expression parentheses();
  ast::Expression array_literal();
  ast::Expression row_literal();
  ast::Expression indexed(ast::Expression base);
  ast::Index index();
  void call_arguments(ast::Call& call);
  std::vector<ast::Expression> expressions_until(TokenKind close);
  ast::Name name();
  ast::Expression make(ast::Expression::Node node, SourceRange range);

  const SourceMap& source_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  SourceRange previous_;  // range of the last token taken
  int nesting_ = 0;
};

// Counts one level of recursion while it lives.
class Parser::Nesting {
 public:
  explicit Nesting(Parser& parser);
  ~Nesting() { --parser_.nesting_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  Parser& parser_;
};

// header := "(" parts ")"; after an error in it the body is still parsed
template <class Header>
void Parser::header(Header parts) {
  expect(TokenKind::left_paren);
  try {
    parts();
    expect(TokenKind::right_paren);
  } catch (const SyntaxError&) {
    skip_past(TokenKind::right_paren);
  }
}

}  // namespace credo::lang
