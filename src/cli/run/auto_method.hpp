// The approximation that --method auto takes, by the program.
#pragma once
#include <optional>

#include "infer/core/sample.hpp"
#include "model/model.hpp"

namespace credo::cli {

struct AutoMethod {
  infer::SampleOptions options;  // with the method and its options
  std::string words;             // which method it is, and why
};
// Coordinate ascent where its joint factors are the posterior itself, or where the program is conjugate and has more values than `normal`
// can take matrices of. Nullopt: the command's own method.
std::optional<AutoMethod> auto_method(const model::Model& model,
                                      const infer::SampleOptions& options);

}  // namespace credo::cli
