// Expressions: what tracing, distributions, transforms and derivative rules compute with.
//
// An Expr is a constant (scalar or buffer) or a reference into a graph. Applying a row to constants
// computes the constant at once and makes no node, so the same code evaluates and traces.
#pragma once
#include "graph/core/graph.hpp"

namespace credo::graph {

class Expr {
 public:
  Expr() = default;                                            // empty: no value
  Expr(double value) : scalar_(value), kind_(Kind::scalar) {}  // NOLINT: implicit
  Expr(Shape shape, Buffer data);                              // constant container
  Expr(Graph& graph, Ref ref);

  bool empty() const { return kind_ == Kind::none; }
  bool is_constant() const { return kind_ == Kind::scalar || kind_ == Kind::buffer; }
  bool is_scalar() const { return shape_.is_scalar(); }
  const Shape& shape() const { return shape_; }
  Index size() const { return shape_.size(); }

  double value(Index element = 0) const;          // constants only
  std::span<const double> values() const;         // constants only
  const Buffer& buffer() const { return data_; }  // null unless a constant container
  Graph* graph() const { return graph_; }
  Ref ref() const { return ref_; }  // nodes only
  Ref ref_in(Graph& graph) const;   // enters constants into the graph

  Expr element(Index i) const;       // scalar, costs nothing
  Expr reshaped(Shape shape) const;  // same elements in the same order

  // Distribution arguments from which this expression was made, as a bit set; joined by
  // every operation. It decides which terms `~` drops (language rule 10.3).
  std::uint32_t arguments = 0;

 private:
  enum class Kind : std::uint8_t { none, scalar, buffer, node };
  Graph* graph_ = nullptr;
  Buffer data_;
  double scalar_ = 0.0;
  Ref ref_;
  Shape shape_;
  Kind kind_ = Kind::none;
};

// Applies a row. Shapes must fit (CREDO_ASSERT); the language checks sizes before and reports them
// in its own words.
Expr apply(const Op& op, std::span<const Expr> in, Attributes attributes = {});
inline Expr apply(const Op& op, std::initializer_list<Expr> in, Attributes attributes = {}) {
  return apply(op, std::span<const Expr>(in.begin(), in.size()), std::move(attributes));
}

Expr constant(Shape shape, std::span<const double> values);
Expr fill(Shape shape, double value);

Expr operator-(const Expr& a);
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);  // elementwise
Expr operator/(const Expr& a, const Expr& b);  // elementwise

// Elementwise functions; each applies the row of its name. Domains and special values are those of
// the real function; outside the domain the value is NaN. Largest errors are stated with the
// kernels (numerics/simd).
Expr abs(const Expr& x);
Expr acos(const Expr& x);
Expr acosh(const Expr& x);
Expr asin(const Expr& x);
Expr asinh(const Expr& x);
Expr atan(const Expr& x);
Expr atan2(const Expr& y, const Expr& x);
Expr atanh(const Expr& x);
Expr cbrt(const Expr& x);
Expr ceil(const Expr& x);
Expr cos(const Expr& x);
Expr cosh(const Expr& x);
Expr digamma(const Expr& x);
Expr erf(const Expr& x);
Expr erfc(const Expr& x);
Expr exp(const Expr& x);
Expr exp2(const Expr& x);
Expr expm1(const Expr& x);
Expr floor(const Expr& x);
Expr fmax(const Expr& a, const Expr& b);  // NaN only if both are
Expr fmin(const Expr& a, const Expr& b);
Expr fmod(const Expr& a, const Expr& b);  // a - b trunc(a / b), exactly
Expr hypot(const Expr& a, const Expr& b);
Expr inv(const Expr& x);
Expr inv_logit(const Expr& x);
Expr inv_phi(const Expr& p);  // standard normal quantile
Expr inv_sqrt(const Expr& x);
Expr equal(const Expr& a, const Expr& b);       // 1 or 0; derivative 0
Expr less(const Expr& a, const Expr& b);        // 1 or 0; derivative 0
Expr less_equal(const Expr& a, const Expr& b);  // 1 or 0; derivative 0
Expr lgamma(const Expr& x);
Expr log(const Expr& x);
Expr log10(const Expr& x);
Expr log1m(const Expr& x);
Expr log1m_exp(const Expr& x);  // log(1 - exp(x)), x < 0
Expr log1p(const Expr& x);
Expr log1p_exp(const Expr& x);
Expr log2(const Expr& x);
Expr log_diff_exp(const Expr& a, const Expr& b);  // log(exp(a) - exp(b)), a >= b
Expr log_inv_logit(const Expr& x);
Expr log_inv_logit_diff(const Expr& a, const Expr& b);  // log(inv_logit(a) - inv_logit(b)), a > b
Expr log_phi(const Expr& x);                            // log of the standard normal cdf
Expr log_sum_exp(const Expr& a, const Expr& b);         // elementwise
Expr multiply_log(const Expr& a, const Expr& b);        // a log(b), 0 where a = 0 and b = 0
Expr phi(const Expr& x);                                // standard normal cdf
Expr pow(const Expr& a, const Expr& b);
Expr round(const Expr& x);
Expr select(const Expr& condition, const Expr& a, const Expr& b);  // a where condition != 0, else b
Expr sin(const Expr& x);
Expr sinh(const Expr& x);
Expr sqrt(const Expr& x);
Expr square(const Expr& x);
Expr tan(const Expr& x);
Expr tanh(const Expr& x);
Expr trunc(const Expr& x);

// Reductions and structure.
Expr sum(const Expr& x);                 // scalar; 0 for no elements
Expr dot(const Expr& a, const Expr& b);  // sum of a .* b
Expr log_sum_exp(const Expr& x);         // scalar; -infinity for no elements
Expr cumulative_sum(const Expr& x);
Expr prod(const Expr& x);                                // scalar; 1 for no elements
Expr max_element(const Expr& x);                         // -infinity for no elements; NaN if one is
Expr min_element(const Expr& x);                         // +infinity for no elements; NaN if one is
Expr pack(Shape shape, std::span<const Expr> elements);  // scalars to a container
Expr gather(Shape shape, const Expr& x, std::vector<std::int32_t> index);  // out[i] = x[index[i]]
Expr slice(Shape shape, const Expr& x, Index first);                       // out[i] = x[first + i]
Expr scatter_add(Shape shape, const Expr& x,
                 std::vector<std::int32_t> index);      // out[index[i]] += x[i]
Expr concat(Shape shape, std::span<const Expr> parts);  // all elements of all parts, in order
// By computed places, from 0: out[k] = x[place[k]], and its adjoint out[place[k]] += x[k]. A place
// that isn't a whole number inside is NaN in the first, and adds nothing in the second.
Expr take(const Expr& x, const Expr& place);
Expr put(Shape shape, const Expr& x, const Expr& place);
Expr broadcast(Shape shape, const Expr& scalar);
// Places of the elements in ascending order, from 0; equal ones keep theirs, NaN comes last.
// Derivative 0: sorted values are take(x, order_places(x)).
Expr order_places(const Expr& x);

// Linear algebra on single matrices.
Expr transpose(const Expr& a);
Expr matmul(const Expr& a, const Expr& b, bool transpose_a = false, bool transpose_b = false);
Expr cholesky(const Expr& a);  // lower factor; reads the lower triangle; not PD: NaN
Expr solve_lower(const Expr& l, const Expr& b, bool transposed = false);  // L x = b or L' x = b

// Checks: `check` is the graph owner's number of what to say when it fails. Constants are checked
// at once: the result is the first offending element, if any.
std::optional<double> check_greater(const Expr& x, const Expr& bound, std::int32_t check);
std::optional<double> check_greater_equal(const Expr& x, const Expr& bound, std::int32_t check);
std::optional<double> check_less(const Expr& x, const Expr& bound, std::int32_t check);
std::optional<double> check_less_equal(const Expr& x, const Expr& bound, std::int32_t check);
std::optional<double> check_finite(const Expr& x, std::int32_t check);
std::optional<double> check_not_nan(const Expr& x, std::int32_t check);
void always_fails(Graph& graph, std::int32_t check,
                  double value);  // every point is refused, for this value

}  // namespace credo::graph
