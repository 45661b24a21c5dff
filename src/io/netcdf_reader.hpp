// NetCDF-4 files, read: groups, variables, attributes.
//
//   const NetcdfReader file("fit.nc");
//   const NetcdfReader::Group posterior = *file.find_group("posterior");
//   for (const auto& variable : file.variables(posterior))
//     file.read(variable, {.start = {0, 0}, .count = {4, 1000}});
//
// Memory: the values that are requested. Every function throws Error(io) with the file and the library's
// reason.
#pragma once
#include "base/types.hpp"

namespace credo::io {

class NetcdfReader {
 public:
  explicit NetcdfReader(std::string path);
  // A file that is in memory, and stays there; messages call it so.
  NetcdfReader(std::string name, std::string_view bytes);
  ~NetcdfReader();
  NetcdfReader(const NetcdfReader&) = delete;
  NetcdfReader& operator=(const NetcdfReader&) = delete;

  struct Group {
    int id;
  };
  // whole: any width; text: bytes; other: compounds, enumerations and the like, not read
  enum class Kind { real, whole, text, other };
  // How numbers are stored: value = scale * stored + offset, and NaN where stored is one of these.
  struct Packing {
    double scale = 1.0, offset = 0.0;
    std::vector<double> missing = {};
  };
  struct Variable {
    int group, id;
    std::string name;
    Kind kind;
    std::vector<std::string> dimensions;
    std::vector<std::size_t> sizes;        // sizes of the dimensions
    std::vector<std::size_t> places = {};  // of these dimensions in the file; empty: as they stand
    std::size_t num_values() const;
  };
  struct Slab {
    std::vector<std::size_t> start = {}, count = {};
  };

  const std::string& path() const { return path_; }
  Group root() const { return {root_}; }
  std::optional<Group> find_group(const std::string& name) const;  // a group of the root
  std::vector<std::pair<std::string, Group>> groups()
      const;  // groups of the root, in the order in which they were made
  std::vector<Variable> variables(Group group) const;  // in the order in which they were made
  std::optional<Variable> find_variable(Group group, const std::string& name) const;
  // The variable as if its dimensions began with these, the others as they stand; nothing where it
  // lacks one of them. Values are read in this order.
  static std::optional<Variable> with_first(Variable variable,
                                            std::span<const std::string_view> first);
  // Text, or numbers as text; those of the file, and of a variable.
  std::map<std::string, std::string> attributes(Group group) const;
  std::map<std::string, std::string> attributes(const Variable& variable) const;

  // Values in the order of the dimensions, the last one fastest, as the attributes scale_factor,
  // add_offset, _FillValue and missing_value have them.
  std::vector<double> read(const Variable& variable, const Slab& slab) const;
  std::vector<double> read(const Variable& variable) const;
  std::string read_text(const Variable& variable) const;  // for kind text

 private:
  void check(int code, std::string_view what) const;
  void check_values(int code, const Variable& variable) const;
  std::vector<double> numbers_of(const Variable& variable, const char* attribute) const;
  Packing packing_of(const Variable& variable) const;
  std::vector<double> read_stored(const Variable& variable, const Slab& slab) const;
  std::map<std::string, std::string> attributes(int group, int variable) const;
  std::string attribute_text(int group, int variable, const char* name) const;

  std::string path_;
  int root_ = -1;
};

}  // namespace credo::io
