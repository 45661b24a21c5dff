#include "model/data/data_faults.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "lang/trace/constraints.hpp"

namespace credo::model {
namespace {
namespace typed = lang::typed;
using lang::BaseType;
using lang::ConstraintPlan;
using lang::Dims;
using lang::Value;

// An element, by its place in storage: matrices lie column by column, files have them by rows.
struct Element {
  Index number = 0;   // in the order of the file
  std::string index;  // "[3,1]"
};
Element element_at(const ConstraintPlan& plan, Index position);

struct BrokenBound {
  Index position = 0;
  double value = 0, bound = 0;
  bool is_lower = false;
};
std::optional<BrokenBound> broken_bound(const ConstraintPlan& plan, const Value& value);
std::string_view way_out(std::string_view transform);
}  // namespace

void check_given(lang::Machine& machine, const ProgramSource& source, const io::DataTable& table,
                 const typed::Declaration& declaration, const Value& value) {
  try {
    lang::check_value(machine, *declaration.type, value, declaration.name);
    return;
  } catch (const lang::Rejection& r) {
    if (value.is_tuple())
      throw Error(ErrorCode::data, lang::message(r.failure, r.value),
                  table.where_element(declaration.name, 0), std::string(way_out("")));
    const ConstraintPlan plan = lang::plan_constraint(machine, *declaration.type, declaration.name);
    const auto broken = broken_bound(plan, value);
    if (!broken) {
      const io::DataValue* given = table.find(declaration.name);
      throw Error(ErrorCode::data, lang::message(r.failure, r.value),
                  given == nullptr ? table.source() : given->where,
                  std::string(way_out(plan.transform->name)));
    }
    const Element element = element_at(plan, broken->position);
    const typed::Box& bound = broken->is_lower ? declaration.type->lower : declaration.type->upper;
    const std::string text(source.source.text(bound->range));
    const std::string number = fmt::format("{}", broken->bound);
    throw Error(ErrorCode::data,
                fmt::format("{}{} is {}, but must be at {} the {} bound {}{}", declaration.name,
                            element.index, broken->value, broken->is_lower ? "least" : "most",
                            broken->is_lower ? "lower" : "upper", number,
                            text == number ? "" : fmt::format(" ({})", text)),
                table.where_element(declaration.name, element.number),
                fmt::format("change the value, or the bound {} that is declared at {}", text,
                            source.source.where(bound->range)));
  }
}

namespace {
Element element_at(const ConstraintPlan& plan, Index position) {
  const Dims& dims = plan.dims;
  std::array<Index, Dims::kMax> places{};
  int last = dims.count;
  Element element;
  if (plan.base == BaseType::matrix) {
    const Index rows = dims.back(1), cols = dims.back();
    last = dims.count - 2;
    places[static_cast<std::size_t>(last)] = position % rows;
    places[static_cast<std::size_t>(last + 1)] = position / rows % cols;
    element.number =
        position / (rows * cols) * rows * cols + position % rows * cols + position / rows % cols;
    position /= rows * cols;
  } else {
    element.number = position;
  }
  for (int d = last - 1; d >= 0; --d) {
    places[static_cast<std::size_t>(d)] = position % dims[d];
    position /= dims[d];
  }
  for (int d = 0; d < dims.count; ++d)
    element.index +=
        fmt::format("{}{}", d == 0 ? "[" : ",", places[static_cast<std::size_t>(d)] + 1);
  if (dims.count > 0) element.index += "]";
  return element;
}

std::optional<BrokenBound> broken_bound(const ConstraintPlan& plan, const Value& value) {
  if (plan.transform == nullptr || plan.transform->name != "bounds") return std::nullopt;
  for (Index i = 0; i < lang::size_of(value); ++i) {
    const double x = lang::scalar_of(value, i).known;
    const double lower = transform::bound_at(plan.bounds.first, i, -kInfinity);
    const double upper = transform::bound_at(plan.bounds.second, i, kInfinity);
    if (!(x >= lower) && lower != -kInfinity) return BrokenBound{i, x, lower, true};
    if (!(x <= upper) && upper != kInfinity) return BrokenBound{i, x, upper, false};
  }
  return std::nullopt;
}

std::string_view way_out(std::string_view transform) {
  if (transform == "simplex") return "divide its elements by their sum";
  if (transform == "unit_vector") return "divide it by its length";
  if (transform == "ordered" || transform == "positive_ordered") return "sort its elements";
  if (transform == "cov_matrix" || transform == "corr_matrix")
    return "it has to be symmetric, and each eigenvalue positive";
  if (transform.starts_with("cholesky_factor"))
    return "give the lower triangular factor, with a positive diagonal";
  if (transform.starts_with("sum_to_zero")) return "subtract the mean of its elements";
  return "give a value inside the declared constraint";
}
}  // namespace
}  // namespace credo::model
