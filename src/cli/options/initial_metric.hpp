// The option --inv-metric: the inverse metric that warm-up begins with.
#pragma once
#include "cli/command.hpp"
#include "infer/core/sample.hpp"
#include "io/input_files.hpp"

namespace credo::density {
class Names;
}

namespace credo::cli {

class InitialMetric {
 public:
  void describe(Arguments& arguments);
  // Sets the metric of a run on the model's unconstrained values; read through `files`. Throws Error{data} if the file lacks
  // inv_metric or has one of another size.
  void apply(const density::Names& names, io::InputFiles& files,
             infer::SampleOptions& options) const;

  std::string path;  // empty: as the sampler begins
};

}  // namespace credo::cli
