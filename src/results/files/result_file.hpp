// A result file: a fit as a NetCDF-4 file in the layout of ArviZ' InferenceData.
//
//   groups      posterior, sample_stats, log_likelihood (a generated quantity log_lik), the same of
//               warm-up where it was saved, observed_data, constant_data, adaptation, divergences
//               (results/files/adaptation_groups.hpp), inputs: the files of the run as texts
//               each table of the run (results/files/table_groups.hpp)
//   dimensions  chain, draw, and of a variable x: x_dim_0, x_dim_1, …, from 0
//   attributes  of the file: schema, program, data_hash, arguments, sampler, seed, version, and
//               each setting by its name
//
// FitArrays describes it, and results/arrays/array_file.hpp writes it. Here are the parts that only files have.
#pragma once
#include "results/arrays/arrays.hpp"
#include "results/files/fit.hpp"

namespace credo::results {

// The group of predictions, in the place of "posterior".
inline constexpr const char* kPredictionsGroup = "predictions";

inline constexpr Index kResultSchema = 1;

inline constexpr const char* kLogLikelihood = "log_lik";  // a variable with a group of its own

// A setting as a number if it is one that a number gives back.
Attribute setting_value(const std::string& text);

void add_file_attributes(const Fit& fit, const io::InputFiles::Contents& contents,
                         ArrayList& arrays);
// Groups observed_data and constant_data. Variables that the program doesn't declare are constant, too; columns of tables
// are left out then.
void add_data(const FitOrigin& origin, const io::InputFiles::Contents& contents, ArrayList& arrays);
void add_inputs(const std::shared_ptr<const io::InputFiles::Contents>& contents, ArrayList& arrays);

}  // namespace credo::results
