// Results of other runs as values of --init and --inv-metric.
#pragma once
#include "infer/core/sample.hpp"
#include "io/input_files.hpp"

namespace credo::density {
class Model;
}

namespace credo::cli {

// The texts of the options.
struct StartFiles {
  std::string init, inv_metric;
};

// If one names a result, the values needed from it replace it among the files (results/files/start_points.hpp), so
// that a run like this one needn't have the other result. Others stay. Throws Error(data).
void keep_starts(const StartFiles& named, const density::Model& model, io::InputFiles& files,
                 Index num_chains);

// The value of --init by which each chain begins near a mode.
inline constexpr const char* kNearMode = "mode";

// Takes the place of a file of that name among the files, unless it is there: for each chain a point near the mode that a
// climb finds, which begins at a draw from the priors as far as they are known, else at uniform unconstrained values. Near: the log density
// is at most one nat for each unconstrained value below that of the mode. Throws Error(evaluation) where a climb finds no mode.
void keep_points_near_modes(const density::Model& model, io::InputFiles& files,
                            const infer::SampleOptions& options);

}  // namespace credo::cli
