// Series as commands make and use them: from a request, again from a fit, and at its draws.
#pragma once
#include "cli/load.hpp"
#include "cli/results.hpp"
#include "models/series/series_paths.hpp"

namespace credo::cli {

// Among the files that a result keeps: the request, as JSON.
inline constexpr std::string_view kSeriesFile = "series.json";

// The series of a request, whose faults are printed before an Error(data) is thrown.
models::Series series_of(models::SeriesRequest& request, io::InputFiles& files, Output& output);

bool is_series(const Fit& fit);
// The request that a fit has kept. Throws Error(usage) if the fit has none, or was written without its table.
models::SeriesRequest series_request_of(const Fit& fit);

struct PathOptions {
  Index most = 1000;  // draws that are used
  std::uint64_t seed = 1;
  Index num_threads = 0;
};
// Paths at draws of a fit of the series, of which evenly spaced ones are taken; at the best mode, if it holds modes.
struct SeriesPaths {
  std::vector<models::SeriesMatrices> at;
  std::vector<models::SeriesPath> paths;
};
SeriesPaths series_paths(const Fit& fit, const models::Series& made, const PathOptions& options,
                         Output& output);

}  // namespace credo::cli
