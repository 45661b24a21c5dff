// The untyped syntax tree: what the parser makes of a program's text, before names and types are
// known.
//
// Every node has the range of its text. Each family (Expression, Statement) is a struct with a
// variant of its forms; walk it with std::visit, or ask for one form with as<Call>(expression).
// Parentheses are not kept: the tree's shape says it, and an expression's range covers them. A
// tree's height is limited (kMaxTreeHeight), so walks may recurse; but a chain of operators, a + b
// + c, has up to kMaxChain of them, each the left operand of the next: walks follow it in a loop.
#pragma once
#include "base/std.hpp"
#include "lang/diagnostics/source.hpp"

namespace credo::lang::ast {

inline constexpr int kMaxTreeHeight = 1000, kMaxChain = 200'000;

struct Expression;
struct Statement;
struct DeleteExpression {  // follows a chain in a loop
  DeleteExpression() = default;
  DeleteExpression(std::default_delete<Expression>) {}  // NOLINT: implicit
  void operator()(Expression* e) const;
};
using ExpressionPtr = std::unique_ptr<Expression, DeleteExpression>;
using StatementPtr = std::unique_ptr<Statement>;

struct Name {
  std::string text;
  SourceRange range;
};

// --- expressions
// ----------------------------------------------------------------------------------------------------

enum class UnaryOp : std::uint8_t { plus, minus, logical_not, transpose };
enum class BinaryOp : std::uint8_t {
  logical_or,
  logical_and,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  elementwise_multiply,
  elementwise_divide,
  left_divide,
  int_divide,
  power,
  elementwise_power,
};
std::string_view spelling(UnaryOp op);
std::string_view spelling(BinaryOp op);  // "+", ".*", "%/%"

struct IntLiteral {
  std::int32_t value = 0;
};
struct RealLiteral {
  double value = 0;
  std::string spelling;
};  // spelling without underscores
struct ImaginaryLiteral {
  double value = 0;
  std::string spelling;
};  // 3i: value 3, spelling "3"
struct StringLiteral {
  std::string text;
};  // only an item of Output
struct Variable {
  std::string name;
};
struct TargetValue {};  // target()
struct Unary {
  UnaryOp op{};
  ExpressionPtr operand;
};
struct Binary {
  BinaryOp op{};
  ExpressionPtr left, right;
  SourceRange op_range;
};
struct Conditional {
  ExpressionPtr condition, if_true, if_false;
};
struct Call {  // also of a user's function; callbacks are Variables in arguments
  Name function;
  std::vector<Expression> arguments;
  bool has_bar = false;  // f(y | a, b): the first argument is separated by a bar
};
enum class IndexKind : std::uint8_t {
  all,
  at,
  from,
  up_to,
  between
};  // x[:] or x[], x[e], x[e:], x[:e], x[e:e]
struct Index {
  IndexKind kind{};
  ExpressionPtr first, last;  // at: first; from: first; up_to: last; between: both
  SourceRange range;
};
struct Indexed {
  ExpressionPtr base;
  std::vector<Index> indices;
};  // one bracket; x[i][j] is two of them
struct Projection {
  ExpressionPtr tuple;
  std::int32_t position = 1;
};  // t.1: position 1, the first element
struct ArrayLiteral {
  std::vector<Expression> elements;
};  // {a, b}, never empty
struct RowLiteral {
  std::vector<Expression> elements;
};  // [a, b]: row vector or matrix; may be empty
struct TupleLiteral {
  std::vector<Expression> elements;
};  // (a, b), (a,); also a left side

struct Expression {
  using Node = std::variant<IntLiteral, RealLiteral, ImaginaryLiteral, StringLiteral, Variable,
                            TargetValue, Unary, Binary, Conditional, Call, Indexed, Projection,
                            ArrayLiteral, RowLiteral, TupleLiteral>;
  Node node;
  SourceRange range;
  std::int32_t height = 1;  // 1 for a leaf
};

// --- types
// ----------------------------------------------------------------------------------------------------------

enum class TypeName : std::uint8_t {
  void_,
  int_,
  real,
  complex,
  vector,
  row_vector,
  matrix,
  complex_vector,
  complex_row_vector,
  complex_matrix,
  ordered,
  positive_ordered,
  simplex,
  unit_vector,
  sum_to_zero_vector,
  sum_to_zero_matrix,
  column_stochastic_matrix,
  row_stochastic_matrix,
  cholesky_factor_corr,
  cholesky_factor_cov,
  corr_matrix,
  cov_matrix,
  tuple,
};
std::string_view spelling(TypeName name);

// Contents of < >. Bounds and offset/multiplier exclude each other (the parser checks it).
struct Constraint {
  ExpressionPtr lower, upper, offset, multiplier;  // null where absent
  SourceRange range;
  bool empty() const { return !lower && !upper && !offset && !multiplier; }
};

// The type of a declaration: array[array_sizes] name<constraint>[sizes], or a tuple of elements.
struct SizedType {
  TypeName name{};
  std::vector<Expression> array_sizes;  // empty if it is no array
  std::vector<Expression>
      sizes;  // the parser has checked their number: vector 1, matrix 2, int 0, ...
  Constraint constraint;
  std::vector<SizedType> elements;  // elements of a tuple
  SourceRange range;
};

// The type of a function's argument or result: array[,] name. name is never a constrained type.
struct UnsizedType {
  TypeName name{};
  int array_dims = 0;
  std::vector<UnsizedType> elements;  // elements of a tuple
  SourceRange range;
};

// --- statements
// -----------------------------------------------------------------------------------------------------

struct Declarator {
  Name name;
  ExpressionPtr value;
};  // value: null without a definition
struct Declaration {
  SizedType type;
  std::vector<Declarator> variables;
};  // real a, b = 2;

enum class AssignOp : std::uint8_t {
  set,
  add,
  subtract,
  multiply,
  divide,
  elementwise_multiply,
  elementwise_divide
};
std::string_view spelling(AssignOp op);  // "=", "+="
// target is a Variable, an Indexed or Projection of a target, or a TupleLiteral of targets (only
// with AssignOp::set).
struct Assignment {
  AssignOp op{};
  Expression target, value;
};

struct Increment {  // target += value, jacobian += value
  enum class Of : std::uint8_t { target, jacobian } of{};
  Expression value;
};
struct Truncation {
  ExpressionPtr lower, upper;
  SourceRange range;
};              // T[lower, upper], null where absent
struct Tilde {  // outcome ~ distribution(arguments) T[,]
  Expression outcome;
  Name distribution;
  std::vector<Expression> arguments;
  std::optional<Truncation> truncation;
};
struct CallStatement {
  Call call;
};
struct Output {
  enum class Kind : std::uint8_t { print, reject, fatal_error } kind{};
  std::vector<Expression> items;  // StringLiteral or any other expression
};
struct If {
  Expression condition;
  StatementPtr then, otherwise;
};  // otherwise: null without else
struct While {
  Expression condition;
  StatementPtr body;
};
struct ForRange {
  Name variable;
  Expression first, last;
  StatementPtr body;
};
struct ForEach {
  Name variable;
  Expression container;
  StatementPtr body;
};
struct Block {
  std::vector<Statement> statements;
};
struct Profile {
  std::string name;
  std::vector<Statement> statements;
};
struct Break {};
struct Continue {};
struct Return {
  ExpressionPtr value;
};                // null in a void function
struct Empty {};  // ;

struct Statement {
  using Node =
      std::variant<Declaration, Assignment, Increment, Tilde, CallStatement, Output, If, While,
                   ForRange, ForEach, Block, Profile, Break, Continue, Return, Empty>;
  Node node;
  SourceRange range;
};

// --- program
// --------------------------------------------------------------------------------------------------------

struct Argument {
  UnsizedType type;
  Name name;
  bool is_data = false;
};
struct FunctionDefinition {
  UnsizedType result;
  Name name;
  std::vector<Argument> arguments;
  std::optional<Block> body;  // empty for a forward declaration
  SourceRange range;          // result type to closing brace or semicolon
  SourceRange signature;      // result type to closing parenthesis
};

enum class BlockKind : std::uint8_t {
  data,
  transformed_data,
  parameters,
  transformed_parameters,
  model,
  generated_quantities
};
inline constexpr std::size_t kNumBlocks = 6;
std::string_view spelling(BlockKind kind);  // "transformed data"

struct ProgramBlock {
  bool present = false;
  std::vector<Statement> statements;  // data and parameters: Declarations only
  SourceRange range;                  // its name to the closing brace
};

struct Program {
  bool has_functions = false;
  std::vector<FunctionDefinition> functions;
  std::array<ProgramBlock, kNumBlocks> blocks;

  ProgramBlock& operator[](BlockKind kind) { return blocks[static_cast<std::size_t>(kind)]; }
  const ProgramBlock& operator[](BlockKind kind) const {
    return blocks[static_cast<std::size_t>(kind)];
  }
};

// The node if it has the form Form, else null: if (const Call* call = as<Call>(expression)) ...
template <class Form>
const Form* as(const Expression& expression) {
  return std::get_if<Form>(&expression.node);
}
template <class Form>
const Form* as(const Statement& statement) {
  return std::get_if<Form>(&statement.node);
}

// Equal up to ranges and heights: print and parse keep a tree in this sense.
bool same_tree(const Program& a, const Program& b);
bool same_tree(const Expression& a, const Expression& b);

}  // namespace credo::lang::ast
