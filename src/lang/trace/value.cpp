#include "lang/trace/value.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::lang {
using graph::Graph;
using graph::Ref;
using graph::Shape;

Scalar::Scalar(const Expr& expr) {
  if (expr.is_constant()) {
    known = expr.value();
  } else {
    ref = expr.ref();
  }
}

Dims::Dims(std::initializer_list<Index> sizes) {
  for (const Index n : sizes) push(n);
}

// The largest number if there are more elements than can be counted: then limits are exceeded, too.
Index Dims::total() const {
  Index product = 1;
  bool is_countable = true;
  for (int d = 0; d < count; ++d) {
    if ((*this)[d] == 0) return 0;
    is_countable = is_countable && !__builtin_mul_overflow(product, (*this)[d], &product);
  }
  return is_countable ? product : std::numeric_limits<Index>::max();
}

bool Dims::operator==(const Dims& other) const {
  return std::equal(size.begin(), size.begin() + count, other.size.begin(),
                    other.size.begin() + other.count);
}

std::string to_string(const Dims& dims) {
  return fmt::format("[{}]", fmt::join(dims.size.begin(), dims.size.begin() + dims.count, ", "));
}

int inner_dims(BaseType base) {
  if (base == BaseType::matrix || base == BaseType::complex_matrix) return 2;
  const bool is_vector = base == BaseType::vector || base == BaseType::row_vector ||
                         base == BaseType::complex_vector || base == BaseType::complex_row_vector;
  return is_vector ? 1 : 0;
}

RealArray::RealArray(BaseType base_in, Dims dims_in, Expr whole)
    : base(base_in), dims(dims_in), whole_(std::move(whole)) {
  CREDO_ASSERT(whole_.size() == dims.total(), "the expression fills the container");
}

RealArray::RealArray(BaseType base_in, Dims dims_in, std::vector<Scalar> elements)
    : base(base_in), dims(dims_in), elements_(std::move(elements)) {
  CREDO_ASSERT(ssize(elements_) == dims.total(), "the elements fill the container");
  if (elements_.empty()) whole_ = graph::fill(shape(), 0.0);
}

Shape shape_of(BaseType base, const Dims& dims) {
  Index batch = 1;
  const int inner = inner_dims(base);
  for (int d = 0; d < dims.count - inner; ++d) batch *= dims[d];
  Shape result{static_cast<std::int32_t>(batch), 1, 1};
  if (base == BaseType::vector) result.rows = static_cast<std::int32_t>(dims.back());
  if (base == BaseType::row_vector) result.cols = static_cast<std::int32_t>(dims.back());
  if (base == BaseType::matrix) {
    result.rows = static_cast<std::int32_t>(dims.back(1));
    result.cols = static_cast<std::int32_t>(dims.back());
  }
  return result;
}

Scalar RealArray::element(Index i) const {
  if (!elements_.empty()) return elements_[static_cast<std::size_t>(i)];
  if (whole_.is_constant()) return whole_.value(i);
  return Scalar(whole_.element(i));
}

std::span<const Scalar> RealArray::elements() {
  if (elements_.empty() && size() > 0) {
    elements_.reserve(static_cast<std::size_t>(size()));
    for (Index i = 0; i < size(); ++i) {
      elements_.push_back(whole_.is_constant() ? Scalar(whole_.value(i))
                                               : Scalar(whole_.element(i)));
    }
  }
  return elements_;
}

void RealArray::set(Index i, Scalar value) {
  elements();
  elements_[static_cast<std::size_t>(i)] = value;
  whole_ = Expr();
}

void RealArray::forget_from(graph::NodeId id) {
  const bool is_node = is_packed() && !whole_.is_constant() && whole_.ref().node >= id;
  if (is_node && is_listed()) whole_ = Expr();
}

// ---- whole numbers

bool IntArray::is_open() const {
  return std::any_of(wholes.begin(), wholes.end(), [](const Whole& w) { return w.ref.node >= 0; });
}

Value IntArray::element(Index i) const {
  const auto k = static_cast<std::size_t>(i);
  return wholes.empty() || wholes[k].ref.node < 0 ? Value(values[k]) : Value(wholes[k]);
}

void IntArray::set(Index i, const Value& value) {
  const auto k = static_cast<std::size_t>(i);
  if (value.is_whole() && wholes.empty()) wholes.resize(values.size());
  if (!wholes.empty()) wholes[k] = value.is_whole() ? value.whole() : Whole();
  if (value.is_int()) values[k] = value.integer();
}

bool is_open(const Value& value) {
  if (value.is_ints()) return value.ints()->is_open();
  if (!value.is_tuple()) return value.is_whole();
  return std::any_of(value.tuple()->elements.begin(), value.tuple()->elements.end(), is_open);
}

Whole bounds_of(const Value& integer) {
  if (integer.is_whole()) return integer.whole();
  return {.ref = {}, .least = integer.integer(), .most = integer.integer()};
}

// ---- packing

namespace {
bool all_known(std::span<const Scalar> elements) {
  return std::all_of(elements.begin(), elements.end(),
                     [](const Scalar& s) { return s.is_known(); });
}

// The elements are exactly one node, in order: no pack needed.
bool is_whole_node(std::span<const Scalar> elements, const Graph& graph) {
  const Ref first = elements[0].ref;
  if (first.node < 0 || graph.node(first.node).shape.size() != ssize(elements)) return false;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Ref ref = elements[i].ref;
    if (ref.node != first.node ||
        (ref.element != static_cast<std::int32_t>(i) && elements.size() > 1))
      return false;
  }
  return true;
}

Expr packed(std::span<const Scalar> elements, Shape shape, Graph* graph) {
  if (all_known(elements)) {
    std::vector<double> values;
    values.reserve(elements.size());
    for (const Scalar& s : elements) values.push_back(s.known);
    return graph::constant(shape, values);
  }
  if (is_whole_node(elements, *graph))
    return Expr(*graph, Ref{elements[0].ref.node, -1}).reshaped(shape);
  std::vector<Expr> parts;
  parts.reserve(elements.size());
  for (const Scalar& s : elements) parts.push_back(to_expr(s, graph));
  return graph::pack(shape, parts);
}
}  // namespace

const Expr& RealArray::whole(Graph* graph) {
  if (whole_.empty()) whole_ = packed(elements_, shape(), graph);
  return whole_;
}

Dims dims_of(const Value& value) {
  if (value.is_ints()) return value.ints()->dims;
  if (value.is_reals()) return value.reals()->dims;
  return {};
}

BaseType base_of(const Value& value) {
  if (value.is_reals()) return value.reals()->base;
  if (value.is_tuple()) return BaseType::tuple;
  return value.is_real() ? BaseType::real : BaseType::integer;
}

Index size_of(const Value& value) { return value.is_scalar() ? 1 : dims_of(value).total(); }

Scalar scalar_of(const Value& value, Index i) {
  if (value.is_int()) return double(value.integer());
  if (value.is_real()) return value.real();
  if (value.is_ints()) return scalar_of(value.ints()->element(i));
  if (value.is_reals()) return value.reals()->element(i);
  Scalar scalar;
  scalar.ref = value.whole().ref;
  return scalar;
}

namespace {
std::vector<Scalar> scalars_of(const Value& value) {
  std::vector<Scalar> scalars;
  for (Index i = 0; i < size_of(value); ++i) scalars.push_back(scalar_of(value, i));
  return scalars;
}
}  // namespace

Expr to_expr(const Scalar& scalar, Graph* graph) {
  return scalar.is_known() ? Expr(scalar.known) : Expr(*graph, scalar.ref);
}

Expr to_expr(const Value& value, Graph* graph) {
  if (value.is_scalar()) return to_expr(scalar_of(value), graph);
  if (value.is_reals()) return value.reals()->whole(graph);
  if (is_open(value)) {
    return packed(scalars_of(value), Shape{static_cast<std::int32_t>(size_of(value)), 1, 1}, graph);
  }
  const auto& values = value.ints()->values;
  const std::vector<double> reals(values.begin(), values.end());
  return graph::constant(Shape{static_cast<std::int32_t>(reals.size()), 1, 1}, reals);
}

Value from_expr(const Expr& expr, BaseType base, const Dims& dims) {
  if (dims.count == 0) return Scalar(expr);
  return std::make_shared<RealArray>(base, dims, expr);
}

Value like(const Expr& expr, const Value& pattern) {
  const BaseType base = base_of(pattern);
  return from_expr(expr, base == BaseType::integer ? BaseType::real : base, dims_of(pattern));
}

Value make_ints(Dims dims, std::vector<std::int32_t> values) {
  return std::make_shared<IntArray>(IntArray{dims, std::move(values), {}});
}

Value make_reals(BaseType base, Dims dims, std::vector<Scalar> elements) {
  if (dims.count == 0) return elements[0];
  return std::make_shared<RealArray>(base, dims, std::move(elements));
}

Value promoted_to_real(const Value& value) {
  if (value.is_int() || value.is_whole()) return scalar_of(value);
  if (is_open(value) && value.is_ints())
    return make_reals(BaseType::real, dims_of(value), scalars_of(value));
  if (value.is_ints()) return like(to_expr(value, nullptr), value);
  if (!value.is_tuple()) return value;
  auto copy = std::make_shared<TupleValue>();
  for (const Value& element : value.tuple()->elements)
    copy->elements.push_back(promoted_to_real(element));
  return copy;
}

void settle(const Value& value) {
  if (value.is_reals()) value.reals()->whole(nullptr);
  if (!value.is_tuple()) return;
  for (const Value& element : value.tuple()->elements) settle(element);
}

IntArray& writable_ints(Value& value) {
  auto& held = std::get<Ints>(value.held);
  if (held.use_count() > 1) held = std::make_shared<IntArray>(*held);
  return *held;
}

RealArray& writable_reals(Value& value) {
  auto& held = std::get<Reals>(value.held);
  if (held.use_count() > 1) held = std::make_shared<RealArray>(*held);
  return *held;
}

}  // namespace credo::lang
