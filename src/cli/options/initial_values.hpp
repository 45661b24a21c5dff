// The option --init: where chains start.
#pragma once
#include "cli/command.hpp"
#include "infer/core/sample.hpp"
#include "io/input_files.hpp"

namespace credo::model {
class Model;
}

namespace credo::cli {

inline constexpr const char* kFromPrior = "prior";  // its value that names neither file nor radius

class InitialValues {
 public:
  void describe(Arguments& arguments);

  // Has the chains begin at draws from the prior, or sets the radius, or the point of all chains: a
  // number is a radius, anything but "prior" a file, read through `files`. Returns warnings of values that no parameter takes.
  std::string apply(const model::Model& model, io::InputFiles& files,
                    infer::SampleOptions& options) const;

  std::string text = kFromPrior;  // empty: the points of the options stay
};

}  // namespace credo::cli
