#include "lang/trace/data_reader.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "lang/diagnostics/names.hpp"

namespace credo::lang {
namespace {

// A tuple has no sizes of its own.
Dims dims_of_tuple_or_value(Machine& machine, const typed::SizedType& type) {
  if (type.type.base != BaseType::tuple) return machine.evaluate_dims(type);
  if (type.type.depth > 0) machine.fail("arrays of tuples are not implemented yet");
  return {};
}

io::Wanted wanted(const typed::SizedType& type, const Dims& dims, std::string_view name,
                  const std::string& declared_at) {
  io::Wanted result{std::string(name), to_string(type.type), declared_at, {}};
  for (int d = 0; d < dims.count; ++d) result.dims.push_back(dims[d]);
  return result;
}

// Files list matrices by rows; storage is by columns.
std::vector<Scalar> in_storage_order(std::span<const double> values, BaseType base,
                                     const Dims& dims) {
  std::vector<Scalar> result(values.begin(), values.end());
  if (base != BaseType::matrix) return result;
  const Index rows = dims.back(1), cols = dims.back(), one = rows * cols;
  const Index matrices = one == 0 ? 0 : dims.total() / one;
  for (Index m = 0; m < matrices; ++m) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) {
        result[static_cast<std::size_t>(m * one + i + j * rows)] =
            values[static_cast<std::size_t>(m * one + i * cols + j)];
      }
    }
  }
  return result;
}

// A variable that is missing, but has one of nearly its name.
void require_near_name(const Machine& machine, const io::DataTable& table, const io::Wanted& want) {
  std::vector<std::string> strangers;  // names that the program doesn't declare
  for (const std::string& name : table.names()) {
    const bool known =
        std::any_of(machine.program().globals.begin(), machine.program().globals.end(),
                    [&](const auto& variable) { return variable.name == name; });
    if (!known) strangers.push_back(name);
  }
  const auto near = nearest_name(want.name, strangers);
  if (!near) return;  // the table reports the missing variable
  throw Error(ErrorCode::data,
              fmt::format("variable {} is not in the data, expected {}, declared at {}", want.name,
                          want.type, want.declared_at),
              table.source(),
              fmt::format("the file has \"{}\" ({}): is that meant? names are case-sensitive{}",
                          *near, table.where_name(*near), io::way_to_take(table, *near, want)));
}

std::vector<double> numbers(std::span<const Scalar> scalars) {
  std::vector<double> values;
  values.reserve(scalars.size());
  for (const Scalar& s : scalars) values.push_back(s.known);
  return values;
}

// Reads a variable's numbers; `value` may be null for a variable without elements.
Value read_value(Machine& machine, const io::DataValue* value, const typed::SizedType& type,
                 const io::Wanted& want, const std::string& source) {
  if (type.type.base == BaseType::tuple) {
    auto tuple = std::make_shared<TupleValue>();
    const auto slots = io::tuple_slots(value, ssize(type.elements), want, source);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      const typed::SizedType& element = type.elements[k];
      const Dims dims = dims_of_tuple_or_value(machine, element);
      tuple->elements.push_back(read_value(
          machine, &slots[k], element,
          wanted(element, dims, fmt::format("{}.{}", want.name, k + 1), want.declared_at), source));
    }
    return tuple;
  }
  const Dims dims = dims_of_tuple_or_value(machine, type);
  if (type.type.base == BaseType::integer) {
    std::vector<std::int32_t> values = io::int_values(value, want, source);
    return dims.count == 0 ? Value(values[0]) : make_ints(dims, std::move(values));
  }
  const std::vector<double> values = io::real_values(value, want, source);
  if (dims.count == 0) return Scalar(values[0]);
  const std::vector<double> stored = numbers(in_storage_order(values, type.type.base, dims));
  return from_expr(graph::constant(shape_of(type.type.base, dims), stored), type.type.base, dims);
}
}  // namespace

Value read_variable(Machine& machine, const io::DataTable& table, const typed::SizedType& type,
                    std::string_view name, const std::string& declared_at) {
  if (contains_complex(type.type)) {
    throw Error(ErrorCode::data,
                fmt::format("reading complex numbers ({}) is not implemented yet", name),
                declared_at);
  }
  const Dims dims = dims_of_tuple_or_value(machine, type);
  const io::Wanted want = wanted(type, dims, name, declared_at);
  if (table.find(name) == nullptr && dims.total() > 0) require_near_name(machine, table, want);
  return read_value(machine, io::find_or_suggest(table, want), type, want, table.source());
}

}  // namespace credo::lang
