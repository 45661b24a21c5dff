// The option --scheme: a composition of samplers, from a JSON file (results/files/scheme_text.hpp).
#pragma once
#include "cli/command.hpp"
#include "infer/core/sample.hpp"

namespace credo::density {
class Model;
}

namespace credo::cli {

class SchemeArgument {
 public:
  void describe(Arguments& arguments);
  // Makes the run one of the file's scheme, where there is a file; once, so that what is known of
  // the parameters it names stays. Throws Error(usage) at the place of what isn't a scheme.
  void apply(infer::SampleOptions& options);

  std::string path;  // empty: no scheme is given

 private:
  bool is_read_ = false;
};

// Of a run that is a composition, the coordinates of what its parts name. Throws Error(usage).
void find_parameters_of_scheme(infer::SampleOptions& options, const density::Model& model);

}  // namespace credo::cli
