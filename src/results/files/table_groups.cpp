#include "results/files/table_groups.hpp"

#include <fmt/format.h>
#include <sstream>

#include "io/file.hpp"
#include "io/number_text.hpp"
#include "results/arrays/array_file.hpp"

namespace credo::results {
namespace {
using io::NetcdfReader;
constexpr const char* kRow = "row";  // attribute of a group: its dimension

Index num_run_chains(const Fit& fit) { return fit.num_chains() / fit.num_walkers(); }

void add_table(const Fit& fit, Index t, ArrayList& arrays) {
  const RowTable& table = fit.tables()[static_cast<std::size_t>(t)];
  const std::size_t width = table.columns.size();
  std::vector<double> chains, rows;
  for (Index c = 0; c < num_run_chains(fit); ++c) {
    const std::vector<double> own = fit.table_rows(t, c);
    chains.resize(chains.size() + own.size() / width, static_cast<double>(c));
    rows.insert(rows.end(), own.begin(), own.end());
  }
  if (chains.empty()) return;
  auto group = arrays.add_group(table.name, {{table.row, ssize(chains)}});
  std::vector<double> column(chains.size());
  group.set(kRow, table.row)
      .add({.name = "chain", .dims = {table.row}, .kind = density::Kind::whole}, std::move(chains));
  for (std::size_t k = 0; k < width; ++k) {
    for (std::size_t r = 0; r < column.size(); ++r) column[r] = rows[r * width + k];
    group.add({.name = table.columns[k].name, .dims = {table.row}, .kind = table.columns[k].kind},
              column);
  }
}

[[noreturn]] void refuse(const NetcdfReader& file, const std::string& group, const char* what) {
  throw Error(ErrorCode::io, fmt::format("the table {}: {}", group, what), file.path(),
              "the file is damaged: take it from where it was written");
}

void read_table(const NetcdfReader& file, const std::string& name, Index num_chains,
                StoredTables& all) {
  const auto arrays = read_groups(file, std::array{name});
  if (arrays->groups().empty()) refuse(file, name, "there is no such group");
  const Group& group = arrays->groups().front();
  RowTable table{.name = name, .row = text_of(group.attributes, kRow), .columns = {}};
  std::vector<double> chains;
  std::vector<std::vector<double>> columns;
  for (const Field& field : group.fields) {
    if (field.dims.size() != 1) refuse(file, name, "a variable isn't a column");
    std::vector<double> values = arrays->read(group, field);
    if (field.name == "chain") {
      chains = std::move(values);
      continue;
    }
    const bool is_real = field.kind == density::Kind::real;
    table.columns.push_back({.name = field.name,
                             .stan_name = {},
                             .kind = is_real ? density::Kind::real : density::Kind::whole});
    columns.push_back(std::move(values));
  }
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(num_chains));
  for (std::size_t r = 0; r < chains.size(); ++r) {
    const bool is_chain = chains[r] >= 0.0 && chains[r] < static_cast<double>(num_chains);
    if (!is_chain) refuse(file, name, "a row is of no chain");
    for (const auto& column : columns) {
      if (column.size() != chains.size()) refuse(file, name, "its columns differ in length");
      rows[static_cast<std::size_t>(chains[r])].push_back(column[r]);
    }
  }
  all.tables.push_back(std::move(table));
  all.rows.push_back(std::move(rows));
}
}  // namespace

void add_tables(const Fit& fit, ArrayList& arrays) {
  for (Index t = 0; t < ssize(fit.tables()); ++t) add_table(fit, t, arrays);
}

std::string table_names(const Fit& fit, const ArrayResult& arrays) {
  std::string names;
  for (const RowTable& table : fit.tables())
    if (arrays.find_group(table.name) != nullptr) names += (names.empty() ? "" : " ") + table.name;
  return names;
}

StoredTables read_tables(const NetcdfReader& file, Index num_chains) {
  StoredTables all;
  std::istringstream names(file.attributes(file.root())[kTables]);
  for (std::string name; names >> name;) read_table(file, name, num_chains, all);
  return all;
}

std::string table_name(const std::string& prefix, const std::string& table) {
  constexpr std::string_view kEnding = ".csv";
  const std::size_t size = prefix.size() - (prefix.ends_with(kEnding) ? kEnding.size() : 0);
  return fmt::format("{}.{}{}", prefix.substr(0, size), table, kEnding);
}

void write_table_files(const Fit& fit, const FitOutput& output) {
  for (Index t = 0; t < ssize(fit.tables()); ++t) {
    const RowTable& table = fit.tables()[static_cast<std::size_t>(t)];
    std::string text = "chain," + table.row;
    for (const StatColumn& column : table.columns) text += "," + column.name;
    text += "\n";
    for (Index c = 0; c < num_run_chains(fit); ++c) {
      const std::vector<double> rows = fit.table_rows(t, c);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t column = k % table.columns.size();
        if (column == 0) text += fmt::format("{},{}", c + 1, k / table.columns.size() + 1);
        text += "," + io::number_text(rows[k]);
        if (column + 1 == table.columns.size()) text += "\n";
      }
    }
    io::OutputFile file(table_name(output.path, table.name), output.readers);
    file.write(text);
    file.commit();
  }
}

}  // namespace credo::results
