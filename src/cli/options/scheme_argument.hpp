// The option --scheme: a composition of samplers, from a JSON file (results/files/scheme_text.hpp).
#pragma once
#include "cli/command.hpp"
#include "infer/core/sample.hpp"

namespace credo::density {
class Names;
}

namespace credo::cli {

class SchemeArgument {
 public:
  void describe(Arguments& arguments);
  // Makes the run one of the file's scheme, if a file is given; only once, so that coordinates of
  // the parameters it names stay known. Throws Error(usage) at the place of an invalid scheme.
  void apply(infer::SampleOptions& options);

  std::string path;  // empty: no scheme is given

 private:
  bool is_read_ = false;
};

// For a composition, finds the coordinates of the parameters that its parts name. Throws Error(usage).
void find_parameters_of_scheme(infer::SampleOptions& options, const density::Names& names);

}  // namespace credo::cli
