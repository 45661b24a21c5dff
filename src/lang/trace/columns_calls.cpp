// Calls over columns: elementwise functions by their rows of the built-in table, whole numbers row
// by row, the functions of small containers, user functions in a frame of their own.
#include "lang/trace/builtins.hpp"
#include "lang/trace/columns_masks.hpp"
#include "lang/trace/comparison.hpp"
#include "lang/trace/indexing.hpp"

namespace credo::lang {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_elementwise(std::string_view name) {
  if (is_one_of(name, {"add", "subtract", "elt_multiply", "elt_divide", "minus", "plus", "pow"}))
    return true;
  if (is_one_of(name, {"int_step", "is_nan", "is_inf"})) return false;  // decisions
  const auto rows = builtins_elementwise();
  return std::any_of(rows.begin(), rows.end(), [&](const Builtin& b) { return b.name == name; });
}
}  // namespace

Value Columns::call_user(const typed::Call& c, std::vector<Value> arguments) {
  const typed::Function& f = m_.program_.functions[static_cast<std::size_t>(c.function.user)];
  if (f.body == nullptr) abandon("a function without a body");
  const Machine::Frame::Setting setting{.autodiff = m_.autodiff_of(c.arguments),
                                        .drops_constants = m_.drops_constants(c.drops_constants)};
  return within_statement([&] {
    const Machine::FunctionCall entered(m_, f);
    Machine::Frame frame(f.variables.size(), std::move(arguments), setting);
    m_.frame_ = &frame;
    execute(*f.body);
    if (frame.result.is_unset() && !f.result.is_void()) abandon("a body without a return");
    return std::move(frame.result);
  });
}

// ---- built-ins

// True if a decision that all rows share must become a select, like decisions of single rows. Made a guard, it
// would be lost, together with what its outcome implied, if the loop is given back to the machine; then the graph
// would depend on the point.
bool Columns::stays_open(const Value& same) const {
  return same.is_whole() && same.whole().least == 0 && same.whole().most == 1 &&
         m_.options_.differentiable && m_.options_.selects != Selects::none;
}

Value Columns::call_builtin(const typed::Call& c, std::span<Value> arguments) {
  if (c.site != 0) return draw(c, arguments);
  if (!any_column(arguments)) {
    Value same;
    {
      const Invariant invariant(*this);
      same = m_.run_builtin(c, arguments);
      if (!stays_open(same)) same = m_.closed(std::move(same));
    }
    return same.is_whole() ? decided_value(m_.expr(same)) : gated(same);
  }
  const bool is_outside = gate_arguments(c.function.name, arguments);
  const Value value = call_on_columns(c, arguments);
  return is_outside ? gated(value) : value;
}

Value Columns::call_on_columns(const typed::Call& c, std::span<Value> arguments) {
  for (const Value& v : arguments) {
    if (v.is_tuple() || v.is_unset()) abandon("an argument that columns don't know");
  }
  const std::string_view name = c.function.name;
  if (const auto function = distribution_function(name)) {
    return function->role == DistributionRole::density ? density(c, arguments) : tail(c, arguments);
  }
  if (auto value = comparison(name, arguments)) return *std::move(value);
  if (auto value = int_operation(name, arguments)) return *std::move(value);
  if (auto value = container_function(c, arguments)) return *std::move(value);
  if (is_elementwise(name)) return elementwise(c, name, arguments);
  return ints_by_row(c, arguments);
}

Value Columns::binary(std::string_view name, const Value& a, const Value& b) {
  typed::Call c;
  c.function.name = name;
  std::array arguments{a, b};
  return call_builtin(c, arguments);
}

Value Columns::unary(std::string_view name, const Value& a) {
  typed::Call c;
  c.function.name = name;
  std::array arguments{a};
  return call_builtin(c, arguments);
}

// A column goes in as a vector: the function's row does the rest.
Value Columns::elementwise(const typed::Call& c, std::string_view name,
                           std::span<Value> arguments) {
  const BuiltinFunction function = builtin_function(name);
  const Value* pattern = &arguments[0];
  for (const Value& v : arguments) {
    if (row_dims(v).count > 0) pattern = &v;
  }
  const Dims dims = row_dims(*pattern);
  const BaseType base =
      dims.count == 0 || is_int_based(*pattern) ? BaseType::real : row_base(*pattern);
  const Index count = common_elements(arguments);
  std::vector<Value> results;
  for (Index k = 0; k < count; ++k) {
    const std::vector<Expr> in = elements(arguments, k);
    std::vector<Value> values;
    for (const Expr& x : in)
      values.push_back(x.is_scalar() ? Value(Scalar(x))
                                     : from_expr(x, BaseType::vector, {x.size()}));
    results.push_back(scalar_value(m_.expr(function({m_, c, name, values}))));
  }
  if (count == 0) abandon("an empty container in every round");
  return assembled(results, base, dims);
}

Index Columns::common_elements(std::span<const Value> arguments) {
  Index count = -1;
  for (const Value& v : arguments) {
    if (row_dims(v).count == 0) continue;
    const Index size = row_dims(v).total();
    if (count >= 0 && size != count) abandon("containers of different sizes");
    count = size;
  }
  if (count > 64) abandon("values of many elements in every round");
  return count < 0 ? 1 : count;
}

std::vector<Expr> Columns::elements(std::span<const Value> arguments, Index k) {
  std::vector<Expr> in;
  for (const Value& v : arguments) in.push_back(element(v, row_dims(v).count == 0 ? 0 : k));
  return in;
}

// Known scalars, one row after the other.
Value Columns::ints_by_row(const typed::Call& c, std::span<Value> arguments) {
  const BuiltinFunction function = builtin_function(c.function.name);
  std::vector<IntColumn> ints(arguments.size());
  std::vector<Expr> reals(arguments.size());
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const bool fits = row_dims(arguments[k]).count == 0 && function != nullptr;
    if (!fits) abandon(std::string(c.function.name) + " of a value of the round");
    if (is_int_based(arguments[k])) {
      ints[k] = int_element(arguments[k], 0);
    } else {
      reals[k] = element(arguments[k], 0);
      if (!reals[k].is_constant()) abandon("a decision on parameters in every round");
    }
  }
  IntList whole;
  std::vector<double> numbers;
  std::vector<Value> in(arguments.size());
  for (Index i = 0; i < at_->width; ++i) {
    for (std::size_t k = 0; k < in.size(); ++k)
      in[k] = ints[k] ? Value((*ints[k])[static_cast<std::size_t>(i)])
                      : Value(Scalar(reals[k].value(reals[k].is_scalar() ? 0 : i)));
    const Value result = function({m_, c, c.function.name, in});
    if (result.is_int()) whole.push_back(result.integer());
    if (result.is_real()) numbers.push_back(result.real().known);
  }
  if (ssize(whole) == at_->width) return int_value(int_column(std::move(whole)));
  if (ssize(numbers) != at_->width) abandon("a function that columns don't know");
  return scalar_value(graph::constant(graph::vector_shape(at_->width), numbers));
}

// ---- whole numbers and comparisons

namespace {
using Operation = std::int64_t (*)(std::int64_t, std::int64_t);
Operation operation_of(std::string_view name) {
  using I = std::int64_t;
  if (name == "add") return [](I a, I b) { return a + b; };
  if (name == "subtract") return [](I a, I b) { return a - b; };
  if (name == "multiply" || name == "elt_multiply") return [](I a, I b) { return a * b; };
  if (name == "minus") return [](I a, I) { return -a; };
  if (name == "plus") return [](I a, I) { return a; };
  if (name == "logical_negation") return [](I a, I) { return I{a == 0}; };
  return nullptr;
}

}  // namespace

std::optional<Value> Columns::int_operation(std::string_view name, std::span<Value> arguments) {
  const Operation operation = operation_of(name);
  if (operation == nullptr) return std::nullopt;
  for (const Value& v : arguments) {
    if (!is_int_based(v) || row_dims(v).count > 0) return std::nullopt;
  }
  const IntColumn a = int_element(arguments[0], 0),
                  b = arguments.size() > 1 ? int_element(arguments[1], 0) : a;
  IntList result(a->size());
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = m_.int_result(name, operation((*a)[i], (*b)[i]));
  return int_value(int_column(std::move(result)));
}

std::optional<Value> Columns::comparison(std::string_view name, std::span<Value> arguments) {
  const bool negates = name == "logical_negation" && is_drawn(arguments[0], 0);
  if (negates) return decided_value(graph::equal(element(arguments[0], 0), 0.0));
  const Comparison* const comparison = comparison_of(name);
  if (comparison == nullptr) return std::nullopt;
  const Expr a = element(arguments[0], 0), b = element(arguments[1], 0);
  if (!a.is_constant() || !b.is_constant()) {
    if (m_.options_.selects == Selects::none) abandon("a decision on parameters in every round");
    return decided_value(comparison->result(a, b));
  }
  IntList result(static_cast<std::size_t>(at_->width));
  for (Index i = 0; i < at_->width; ++i)
    result[static_cast<std::size_t>(i)] =
        comparison->holds(a.value(a.is_scalar() ? 0 : i), b.value(b.is_scalar() ? 0 : i)) ? 1 : 0;
  return int_value(int_column(std::move(result)));
}

}  // namespace credo::lang
