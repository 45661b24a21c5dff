// The verdict on a fit, at the end of a run or of files.
#pragma once
#include "cli/fit.hpp"
#include "verdict/finding.hpp"

namespace credo::model {
struct ProgramSource;
}

namespace credo::cli {

struct FitVerdict {
  verdict::Verdict verdict;
  std::shared_ptr<const model::ProgramSource> program;  // null: not kept
};

// `model`: the program with its data, null where they aren't at hand.
FitVerdict judge_fit(const Fit& fit, const model::Model* model);

std::string verdict_text(const FitVerdict& judged);
// Members of a JSON object, without its braces.
std::string verdict_json(const FitVerdict& judged);
// The exit status with --strict: 8 where the verdict is bad.
int strict_status(const FitVerdict& judged);

}  // namespace credo::cli
