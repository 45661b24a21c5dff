// The option --init: where chains start.
#pragma once
#include "cli/command.hpp"
#include "infer/sample.hpp"
#include "io/input_files.hpp"
#include "model/model.hpp"

namespace credo::cli {

class InitialValues {
 public:
  void describe(Arguments& arguments);

  // Sets the radius, or the point of all chains: a number is a radius, anything else a file, read
  // through `files`. Returns warnings of values that no parameter takes.
  std::string apply(const model::Model& model, io::InputFiles& files,
                    infer::SampleOptions& options) const;

 private:
  std::string text_;
};

}  // namespace credo::cli
