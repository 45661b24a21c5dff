// The constants of a program as data.
#include "io/json_writer.hpp"
#include "models/regression/regression.hpp"

namespace credo::models {
namespace {
void write_nested(io::JsonWriter& json, const ProgramConstant& constant, std::size_t dim,
                  std::size_t& next) {
  if (dim == constant.dims.size()) {
    const double value = constant.values[next++];
    constant.is_whole ? json.integer(static_cast<std::int64_t>(value)) : json.number(value);
    return;
  }
  json.begin_array();
  for (Index k = 0; k < constant.dims[dim]; ++k) write_nested(json, constant, dim + 1, next);
  json.end_array();
}
}  // namespace

std::string constants_text(std::span<const ProgramConstant> constants) {
  io::JsonWriter json;
  json.begin_object();
  for (const ProgramConstant& constant : constants) {
    json.key(constant.name);
    std::size_t next = 0;
    write_nested(json, constant, 0, next);
  }
  json.end_object();
  return std::move(json).text();
}

}  // namespace credo::models
