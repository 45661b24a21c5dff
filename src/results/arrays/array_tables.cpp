#include "results/arrays/array_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/file.hpp"
#include "io/json_writer.hpp"
#include "io/number_text.hpp"
#include "score/csv_columns.hpp"

namespace credo::results {

bool is_coordinate(const Group& group, const Field& field) {
  return field.dims.size() == 1 && field.dims.front() == field.name &&
         group.size_of(field.name) > 0;
}

namespace {

std::string label_or(const Field& field, double value, const std::string& otherwise) {
  const bool is_place = value >= 0.0 && value < static_cast<double>(field.labels.size());
  return is_place ? field.labels[static_cast<std::size_t>(value)] : otherwise;
}

// The cells of a table, read once.
class Cells {
 public:
  Cells(const ArrayResult& result, const ArrayTable& table) : table_(table) {
    for (const std::string& dim : table.dims) {
      sizes_.push_back(table.group->size_of(dim));
      const Field* coordinate = table.group->find(dim);
      const bool has_values = coordinate != nullptr && is_coordinate(*table.group, *coordinate);
      coordinates_.push_back(has_values ? coordinate : nullptr);
      places_.push_back(has_values ? result.read(*table.group, *coordinate)
                                   : std::vector<double>());
    }
    for (const Field* field : table.fields) values_.push_back(result.read(*table.group, *field));
  }

  std::size_t num_dims() const { return sizes_.size(); }

  std::string place(Index row, std::size_t dim) const {
    for (std::size_t d = sizes_.size(); d-- > dim + 1;) row /= sizes_[d];
    const Index at = row % sizes_[dim];
    if (coordinates_[dim] == nullptr) return std::to_string(at + 1);
    const double value = places_[dim][static_cast<std::size_t>(at)];
    return label_or(*coordinates_[dim], value, fmt::format("{:.6g}", value));
  }

  const Field& field(std::size_t k) const { return *table_.fields[k]; }
  bool has_values(std::size_t k) const {
    return std::ranges::any_of(values_[k], [](double value) { return !std::isnan(value); });
  }
  double value(Index row, std::size_t k) const { return values_[k][static_cast<std::size_t>(row)]; }

 private:
  const ArrayTable& table_;
  std::vector<Index> sizes_;
  std::vector<const Field*> coordinates_;
  std::vector<std::vector<double>> places_, values_;
};

std::string shown(const Field& field, double value) {
  if (field.kind == density::Kind::flag) return value != 0.0 ? "yes" : "no";
  if (std::isnan(value)) return "-";
  const bool is_whole = field.kind == density::Kind::whole;
  return label_or(field, value,
                  is_whole ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value));
}

void write_nested(io::JsonWriter& json, const Field& field, std::span<const Index> shape,
                  std::span<const double> values) {
  if (shape.empty()) {
    const double value = values.front();
    if (!field.labels.empty())
      json.string(label_or(field, value, ""));
    else if (field.kind == density::Kind::flag)
      json.boolean(value != 0.0);
    else
      json.number(value);
    return;
  }
  json.begin_array();
  if (values.empty()) {
    json.end_array();
    return;
  }
  const std::size_t part = values.size() / static_cast<std::size_t>(shape.front());
  for (std::size_t at = 0; at < values.size(); at += part)
    write_nested(json, field, shape.subspan(1), values.subspan(at, part));
  json.end_array();
}

void write_field(io::JsonWriter& json, const ArrayResult& result, const Group& group,
                 const Field& field) {
  json.line_break().key(field.name).begin_object().members("dims", field.dims);
  if (!field.unit.empty()) json.members("unit", field.unit);
  if (!field.help.empty()) json.members("help", field.help);
  json.key("values");
  write_nested(json, field, group.shape(field), result.read(group, field));
  json.end_object();
}

std::string csv_of(const ArrayResult& result, const ArrayTable& table) {
  const Cells cells(result, table);
  std::vector<std::string> names;
  for (const std::string& dim : table.dims) names.push_back(score::csv_text(dim));
  for (const Field* field : table.fields) names.push_back(score::csv_text(field->name));
  std::string text = fmt::format("{}\n", fmt::join(names, ","));
  for (Index row = 0; row < table.num_rows; ++row) {
    std::vector<std::string> words;
    for (std::size_t d = 0; d < cells.num_dims(); ++d)
      words.push_back(score::csv_text(cells.place(row, d)));
    for (std::size_t k = 0; k < table.fields.size(); ++k) {
      const double value = cells.value(row, k);
      const std::string number = io::number_text(value);
      words.push_back(cells.field(k).labels.empty()
                          ? number
                          : score::csv_text(label_or(cells.field(k), value, number)));
    }
    text += fmt::format("{}\n", fmt::join(words, ","));
  }
  return text;
}
}  // namespace

std::vector<ArrayTable> tables_of(const Group& group) {
  std::vector<ArrayTable> tables;
  for (const Field& field : group.fields) {
    if (is_coordinate(group, field)) continue;
    auto table = std::ranges::find(tables, field.dims, &ArrayTable::dims);
    if (table == tables.end()) {
      tables.push_back({.group = &group, .dims = field.dims, .fields = {}});
      tables.back().num_rows = group.num_values(field);
      table = tables.end() - 1;
    }
    table->fields.push_back(&field);
  }
  return tables;
}

std::string table_text(const ArrayResult& result, const ArrayTable& table, Index most_rows,
                       std::string_view to_see_all) {
  const Cells cells(result, table);
  const Index every = std::max<Index>(1, (table.num_rows + most_rows - 1) / most_rows);
  std::vector<std::vector<std::string>> lines{{table.dims.begin(), table.dims.end()}};
  std::vector<std::size_t> columns;
  for (std::size_t k = 0; k < table.fields.size(); ++k)
    if (cells.has_values(k)) columns.push_back(k);
  for (const std::size_t k : columns) lines.front().push_back(cells.field(k).name);
  for (Index row = 0; row < table.num_rows; ++row) {
    if (row % every != 0 && row != table.num_rows - 1) continue;
    std::vector<std::string>& line = lines.emplace_back();
    for (std::size_t d = 0; d < cells.num_dims(); ++d) line.push_back(cells.place(row, d));
    for (const std::size_t k : columns) line.push_back(shown(cells.field(k), cells.value(row, k)));
  }
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
  std::string text = table.group->name + "\n";
  for (const auto& line : lines) {
    for (std::size_t k = 0; k < line.size(); ++k)
      text += fmt::format("  {:>{}}", line[k], widths[k]);
    text += "\n";
  }
  if (every > 1)
    text += fmt::format("({} of {} rows; {})\n", lines.size() - 1, table.num_rows, to_see_all);
  return text;
}

std::string arrays_json(const ArrayResult& result) {
  io::JsonWriter json;
  json.begin_object().key("attributes").begin_object();
  for (const auto& [name, value] : result.attributes()) {
    json.key(name);
    std::visit([&](const auto& x) { json.value(x); }, value);
  }
  json.end_object().key("groups").begin_object();
  for (const Group& group : result.groups()) {
    json.line_break().key(group.name).begin_object().key("dims").begin_object();
    for (const Dimension& dim : group.dims) json.key(dim.name).integer(dim.size);
    json.end_object().key("fields").begin_object();
    for (const Field& field : group.fields) write_field(json, result, group, field);
    json.end_object().end_object();
  }
  return json.end_object().end_object().text() + "\n";
}

std::vector<std::string> write_array_tables(const ArrayResult& result, const std::string& prefix,
                                            const io::Readers& readers) {
  std::vector<std::string> names;
  for (const Group& group : result.groups()) {
    bool is_first = true;
    for (const ArrayTable& table : tables_of(group)) {
      if (table.num_rows == 0) continue;
      const std::string dims =
          table.dims.empty() ? "single" : fmt::format("{}", fmt::join(table.dims, "-"));
      const std::string more = is_first ? "" : "." + dims;
      io::OutputFile file(fmt::format("{}.{}{}.csv", prefix, group.name, more), readers);
      file.write(csv_of(result, table));
      file.commit();
      names.push_back(file.path());
      is_first = false;
    }
  }
  return names;
}

}  // namespace credo::results
