// The verdict on a fit, at the end of a run or of files.
#pragma once
#include "diagnose/convergence.hpp"
#include "results/files/fit.hpp"
#include "verdict/finding.hpp"

namespace credo::results {

// R-hat and effective sizes of an output of a fit, where they are known already.
using KnownFigures = std::function<std::optional<diagnose::Convergence>(Index output)>;

// The model behind a fit, as far as it is at hand.
struct JudgedModel {
  const density::Model* model = nullptr;                      // with its data
  std::shared_ptr<const density::ProgramFacts> program = {};  // what its text says
  // The model of another text with the same data; null if there is no such model. Empty if unknown.
  std::function<std::unique_ptr<density::Model>(const std::string& text)> remake = {};
  // Figures like those in verdict::Evidence; used only if draws have no weights.
  KnownFigures figures = {};
  std::span<const verdict::FindingSpec* const> rows = verdict::table();  // rows to evaluate
};

verdict::Verdict judge_fit(const Fit& fit, const JudgedModel& of = {});

}  // namespace credo::results
