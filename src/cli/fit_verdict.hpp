// The verdict on a fit as the commands print it.
#pragma once
#include "cli/runs.hpp"
#include "runs/judge.hpp"

namespace credo::cli {

std::string verdict_text(const FitVerdict& judged);
// Members of a JSON object, without its braces.
std::string verdict_json(const FitVerdict& judged);
// The exit status with --strict: 8 where the verdict is bad.
int strict_status(const FitVerdict& judged);

}  // namespace credo::cli
