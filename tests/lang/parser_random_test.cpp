#include <gtest/gtest.h>

#include "lang/parser_random.hpp"
#include "lang/syntax/ast_dump.hpp"

namespace credo::lang::testing {
namespace {
using namespace ast;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  Program program();

 private:
  int below(int limit) {  // xorshift64* [vigna2016]
    state_ ^= state_ >> 12, state_ ^= state_ << 25, state_ ^= state_ >> 27;
    return static_cast<int>((state_ * 0x2545F4914F6CDD1DULL >> 33) %
                            static_cast<std::uint64_t>(limit));
  }
  bool chance(int in) { return below(in) == 0; }
  template <class Enum>
  Enum any(int count) {
    return static_cast<Enum>(below(count));
  }

  Name name();
  Expression expression(int depth);
  Expression leaf();
  Expression compound(int depth);
  Expression target(int depth, bool tuple_allowed);
  ExpressionPtr boxed(int depth) { return std::make_unique<Expression>(expression(depth)); }
  std::vector<Expression> list(int least, int depth);
  Index index(int depth);
  Indexed indexed(Expression base, int depth);
  Call call(int depth);

  SizedType sized(bool constrained, int depth);
  Constraint constraint(TypeName name);
  UnsizedType unsized(int depth);

  Statement statement(int depth);
  Statement compound_statement(int depth);
  Statement simple_statement();
  Declaration declaration(bool constrained, bool defined);
  Tilde tilde();
  Output output();
  StatementPtr body(int depth) { return std::make_unique<Statement>(statement(depth)); }
  std::vector<Statement> statements(int depth);
  FunctionDefinition function();

  std::uint64_t state_;
};

Name Generator::name() {
  static constexpr std::string_view kNames[] = {"x",        "y1",    "T", "e",
                                                "foo_lpdf", "class", "i", "z_"};
  return {std::string(kNames[below(8)]), {}};
}

std::vector<Expression> Generator::list(int least, int depth) {
  std::vector<Expression> result;
  const int count = least + below(3);
  for (int i = 0; i < count; ++i) result.push_back(expression(depth));
  return result;
}

Expression Generator::leaf() {
  static constexpr std::string_view kReals[] = {"1.", ".5", "1e3", "2.5e-3", "0.0"};
  switch (below(6)) {
    case 0:
      return {IntLiteral{below(3) == 0 ? 2147483647 : below(100)}, {}};
    case 1:
      return {RealLiteral{0, std::string(kReals[below(5)])}, {}};
    case 2:
      return {ImaginaryLiteral{0, chance(2) ? "3" : "2.5e1"}, {}};
    case 3:
      return {TargetValue{}, {}};
    default:
      return {Variable{name().text}, {}};
  }
}

Expression Generator::expression(int depth) {
  return depth <= 0 || chance(4) ? leaf() : compound(depth - 1);
}

Expression Generator::compound(int depth) {
  switch (below(12)) {
    case 0:
      return {Unary{any<UnaryOp>(4), boxed(depth)}, {}};
    case 1:
      return {Conditional{boxed(depth), boxed(depth), boxed(depth)}, {}};
    case 2:
      return {call(depth), {}};
    case 3:
      return {indexed(expression(depth), depth), {}};
    case 4:
      return {Projection{boxed(depth), 1 + below(12)}, {}};
    case 5:
      return {ArrayLiteral{list(1, depth)}, {}};
    case 6:
      return {RowLiteral{list(0, depth)}, {}};
    case 7:
      return {TupleLiteral{list(1, depth)}, {}};
    default:
      return {Binary{any<BinaryOp>(19), boxed(depth), boxed(depth), {}}, {}};
  }
}

Call Generator::call(int depth) {
  Call result{name(), list(0, depth), false};
  result.has_bar = !result.arguments.empty() && chance(2);
  return result;
}

Index Generator::index(int depth) {
  Index result{any<IndexKind>(5), nullptr, nullptr, {}};
  const IndexKind kind = result.kind;
  const bool first = kind == IndexKind::at || kind == IndexKind::from || kind == IndexKind::between;
  const bool last = kind == IndexKind::up_to || kind == IndexKind::between;
  if (first) result.first = boxed(depth);
  if (last) result.last = boxed(depth);
  return result;
}

Indexed Generator::indexed(Expression base, int depth) {
  Indexed result{std::make_unique<Expression>(std::move(base)), {}};
  const int count = 1 + below(3);
  for (int i = 0; i < count; ++i) result.indices.push_back(index(depth));
  return result;
}

Expression Generator::target(int depth, bool tuple_allowed) {
  if (depth > 0 && tuple_allowed && chance(4)) {
    TupleLiteral tuple;
    const int count = 1 + below(3);
    for (int i = 0; i < count; ++i) tuple.elements.push_back(target(depth - 1, true));
    return {std::move(tuple), {}};
  }
  if (depth > 0 && chance(2)) return {indexed(target(depth - 1, false), 1), {}};
  if (depth > 0 && chance(3)) {
    auto base = std::make_unique<Expression>(target(depth - 1, false));
    return {Projection{std::move(base), 1 + below(3)}, {}};
  }
  return {Variable{name().text}, {}};
}

Constraint Generator::constraint(TypeName type) {
  Constraint result;
  if (type == TypeName::complex || type >= TypeName::complex_vector) return result;
  const bool affine = type != TypeName::int_ && chance(3);
  if (chance(2)) (affine ? result.offset : result.lower) = boxed(2);
  if (chance(2)) (affine ? result.multiplier : result.upper) = boxed(2);
  return result;
}

SizedType Generator::sized(bool constrained, int depth) {
  SizedType result;
  if (chance(3)) result.array_sizes = list(1, 1);
  if (depth > 0 && chance(5)) {
    result.name = TypeName::tuple;
    const int count = 1 + below(3);
    for (int i = 0; i < count; ++i) result.elements.push_back(sized(constrained, depth - 1));
    return result;
  }
  result.name = static_cast<TypeName>(1 + below(constrained ? 21 : 9));
  if (constrained) result.constraint = constraint(result.name);
  const std::string_view word = spelling(result.name);
  const bool scalar = result.name <= TypeName::complex;
  const bool two = (word.find("matrix") != word.npos && word.find("co") != 0) ||
                   word == "complex_matrix" || word == "column_stochastic_matrix";
  for (int i = 0; i < (scalar ? 0 : two ? 2 : 1); ++i) result.sizes.push_back(expression(1));
  return result;
}

UnsizedType Generator::unsized(int depth) {
  UnsizedType result;
  result.array_dims = chance(3) ? 1 + below(3) : 0;
  result.name = static_cast<TypeName>(1 + below(9));
  if (depth > 0 && chance(5)) {
    result.name = TypeName::tuple;
    const int count = 1 + below(3);
    for (int i = 0; i < count; ++i) result.elements.push_back(unsized(depth - 1));
  }
  return result;
}

Declaration Generator::declaration(bool constrained, bool defined) {
  Declaration result{sized(constrained, 2), {}};
  const int count = 1 + below(2);
  for (int i = 0; i < count; ++i) {
    result.variables.push_back({name(), defined && chance(2) ? boxed(3) : nullptr});
  }
  return result;
}

Tilde Generator::tilde() {
  Tilde result{expression(3), name(), list(0, 2), std::nullopt};
  if (chance(3)) {
    result.truncation.emplace();
    if (chance(2)) result.truncation->lower = boxed(2);
    if (chance(2)) result.truncation->upper = boxed(2);
  }
  return result;
}

Output Generator::output() {
  Output result{any<Output::Kind>(3), list(1, 2)};
  if (chance(2)) result.items.push_back({StringLiteral{"a // b /* # "}, {}});
  return result;
}

Statement Generator::simple_statement() {
  switch (below(10)) {
    case 0:
      return {declaration(false, true), {}};
    case 1:
      return {Increment{any<Increment::Of>(2), expression(4)}, {}};
    case 2:
      return {tilde(), {}};
    case 3:
      return {CallStatement{call(3)}, {}};
    case 4:
      return {output(), {}};
    case 5:
      return {Break{}, {}};
    case 6:
      return {Continue{}, {}};
    case 7:
      return {Return{chance(2) ? boxed(3) : nullptr}, {}};
    case 8:
      return {Empty{}, {}};
    default: {
      const auto op = any<AssignOp>(7);
      return {Assignment{op, target(3, op == AssignOp::set), expression(5)}, {}};
    }
  }
}

// An else behind it would belong to it, or to a statement in it.
bool ends_in_open_if(const Statement& s) {
  if (const auto* branch = as<If>(s)) {
    return !branch->otherwise || ends_in_open_if(*branch->otherwise);
  }
  if (const auto* loop = as<While>(s)) return ends_in_open_if(*loop->body);
  if (const auto* loop = as<ForRange>(s)) return ends_in_open_if(*loop->body);
  const auto* loop = as<ForEach>(s);
  return loop && ends_in_open_if(*loop->body);
}

Statement Generator::compound_statement(int depth) {
  switch (below(6)) {
    case 0:
      return {While{expression(3), body(depth)}, {}};
    case 1:
      return {ForRange{name(), expression(2), expression(2), body(depth)}, {}};
    case 2:
      return {ForEach{name(), expression(2), body(depth)}, {}};
    case 3:
      return {Block{statements(depth)}, {}};
    case 4:
      return {Profile{"a b", statements(depth)}, {}};
    default: {
      If result{expression(3), body(depth), chance(2) ? body(depth) : nullptr};
      const bool open = result.otherwise && ends_in_open_if(*result.then);
      if (open) result.then = std::make_unique<Statement>(Statement{Block{}, {}});
      return {std::move(result), {}};
    }
  }
}

Statement Generator::statement(int depth) {
  return depth > 0 && chance(2) ? compound_statement(depth - 1) : simple_statement();
}

std::vector<Statement> Generator::statements(int depth) {
  std::vector<Statement> result;
  const int count = below(4);
  for (int i = 0; i < count; ++i) result.push_back(statement(depth));
  return result;
}

FunctionDefinition Generator::function() {
  FunctionDefinition result;
  if (!chance(4)) result.result = unsized(2);  // else void
  result.name = name();
  const int count = below(4);
  for (int i = 0; i < count; ++i) result.arguments.push_back({unsized(2), name(), chance(3)});
  if (chance(2)) result.body = Block{statements(2)};
  return result;
}

Program Generator::program() {
  Program result;
  result.has_functions = chance(2);
  const int count = result.has_functions ? below(3) : 0;
  for (int i = 0; i < count; ++i) result.functions.push_back(function());
  for (std::size_t i = 0; i < kNumBlocks; ++i) {
    const auto kind = static_cast<BlockKind>(i);
    const bool input = kind == BlockKind::data || kind == BlockKind::parameters;
    if (chance(2)) continue;
    result.blocks[i].present = true;
    const int declared = kind == BlockKind::model ? 0 : below(4);
    for (int d = 0; d < declared; ++d) {
      result.blocks[i].statements.push_back({declaration(true, !input), {}});
    }
    if (input) continue;
    for (Statement& s : statements(3)) {
      if (!as<Declaration>(s)) result.blocks[i].statements.push_back(std::move(s));
    }
  }
  return result;
}
}  // namespace

Program random_program(std::uint64_t seed) { return Generator(seed).program(); }

TEST(random_program, is_fixed_by_its_seed) {
  EXPECT_EQ(dump(random_program(7)), dump(random_program(7)));
  EXPECT_NE(dump(random_program(7)), dump(random_program(8)));
}

}  // namespace credo::lang::testing
