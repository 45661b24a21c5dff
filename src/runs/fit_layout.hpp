// How the quantities of a fit are laid out: what its kinds share (runs/fit.hpp).
#pragma once
#include "io/run_file.hpp"
#include "runs/fit.hpp"

namespace credo::runs {

// What the sizes make; nothing where one is negative or the product is beyond `most`.
std::optional<Index> product_up_to(std::span<const Index> sizes, Index most);

// Variables from the names of columns, "theta.2.10"; the first column is quantity `first`. Slots of
// tuples are variables of their own.
std::vector<FitVariable> variables_of(std::span<const std::string> columns, Index first);
std::vector<FitVariable> variables_of(const model::Model& model, Index first);

// ArviZ' word for what a sampler reports; the other way round, its own words.
std::string arviz_word(const StatColumn& column);
StatColumn column_of_arviz(const std::string& word);
// Of a column of a CSV file: CmdStan's word, with the sampler's own where a sampler has it.
StatColumn column_of_csv(const std::string& word);

// What the sampler reports: 1 and 0, whole numbers, or any.
enum class StatKind { real, whole, flag };
StatKind kind_of(const StatColumn& column);

// The slab with its counts filled in, within what the fit has. Throws Error(usage) beyond.
DrawSlab within(const Fit& fit, DrawSlab slab);

// The slab's draws from rows of chains with so many walkers, a part of the rows at a time.
density::Draws draws_of_rows(const io::RunRows& rows, Index num_walkers, const DrawSlab& slab);

// Facts of a run file (docs/files.md) and what they say.
FitOrigin origin_of(const io::RunFile::Facts& facts, const std::string& source);
io::InputFiles::Contents files_of(const io::RunFile::Facts& facts);
inline constexpr const char* kFilePrefix = "file:";
inline constexpr const char* kSettingPrefix = "setting:";

}  // namespace credo::runs
