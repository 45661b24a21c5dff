// Results of other runs as values of --init and --inv-metric.
#pragma once
#include "io/input_files.hpp"

namespace credo::density {
class Model;
}

namespace credo::cli {

// The texts of the options.
struct StartFiles {
  std::string init, inv_metric;
};

// Where one names a result, what is asked of it takes its place among the files (results/files/start_points.hpp), so
// that a run like this one needn't have the other result. Others stay. Throws Error(data).
void keep_starts(const StartFiles& named, const density::Model& model, io::InputFiles& files,
                 Index num_chains);

}  // namespace credo::cli
