// NetCDF-4 files: groups with dimensions, variables and attributes. The file appears under its name
// when it is complete; it holds no time stamp, so that equal contents make equal files. Values have
// check sums (HDF5's filter fletcher32), which every reader of HDF5 verifies.
//
//   NetcdfFile file("fit.nc");
//   const auto group = file.add_group("posterior");
//   file.add_dimension(group, "draw", 1000);
//   const auto mu = file.add_variable(group, "mu", {.dimensions = {"draw"}});
//   file.write(mu, {.start = {0}, .count = {1000}}, values);
//   file.finish();
//
// Every function throws Error(io) with the file and the system's or the library's reason. After one
// the library may crash, at the latest when the program ends (see io/apart.hpp).
#pragma once
#include "io/part_file.hpp"

namespace credo::io {

class NetcdfFile {
 public:
  explicit NetcdfFile(std::string path, const Readers& readers = {});
  ~NetcdfFile();  // removes what isn't finished
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  // doubles; 64-bit and 32-bit integers; bytes 0 and 1; UTF-8
  enum class Kind { real, whole, whole_32, flag, text };
  struct Group {
    int id;
  };
  struct Variable {
    int group, id;
  };
  struct VariableShape {
    std::vector<std::string> dimensions = {};  // dimensions of the group; empty: a scalar
    Kind kind = Kind::real;
    std::vector<std::size_t> chunks = {};  // one size a dimension; none: the library's choice
    bool has_check_sums = true;            // for each chunk, by HDF5; not for scalars
  };
  struct Slab {
    std::vector<std::size_t> start = {}, count = {};
  };

  Group root() const { return {root_}; }
  Group add_group(const std::string& name);
  void add_dimension(Group group, const std::string& name, Index size);
  Variable add_variable(Group group, const std::string& name, const VariableShape& shape);
  void set(Group group, const std::string& attribute, const std::string& text);
  void set(Group group, const std::string& attribute, Index value);
  void set_real(Group group, const std::string& attribute, double value);
  void set(Variable variable, const std::string& attribute, const std::string& text);

  // Values in the order of the dimensions, the last one fastest; turned into the variable's kind. A slab of whole chunks is
  // written once; a part of a chunk is read before it is written.
  void write(Variable variable, const Slab& slab, std::span<const double> values);
  void write(Variable variable, std::span<const double> values);  // all of it
  void write_text(Variable variable, std::string_view text);      // all of a variable of kind text
  // Closes it, waits for the disk, renames it into place.
  void finish();

 private:
  void check(int code, std::string_view what);

  std::string path_;
  PartFile part_;
  int root_ = -1;
  bool broken_ = false;
};

}  // namespace credo::io
