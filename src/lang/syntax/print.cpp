#include "lang/syntax/print.hpp"

namespace credo::lang {
using namespace ast;
namespace {
// How tightly a form binds, as in the parser's table of operators; 12 needs no parentheses
// anywhere.
constexpr int kLoosest = 1, kAdditive = 6, kPrefix = 9, kPower = 10, kPostfix = 11, kPrimary = 12;

int precedence(BinaryOp op) {
  static constexpr std::array<int, 19> kLevels = {2, 3, 4, 4, 5, 5, 5, 5,      6,     6,
                                                  7, 7, 7, 7, 7, 8, 8, kPower, kPower};
  return kLevels[static_cast<std::size_t>(op)];
}
bool is_power(BinaryOp op) { return precedence(op) == kPower; }

int precedence(const Expression& e) {
  if (as<Conditional>(e)) return kLoosest;
  if (const auto* binary = as<Binary>(e)) return precedence(binary->op);
  const auto* unary = as<Unary>(e);
  if (!unary) return kPrimary;
  return unary->op == UnaryOp::transpose ? kPostfix : kPrefix;
}

class Printer {
 public:
  std::string text;

  // An expression, in parentheses if it binds looser than `loosest`.
  void expression(const Expression& e, int loosest = kLoosest);
  void statement(const Statement& s);
  void program(const Program& p);
  template <class T>
  void tuple(const std::vector<T>& types);
  void type(const SizedType& t);
  void type(const UnsizedType& t);

  void operator()(const IntLiteral& e) { put(std::to_string(e.value)); }
  void operator()(const RealLiteral& e) { put(e.spelling); }
  void operator()(const ImaginaryLiteral& e) { put(e.spelling, "i"); }
  void operator()(const StringLiteral& e) { put("\"", e.text, "\""); }
  void operator()(const Variable& e) { put(e.name); }
  void operator()(const TargetValue&) { put("target()"); }
  void operator()(const Unary& e);
  void operator()(const Binary& e);
  void right_of(const Binary& e);
  void operator()(const Conditional& e);
  void operator()(const Call& e);
  void operator()(const Indexed& e);
  void operator()(const Projection& e);
  void operator()(const ArrayLiteral& e) { put("{", e.elements, "}"); }
  void operator()(const RowLiteral& e) { put("[", e.elements, "]"); }
  void operator()(const TupleLiteral& e) {
    put("(", e.elements, e.elements.size() == 1 ? ",)" : ")");
  }

  void operator()(const Declaration& s);
  void operator()(const Assignment& s) { put(s.target, " ", spelling(s.op), " ", s.value, ";"); }
  void operator()(const Increment& s) {
    put(s.of == Increment::Of::target ? "target" : "jacobian", " += ", s.value, ";");
  }
  void operator()(const Tilde& s);
  void operator()(const CallStatement& s) {
    (*this)(s.call);
    put(";");
  }
  void operator()(const Output& s);
  void operator()(const If& s);
  void operator()(const While& s) {
    put("while (", s.condition, ")");
    body(*s.body);
  }
  void operator()(const ForRange& s) {
    put("for (", s.variable.text, " in ", s.first, ":", s.last, ")");
    body(*s.body);
  }
  void operator()(const ForEach& s) {
    put("for (", s.variable.text, " in ", s.container, ")");
    body(*s.body);
  }
  void operator()(const Block& s) { braces(s.statements); }
  void operator()(const Profile& s) {
    put("profile(\"", s.name, "\") ");
    braces(s.statements);
  }
  void operator()(const Break&) { put("break;"); }
  void operator()(const Continue&) { put("continue;"); }
  void operator()(const Return& s) {
    put(s.value ? "return " : "return");
    if (s.value) put(*s.value);
    put(";");
  }
  void operator()(const Empty&) { put(";"); }

 private:
  void add(std::string_view words) { text += words; }
  void add(const Expression& e) { expression(e); }
  void add(const std::vector<Expression>& list);
  template <class... Parts>
  void put(const Parts&... parts) {
    (add(parts), ...);
  }

  void new_line() { text += '\n', text.append(static_cast<std::size_t>(2 * depth_), ' '); }
  void braces(const std::vector<Statement>& statements);
  void body(const Statement& s);
  void constraint(const Constraint& c);
  void index(const Index& i);
  void function(const FunctionDefinition& f);

  int depth_ = 0;
};

// --- expressions ---

void Printer::expression(const Expression& e, int loosest) {
  const bool parentheses = precedence(e) < loosest;
  if (parentheses) text += '(';
  std::visit(*this, e.node);
  if (parentheses) text += ')';
}

void Printer::add(const std::vector<Expression>& list) {
  bool first = true;
  for (const Expression& e : list) {
    if (!first) text += ", ";
    first = false;
    expression(e);
  }
}

void Printer::operator()(const Unary& e) {
  if (e.op == UnaryOp::transpose) {
    expression(*e.operand, kPostfix);
    put("'");
    return;
  }
  put(spelling(e.op));
  expression(*e.operand, kPrefix);
}

namespace {
// Lowest precedence of a left operand without parentheses.
int loosest_left(BinaryOp op) { return is_power(op) ? kPostfix : precedence(op); }
}  // namespace

// A prefix operator may stand to the right of any operator, because its operand ends at the next
// looser one: 2 ^ -1. To the left of ^ it needs parentheses: (-2) ^ 2.
void Printer::right_of(const Binary& e) {
  const auto* right = as<Unary>(*e.right);
  const bool prefix_right = right && right->op != UnaryOp::transpose;
  put(" ", spelling(e.op), " ");
  expression(*e.right, prefix_right ? kPrefix : is_power(e.op) ? kPower : precedence(e.op) + 1);
}

// The operators of a chain, each in the left operand of the one before, from the last to the first.
void Printer::operator()(const Binary& e) {
  std::vector<std::pair<const Binary*, bool>> chain{{&e, false}};  // and whether in parentheses
  for (;;) {
    const Binary& outer = *chain.back().first;
    const auto* inner = as<Binary>(*outer.left);
    if (inner == nullptr) break;
    const bool parentheses = precedence(inner->op) < loosest_left(outer.op);
    if (parentheses) text += '(';
    chain.emplace_back(inner, parentheses);
  }
  const Binary& first = *chain.back().first;
  expression(*first.left, loosest_left(first.op));
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    right_of(*link->first);
    if (link->second) text += ')';
  }
}

void Printer::operator()(const Conditional& e) {
  expression(*e.condition, kLoosest + 1);
  put(" ? ");
  expression(*e.if_true);
  put(" : ");
  expression(*e.if_false);
}

void Printer::operator()(const Call& e) {
  put(e.function.text, "(");
  for (std::size_t i = 0; i < e.arguments.size(); ++i) {
    if (i > 0) put(i == 1 && e.has_bar ? " | " : ", ");
    put(e.arguments[i]);
  }
  put(e.has_bar && e.arguments.size() == 1 ? " |)" : ")");
}

void Printer::operator()(const Indexed& e) {
  expression(*e.base, kPostfix);
  put("[");
  for (std::size_t i = 0; i < e.indices.size(); ++i) {
    if (i > 0) put(", ");
    index(e.indices[i]);
  }
  put("]");
}

void Printer::index(const Index& i) {
  if (i.first) put(*i.first);
  if (i.kind != IndexKind::at) put(":");
  if (i.last) put(*i.last);
}

// 1.1 would be a number and {a}.1 isn't valid, so only expressions that can be a tuple go
// without parentheses.
void Printer::operator()(const Projection& e) {
  const Expression& base = *e.tuple;
  const bool bare = as<Variable>(base) || as<Indexed>(base) || as<Projection>(base) ||
                    as<Call>(base) || as<TupleLiteral>(base) || as<TargetValue>(base) ||
                    as<RowLiteral>(base) || precedence(base) == kPostfix;
  expression(base, bare ? kPostfix : kPrimary + 1);
  put(".", std::to_string(e.position));
}

// --- types ---

void Printer::constraint(const Constraint& c) {
  if (c.empty()) return;
  std::string_view separator = "<";
  const auto part = [&](std::string_view word, const ExpressionPtr& value) {
    if (!value) return;
    put(separator, word, "=");
    expression(*value, kAdditive);
    separator = ", ";
  };
  part("lower", c.lower);
  part("upper", c.upper);
  part("offset", c.offset);
  part("multiplier", c.multiplier);
  put(">");
}

template <class T>
void Printer::tuple(const std::vector<T>& types) {
  for (std::size_t i = 0; i < types.size(); ++i) {
    put(i == 0 ? "(" : ", ");
    type(types[i]);
  }
  put(types.size() == 1 ? ",)" : ")");
}

void Printer::type(const SizedType& t) {
  if (!t.array_sizes.empty()) put("array[", t.array_sizes, "] ");
  put(spelling(t.name));
  constraint(t.constraint);
  if (!t.sizes.empty()) put("[", t.sizes, "]");
  if (t.name == TypeName::tuple) tuple(t.elements);
}

void Printer::type(const UnsizedType& t) {
  if (t.array_dims > 0) {
    put("array[", std::string(static_cast<std::size_t>(t.array_dims - 1), ','), "] ");
  }
  put(spelling(t.name));
  if (t.name == TypeName::tuple) tuple(t.elements);
}

// --- statements ---

void Printer::statement(const Statement& s) {
  new_line();
  std::visit(*this, s.node);
}

void Printer::braces(const std::vector<Statement>& statements) {
  put("{");
  ++depth_;
  for (const Statement& s : statements) statement(s);
  --depth_;
  new_line();
  put("}");
}

// Braces stay on the line of their statement; any other statement has its own line.
void Printer::body(const Statement& s) {
  if (as<Block>(s)) {
    put(" ");
    std::visit(*this, s.node);
    return;
  }
  ++depth_;
  statement(s);
  --depth_;
}

void Printer::operator()(const Declaration& s) {
  type(s.type);
  std::string_view separator = " ";
  for (const Declarator& d : s.variables) {
    put(separator, d.name.text);
    if (d.value) put(" = ", *d.value);
    separator = ", ";
  }
  put(";");
}

// An outcome that begins with a brace would be read as a block.
void Printer::operator()(const Tilde& s) {
  const std::string outcome = print(s.outcome);
  const bool like_block = outcome.starts_with('{');
  put(like_block ? "(" : "", outcome, like_block ? ")" : "", " ~ ", s.distribution.text, "(",
      s.arguments, ")");
  if (s.truncation) {
    put(" T[");
    if (s.truncation->lower) put(*s.truncation->lower);
    put(", ");
    if (s.truncation->upper) put(*s.truncation->upper);
    put("]");
  }
  put(";");
}

void Printer::operator()(const Output& s) {
  static constexpr std::string_view kNames[] = {"print", "reject", "fatal_error"};
  put(kNames[static_cast<std::size_t>(s.kind)], "(", s.items, ");");
}

void Printer::operator()(const If& s) {
  put("if (", s.condition, ")");
  body(*s.then);
  if (!s.otherwise) return;
  if (as<Block>(*s.then)) {
    put(" else");
  } else {
    new_line();
    put("else");
  }
  if (!as<If>(*s.otherwise)) return body(*s.otherwise);
  put(" ");
  std::visit(*this, s.otherwise->node);
}

// --- program ---

void Printer::function(const FunctionDefinition& f) {
  new_line();
  type(f.result);
  put(" ", f.name.text, "(");
  for (std::size_t i = 0; i < f.arguments.size(); ++i) {
    const Argument& a = f.arguments[i];
    put(i > 0 ? ", " : "", a.is_data ? "data " : "");
    type(a.type);
    put(" ", a.name.text);
  }
  put(")");
  if (!f.body) return put(";");
  put(" ");
  braces(f.body->statements);
}

void Printer::program(const Program& p) {
  if (p.has_functions || !p.functions.empty()) {
    put("functions {");
    ++depth_;
    for (const FunctionDefinition& f : p.functions) function(f);
    --depth_;
    put("\n}\n");
  }
  for (std::size_t i = 0; i < kNumBlocks; ++i) {
    if (!p.blocks[i].present) continue;
    put(spelling(static_cast<BlockKind>(i)), " ");
    braces(p.blocks[i].statements);
    put("\n");
  }
}
}  // namespace

std::string print(const Program& program) {
  Printer printer;
  printer.program(program);
  return printer.text;
}

std::string print(const Statement& statement) {
  Printer printer;
  std::visit(printer, statement.node);
  return printer.text;
}

std::string print(const Expression& expression) {
  Printer printer;
  printer.expression(expression);
  return printer.text;
}

std::string print(const SizedType& type) {
  Printer printer;
  printer.type(type);
  return printer.text;
}

std::string print(const UnsizedType& type) {
  Printer printer;
  printer.type(type);
  return printer.text;
}

}  // namespace credo::lang
