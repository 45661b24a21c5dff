#include "io/data/netcdf_data.hpp"

#include <fmt/format.h>

#include "io/data/data_recipe.hpp"
#include "io/netcdf_reader.hpp"

namespace credo::io {
namespace {
constexpr double kMostInt = 2147483647.0;

DataValue array_of(const NetcdfReader& file, const NetcdfReader::Variable& variable) {
  std::vector<double> numbers = file.read(variable);
  DataValue value;
  value.where = file.path();
  for (const std::size_t size : variable.sizes) value.dims.push_back(static_cast<Index>(size));
  if (numbers.empty()) return value;
  auto facts = std::make_shared<ColumnFacts>();
  facts->name = variable.name;
  bool whole = variable.kind == NetcdfReader::Kind::whole;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (std::isnan(numbers[k]))
      facts->missing.push_back(static_cast<Index>(k));
    else if (whole && !(std::abs(numbers[k]) <= kMostInt && numbers[k] == std::floor(numbers[k])))
      whole = false, value.not_int = fmt::format("{}", numbers[k]),
      value.where_not_int = value.where;
  }
  if (!whole && value.not_int.empty())
    value.not_int = "a real number", value.where_not_int = value.where;
  value.kind = whole ? DataKind::integers : DataKind::reals;
  if (whole)
    for (const double x : numbers)
      value.integers.push_back(std::isnan(x) ? 0 : static_cast<std::int32_t>(x));
  else
    value.reals = std::move(numbers);
  if (!facts->missing.empty()) value.column = std::move(facts);
  return value;
}

void add_group(DataTable& table, const NetcdfReader& file, NetcdfReader::Group group) {
  using Kind = NetcdfReader::Kind;
  for (const NetcdfReader::Variable& variable : file.variables(group)) {
    const bool is_coordinate =
        variable.dimensions.size() == 1 && variable.dimensions[0] == variable.name;
    if (is_coordinate || variable.kind == Kind::text || variable.kind == Kind::other) continue;
    const std::string name = name_for_programs(variable.name);
    if (name != variable.name)
      table.note({name, fmt::format("variable \"{}\" is called {}", variable.name, name)});
    table.add(name, array_of(file, variable));
  }
}
}  // namespace

bool is_netcdf(std::string_view bytes) {
  return bytes.starts_with("\x89HDF\r\n\x1a\n") || bytes.starts_with("CDF\x01") ||
         bytes.starts_with("CDF\x02") || bytes.starts_with("CDF\x05");
}

DataTable parse_netcdf_data(std::string_view bytes, const std::string& source) {
  const NetcdfReader file(source, bytes);
  DataTable table(source);
  add_group(table, file, file.root());
  if (table.names().empty())
    for (const char* name : {"observed_data", "constant_data"})
      if (const auto group = file.find_group(name)) add_group(table, file, *group);
  return table;
}

}  // namespace credo::io
