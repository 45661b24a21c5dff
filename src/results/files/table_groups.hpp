// The tables of a fit as groups of a NetCDF file and back: a row for each row of a chain, with the
// chain's number; CSV files of them.
#pragma once
#include "io/netcdf_file.hpp"
#include "io/netcdf_reader.hpp"
#include "results/files/write_fit.hpp"

namespace credo::results {

io::NetcdfFile::Kind netcdf_kind(density::Kind kind);

// The attribute `tables` of the file names the groups. In each: dimension ROW, variables `chain` (from 0)
// and the columns.
void write_tables(io::NetcdfFile& file, const Fit& fit);

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
