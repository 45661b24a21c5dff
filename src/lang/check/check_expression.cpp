// Expressions: types and autodiff flags from the leaves up; promotions become nodes.
#include "lang/check/check_internal.hpp"
#include "lang/diagnostics/names.hpp"

namespace credo::lang {
namespace {
constexpr std::ptrdiff_t kPartOfChain = 500;
std::string_view function_of(ast::BinaryOp op);
bool is_comparison(ast::BinaryOp op);
// Written without parentheses: its range begins where its own left operand's does.
bool is_bare_comparison(const ast::Expression& e);
// "5 / 2 is 2"
std::string quotient_text(const ast::Expression& a, const ast::Expression& b);
}  // namespace

typed::Expression Checker::expression(const ast::Expression& e) {
  typed::Expression result = expression_or_void(e);
  if (!result.type.is_void()) return result;
  const auto* call = ast::as<ast::Call>(e);
  report(DiagCode::void_value, e.range, {call != nullptr ? call->function.text : "this"});
  result.type = UnsizedType();
  return result;
}

typed::Expression Checker::expression_or_void(const ast::Expression& e) {
  typed::Expression result;
  result.range = e.range;
  result.statement = statement_;
  std::visit([&](const auto& n) { node(n, result); }, e.node);
  return result;
}

typed::Expression Checker::required(const ast::Expression& e, const UnsizedType& type,
                                    std::string_view what) {
  typed::Expression result = expression(e);
  if (promotes(result.type, type)) return promoted(std::move(result), type);
  report(DiagCode::type_mismatch, result.range,
         {std::string(what), to_string(type), to_string(result.type)},
         conversion_hint(result.type, type));
  result.type = UnsizedType();
  return result;
}

typed::Expression Checker::promoted(typed::Expression e, const UnsizedType& type) const {
  if (e.type == type || is_poisoned(e) || contains_poison(type)) return e;
  typed::Expression result;
  result.type = type;
  result.autodiff = e.autodiff;
  result.statement = e.statement;
  result.range = e.range;
  result.node = typed::Promotion{boxed(std::move(e))};
  return result;
}

void Checker::node(const ast::IntLiteral& n, typed::Expression& result) {
  result.type = BaseType::integer;
  result.node = typed::IntLiteral{n.value};
}

void Checker::node(const ast::RealLiteral& n, typed::Expression& result) {
  result.type = BaseType::real;
  result.node = typed::RealLiteral{n.value};
}

void Checker::node(const ast::ImaginaryLiteral& n, typed::Expression& result) {
  result.type = BaseType::complex;
  result.node = typed::ImaginaryLiteral{n.value};
}

void Checker::node(const ast::StringLiteral& n, typed::Expression& result) {
  result.type = BaseType::text;
  result.node = typed::StringLiteral{n.text};
}

void Checker::node(const ast::Variable& n, typed::Expression& result) {
  result = variable(n, result.range);
}

typed::Expression Checker::variable(const ast::Variable& v, SourceRange range) {
  typed::Expression result;
  result.range = range;
  result.statement = statement_;
  Symbol* symbol = scopes_.find(v.name);
  if (symbol == nullptr) {
    report_unknown_variable(v.name, range);
    return result;
  }
  symbol->is_used = true;
  symbol->is_in_density |= !is_allowed(in_generated_quantities);
  result.type = symbol->type;
  if (!is_allowed(in_transformed_data | in_generated_quantities))
    result.autodiff = symbol->autodiff;
  result.node = typed::VariableUse{symbol->slot};
  const bool is_later = symbol->block != typed::BlockKind::data &&
                        symbol->block != typed::BlockKind::transformed_data;
  if (in_global_size_ && is_later) {
    report(DiagCode::not_data_only, range, {"a size", v.name},
           "sizes may use data and transformed data");
  }
  return result;
}

void Checker::node(const ast::TargetValue&, typed::Expression& result) {
  require_place(in_transformed_parameters | in_model | in_lp_function, "target()", result.range);
  result.type = BaseType::real;
  result.autodiff.always = true;
  result.node = typed::TargetValue{};
}

void Checker::node(const ast::Unary& n, typed::Expression& result) {
  static constexpr std::array<std::string_view, 4> kNames{"plus", "minus", "logical_negation",
                                                          "transpose"};
  std::vector<typed::Expression> operands;
  operands.push_back(expression(*n.operand));
  apply_operator(kNames[static_cast<std::size_t>(n.op)], spelling(n.op), std::move(operands),
                 result);
}

// A chain of operators, from its first operand on: a sum may have many thousand terms, and the
// typed tree must not be as high.
void Checker::node(const ast::Binary& n, typed::Expression& result) {
  std::vector<const ast::Expression*> chain;
  const ast::Expression* first = n.left.get();
  for (; ast::as<ast::Binary>(*first) != nullptr; first = ast::as<ast::Binary>(*first)->left.get())
    chain.push_back(first);
  const bool is_long = ssize(chain) >= ast::kMaxTreeHeight;
  const bool is_root = root_ != nullptr && ast::as<ast::Binary>(*root_) == &n;
  if (is_long && !is_root) {
    report(DiagCode::expression_too_long, result.range, {std::to_string(ast::kMaxTreeHeight)},
           "give the sum a name of its own: real total = ...;");
    return;
  }
  typed::Expression left = expression(*first);
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    typed::Expression next;
    next.range = (*link)->range;
    next.statement = statement_;
    combine(*ast::as<ast::Binary>(**link), std::move(left), next);
    left = std::move(next);
    const bool is_part = is_long && (link - chain.rbegin() + 1) % kPartOfChain == 0;
    if (is_part && !is_poisoned(left)) set_aside(left);
  }
  combine(n, std::move(left), result);
}

// The first part of a long chain is stored in a variable without a name, which is set just
// before the statement: the statement evaluates nothing before the chain.
void Checker::set_aside(typed::Expression& part) {
  if (!part.type.is_int() && !part.type.is_real()) {
    report(DiagCode::expression_too_long, part.range, {std::to_string(ast::kMaxTreeHeight)},
           "assign a part of it first");
    part.type = UnsizedType();
    return;
  }
  auto type = std::make_shared<typed::SizedType>();
  type->type = part.type;
  const typed::Slot slot{true, static_cast<int>(locals_->size())};
  locals_->push_back({"", part.type, part.autodiff, part.range});
  typed::Expression use;
  use.type = part.type;
  use.autodiff = part.autodiff;
  use.statement = part.statement;
  use.range = part.range;
  use.node = typed::VariableUse{slot};
  typed::Statement statement;
  statement.id = statement_;
  statement.range = part.range;
  statement.node = typed::Declaration{slot, "", std::move(type), boxed(std::move(part))};
  before_root_->push_back(std::move(statement));
  part = std::move(use);
}

void Checker::combine(const ast::Binary& n, typed::Expression left, typed::Expression& result) {
  typed::Expression right = expression(*n.right);
  if (is_poisoned(left) || is_poisoned(right)) return;
  warn_about_operands(n, left, right, n.op_range);
  if (n.op == ast::BinaryOp::logical_and || n.op == ast::BinaryOp::logical_or) {
    if (left.type.is_int() && right.type.is_int()) {
      result.type = BaseType::integer;
      result.node = typed::ShortCircuit{n.op == ast::BinaryOp::logical_and, boxed(std::move(left)),
                                        boxed(std::move(right))};
      return;
    }
  }
  const BaseType divisor = right.type.base, dividend = left.type.base;
  const bool scalars_only = left.type.is_scalar() || right.type.depth + left.type.depth > 0;
  const bool right_division =
      n.op == ast::BinaryOp::divide && !scalars_only &&
      (divisor == BaseType::matrix || divisor == BaseType::complex_matrix) &&
      dividend != BaseType::vector && dividend != BaseType::complex_vector;
  std::vector<typed::Expression> operands;
  operands.push_back(std::move(left));
  operands.push_back(std::move(right));
  const std::string_view function = right_division ? "mdivide_right" : function_of(n.op);
  apply_operator(function, spelling(n.op), std::move(operands), result);
}

void Checker::warn_about_operands(const ast::Binary& n, const typed::Expression& left,
                                  const typed::Expression& right, SourceRange range) {
  if (n.op == ast::BinaryOp::divide && left.type.is_int() && right.type.is_int()) {
    report(DiagCode::int_division, range, {quotient_text(*n.left, *n.right)});
  }
  if (is_comparison(n.op) && (is_bare_comparison(*n.left) || is_bare_comparison(*n.right))) {
    report(DiagCode::comparison_chain, range);
  }
}

void Checker::node(const ast::Conditional& n, typed::Expression& result) {
  typed::Conditional conditional;
  conditional.condition = boxed(condition(*n.condition, "?:"));
  typed::Expression yes = expression(*n.if_true), no = expression(*n.if_false);
  const auto type = common_type(yes.type, no.type);
  if (!type) {
    report(DiagCode::branch_types, result.range, {to_string(yes.type), to_string(no.type)});
    return;
  }
  result.type = *type;
  if (!is_int_based(*type)) result.autodiff = yes.autodiff, result.autodiff.join(no.autodiff);
  conditional.if_true = boxed(promoted(std::move(yes), *type));
  conditional.if_false = boxed(promoted(std::move(no), *type));
  result.node = std::move(conditional);
}

void Checker::node(const ast::Call& n, typed::Expression& result) {
  typed::Call made;
  if (!call(n, result.range, made, result.type)) return;
  result.autodiff = autodiff_of_call(made, result.type);
  result.node = std::move(made);
}

void Checker::node(const ast::Indexed& n, typed::Expression& result) {
  typed::Indexed indexed;
  indexed.base = boxed(expression(*n.base));
  indexed.indices = indices(n.indices);
  result.type = indexed_type(indexed.base->type, indexed.indices, result.range);
  result.autodiff = indexed.base->autodiff;
  result.node = std::move(indexed);
}

void Checker::node(const ast::Projection& n, typed::Expression& result) {
  typed::Projection projection;
  projection.base = boxed(expression(*n.tuple));
  projection.element = n.position - 1;
  result.type = projected_type(projection.base->type, n.position, result.range);
  if (!is_int_based(result.type)) result.autodiff = projection.base->autodiff;
  result.node = std::move(projection);
}

std::vector<typed::Expression> Checker::elements(const std::vector<ast::Expression>& from,
                                                 typed::Autodiff& autodiff) {
  std::vector<typed::Expression> result;
  for (const ast::Expression& e : from) {
    result.push_back(expression(e));
    autodiff.join(result.back().autodiff);
  }
  return result;
}

std::optional<UnsizedType> Checker::shared_type(const std::vector<typed::Expression>& elements) {
  UnsizedType type;
  for (const typed::Expression& e : elements) {
    const auto common = common_type(type, e.type);
    if (!common) {
      report(DiagCode::element_types, e.range, {to_string(type), to_string(e.type)});
      return std::nullopt;
    }
    type = *common;
  }
  return type;
}

void Checker::node(const ast::ArrayLiteral& n, typed::Expression& result) {
  typed::ArrayLiteral literal{elements(n.elements, result.autodiff)};
  const auto type = shared_type(literal.elements);
  if (!type) return;
  for (typed::Expression& e : literal.elements) e = promoted(std::move(e), *type);
  result.type = array_of(*type);
  result.node = std::move(literal);
}

// Scalars make a row vector, row vectors a matrix; any complex one makes all complex.
void Checker::node(const ast::RowLiteral& n, typed::Expression& result) {
  std::vector<typed::Expression> parts = elements(n.elements, result.autodiff);
  const auto shared = shared_type(parts);
  if (!shared) return;
  const bool poisoned = std::any_of(parts.begin(), parts.end(), is_poisoned);
  if (poisoned) return;
  const bool of_scalars = parts.empty() || shared->is_scalar();
  const bool of_rows = shared->is(BaseType::row_vector) || shared->is(BaseType::complex_row_vector);
  if (!of_scalars && !of_rows) {
    report(DiagCode::type_mismatch, result.range,
           {"an element of [ ]", "a scalar or a row_vector", to_string(*shared)},
           shared->is(BaseType::vector) ? "transpose it with '" : "");
    return;
  }
  const UnsizedType element =
      shared->is_int() || parts.empty() ? UnsizedType(BaseType::real) : *shared;
  const bool is_complex = contains_complex(element);
  for (typed::Expression& e : parts) e = promoted(std::move(e), element);
  if (of_scalars) {
    result.type = is_complex ? BaseType::complex_row_vector : BaseType::row_vector;
    result.node = typed::RowVectorLiteral{std::move(parts)};
  } else {
    result.type = is_complex ? BaseType::complex_matrix : BaseType::matrix;
    result.node = typed::MatrixLiteral{std::move(parts)};
  }
}

void Checker::node(const ast::TupleLiteral& n, typed::Expression& result) {
  typed::TupleLiteral literal{elements(n.elements, result.autodiff)};
  std::vector<UnsizedType> types;
  for (const typed::Expression& e : literal.elements) types.push_back(e.type);
  result.type = UnsizedType::tuple(std::move(types));
  result.node = std::move(literal);
}

namespace {
std::string_view function_of(ast::BinaryOp op) {
  using enum ast::BinaryOp;
  static constexpr std::array<std::pair<ast::BinaryOp, std::string_view>, 19> kNames{{
      {logical_or, "logical_or"},
      {logical_and, "logical_and"},
      {equal, "logical_eq"},
      {not_equal, "logical_neq"},
      {less, "logical_lt"},
      {less_equal, "logical_lte"},
      {greater, "logical_gt"},
      {greater_equal, "logical_gte"},
      {add, "add"},
      {subtract, "subtract"},
      {multiply, "multiply"},
      {divide, "divide"},
      {modulo, "modulus"},
      {elementwise_multiply, "elt_multiply"},
      {elementwise_divide, "elt_divide"},
      {left_divide, "mdivide_left"},
      {int_divide, "idivide"},
      {power, "pow"},
      {elementwise_power, "pow"},
  }};
  return std::find_if(kNames.begin(), kNames.end(),
                      [&](const auto& row) { return row.first == op; })
      ->second;
}

bool is_comparison(ast::BinaryOp op) {
  return op >= ast::BinaryOp::equal && op <= ast::BinaryOp::greater_equal;
}

std::string quotient_text(const ast::Expression& a, const ast::Expression& b) {
  const auto *left = ast::as<ast::IntLiteral>(a), *right = ast::as<ast::IntLiteral>(b);
  if (left == nullptr || right == nullptr || right->value == 0) return "an int";
  const std::string text = std::to_string(left->value) + " / " + std::to_string(right->value);
  return text + " is " + std::to_string(left->value / right->value);
}

bool is_bare_comparison(const ast::Expression& e) {
  const auto* binary = ast::as<ast::Binary>(e);
  return binary != nullptr && is_comparison(binary->op) &&
         e.range.begin == binary->left->range.begin;
}
}  // namespace
}  // namespace credo::lang
