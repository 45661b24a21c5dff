#include "io/netcdf_reader.hpp"

#include <fmt/format.h>
#include <netcdf.h>
#include <netcdf_mem.h>

#include "base/error.hpp"
#include "io/foreign_scope.hpp"
#include "io/number_text.hpp"
#include "io/written_files.hpp"

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
      return type > NC_MAX_ATOMIC_TYPE ? NetcdfReader::Kind::other : NetcdfReader::Kind::whole;
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
  require_not_written(path_);
  const ForeignScope scope(path_);
  check(nc_open(path_.c_str(), NC_NOWRITE, &root_), "read");
}

// The library takes memory that it may write to, and leaves it as it is in this mode.
NetcdfReader::NetcdfReader(std::string name, std::string_view bytes) : path_(std::move(name)) {
  const ForeignScope scope(path_);
  check(
      nc_open_mem(path_.c_str(), NC_NOWRITE, bytes.size(), const_cast<char*>(bytes.data()), &root_),
      "read");
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

// The library reports "HDF error" if a check sum differs.
void NetcdfReader::check_values(int code, const Variable& variable) const {
  int sums = NC_NOCHECKSUM;
  const bool is_reported = code == NC_EHDFERR &&
                           nc_inq_var_fletcher32(variable.group, variable.id, &sums) == NC_NOERR &&
                           sums == NC_FLETCHER32;
  if (is_reported)
    throw Error(ErrorCode::io,
                fmt::format("{} is damaged: its values don't have their check sum", variable.name),
                path_, "take another copy of the file, or make it again");
  check(code, "read " + variable.name + " from");
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

std::vector<std::pair<std::string, NetcdfReader::Group>> NetcdfReader::groups() const {
  const ForeignScope scope(path_);
  int count = 0;
  check(nc_inq_grps(root_, &count, nullptr), "list");
  std::vector<int> ids(static_cast<std::size_t>(count));
  check(nc_inq_grps(root_, &count, ids.data()), "list");
  std::vector<std::pair<std::string, Group>> all;
  std::vector<char> name(NC_MAX_NAME + 1);
  for (const int id : ids) {
    check(nc_inq_grpname(id, name.data()), "list");
    all.emplace_back(name.data(), Group{id});
  }
  return all;
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

std::optional<NetcdfReader::Variable> NetcdfReader::with_first(
    Variable variable, std::span<const std::string_view> first) {
  std::vector<std::size_t> places;
  for (const std::string_view name : first) {
    const auto found = std::find(variable.dimensions.begin(), variable.dimensions.end(), name);
    if (found == variable.dimensions.end()) return std::nullopt;
    places.push_back(static_cast<std::size_t>(found - variable.dimensions.begin()));
  }
  for (std::size_t d = 0; d < variable.dimensions.size(); ++d)
    if (std::find(places.begin(), places.end(), d) == places.end()) places.push_back(d);
  if (std::is_sorted(places.begin(), places.end())) return variable;
  const Variable in_file = variable;
  for (std::size_t d = 0; d < places.size(); ++d) {
    variable.dimensions[d] = in_file.dimensions[places[d]];
    variable.sizes[d] = in_file.sizes[places[d]];
  }
  variable.places = std::move(places);
  return variable;
}

// ---- how values are stored

std::vector<double> NetcdfReader::numbers_of(const Variable& variable,
                                             const char* attribute) const {
  int type = 0;
  std::size_t size = 0;
  const int code = nc_inq_att(variable.group, variable.id, attribute, &type, &size);
  if (code == NC_ENOTATT) return {};
  check(code, "read");
  if (type == NC_CHAR || type >= NC_STRING)
    throw Error(ErrorCode::data,
                fmt::format("the attribute {} of {} is no number", attribute, variable.name), path_,
                "write it as a number, or leave it away");
  std::vector<double> values(size);
  if (size > 0)
    check(nc_get_att_double(variable.group, variable.id, attribute, values.data()), "read");
  return values;
}

namespace {
// The library's values for missing elements, if no attribute names another value. Those of whole
// numbers may be meant.
void add_default_fill(int type, std::vector<double>& missing) {
  if (type == NC_DOUBLE) missing.push_back(NC_FILL_DOUBLE);
  if (type == NC_FLOAT) missing.push_back(static_cast<double>(NC_FILL_FLOAT));
}
}  // namespace

NetcdfReader::Packing NetcdfReader::packing_of(const Variable& variable) const {
  int type = 0;
  check(nc_inq_vartype(variable.group, variable.id, &type), "read");
  Packing packing{.missing = numbers_of(variable, "_FillValue")};
  if (packing.missing.empty()) add_default_fill(type, packing.missing);
  for (const double value : numbers_of(variable, "missing_value")) packing.missing.push_back(value);
  for (const auto& [name, target] :
       {std::pair("scale_factor", &packing.scale), std::pair("add_offset", &packing.offset)}) {
    const std::vector<double> numbers = numbers_of(variable, name);
    if (numbers.size() > 1)
      throw Error(
          ErrorCode::data,
          fmt::format("the attribute {} of {} has {} numbers", name, variable.name, numbers.size()),
          path_, "a variable has one scale_factor and one add_offset");
    if (!numbers.empty()) *target = numbers[0];
  }
  if (nc_inq_attid(variable.group, variable.id, "_Unsigned", nullptr) == NC_NOERR)
    throw Error(ErrorCode::data,
                fmt::format("{} has the attribute _Unsigned, which isn't read", variable.name),
                path_, "write it as a variable of an unsigned type");
  return packing;
}

namespace {
void unpack(const NetcdfReader::Packing& packing, std::span<double> values) {
  for (const double missing : packing.missing)
    for (double& value : values) value = value == missing ? kNaN : value;
  if (packing.scale != 1.0 || packing.offset != 0.0)
    for (double& value : values) value = packing.scale * value + packing.offset;
}

// Values that lie as the file has them, in the order of the places.
std::vector<double> turned(std::span<const double> values, std::span<const std::size_t> places,
                           std::span<const std::size_t> count) {
  const std::size_t rank = places.size();
  std::vector<std::size_t> sizes(rank), strides(rank), index(rank);
  for (std::size_t d = 0; d < rank; ++d) sizes[places[d]] = count[d];
  for (std::size_t d = 0; d < rank; ++d)
    strides[d] = std::accumulate(sizes.begin() + static_cast<std::ptrdiff_t>(places[d]) + 1,
                                 sizes.end(), std::size_t{1}, std::multiplies<>());
  std::vector<double> result;
  result.reserve(values.size());
  for (std::size_t n = 0; n < values.size(); ++n) {
    result.push_back(
        values[std::inner_product(index.begin(), index.end(), strides.begin(), std::size_t{0})]);
    for (std::size_t d = rank; d-- > 0;) {
      if (++index[d] < count[d]) break;
      index[d] = 0;
    }
  }
  return result;
}
}  // namespace

// Values are read once: a cache for each variable would only grow.
std::vector<double> NetcdfReader::read_stored(const Variable& variable, const Slab& slab) const {
  std::vector<double> values(
      std::accumulate(slab.count.begin(), slab.count.end(), std::size_t{1}, std::multiplies<>()));
  if (values.empty()) return values;
  int storage = NC_CONTIGUOUS;
  check(nc_inq_var_chunking(variable.group, variable.id, &storage, nullptr), "read");
  if (storage == NC_CHUNKED)
    check(nc_set_var_chunk_cache(variable.group, variable.id, 0, 0, 0.0F), "read");
  check_values(nc_get_vara_double(variable.group, variable.id, slab.start.data(), slab.count.data(),
                                  values.data()),
               variable);
  return values;
}

std::vector<double> NetcdfReader::read(const Variable& variable, const Slab& slab) const {
  const ForeignScope scope(path_);
  Slab in_file = slab;
  for (std::size_t d = 0; d < variable.places.size(); ++d) {
    in_file.start[variable.places[d]] = slab.start[d];
    in_file.count[variable.places[d]] = slab.count[d];
  }
  std::vector<double> values = read_stored(variable, in_file);
  unpack(packing_of(variable), values);
  if (variable.places.empty()) return values;
  return turned(values, variable.places, slab.count);
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
    if (!text.empty())
      check_values(nc_get_var_text(variable.group, variable.id, text.data()), variable);
    return text;
  }
  std::vector<char*> texts(variable.num_values());
  check(nc_get_var_string(variable.group, variable.id, texts.data()), "read");
  const std::vector<std::string> parts = strings_of(texts);
  nc_free_string(texts.size(), texts.data());
  return joined(parts);
}

}  // namespace credo::io
