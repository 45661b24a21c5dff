// The result of a run as a NetCDF-4 file in the layout of ArviZ' InferenceData.
//
//   groups      posterior, sample_stats, with save_warmup warmup_posterior and warmup_sample_stats,
//               constant_data
//   dimensions  chain, draw, and of a variable x: x_dim_0, x_dim_1, …, from 0
//   inputs      program, includes, data, initial values as texts: what repeats the run
//   attributes  of the file: schema, program, data_hash, arguments, sampler, seed, version, and
//   each
//               setting by its name
//
// Memory: a batch of quantities, whatever the number of draws.
#pragma once
#include "cli/fit.hpp"
#include "io/data_table.hpp"

namespace credo::cli {

inline constexpr Index kResultSchema = 1;

struct ResultFacts {
  const infer::SampleOptions& options;
  const io::DataTable& data;
};

void write_netcdf(const std::string& path, const ResultFacts& facts, const Fit& fit);

}  // namespace credo::cli
