// NetCDF-4 files, read: groups, variables, attributes.
//
//   const NetcdfReader file("fit.nc");
//   const NetcdfReader::Group posterior = *file.find_group("posterior");
//   for (const auto& variable : file.variables(posterior))
//     file.read(variable, {.start = {0, 0}, .count = {4, 1000}});
//
// Memory: what is asked for. Every function throws Error(io) with the file and the library's
// reason.
#pragma once
#include "base/types.hpp"

namespace credo::io {

class NetcdfReader {
 public:
  explicit NetcdfReader(std::string path);
  ~NetcdfReader();
  NetcdfReader(const NetcdfReader&) = delete;
  NetcdfReader& operator=(const NetcdfReader&) = delete;

  struct Group {
    int id;
  };
  enum class Kind { real, whole, text };  // whole: of any width; text: bytes
  struct Variable {
    int group, id;
    std::string name;
    Kind kind;
    std::vector<std::string> dimensions;
    std::vector<std::size_t> sizes;  // of the dimensions
    std::size_t num_values() const;
  };
  struct Slab {
    std::vector<std::size_t> start = {}, count = {};
  };

  const std::string& path() const { return path_; }
  Group root() const { return {root_}; }
  std::optional<Group> find_group(const std::string& name) const;  // of the root
  std::vector<Variable> variables(Group group) const;  // in the order in which they were made
  std::optional<Variable> find_variable(Group group, const std::string& name) const;
  // Text, or numbers as text; those of the file, and of a variable.
  std::map<std::string, std::string> attributes(Group group) const;
  std::map<std::string, std::string> attributes(const Variable& variable) const;

  // Values in the order of the dimensions, the last one fastest.
  std::vector<double> read(const Variable& variable, const Slab& slab) const;
  std::vector<double> read(const Variable& variable) const;
  std::string read_text(const Variable& variable) const;  // of kind text

 private:
  void check(int code, std::string_view what) const;
  std::map<std::string, std::string> attributes(int group, int variable) const;
  std::string attribute_text(int group, int variable, const char* name) const;

  std::string path_;
  int root_ = -1;
};

}  // namespace credo::io
