#include "lang/syntax/ast_dump.hpp"

namespace credo::lang::ast {
namespace {
// One overload of operator() per form. A string is quoted so that no name can look like a tree.
class Dumper {
 public:
  std::string text;

  void expression(const Expression& e) { std::visit(*this, e.node); }
  void statement(const Statement& s) { std::visit(*this, s.node); }
  void program(const Program& p);

  void operator()(const IntLiteral& e) { word(std::to_string(e.value)); }
  void operator()(const RealLiteral& e) { word(e.spelling); }
  void operator()(const ImaginaryLiteral& e) { word(e.spelling + "i"); }
  void operator()(const StringLiteral& e) { word("\"" + e.text + "\""); }
  void operator()(const Variable& e) { word(e.name); }
  void operator()(const TargetValue&) { word("(target)"); }
  void operator()(const Unary& e) { node(spelling(e.op), e.operand); }
  void operator()(const Binary& e);
  void operator()(const Conditional& e) { node("?", e.condition, e.if_true, e.if_false); }
  void operator()(const Call& e) { node(e.has_bar ? "call|" : "call", e.function, e.arguments); }
  void operator()(const Indexed& e) { node("index", e.base, e.indices); }
  void operator()(const Projection& e) { node("." + std::to_string(e.position), e.tuple); }
  void operator()(const ArrayLiteral& e) { node("array", e.elements); }
  void operator()(const RowLiteral& e) { node("row", e.elements); }
  void operator()(const TupleLiteral& e) { node("tuple", e.elements); }

  void operator()(const Declaration& s) { node("declare", s.type, s.variables); }
  void operator()(const Assignment& s) { node(spelling(s.op), s.target, s.value); }
  void operator()(const Increment& s) {
    node(s.of == Increment::Of::target ? "target+=" : "jacobian+=", s.value);
  }
  void operator()(const Tilde& s) {
    node("~", s.outcome, s.distribution, s.arguments, s.truncation);
  }
  void operator()(const CallStatement& s) { node("do", s.call); }
  void operator()(const Output& s) {
    static constexpr std::string_view kNames[] = {"print", "reject", "fatal_error"};
    node(kNames[static_cast<std::size_t>(s.kind)], s.items);
  }
  void operator()(const If& s) { node("if", s.condition, s.then, s.otherwise); }
  void operator()(const While& s) { node("while", s.condition, s.body); }
  void operator()(const ForRange& s) { node("for", s.variable, s.first, s.last, s.body); }
  void operator()(const ForEach& s) { node("foreach", s.variable, s.container, s.body); }
  void operator()(const Block& s) { node("block", s.statements); }
  void operator()(const Profile& s) { node("profile \"" + s.name + "\"", s.statements); }
  void operator()(const Break&) { word("(break)"); }
  void operator()(const Continue&) { word("(continue)"); }
  void operator()(const Return& s) { node("return", s.value); }
  void operator()(const Empty&) { word("(empty)"); }

 private:
  void word(std::string_view w) {
    if (!text.empty() && text.back() != '(') text += ' ';
    text += w;
  }
  template <class... Parts>
  void node(std::string_view name, const Parts&... parts) {
    word("(");
    text += name;
    (part(parts), ...);
    text += ')';
  }

  void part(const Expression& e) { expression(e); }
  void part(const Statement& s) { statement(s); }
  void part(const Call& c) { (*this)(c); }
  void part(const Name& n) { word(n.text); }
  template <class T, class Delete>
  void part(const std::unique_ptr<T, Delete>& p) {
    p ? part(*p) : word("-");
  }
  template <class T>
  void part(const std::optional<T>& p) {
    p ? part(*p) : word("-");
  }
  template <class T>
  void part(const std::vector<T>& list) {
    word("[");
    for (const T& item : list) part(item);
    text += " ]";
  }
  void part(const Index& i) {
    static constexpr std::string_view kNames[] = {"all", "at", "from", "up_to", "between"};
    node(kNames[static_cast<std::size_t>(i.kind)], i.first, i.last);
  }
  void part(const Constraint& c) { node("constraint", c.lower, c.upper, c.offset, c.multiplier); }
  void part(const SizedType& t) {
    node(spelling(t.name), t.array_sizes, t.constraint, t.sizes, t.elements);
  }
  void part(const UnsizedType& t) {
    node(std::string(spelling(t.name)) + "^" + std::to_string(t.array_dims), t.elements);
  }
  void part(const Declarator& d) { node("name", d.name, d.value); }
  void part(const Truncation& t) { node("T", t.lower, t.upper); }
  void part(const Argument& a) { node(a.is_data ? "data" : "argument", a.type, a.name); }
  void part(const Block& b) { (*this)(b); }
  void part(const FunctionDefinition& f) {
    node("function", f.result, f.name, f.arguments, f.body);
  }
};

// A chain's operators open from the outermost in, and close from the innermost out.
void Dumper::operator()(const Binary& e) {
  std::vector<const Binary*> chain;
  for (const Binary* b = &e; b != nullptr; b = as<Binary>(*b->left)) {
    word("(");
    text += spelling(b->op);
    chain.push_back(b);
  }
  part(chain.back()->left);
  for (auto b = chain.rbegin(); b != chain.rend(); ++b) {
    part((*b)->right);
    text += ')';
  }
}

void Dumper::program(const Program& p) {
  if (p.has_functions) node("functions", p.functions);
  for (std::size_t i = 0; i < kNumBlocks; ++i) {
    if (p.blocks[i].present) node(spelling(static_cast<BlockKind>(i)), p.blocks[i].statements);
  }
}
}  // namespace

std::string dump(const Program& program) {
  Dumper dumper;
  dumper.program(program);
  return dumper.text;
}

std::string dump(const Statement& statement) {
  Dumper dumper;
  dumper.statement(statement);
  return dumper.text;
}

std::string dump(const Expression& expression) {
  Dumper dumper;
  dumper.expression(expression);
  return dumper.text;
}

}  // namespace credo::lang::ast
