#include "results/arrays/array_file.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/netcdf_file.hpp"
#include "io/netcdf_reader.hpp"
#include "io/number_text.hpp"
#include "results/files/apart.hpp"
#include "results/files/table_groups.hpp"

namespace credo::results {
namespace {
using io::NetcdfFile;
using io::NetcdfReader;
constexpr Index kPartValues = Index{1} << 17;  // 1 MiB

constexpr const char* kHelp = "long_name";  // CF conventions
constexpr const char* kUnit = "units";
constexpr const char* kLabels = "labels";

// Labels as lines. A label's line ends are \n and its backslashes \\; an empty label is a single backslash.
std::string line_text(std::string_view label) {
  if (label.empty()) return "\\";
  std::string line;
  for (const char c : label)
    if (c == '\n')
      line += "\\n";
    else
      line += c == '\\' ? "\\\\" : std::string(1, c);
  return line;
}
std::string lines_text(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : "\n") + line_text(label);
  return text;
}
std::string label_from(std::string_view line) {
  std::string label;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] != '\\')
      label += line[k];
    else if (++k < line.size())
      label += line[k] == 'n' ? '\n' : line[k];
  }
  return label;
}
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(label_from(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

class ArrayWriter {
 public:
  ArrayWriter(const ArrayResult& result, NetcdfFile& file) : result_(result), file_(file) {}

  void write() {
    for (const auto& [name, value] : result_.attributes()) set(name, value);
    for (const Group& group : result_.groups())
      if (!group.json.only && has_values(group)) write(group);
  }

 private:
  static bool has_values(const Group& group) {
    return std::ranges::any_of(group.fields,
                               [&](const Field& field) { return group.num_values(field) > 0; });
  }

  void set(const std::string& name, const Attribute& value) {
    const auto root = file_.root();
    if (const auto* text = std::get_if<std::string>(&value))
      file_.set(root, name, *text);
    else if (const auto* whole = std::get_if<Index>(&value))
      file_.set(root, name, *whole);
    else if (const auto* flag = std::get_if<bool>(&value))
      file_.set(root, name, Index{*flag});
    else
      file_.set_real(root, name, std::get<double>(value));
  }

  void write(const Group& group) {
    const auto place = file_.add_group(group.name);
    for (const Dimension& d : group.dims)
      if (d.size > 0) file_.add_dimension(place, d.name, d.size);
    for (const Field& field : group.fields)
      if (group.num_values(field) > 0) write(place, group, field);
  }

  void write(NetcdfFile::Group place, const Group& group, const Field& field) {
    const auto variable = file_.add_variable(
        place, field.name, {.dimensions = field.dims, .kind = netcdf_kind(field.kind)});
    if (!field.help.empty()) file_.set(variable, kHelp, field.help);
    if (!field.unit.empty()) file_.set(variable, kUnit, field.unit);
    if (!field.labels.empty()) file_.set(variable, kLabels, lines_text(field.labels));
    const std::vector<Index> shape = group.shape(field);
    if (shape.empty()) return file_.write(variable, result_.read(group, field));
    const Index rows = shape.front(), row = group.num_values(field) / rows;
    const Index step = std::max<Index>(1, kPartValues / row);
    NetcdfFile::Slab slab{.start = std::vector<std::size_t>(shape.size(), 0),
                          .count = {shape.begin(), shape.end()}};
    for (Index first = 0; first < rows; first += step) {
      const Index count = std::min(step, rows - first);
      slab.start.front() = static_cast<std::size_t>(first);
      slab.count.front() = static_cast<std::size_t>(count);
      file_.write(variable, slab, result_.read(group, field, first, count));
    }
  }

  const ArrayResult& result_;
  NetcdfFile& file_;
};

class NetcdfArrays final : public ArrayResult {
 public:
  explicit NetcdfArrays(const std::string& path) : file_(path) {
    for (const auto& [name, value] : file_.attributes(file_.root())) {
      const std::optional<double> number = io::parse_number(value);
      attributes_.emplace_back(name, number ? Attribute(*number) : Attribute(value));
    }
    for (const auto& [name, place] : file_.groups()) add(name, place);
  }

  const std::vector<std::pair<std::string, Attribute>>& attributes() const override {
    return attributes_;
  }
  const std::vector<Group>& groups() const override { return groups_; }

  std::vector<double> read(const Group& group, const Field& field, Index first,
                           Index count) const override {
    const auto g = static_cast<std::size_t>(&group - groups_.data());
    const auto f = static_cast<std::size_t>(&field - group.fields.data());
    const NetcdfReader::Variable& variable = variables_[g][f];
    if (variable.sizes.empty()) return file_.read(variable);
    NetcdfReader::Slab slab{.start = std::vector<std::size_t>(variable.sizes.size(), 0),
                            .count = variable.sizes};
    slab.start.front() = static_cast<std::size_t>(first);
    slab.count.front() =
        count < 0 ? variable.sizes.front() - slab.start.front() : static_cast<std::size_t>(count);
    return file_.read(variable, slab);
  }

 private:
  void add(const std::string& name, NetcdfReader::Group place) {
    Group group{.name = name};
    std::vector<NetcdfReader::Variable> variables;
    for (NetcdfReader::Variable& variable : file_.variables(place)) {
      if (variable.kind != NetcdfReader::Kind::real && variable.kind != NetcdfReader::Kind::whole)
        continue;
      for (std::size_t d = 0; d < variable.sizes.size(); ++d)
        if (std::ranges::find(group.dims, variable.dimensions[d], &Dimension::name) ==
            group.dims.end())
          group.dims.push_back({variable.dimensions[d], static_cast<Index>(variable.sizes[d])});
      group.fields.push_back(field_of(variable));
      variables.push_back(std::move(variable));
    }
    groups_.push_back(std::move(group));
    variables_.push_back(std::move(variables));
  }

  Field field_of(const NetcdfReader::Variable& variable) const {
    std::map<std::string, std::string> said = file_.attributes(variable);
    const bool is_flag = said["dtype"] == "bool";
    const bool is_whole = variable.kind == NetcdfReader::Kind::whole;
    return {.name = variable.name,
            .dims = variable.dimensions,
            .kind = is_flag    ? density::Kind::flag
                    : is_whole ? density::Kind::whole
                               : density::Kind::real,
            .help = said[kHelp],
            .unit = said[kUnit],
            .labels = lines_of(said[kLabels])};
  }

  NetcdfReader file_;
  std::vector<std::pair<std::string, Attribute>> attributes_;
  std::vector<Group> groups_;
  std::vector<std::vector<NetcdfReader::Variable>> variables_;  // by group and field
};
}  // namespace

void write_arrays(const ArrayResult& result, const FitOutput& to) {
  try {
    run_apart([&] {
      NetcdfFile file(to.path, to.readers);
      ArrayWriter(result, file).write();
      file.finish();
    });
  } catch (const Error&) {
    io::remove_left_parts(to.path);
    throw;
  } catch (const Stopped&) {
    io::remove_left_parts(to.path);
    throw;
  }
}

std::unique_ptr<ArrayResult> read_arrays(const std::string& path) {
  return std::make_unique<NetcdfArrays>(path);
}

}  // namespace credo::results
