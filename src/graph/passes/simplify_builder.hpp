// Builds nodes through the rules of simplification: a request for a row of operands returns the
// simplest equal expression.
#pragma once
#include "graph/passes/rebuild.hpp"

namespace credo::graph {

class Builder;

// A row that is about to be applied.
struct Candidate {
  Builder& build;
  const Op& op;
  std::span<const Expr> in;
  const Attributes& attributes;
  Shape shape;
  const Expr& a() const { return in[0]; }
  const Expr& b() const { return in[1]; }
};

// One rule: for the row `row` ("" for every elementwise row), what stands in its place; an empty
// Expr where the rule doesn't apply. It is an identity of real numbers.
struct SimplifyRule {
  std::string_view row;
  std::string_view name;
  std::string_view identity;
  Expr (*rewrite)(const Candidate&);
};

class Builder {
 public:
  Builder(const Graph& from, bool with_rules) : rebuild_(from), with_rules_(with_rules) {}

  // Called with every rule that applied.
  std::function<void(const SimplifyRule&)> observer;

  Rebuild& rebuild() { return rebuild_; }
  Graph& graph() { return rebuild_.to(); }

  // Puts node `id` of the old graph in the new one.
  void place(NodeId id);
  // An operand of the old graph as an expression of the new one; elements go to where they are
  // made.
  Expr operand(Ref old);
  Expr resolved(const Expr& x) const;

  Expr apply(const Op& op, std::vector<Expr> in, Attributes attributes, Shape shape);
  Expr map(const Op& op, std::initializer_list<Expr> in);  // an elementwise row

  Expr add(const Expr& a, const Expr& b);
  Expr sub(const Expr& a, const Expr& b);
  Expr mul(const Expr& a, const Expr& b);
  Expr div(const Expr& a, const Expr& b);
  Expr neg(const Expr& a);
  Expr square(const Expr& a);
  Expr log(const Expr& a);
  Expr sum(const Expr& a);
  Expr dot(const Expr& a, const Expr& b);
  Expr gather(Shape shape, const Expr& x, std::vector<std::int32_t> index);
  Expr broadcast(Shape shape, const Expr& scalar);
  Expr pack(Shape shape, std::vector<Expr> elements);
  Expr concat(Shape shape, std::vector<Expr> parts);
  Expr matmul(const Expr& a, const Expr& b, std::array<std::int32_t, 5> sizes);
  Expr interned(const Expr& constant);  // equal contents give one constant

 private:
  void place_check(NodeId id);
  Expr new_node(const Op& op, std::span<const Expr> in, const Attributes& attributes, Shape shape);

  Rebuild rebuild_;
  bool with_rules_;
  int depth_ = 0;
  struct Interned {
    Buffer own, shared;  // itself, which keeps its address taken, and the first of equal contents
  };
  std::unordered_multimap<std::size_t, Buffer> contents_;  // distinct ones
  std::unordered_map<const AlignedArray*, Interned> known_;
};

// The rows that rules name.
struct Rows {
  const Op *abs, *add, *concat, *div, *dot, *exp, *gather, *inv_logit, *less, *log, *log1m_exp,
      *log1p, *log1p_exp, *log_inv_logit, *log_sum_exp, *log_sum_exp_all, *matmul, *mul,
      *multiply_log, *neg, *pack, *pow, *scatter_add, *select, *sqrt, *square, *sub, *sum,
      *broadcast;
};
const Rows& rows();

// True if x is a whole node of this row.
bool is_row(const Expr& x, const Op* row);
// Operand k of the node that made x; `resolve`d by nobody yet.
Expr part_of(const Expr& x, std::size_t k);
const Attributes& attributes_of(const Expr& x);
inline double count_of(const Expr& x) { return static_cast<double>(x.size()); }  // elements
bool is_value(const Expr& x, double value);  // every element of a constant
bool all_finite(const Expr& constant);
bool same(const Expr& a, const Expr& b);  // one expression

}  // namespace credo::graph
