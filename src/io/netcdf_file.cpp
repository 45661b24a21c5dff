#include "io/netcdf_file.hpp"

#include <fmt/format.h>
#include <netcdf.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace credo::io {
namespace {
constexpr int kDeflate = 1;  // level of texts, above which they hardly get smaller

constexpr int type_of(NetcdfFile::Kind kind) {
  switch (kind) {
    case NetcdfFile::Kind::real:
      return NC_DOUBLE;
    case NetcdfFile::Kind::whole:
      return NC_INT64;
    case NetcdfFile::Kind::whole_32:
      return NC_INT;
    case NetcdfFile::Kind::flag:
      return NC_BYTE;
    case NetcdfFile::Kind::text:
      return NC_CHAR;
  }
  return NC_DOUBLE;
}
}  // namespace

// HDF5 opens the part, which is this process's own and empty, by its name, and locks it.
NetcdfFile::NetcdfFile(std::string path, const Readers& readers)
    : path_(std::move(path)), part_(path_, readers) {
  errno = 0;
  check(nc_create(part_.name().c_str(), NC_NETCDF4 | NC_CLOBBER, &root_), "create");
}

NetcdfFile::~NetcdfFile() {
  if (root_ >= 0 && !broken_) nc_abort(root_);
}

// The library's own words for a system call that failed are "HDF error" or "Permission denied",
// whatever the reason was.
void NetcdfFile::check(int code, std::string_view what) {
  if (code == NC_NOERR) return;
  const int reason = errno;
  broken_ = true;
  const bool by_system = reason != 0 && (code == NC_EHDFERR || root_ < 0);
  throw Error(ErrorCode::io,
              fmt::format("can't {} the NetCDF file: {}", what,
                          by_system ? std::strerror(reason) : nc_strerror(code)),
              path_, "is the disk full?");
}

NetcdfFile::Group NetcdfFile::add_group(const std::string& name) {
  Group group{};
  check(nc_def_grp(root_, name.c_str(), &group.id), "add a group to");
  return group;
}

void NetcdfFile::add_dimension(Group group, const std::string& name, Index size) {
  int id = 0;
  check(nc_def_dim(group.id, name.c_str(), static_cast<std::size_t>(size), &id),
        "add a dimension to");
}

NetcdfFile::Variable NetcdfFile::add_variable(Group group, const std::string& name,
                                              const VariableShape& shape) {
  std::vector<int> dimensions;
  for (const std::string& dimension : shape.dimensions)
    check(nc_inq_dimid(group.id, dimension.c_str(), &dimensions.emplace_back()),
          "find the dimension " + dimension + " in");
  Variable variable{.group = group.id, .id = 0};
  check(nc_def_var(group.id, name.c_str(), type_of(shape.kind), static_cast<int>(dimensions.size()),
                   dimensions.data(), &variable.id),
        "add " + name + " to");
  // xarray's own mark, so that it reads them as bool.
  if (shape.kind == Kind::flag) set(variable, "dtype", "bool");
  if (shape.kind == Kind::text) {
    check(nc_def_var_deflate(group.id, variable.id, 0, 1, kDeflate), "lay out");
    check(nc_put_att_text(group.id, variable.id, "_Encoding", 5, "utf-8"), "lay out");
  }
  if (shape.has_check_sums && !dimensions.empty())
    check(nc_def_var_fletcher32(group.id, variable.id, NC_FLETCHER32), "lay out");
  if (shape.chunks.empty()) return variable;
  check(nc_def_var_chunking(group.id, variable.id, NC_CHUNKED, shape.chunks.data()), "lay out");
  // Without a cache a whole chunk goes to the file at once, and the next one has the same memory.
  check(nc_set_var_chunk_cache(group.id, variable.id, 0, 0, 0.0F), "lay out");
  return variable;
}

void NetcdfFile::set(Group group, const std::string& attribute, const std::string& text) {
  check(nc_put_att_text(group.id, NC_GLOBAL, attribute.c_str(), text.size(), text.data()),
        "add an attribute to");
}

void NetcdfFile::set(Group group, const std::string& attribute, Index value) {
  const long long whole = value;
  check(nc_put_att_longlong(group.id, NC_GLOBAL, attribute.c_str(), NC_INT64, 1, &whole),
        "add an attribute to");
}

void NetcdfFile::set_real(Group group, const std::string& attribute, double value) {
  check(nc_put_att_double(group.id, NC_GLOBAL, attribute.c_str(), NC_DOUBLE, 1, &value),
        "add an attribute to");
}

void NetcdfFile::set(Variable variable, const std::string& attribute, const std::string& text) {
  check(nc_put_att_text(variable.group, variable.id, attribute.c_str(), text.size(), text.data()),
        "add an attribute to");
}

void NetcdfFile::write(Variable variable, const Slab& slab, std::span<const double> values) {
  stop_if_asked();
  errno = 0;
  check(nc_put_vara_double(variable.group, variable.id, slab.start.data(), slab.count.data(),
                           values.data()),
        "write");
}

void NetcdfFile::write(Variable variable, std::span<const double> values) {
  check(nc_put_var_double(variable.group, variable.id, values.data()), "write");
}

void NetcdfFile::write_text(Variable variable, std::string_view text) {
  check(nc_put_var_text(variable.group, variable.id, text.data()), "write");
}

void NetcdfFile::finish() {
  errno = 0;
  check(nc_sync(root_), "write");  // before it is closed: a close that fails crashes
  check(nc_close(std::exchange(root_, -1)), "close");
  if (::fsync(part_.descriptor()) != 0)
    throw Error(ErrorCode::io, fmt::format("can't write the file: {}", std::strerror(errno)), path_,
                "is the disk full?");
  part_.replace();
}

}  // namespace credo::io
