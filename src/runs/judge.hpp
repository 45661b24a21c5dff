// The verdict on a fit, at the end of a run or of files.
#pragma once
#include "runs/fit.hpp"
#include "verdict/finding.hpp"

namespace credo::model {
struct ProgramSource;
}

namespace credo::runs {

struct FitVerdict {
  verdict::Verdict verdict;
  std::shared_ptr<const model::ProgramSource> program;  // null: not kept
};

// Of the model; a fit may have it, too.
struct DataFile {
  std::string path, text;  // no path: there is no data
};

// `model`: the program with its data, null where they aren't at hand. `data`: the model's file,
// null where it is the fit's.
FitVerdict judge_fit(const Fit& fit, const model::Model* model, const DataFile* data = nullptr);

}  // namespace credo::runs
