// The verdict on a fit, and as the commands print it.
#pragma once
#include "cli/command.hpp"
#include "cli/results.hpp"
#include "model/remake.hpp"
#include "results/draws/judge.hpp"
#include "verdict/finding.hpp"

namespace credo::cli {

// `model`: null where it isn't at hand; then the program is read that the fit keeps. `data`: the model's
// file, null where it is the fit's. `known`: figures of outputs that were computed already.
verdict::Verdict verdict_of(const Fit& fit, const model::Model* model,
                            const model::DataFiles* data = nullptr,
                            const results::KnownFigures& known = {});

// Warns on standard error if the fit's verdict is bad; returns the verdict's word.
verdict::Verdict::Word note_disbelief(const Fit& fit, const model::Model& model, Output& output,
                                      const model::DataFiles* data = nullptr);

std::string verdict_text(const verdict::Verdict& verdict);
// The exit status with --strict: 8 where the verdict is bad.
int strict_status(const verdict::Verdict& verdict);

}  // namespace credo::cli
