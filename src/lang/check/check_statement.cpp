// Statements except assignments and `~`: each ast form gives one typed form.
#include "lang/check/check_internal.hpp"

namespace credo::lang {
namespace {
bool leaves_sequence(
    const typed::Statement& statement);  // true if the rest of the braces is never reached
std::string_view word_of(const typed::Statement& statement);  // for one that leaves
// Expression that the statement evaluates first, and once; null if there may be several.
const ast::Expression* root_of(const ast::Statement& statement);
}  // namespace

void Checker::check_all(const std::vector<ast::Statement>& statements,
                        std::vector<typed::Statement>& out) {
  bool warned = false;
  for (const ast::Statement& statement : statements) {
    const bool unreachable = !out.empty() && leaves_sequence(out.back());
    if (unreachable && !warned && !std::holds_alternative<ast::Empty>(statement.node)) {
      report(DiagCode::unreachable_statement, statement.range, {std::string(word_of(out.back()))});
      warned = true;
    }
    check_statement(statement, out);
  }
}

void Checker::check_statement(const ast::Statement& statement, std::vector<typed::Statement>& out) {
  if (const auto* declaration = ast::as<ast::Declaration>(statement)) {
    return check_declaration(*declaration, statement.range, out);
  }
  typed::Statement result;
  result.range = statement.range;
  result.id = new_statement(statement.range);
  root_ = root_of(statement), before_root_ = &out;
  result.node =
      std::visit([&](const auto& s) { return statement_node(s, statement.range); }, statement.node);
  statement_ = result.id;
  out.push_back(std::move(result));
}

// The body of an if or a loop; a lone declaration is visible nowhere else (language facts 9.16).
typed::Body Checker::body(const ast::Statement& statement) {
  std::vector<typed::Statement> statements;
  const bool top_level = std::exchange(top_level_, false);
  scopes_.enter();
  check_statement(statement, statements);
  warn_unused(scopes_.leave());
  top_level_ = top_level;
  if (statements.size() == 1)
    return std::make_unique<typed::Statement>(std::move(statements.front()));
  auto result = std::make_unique<typed::Statement>();
  result->id = statements.empty() ? statement_ : statements.front().id;
  result->range = statement.range;
  result->node = typed::Sequence{std::move(statements)};
  return result;
}

std::vector<typed::Statement> Checker::scoped(const std::vector<ast::Statement>& statements) {
  std::vector<typed::Statement> result;
  const bool top_level = std::exchange(top_level_, false);
  scopes_.enter();
  check_all(statements, result);
  warn_unused(scopes_.leave());
  top_level_ = top_level;
  return result;
}

Checker::Node Checker::statement_node(const ast::Assignment& s, SourceRange) {
  if (const auto* tuple = ast::as<ast::TupleLiteral>(s.target)) return unpack(s, *tuple);
  return s.op == ast::AssignOp::set ? assign(s) : assign_with_operator(s);
}

Checker::Node Checker::statement_node(const ast::Increment& s, SourceRange range) {
  const bool is_target = s.of == ast::Increment::Of::target;
  if (is_target) {
    require_place(in_model | in_lp_function, "target +=", range,
                  "use it in the model or in a function ending in _lp");
  } else {
    require_place(in_transformed_parameters | in_jacobian_function, "jacobian +=", range,
                  "use it in transformed parameters or in a function ending in _jacobian");
  }
  typed::Expression value = expression(s.value);
  note_increment(s.value);
  const bool fits =
      is_poisoned(value) || (!value.type.is_tuple() && !contains_complex(value.type) &&
                             value.type.base != BaseType::tuple);
  if (!fits) {
    report(DiagCode::type_mismatch, value.range,
           {is_target ? "an increment of target" : "an increment of jacobian",
            "real or a container of reals", to_string(value.type)});
  }
  if (is_target) return typed::TargetIncrement{std::move(value)};
  return typed::JacobianIncrement{std::move(value)};
}

Checker::Node Checker::statement_node(const ast::CallStatement& s, SourceRange range) {
  typed::CallStatement result;
  UnsizedType type;
  if (!call(s.call, range, result.call, type)) return typed::Empty{};
  if (!type.is_void() && !contains_poison(type)) {
    report(DiagCode::unused_value, s.call.function.range, {s.call.function.text},
           "assign it to a variable");
  }
  return result;
}

Checker::Node Checker::statement_node(const ast::Output& s, SourceRange) {
  typed::Message result;
  result.kind = static_cast<typed::MessageKind>(static_cast<int>(s.kind));
  for (const ast::Expression& item : s.items) result.arguments.push_back(expression(item));
  program_.has_print |= result.kind == typed::MessageKind::print;
  return result;
}

Checker::Node Checker::statement_node(const ast::If& s, SourceRange) {
  typed::If result;
  result.condition = condition(s.condition, "if");
  result.if_true = body(*s.then);
  if (s.otherwise) result.if_false = body(*s.otherwise);
  return result;
}

Checker::Node Checker::statement_node(const ast::While& s, SourceRange) {
  typed::While result;
  result.condition = condition(s.condition, "while");
  result.body = loop_body(*s.body);
  return result;
}

Checker::Node Checker::statement_node(const ast::ForRange& s, SourceRange) {
  typed::ForRange result;
  result.first = required(s.first, BaseType::integer, "a bound of for");
  result.last = required(s.last, BaseType::integer, "a bound of for");
  scopes_.enter();
  result.slot = add_local(s.variable, BaseType::integer, {}, SymbolKind::loop_variable);
  result.body = loop_body(*s.body);
  scopes_.leave();
  return result;
}

Checker::Node Checker::statement_node(const ast::ForEach& s, SourceRange) {
  typed::ForEach result;
  result.container = expression(s.container);
  const auto element = element_type(result.container.type);
  if (!element) {
    report(DiagCode::type_mismatch, result.container.range,
           {"what for runs over", "an array, vector or matrix, or a range",
            to_string(result.container.type)},
           result.container.type.is_int() ? "write 1:n" : "");
  }
  const UnsizedType type = element.value_or(UnsizedType());
  const typed::Autodiff autodiff =
      is_int_based(type) ? typed::Autodiff{} : result.container.autodiff;
  scopes_.enter();
  result.slot = add_local(s.variable, type, autodiff, SymbolKind::loop_variable);
  result.body = loop_body(*s.body);
  scopes_.leave();
  return result;
}

Checker::Node Checker::statement_node(const ast::Block& s, SourceRange) {
  return typed::Sequence{scoped(s.statements)};
}

Checker::Node Checker::statement_node(const ast::Profile& s, SourceRange) {
  return typed::Profile{s.name, scoped(s.statements)};
}

Checker::Node Checker::statement_node(const ast::Break&, SourceRange range) {
  if (loops_ == 0) report(DiagCode::outside_loop, range, {"break"});
  return typed::Break{};
}

Checker::Node Checker::statement_node(const ast::Continue&, SourceRange range) {
  if (loops_ == 0) report(DiagCode::outside_loop, range, {"continue"});
  return typed::Continue{};
}

Checker::Node Checker::statement_node(const ast::Return& s, SourceRange range) {
  typed::Return result;
  if (function_ == nullptr) {
    report(DiagCode::return_outside_function, range);
    return result;
  }
  const UnsizedType& type = function_->result;
  if (!s.value) {
    if (!type.is_void())
      report(DiagCode::return_type, range, {function_->name, to_string(type), "nothing"});
    return result;
  }
  typed::Expression value = expression(*s.value);
  if (!promotes(value.type, type) || type.is_void()) {
    report(DiagCode::return_type, value.range,
           {function_->name, type.is_void() ? "nothing" : to_string(type), to_string(value.type)});
    return result;
  }
  result.value = boxed(promoted(std::move(value), type));
  return result;
}

typed::Body Checker::loop_body(const ast::Statement& statement) {
  ++loops_;
  typed::Body result = body(statement);
  --loops_;
  return result;
}

typed::Expression Checker::condition(const ast::Expression& e, std::string_view of) {
  return required(e, BaseType::integer, "the condition of " + std::string(of));
}

namespace {
std::string_view word_of(const typed::Statement& statement) {
  if (std::holds_alternative<typed::Break>(statement.node)) return "break";
  if (std::holds_alternative<typed::Continue>(statement.node)) return "continue";
  return std::holds_alternative<typed::Message>(statement.node) ? "reject" : "return";
}

const ast::Expression* root_of(const ast::Statement& statement) {
  if (const auto* s = ast::as<ast::Assignment>(statement)) return &s->value;
  if (const auto* s = ast::as<ast::Increment>(statement)) return &s->value;
  const auto* s = ast::as<ast::Return>(statement);
  return s != nullptr ? s->value.get() : nullptr;
}

bool leaves_sequence(const typed::Statement& statement) {
  return std::holds_alternative<typed::Break>(statement.node) ||
         std::holds_alternative<typed::Continue>(statement.node) || leaves_function(statement);
}
}  // namespace
}  // namespace credo::lang
