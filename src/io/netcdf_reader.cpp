#include "io/netcdf_reader.hpp"

#include <fmt/format.h>
#include <netcdf.h>

#include "base/error.hpp"
#include "io/foreign_scope.hpp"
#include "io/number_text.hpp"

namespace credo::io {
namespace {
NetcdfReader::Kind kind_of(int type) {
  switch (type) {
    case NC_CHAR:
    case NC_STRING:
      return NetcdfReader::Kind::text;
    case NC_FLOAT:
    case NC_DOUBLE:
      return NetcdfReader::Kind::real;
    default:
      return NetcdfReader::Kind::whole;
  }
}

std::string joined(std::span<const std::string> texts) {
  return fmt::format("{}", fmt::join(texts, " "));
}

// The library has null pointers for strings that were never written.
std::vector<std::string> strings_of(std::span<const char* const> texts) {
  std::vector<std::string> strings;
  for (const char* const text : texts) strings.emplace_back(text == nullptr ? "" : text);
  return strings;
}
}  // namespace

NetcdfReader::NetcdfReader(std::string path) : path_(std::move(path)) {
  const ForeignScope scope(path_);
  check(nc_open(path_.c_str(), NC_NOWRITE, &root_), "read");
}

NetcdfReader::~NetcdfReader() {
  const ForeignScope scope(path_);
  if (root_ >= 0) nc_close(root_);
}

void NetcdfReader::check(int code, std::string_view what) const {
  if (code == NC_NOERR) return;
  throw Error(ErrorCode::io, fmt::format("can't {} the NetCDF file: {}", what, nc_strerror(code)),
              path_);
}

std::size_t NetcdfReader::Variable::num_values() const {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{1}, std::multiplies<>());
}

std::optional<NetcdfReader::Group> NetcdfReader::find_group(const std::string& name) const {
  const ForeignScope scope(path_);
  Group group{};
  if (nc_inq_ncid(root_, name.c_str(), &group.id) != NC_NOERR) return std::nullopt;
  return group;
}

std::vector<NetcdfReader::Variable> NetcdfReader::variables(Group group) const {
  const ForeignScope scope(path_);
  int count = 0;
  check(nc_inq_varids(group.id, &count, nullptr), "list");
  std::vector<Variable> all;
  std::vector<char> name(NC_MAX_NAME + 1);
  for (int id = 0; id < count; ++id) {
    int type = 0, num_dimensions = 0;
    std::array<int, NC_MAX_VAR_DIMS> dimensions{};
    check(nc_inq_var(group.id, id, name.data(), &type, &num_dimensions, dimensions.data(), nullptr),
          "list");
    all.push_back({.group = group.id,
                   .id = id,
                   .name = name.data(),
                   .kind = kind_of(type),
                   .dimensions = {},
                   .sizes = {}});
    for (int d = 0; d < num_dimensions; ++d) {
      std::size_t size = 0;
      check(nc_inq_dim(group.id, dimensions[static_cast<std::size_t>(d)], name.data(), &size),
            "list");
      all.back().dimensions.emplace_back(name.data());
      all.back().sizes.push_back(size);
    }
  }
  return all;
}

std::optional<NetcdfReader::Variable> NetcdfReader::find_variable(Group group,
                                                                  const std::string& name) const {
  for (Variable& variable : variables(group))
    if (variable.name == name) return std::move(variable);
  return std::nullopt;
}

std::map<std::string, std::string> NetcdfReader::attributes(Group group) const {
  return attributes(group.id, NC_GLOBAL);
}

std::map<std::string, std::string> NetcdfReader::attributes(const Variable& variable) const {
  return attributes(variable.group, variable.id);
}

std::map<std::string, std::string> NetcdfReader::attributes(int group, int variable) const {
  const ForeignScope scope(path_);
  int count = 0;
  if (variable == NC_GLOBAL)
    check(nc_inq_natts(group, &count), "list");
  else
    check(nc_inq_varnatts(group, variable, &count), "list");
  std::map<std::string, std::string> all;
  std::vector<char> name(NC_MAX_NAME + 1);
  for (int a = 0; a < count; ++a) {
    check(nc_inq_attname(group, variable, a, name.data()), "list");
    all[name.data()] = attribute_text(group, variable, name.data());
  }
  return all;
}

std::string NetcdfReader::attribute_text(int group, int variable, const char* name) const {
  int type = 0;
  std::size_t size = 0;
  check(nc_inq_att(group, variable, name, &type, &size), "read");
  if (size == 0) return {};
  if (type == NC_CHAR) {
    std::string text(size, '\0');
    check(nc_get_att_text(group, variable, name, text.data()), "read");
    return text;
  }
  std::vector<std::string> parts;
  if (type == NC_STRING) {
    std::vector<char*> texts(size);
    check(nc_get_att_string(group, variable, name, texts.data()), "read");
    parts = strings_of(texts);
    nc_free_string(size, texts.data());
  } else {
    std::vector<double> values(size);
    check(nc_get_att_double(group, variable, name, values.data()), "read");
    for (const double value : values) parts.push_back(number_text(value));
  }
  return joined(parts);
}

// What is read is read once: a cache for each variable would only grow.
std::vector<double> NetcdfReader::read(const Variable& variable, const Slab& slab) const {
  const ForeignScope scope(path_);
  const std::size_t size =
      std::accumulate(slab.count.begin(), slab.count.end(), std::size_t{1}, std::multiplies<>());
  std::vector<double> values(size);
  if (size == 0) return values;
  int storage = NC_CONTIGUOUS;
  check(nc_inq_var_chunking(variable.group, variable.id, &storage, nullptr), "read");
  if (storage == NC_CHUNKED)
    check(nc_set_var_chunk_cache(variable.group, variable.id, 0, 0, 0.0F), "read");
  check(nc_get_vara_double(variable.group, variable.id, slab.start.data(), slab.count.data(),
                           values.data()),
        "read " + variable.name + " from");
  return values;
}

std::vector<double> NetcdfReader::read(const Variable& variable) const {
  return read(variable,
              {.start = std::vector<std::size_t>(variable.sizes.size()), .count = variable.sizes});
}

std::string NetcdfReader::read_text(const Variable& variable) const {
  const ForeignScope scope(path_);
  int type = 0;
  check(nc_inq_vartype(variable.group, variable.id, &type), "read");
  if (type == NC_CHAR) {
    std::string text(variable.num_values(), '\0');
    if (!text.empty()) check(nc_get_var_text(variable.group, variable.id, text.data()), "read");
    return text;
  }
  std::vector<char*> texts(variable.num_values());
  check(nc_get_var_string(variable.group, variable.id, texts.data()), "read");
  const std::vector<std::string> parts = strings_of(texts);
  nc_free_string(texts.size(), texts.data());
  return joined(parts);
}

}  // namespace credo::io
