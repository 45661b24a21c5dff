#include "results/arrays/array_file.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "io/apart.hpp"
#include "io/netcdf_file.hpp"
#include "io/netcdf_reader.hpp"
#include "io/number_text.hpp"

namespace credo::results {
namespace {
using io::NetcdfFile;
using io::NetcdfReader;
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

NetcdfFile::Kind stored_kind(const Field& field) {
  if (field.kind == density::Kind::flag) return NetcdfFile::Kind::flag;
  if (field.kind == density::Kind::real) return NetcdfFile::Kind::real;
  return field.file.is_short ? NetcdfFile::Kind::whole_32 : NetcdfFile::Kind::whole;
}

std::vector<std::size_t> sizes_of(std::span<const Index> sizes) {
  return {sizes.begin(), sizes.end()};
}

class ArrayWriter {
 public:
  ArrayWriter(const ArrayResult& result, NetcdfFile& file) : result_(result), file_(file) {}

  void write() {
    for (const auto& [name, value] : result_.attributes()) set(name, value);
    for (const Group& group : result_.groups())
      if (!group.json.only && (group.keeps_empty || has_values(group))) write(group);
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
    for (const auto& [name, text] : group.attributes) file_.set(place, name, text);
    for (const Dimension& d : group.dims)
      if (group.keeps_empty || d.size > 0) file_.add_dimension(place, d.name, d.size);
    for (const Field& field : group.fields)
      if (group.keeps_empty || group.num_values(field) > 0) write(place, group, field);
  }

  void write(NetcdfFile::Group place, const Group& group, const Field& field) {
    if (field.file.text != nullptr) return write_text(place, field);
    const auto variable = file_.add_variable(place, field.name,
                                             {.dimensions = field.dims,
                                              .kind = stored_kind(field),
                                              .chunks = sizes_of(field.file.chunks),
                                              .has_check_sums = field.file.has_check_sums});
    if (!field.help.empty()) file_.set(variable, kHelp, field.help);
    if (!field.unit.empty()) file_.set(variable, kUnit, field.unit);
    if (!field.labels.empty()) file_.set(variable, kLabels, lines_text(field.labels));
    for (const auto& [name, text] : field.file.attributes) file_.set(variable, name, text);
    if (field.dims.empty()) return file_.write(variable, result_.read(group, field));
    result_.for_each_part(
        group, field, [&](const ArrayResult::Box& box, std::span<const double> values) {
          file_.write(variable, {sizes_of(box.start), sizes_of(box.count)}, values);
        });
  }

  // A dimension of size 0 would be an unlimited one, so an empty text is written as a space.
  void write_text(NetcdfFile::Group place, const Field& field) {
    const std::string_view text =
        field.file.text->empty() ? std::string_view(" ") : *field.file.text;
    const std::string dimension = field.name + "_bytes";
    file_.add_dimension(place, dimension, ssize(text));
    const auto variable = file_.add_variable(
        place, field.name, {.dimensions = {dimension}, .kind = NetcdfFile::Kind::text});
    for (const auto& [name, value] : field.file.attributes) file_.set(variable, name, value);
    file_.write_text(variable, text);
  }

  const ArrayResult& result_;
  NetcdfFile& file_;
};

class NetcdfArrays final : public ArrayResult {
 public:
  explicit NetcdfArrays(const std::string& path)
      : own_(std::make_unique<NetcdfReader>(path)), file_(*own_) {
    for (const auto& [name, value] : file_.attributes(file_.root())) {
      const std::optional<double> number = io::parse_number(value);
      attributes_.emplace_back(name, number ? Attribute(*number) : Attribute(value));
    }
    for (const auto& [name, place] : file_.groups()) add(name, place);
  }
  NetcdfArrays(const NetcdfReader& file, std::span<const std::string> names) : file_(file) {
    for (const std::string& name : names)
      if (const auto place = file_.find_group(name)) add(name, *place);
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
    for (const auto& [attribute, text] : file_.attributes(place))
      group.attributes.emplace_back(attribute, text);
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
    const auto take = [&](const char* name) {
      const auto found = said.extract(name);
      return found.empty() ? std::string() : std::move(found.mapped());
    };
    const bool is_flag = take("dtype") == "bool";
    const bool is_whole = variable.kind == NetcdfReader::Kind::whole;
    Field field{.name = variable.name,
                .dims = variable.dimensions,
                .kind = is_flag    ? density::Kind::flag
                        : is_whole ? density::Kind::whole
                                   : density::Kind::real,
                .help = take(kHelp),
                .unit = take(kUnit),
                .labels = lines_of(take(kLabels))};
    field.file.attributes.assign(said.begin(), said.end());
    return field;
  }

  std::unique_ptr<NetcdfReader> own_;  // null: the caller has the file
  const NetcdfReader& file_;
  std::vector<std::pair<std::string, Attribute>> attributes_;
  std::vector<Group> groups_;
  std::vector<std::vector<NetcdfReader::Variable>> variables_;  // by group and field
};
}  // namespace

void write_arrays_here(const ArrayResult& result, const std::string& path,
                       const io::Readers& readers) {
  NetcdfFile file(path, readers);
  ArrayWriter(result, file).write();
  file.finish();
}

void write_arrays(const ArrayResult& result, const std::string& path, const io::Readers& readers) {
  try {
    io::run_apart([&] { write_arrays_here(result, path, readers); });
  } catch (...) {
    io::remove_left_parts(path);
    throw;
  }
}

std::unique_ptr<ArrayResult> read_arrays(const std::string& path) {
  return std::make_unique<NetcdfArrays>(path);
}

std::unique_ptr<ArrayResult> read_groups(const io::NetcdfReader& file,
                                         std::span<const std::string> names) {
  return std::make_unique<NetcdfArrays>(file, names);
}

}  // namespace credo::results
