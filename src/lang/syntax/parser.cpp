// The program's blocks and functions, tokens and recovery. Expressions, types and statements are in
// parse_*.cpp.
#include "lang/syntax/parser.hpp"

#include "lang/syntax/parse_internal.hpp"

namespace credo::lang {

ast::Program parse(const SourceMap& source, Diagnostics& diagnostics) {
  return Parser(source, diagnostics).program();
}

Parser::Parser(const SourceMap& source, Diagnostics& diagnostics)
    : source_(source), diagnostics_(diagnostics), tokens_(lex(source, diagnostics)) {}

// --- program ---

// program := functions? data? transformed_data? parameters? transformed_parameters? model?
//            generated_quantities?
ast::Program Parser::program() {
  ast::Program program;
  try {
    while (!at(TokenKind::end_of_file)) block(program);
  } catch (const GiveUp&) {
  }
  return program;
}

namespace {
constexpr std::string_view kFunctions = "functions";

// The place of a block in a program: functions 0, data 1, ... ; -1 for no block.
int block_place(std::string_view name) {
  if (name == kFunctions) return 0;
  for (int i = 0; i < static_cast<int>(ast::kNumBlocks); ++i) {
    if (spelling(static_cast<ast::BlockKind>(i)) == name) return i + 1;
  }
  return -1;
}

Scope scope_of(ast::BlockKind kind) {
  const bool input = kind == ast::BlockKind::data || kind == ast::BlockKind::parameters;
  if (input) return Scope::declarations_only;
  return kind == ast::BlockKind::model ? Scope::local : Scope::top_level;
}

std::string_view name_at(int place) {
  return place == 0 ? kFunctions : spelling(static_cast<ast::BlockKind>(place - 1));
}

bool is_present(const ast::Program& program, int place) {
  if (place == 0) return program.has_functions;
  return program.blocks[static_cast<std::size_t>(place - 1)].present;
}

// A block that stands before this one in the program and belongs behind it; -1 for none.
int misplaced_before(const ast::Program& program, int place) {
  for (int later = place + 1; later <= static_cast<int>(ast::kNumBlocks); ++later) {
    if (is_present(program, later)) return later;
  }
  return -1;
}
}  // namespace

// block := block_name "{" (functions | statements) "}"
void Parser::block(ast::Program& program) {
  const Token first = peek();
  std::string name;
  if (!accept_block_name(name)) return skip_unknown_block();
  const int place = block_place(name);
  const int later = misplaced_before(program, place);
  if (is_present(program, place)) {
    report(DiagCode::duplicate_block, since(first), {name});
  } else if (later > 0) {
    report(DiagCode::block_order, since(first), {name, std::string(name_at(later))});
  }
  try {
    expect(TokenKind::left_brace);
    if (place == 0) {
      program.has_functions = true;
      functions(program);
    } else {
      const auto kind = static_cast<ast::BlockKind>(place - 1);
      ast::ProgramBlock& target = program[kind];
      target.present = true;
      for (ast::Statement& s : statements(scope_of(kind))) {
        target.statements.push_back(std::move(s));
      }
      target.range = since(first);
    }
    expect_closing_brace(first, "block " + name);
    if (place > 0) program.blocks[static_cast<std::size_t>(place - 1)].range = since(first);
  } catch (const SyntaxError&) {
    if (!at_block()) skip_unknown_block();
  }
}

// block_name := "functions" | "data" | "parameters" | "model" | "transformed" "data"
//   | "transformed" "parameters" | "generated" "quantities"
bool Parser::accept_block_name(std::string& name) {
  const bool two_words = at(TokenKind::transformed, TokenKind::data) ||
                         at(TokenKind::transformed, TokenKind::parameters) ||
                         at(TokenKind::generated, TokenKind::quantities);
  const bool one_word = at(TokenKind::functions) || at(TokenKind::data) ||
                        at(TokenKind::parameters) || at(TokenKind::model);
  if (!one_word && !two_words) return false;
  name = text(take());
  if (two_words) (name += ' ') += text(take());
  return true;
}

// Reports text that doesn't begin a block, then skips it and, if it has braces, their contents.
void Parser::skip_unknown_block() {
  const Token first = peek();
  const bool function = at_type() && (peek(1).kind == TokenKind::identifier);
  if (function) {
    report(DiagCode::function_outside_block, first.range);
  } else if (at(TokenKind::transformed) || at(TokenKind::generated)) {
    report_second_word();
  } else if (first.kind != TokenKind::end_of_file) {
    report_unknown_block();
  }
  while (!at(TokenKind::end_of_file)) {
    if (at(TokenKind::left_brace)) return skip_braces();
    take();
    if (at_block()) return;
  }
}

// "transformed" or "generated", and not the word that belongs behind it.
void Parser::report_second_word() {
  const bool is_transformed = at(TokenKind::transformed);
  take();
  static const std::vector<std::string> kTransformed = {"data", "parameters"};
  const auto near = nearest_name(text(peek()), kTransformed);
  const std::string wanted = is_transformed ? "`data` or `parameters`" : "`quantities`";
  std::string hint = is_transformed ? "transformed data or transformed parameters"
                                    : "the block is generated quantities";
  if (is_transformed && near) hint = "did you mean transformed " + *near + "?";
  report(DiagCode::unexpected_token, peek().range, {wanted, found()}, std::move(hint));
}

void Parser::report_unknown_block() {
  static const std::vector<std::string> kNames = {"functions", "data",        "parameters",
                                                  "model",     "transformed", "generated"};
  const Token first = peek();
  std::string hint = did_you_mean(text(first), kNames);
  const bool is_first = next_ == 0;
  if (is_first && (at(TokenKind::left_brace) || at(TokenKind::left_bracket))) {
    hint = "this looks like data in JSON, which --data takes; the program is a .stan file";
  } else if (at(TokenKind::right_brace)) {
    hint = "no { is open for it: remove it, or one before it";
  } else if (hint.empty()) {
    hint = "statements belong into a block, as in model { ... }";
  }
  report(DiagCode::unexpected_token, first.range, {"a program block", found()}, std::move(hint));
}

// functions := function* "}"
void Parser::functions(ast::Program& program) {
  while (!at(TokenKind::right_brace) && !at(TokenKind::end_of_file) && !at_block()) {
    const SourceRange first = peek().range;
    try {
      program.functions.push_back(function());
    } catch (const SyntaxError&) {
      if (first == peek().range) take();
      synchronise();
    }
  }
}

// function := unsized_type name "(" (argument ("," argument)*)? ")" ("{" statements "}" | ";")
ast::FunctionDefinition Parser::function() {
  const Token first = peek();
  ast::FunctionDefinition result;
  result.result = unsized_type(true);
  result.name = name();
  header([&] {
    if (at(TokenKind::right_paren)) return;
    do {
      result.arguments.push_back(argument());
    } while (accept(TokenKind::comma));
  });
  result.signature = since(first);
  if (!accept(TokenKind::semicolon)) {
    expect(TokenKind::left_brace);
    result.body = ast::Block{statements(Scope::local)};
    expect(TokenKind::right_brace);
  }
  result.range = since(first);
  return result;
}

// argument := "data"? unsized_type name
ast::Argument Parser::argument() {
  ast::Argument result;
  result.is_data = accept(TokenKind::data);
  const Token first = peek();
  result.type = unsized_type(false);
  result.name = name();
  if (at(TokenKind::left_bracket)) {
    const int dims = array_commas();
    report(DiagCode::removed_array_syntax, since(first), {},
           "write array[" + std::string(static_cast<std::size_t>(dims - 1), ',') + "] " +
               std::string(spelling(result.type.name)) + " " + result.name.text);
  }
  return result;
}

// --- tokens ---

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

Token Parser::take() {
  const Token token = peek();
  if (next_ + 1 < tokens_.size()) ++next_;
  previous_ = token.range;
  return token;
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

Token Parser::expect(TokenKind kind, const std::string& hint) {
  if (!at(kind)) fail(description(kind), hint);
  return take();
}

// A semicolon missing at the end of a line is reported there, and the parser continues as if it stood
// there.
void Parser::expect_semicolon(const std::string& hint) {
  if (accept(TokenKind::semicolon)) return;
  const Token& next = peek();
  const bool closes = at(TokenKind::right_paren) || at(TokenKind::right_bracket);
  if (closes && hint.empty()) {
    const std::string open = at(TokenKind::right_paren) ? "(" : "[";
    fail("`;`", "no " + open + " is open for it: remove it");
  }
  const bool line_ends = next.starts_line || next.kind == TokenKind::right_brace;
  if (!line_ends || at(TokenKind::colon) || at(TokenKind::invalid) || !hint.empty())
    fail("`;`", hint);
  const SourceRange gap = {previous_.file, previous_.end, previous_.end};
  report(DiagCode::unexpected_token, gap, {"`;`", found()});
}

// open: the first token of the construct that the brace closes; messages name it.
void Parser::expect_closing_brace(const Token& open, const std::string& of) {
  if (accept(TokenKind::right_brace)) return;
  const Position begin = source_.file(open.range).position(open.range.begin);
  fail("`}`", "close " + of + ", which begins in line " + std::to_string(begin.line));
}

std::string Parser::found() const {
  const Token& token = peek();
  if (token.kind == TokenKind::end_of_file) return "end of file";
  if (token.kind == TokenKind::string_literal) return "a string";
  return "`" + std::string(text(token).substr(0, 40)) + "`";
}

// --- errors ---

void Parser::report(DiagCode code, SourceRange range, std::vector<std::string> facts,
                    std::string hint, std::vector<Edit> edits) {
  diagnostics_.report(code, range, std::move(facts), std::move(hint)).edits = std::move(edits);
  if (diagnostics_.full()) throw GiveUp();
}

// A hint for operators of other languages in an expression: `a > 0 and b > 0`, `not a`.
std::string Parser::operator_hint() const {
  const auto is = [&](const Token& token, std::string_view word, std::string_view capital) {
    const std::string_view written = token.kind == TokenKind::identifier ? text(token) : "";
    return written == word || written == capital;
  };
  if (is(peek(), "and", "AND")) return "and is written &&: a > 0 && b > 0";
  if (is(peek(), "or", "OR")) return "or is written ||: a > 0 || b > 0";
  if (next_ > 0 && is(tokens_[next_ - 1], "not", "NOT")) return "not is written !, as in !(a > 0)";
  return {};
}

void Parser::fail(std::string expected, std::string hint) {
  const Token& token = peek();
  if (token.kind == TokenKind::invalid) throw SyntaxError();
  if (token.kind == TokenKind::colon) {
    report(DiagCode::range_not_allowed, token.range, {}, hint);
    throw SyntaxError();
  }
  if (token.kind == TokenKind::assign && expected == "`)`") hint = "to compare, write ==";
  if (const std::string elsewhere = operator_hint(); !elsewhere.empty()) hint = elsewhere;
  report(DiagCode::unexpected_token, token.range, {std::move(expected), found()}, std::move(hint));
  throw SyntaxError();
}

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ <= kMaxNesting) return;
  --parser_.nesting_;  // no destructor runs after a throw
  parser_.report(DiagCode::nesting_too_deep, parser_.peek().range, {std::to_string(kMaxNesting)});
  throw GiveUp();
}

// A name that stands where a word of the language might: the nearest one.
std::string Parser::suggestion_for(const Token& first) const {
  if (first.kind != TokenKind::identifier) return {};
  return did_you_mean(text(first), language_words());
}

bool Parser::at_statement() const {
  const TokenKind kind = peek().kind;
  if (!peek().starts_line) return false;
  return at_type() || (kind >= TokenKind::for_ && kind <= TokenKind::jacobian &&
                       kind != TokenKind::in && kind != TokenKind::else_);
}

bool Parser::at_block() const {
  const TokenKind kind = peek().kind;
  const bool one_word = kind == TokenKind::functions || kind == TokenKind::data ||
                        kind == TokenKind::parameters || kind == TokenKind::model;
  if (one_word) return peek(1).kind == TokenKind::left_brace;
  return kind == TokenKind::transformed || kind == TokenKind::generated;
}

// Skips the rest of a broken statement: past its semicolon or braces, or up to the next statement,
// the closing brace or the next block.
void Parser::synchronise() {
  while (!at(TokenKind::end_of_file) && !at(TokenKind::right_brace)) {
    if (at_block() || at_statement()) return;
    if (at(TokenKind::left_brace)) return skip_braces();
    if (take().kind == TokenKind::semicolon) return;
  }
}

// From an opening brace past the matching closing one.
void Parser::skip_braces() {
  int open = 0;
  do {
    if (at(TokenKind::left_brace)) ++open;
    if (at(TokenKind::right_brace)) --open;
    take();
  } while (open > 0 && !at(TokenKind::end_of_file) && !at_block());
}

void Parser::skip_past(TokenKind close) {
  for (int open = 0; !at(TokenKind::end_of_file); take()) {
    if (at(TokenKind::left_brace) || at(TokenKind::right_brace) || at(TokenKind::semicolon)) return;
    if (at_block()) return;
    if (at(TokenKind::left_paren)) ++open;
    if (at(close) && open-- == 0) {
      take();
      return;
    }
  }
}

}  // namespace credo::lang
