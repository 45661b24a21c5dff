// The typed tree: what the checker makes of a program and the tracer walks. Every name is resolved
// to a slot or a function, every promotion is an explicit node, every expression knows its type,
// its place and its statement.
//
// Storage. Top-level variables of all blocks live in one global frame (Program::globals, slot =
// position). Variables inside braces, in the model block and loop variables live in the frame of
// their block (Block::locals), those of a function in the frame of the call (Function::variables,
// parameters first). Slots aren't shared between siblings.
#pragma once
#include "lang/diagnostics/source.hpp"
#include "lang/typed/types.hpp"

namespace credo::lang::typed {

struct Expression;
struct Statement;
using Box = std::unique_ptr<Expression>;
using Body = std::unique_ptr<Statement>;

// True if an expression has autodiff type, by Stan's static rule (language facts 8.5, 10.3): if
// it contains parameters, transformed parameters or real-valued locals of model and transformed
// parameters. In the body of a function it depends on the call: bit k of `arguments` says "if
// argument k of this call has" (argument 63 and later share bit 63).
struct Autodiff {
  bool always = false;
  std::uint64_t arguments = 0;

  bool in_call(std::uint64_t autodiff_arguments) const {
    return always || (arguments & autodiff_arguments) != 0;
  }
  bool is_data() const { return !always && arguments == 0; }
  void join(Autodiff other) { always |= other.always, arguments |= other.arguments; }
  static constexpr std::uint64_t bit(std::size_t argument) {
    return std::uint64_t{1} << (argument < 63 ? argument : 63);
  }
};

struct Slot {
  bool local = false;
  int index = -1;
};

// A resolved function: one of the program's, or a built-in by its place in the table of names
// (signatures.hpp) and the id of the matching signature (-1 where the name has typing rules of its
// own).
struct FunctionRef {
  int user = -1;     // index into Program::functions
  int builtin = -1;  // builtin_name(builtin) == name
  int signature = -1;
  std::string_view name;  // static storage for built-ins, of Function::name for user functions

  bool is_user() const { return user >= 0; }
};

enum class IndexKind : std::uint8_t {
  all,     // `:` or nothing
  single,  // first = int expression; removes the dimension
  multi,   // first = array[] int; keeps it
  range,   // first : last, both included; first or last is null for `a:` and `:b`
};

struct IndexArgument {
  IndexKind kind = IndexKind::all;
  Box first, last;
};

// ---- expressions
// ---------------------------------------------------------------------------------------------------

struct IntLiteral {
  int value = 0;
};
struct RealLiteral {
  double value = 0;
};
struct ImaginaryLiteral {
  double value = 0;
};  // 3i is complex(0, 3)
struct StringLiteral {
  std::string value;
};  // argument of print, reject, fatal_error only
struct VariableUse {
  Slot slot;
};
struct Promotion {
  Box operand;
};  // from the operand's type to the expression's type
struct Conditional {
  Box condition, if_true, if_false;
};  // both branches have the expression's type
struct ShortCircuit {
  bool is_and = false;
  Box left, right;
};
struct TargetValue {};  // target()
struct FunctionName {
  FunctionRef function;
  bool drops_constants = false;  // spelt _lupdf or _lupmf
};                               // a function passed by name

// A call of a function or of an operator (by its name: add, multiply, pow, elt_divide, transpose,
// logical_lt, logical_negation, minus, ...; `%/%` is idivide, which has no call form). Arguments
// have exactly the types of the signature. drops_constants: written _lupdf or _lupmf; `function` is
// then the _lpdf or _lpmf. In the body of a user function it only takes effect when the function
// itself was called so.
struct Call {
  FunctionRef function;
  std::vector<Expression> arguments;
  bool drops_constants = false;
  bool is_operator = false;
  std::int32_t site = 0;  // number among calls of _rng functions, from 1
};
struct Indexed {
  Box base;
  std::vector<IndexArgument> indices;
};  // one bracket; trailing dimensions are `all`
struct Projection {
  Box base;
  int element = 0;
};  // 0-based
struct ArrayLiteral {
  std::vector<Expression> elements;
};  // all of the element type
struct RowVectorLiteral {
  std::vector<Expression> elements;
};  // all real or all complex; may be empty
struct MatrixLiteral {
  std::vector<Expression> rows;
};
struct TupleLiteral {
  std::vector<Expression> elements;
};

struct Expression {
  UnsizedType type;
  Autodiff autodiff;
  int statement = 0;  // id, index into Program::statement_ranges
  SourceRange range;
  std::variant<std::monostate, IntLiteral, RealLiteral, ImaginaryLiteral, StringLiteral,
               VariableUse, Promotion, Conditional, ShortCircuit, TargetValue, FunctionName, Call,
               Indexed, Projection, ArrayLiteral, RowVectorLiteral, MatrixLiteral, TupleLiteral>
      node;
};

// ---- declared types
// ------------------------------------------------------------------------------------------------

enum class Constraint : std::uint8_t {
  none,
  bounds,  // lower and/or upper
  affine,  // offset and/or multiplier
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
};

struct SizedType {
  UnsizedType type;                     // array dimensions included
  std::vector<Expression> array_sizes;  // outermost first
  std::vector<Expression> sizes;  // the base's, as written: [N], [M, N]; [K] for square matrix
                                  // types and also for cholesky_factor_cov[K]
  Constraint constraint = Constraint::none;
  Box lower, upper, offset,
      multiplier;  // null when absent; scalar, of the element's type, or of the whole array type
  std::vector<SizedType> elements;  // elements of a tuple
};
bool has_constraint(const SizedType& type);  // also inside a tuple
bool has_size_zero(const SizedType& type);   // as a literal: `array[0] real x`

// ---- statements
// ----------------------------------------------------------------------------------------------------

// Target of an assignment: a variable, then bracket groups and tuple projections from left to right.
struct Access {
  std::vector<IndexArgument> indices;
  int projection = -1;  // 0-based element of a tuple when not negative; indices is empty then
};
struct AssignmentTarget {
  Slot slot;
  std::vector<Access> accesses;
  UnsizedType type;  // type of the selected part
  SourceRange range;
};

struct Declaration {
  Slot slot;
  std::string name;
  std::shared_ptr<const SizedType> type;  // shared by the names of one declaration
  Box value;                              // null without a definition
};
// target = value, or target = op(target, value) with `op` an operator's function when op.builtin or
// op.user >= 0. The value is then of the operator's second argument type.
struct Assignment {
  AssignmentTarget target;
  FunctionRef op;
  Expression value;
};
// (a, (b, c)) = value; leaves in order of writing, each with the path of tuple elements that leads
// to it.
struct Unpacking {
  struct Leaf {
    AssignmentTarget target;
    std::vector<int> path;
  };
  std::vector<Leaf> leaves;
  Expression value;
};
struct TargetIncrement {
  Expression value;
};  // all elements are added
struct JacobianIncrement {
  Expression value;
};

// outcome ~ foo(args) T[lower, upper]. `density` is the call of foo_lpdf or foo_lpmf, outcome
// first, with drops_constants set. lcdf and lccdf are resolved when there is a bound; bounds are
// null when absent.
struct Distribution {
  Call density;
  bool is_discrete = false;
  Box lower, upper;
  FunctionRef lcdf, lccdf;
};

struct If {
  Expression condition;
  Body if_true, if_false;
};  // if_false may be null
struct While {
  Expression condition;
  Body body;
};
struct ForRange {
  Slot slot;
  Expression first, last;
  Body body;
};
struct ForEach {
  Slot slot;
  Expression container;
  Body body;
};
struct Sequence {
  std::vector<Statement> statements;
};  // braces
struct Profile {
  std::string name;
  std::vector<Statement> statements;
};
struct Break {};
struct Continue {};
struct Return {
  Box value;
};  // null in void functions
struct CallStatement {
  Call call;
};  // call of a void function
enum class MessageKind : std::uint8_t { print, reject, fatal_error };
struct Message {
  MessageKind kind = MessageKind::print;
  std::vector<Expression> arguments;
};
struct Empty {};

struct Statement {
  int id = 0;  // 1-based and dense over the program, index into Program::statement_ranges
  SourceRange range;
  std::variant<Empty, Declaration, Assignment, Unpacking, TargetIncrement, JacobianIncrement,
               Distribution, If, While, ForRange, ForEach, Sequence, Profile, Break, Continue,
               Return, CallStatement, Message>
      node;
};

// ---- program
// -------------------------------------------------------------------------------------------------------

enum class BlockKind : std::uint8_t {
  functions,
  data,
  transformed_data,
  parameters,
  transformed_parameters,
  model,
  generated_quantities,
};

struct Variable {
  std::string name;
  UnsizedType type;
  Autodiff autodiff;
  SourceRange declared;
};
struct GlobalVariable : Variable {
  BlockKind block = BlockKind::data;
  std::shared_ptr<const SizedType> sized_type;
};

// Data and parameters hold declarations only, the model no global declarations.
struct Block {
  bool present = false;
  SourceRange range;
  std::vector<Statement> statements;
  std::vector<Variable> locals;  // slot -> variable
};

enum class Suffix : std::uint8_t { none, lpdf, lpmf, cdf, lcdf, lccdf, lp, rng, jacobian };

struct Function {
  std::string name;
  SourceRange declared;
  UnsizedType result;
  Suffix suffix = Suffix::none;
  std::vector<bool> data_only;      // per parameter
  std::vector<Variable> variables;  // slot -> variable; the parameters come first
  std::shared_ptr<const Statement> body;  // programs with the same functions share it

  std::size_t num_parameters() const { return data_only.size(); }
};

struct Program {
  std::vector<Function> functions;
  std::vector<GlobalVariable> globals;  // slot -> variable, in declaration order
  Block data, transformed_data, parameters, transformed_parameters, model, generated_quantities;
  std::vector<SourceRange> statement_ranges;  // statement id -> place; [0] is unused
  bool has_print = false;                     // anywhere

  const Block& block(BlockKind kind) const;
  Block& block(BlockKind kind);
};

}  // namespace credo::lang::typed
