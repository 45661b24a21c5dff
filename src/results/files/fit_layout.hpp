// How the quantities of a fit are laid out: what its kinds share (results/files/fit.hpp).
#pragma once
#include "base/archive.hpp"
#include "io/run_file.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// A fact of a run file. Throws Error(io) where it isn't there.
template <class T>
T fact_of(const io::RunFile::Facts& facts, const char* name, const std::string& source) {
  const auto found = facts.find(name);
  if (found == facts.end())
    throw Error(ErrorCode::io, std::string("the run file has no fact '") + name + "'", source);
  return from_archive<T>(found->second, source);
}

StatColumn column_of(const infer::FieldSpec& field);
RowTable table_of(const infer::RowGroup& group);
std::string arviz_word(const StatColumn& column);
// A sampler's column for these words of ArviZ and CmdStan; other words are taken unchanged.
StatColumn column_of_arviz(const std::string& word);
StatColumn column_of_csv(const std::string& word);

// Facts of a run file: names, kinds and ArviZ' words of its columns; the variables of its layout.
void add_columns(io::RunFile::Facts& facts, std::span<const StatColumn> columns);
void add_layout(io::RunFile::Facts& facts, const density::Layout& layout, Index num_columns);
std::vector<StatColumn> columns_of(const io::RunFile::Facts& facts, const std::string& source);
// Throws Error(io) where the variables aren't as many quantities as they say.
density::Layout layout_of(const io::RunFile::Facts& facts, const std::string& source);

// Facts of a run file: its tables behind the draws and warm-up, and how many columns each group has.
void add_tables(io::RunFile::Facts& facts, std::span<const RowTable> tables, Index num_quantities);
std::vector<RowTable> tables_of(const io::RunFile::Facts& facts, const std::string& source);
bool fits_tables(std::span<const RowTable> tables, const io::RunRows& rows);
std::vector<Index> columns_by_group(std::span<const RowTable> tables, Index num_quantities);
std::vector<double> rows_of_table(const io::RunRows& rows, Index table, Index chain);

// The slab with its counts filled in, within what the fit has. Throws Error(usage) beyond.
DrawSlab within(const Fit& fit, DrawSlab slab);

// The slab's draws from rows of chains with so many walkers, a part of the rows at a time.
density::Draws draws_of_rows(const io::RunRows& rows, Index num_walkers, const DrawSlab& slab);

// Texts of a fit's origin: names of the facts of run files and of the attributes of NetCDF files.
struct OriginText {
  const char *fact, *attribute;
  std::string FitOrigin::*member;
};
inline constexpr std::array<OriginText, 10> kOriginTexts{
    {{"model_name", "model_name", &FitOrigin::model_name},
     {"model", "model", &FitOrigin::model_path},
     {"data", "data", &FitOrigin::data_path},
     {"data_hash", "data_hash", &FitOrigin::data_hash},
     {"sampler", "sampler", &FitOrigin::sampler},
     {"seed", "seed", &FitOrigin::seed},
     {"version", "inference_library_version", &FitOrigin::version},
     {"arithmetic", "arithmetic", &FitOrigin::arithmetic},
     {"resumed_with", "resumed_with", &FitOrigin::resumed_with},
     {"spec", "spec", &FitOrigin::spec}}};

// Contents of the facts of a run file (docs/files.md).
FitOrigin origin_of(const io::RunFile::Facts& facts, const std::string& source);
io::InputFiles::Contents files_of(const io::RunFile::Facts& facts);
inline constexpr const char* kFilePrefix = "file:";
inline constexpr const char* kSettingPrefix = "setting:";

}  // namespace credo::results
