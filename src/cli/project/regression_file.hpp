// A regression as a command makes it: from a request, and again from what a fit has kept of it.
#pragma once
#include "cli/command.hpp"
#include "io/input_files.hpp"
#include "models/regression/regression.hpp"

namespace credo::cli {

// Among the files that a result keeps: the request, as JSON.
inline constexpr std::string_view kRegressionFile = "regression.json";

// The regression of a request, whose faults are printed before an Error(data) is thrown.
models::Regression regression_of(models::RegressionRequest& request, io::InputFiles& files,
                                 Output& output);

}  // namespace credo::cli
