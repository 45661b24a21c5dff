// The tables of a fit as groups of arrays and back: a row for each row of a chain, with the
// chain's number; CSV files of them.
#pragma once
#include "io/netcdf_reader.hpp"
#include "results/arrays/arrays.hpp"
#include "results/files/write_fit.hpp"

namespace credo::results {

// Adds a group for each table that has rows: dimension ROW, fields `chain` (from 0) and the columns.
void add_tables(const Fit& fit, ArrayList& arrays);
// Names of the groups, which the attribute `tables` of a file holds; empty if no table has rows.
inline constexpr const char* kTables = "tables";
std::string table_names(const Fit& fit, const ArrayResult& arrays);

struct StoredTables {
  std::vector<RowTable> tables;
  std::vector<std::vector<std::vector<double>>> rows;  // by table and chain, row by row
};
// Throws Error(io) where a group isn't what the attribute says.
StoredTables read_tables(const io::NetcdfReader& file, Index num_chains);

// "fit.stages.csv" of "fit" and of "fit.csv": no file of draws, which are called fit_1.csv, ...
std::string table_name(const std::string& prefix, const std::string& table);
// The columns chain (from 1), row (from 1), and the table's; one file a table.
void write_table_files(const Fit& fit, const FitOutput& output);

}  // namespace credo::results
