#include "results/files/table_groups.hpp"

#include <fmt/format.h>
#include <sstream>

#include "io/file.hpp"
#include "io/number_text.hpp"
#include "results/files/fit_layout.hpp"

namespace credo::results {
namespace {
using io::NetcdfFile;
using io::NetcdfReader;
constexpr const char* kAttribute = "tables";

Index num_run_chains(const Fit& fit) { return fit.num_chains() / fit.num_walkers(); }

// False if no chain has a row.
bool write_table(NetcdfFile& file, const Fit& fit, Index t) {
  const RowTable& table = fit.tables()[static_cast<std::size_t>(t)];
  const std::size_t width = table.columns.size();
  std::vector<double> chains, rows;
  for (Index c = 0; c < num_run_chains(fit); ++c) {
    const std::vector<double> own = fit.table_rows(t, c);
    chains.resize(chains.size() + own.size() / width, static_cast<double>(c));
    rows.insert(rows.end(), own.begin(), own.end());
  }
  if (chains.empty()) return false;
  const auto group = file.add_group(table.name);
  file.set(group, "row", table.row);
  file.add_dimension(group, table.row, ssize(chains));
  const auto write = [&](const std::string& name, NetcdfFile::Kind kind,
                         std::span<const double> values) {
    file.write(file.add_variable(group, name, {.dimensions = {table.row}, .kind = kind}), values);
  };
  write("chain", NetcdfFile::Kind::whole, chains);
  std::vector<double> column(chains.size());
  for (std::size_t k = 0; k < width; ++k) {
    for (std::size_t r = 0; r < column.size(); ++r) column[r] = rows[r * width + k];
    write(table.columns[k].name, netcdf_kind(table.columns[k].kind), column);
  }
  return true;
}

[[noreturn]] void refuse(const NetcdfReader& file, const std::string& group, const char* what) {
  throw Error(ErrorCode::io, fmt::format("the table {}: {}", group, what), file.path(),
              "the file is damaged: take it from where it was written");
}

void read_table(const NetcdfReader& file, const std::string& name, Index num_chains,
                StoredTables& all) {
  const auto group = file.find_group(name);
  if (!group) refuse(file, name, "there is no such group");
  RowTable table{.name = name, .row = file.attributes(*group)["row"], .columns = {}};
  std::vector<double> chains;
  std::vector<std::vector<double>> columns;
  for (const NetcdfReader::Variable& variable : file.variables(*group)) {
    if (variable.dimensions.size() != 1) refuse(file, name, "a variable isn't a column");
    std::vector<double> values = file.read(variable);
    if (variable.name == "chain") {
      chains = std::move(values);
      continue;
    }
    const bool is_whole = variable.kind == NetcdfReader::Kind::whole;
    table.columns.push_back({.name = variable.name,
                             .stan_name = {},
                             .kind = is_whole ? density::Kind::whole : density::Kind::real});
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

NetcdfFile::Kind netcdf_kind(density::Kind kind) {
  if (kind == density::Kind::flag) return NetcdfFile::Kind::flag;
  return kind == density::Kind::whole ? NetcdfFile::Kind::whole : NetcdfFile::Kind::real;
}

void write_tables(NetcdfFile& file, const Fit& fit) {
  std::vector<std::string> names;
  for (Index t = 0; t < ssize(fit.tables()); ++t) {
    if (write_table(file, fit, t)) names.push_back(fit.tables()[static_cast<std::size_t>(t)].name);
  }
  if (!names.empty()) file.set(file.root(), kAttribute, fmt::format("{}", fmt::join(names, " ")));
}

StoredTables read_tables(const NetcdfReader& file, Index num_chains) {
  StoredTables all;
  std::istringstream names(file.attributes(file.root())[kAttribute]);
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
