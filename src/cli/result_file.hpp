// The result of a run as a NetCDF-4 file in the layout of ArviZ' InferenceData.
//
//   groups      posterior, sample_stats, with save_warmup warmup_posterior and warmup_sample_stats,
//               constant_data
//   dimensions  chain, draw, and of a variable x: x_dim_0, x_dim_1, …, from 0
//   attributes  of the file: schema, program, data_hash, arguments, sampler, seed, version
//
// Memory: a batch of columns, whatever the number of draws.
#pragma once
#include "cli/run_store.hpp"
#include "io/data_table.hpp"

namespace credo::cli {

inline constexpr Index kResultSchema = 1;

struct ResultFacts {
  const model::Model& model;
  const infer::SampleOptions& options;
  const io::DataTable& data;
  std::map<std::string, std::string> attributes;
};

void write_netcdf(const std::string& path, const ResultFacts& facts, const RunStore& store);

}  // namespace credo::cli
