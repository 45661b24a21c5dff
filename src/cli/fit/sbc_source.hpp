// Sources of the data that credo sbc fits: rows of a table (cli/options/chosen_rows.hpp). A new one is a file in cli/fit with a class and its row,
// and the name of the row in sbc_sources.cpp.
#pragma once
#include "cli/load.hpp"
#include "cli/options/chosen_rows.hpp"
#include "model/model.hpp"
#include "results/checks/sbc.hpp"

namespace credo::cli {

// The model that is fitted, and the arguments that it was loaded by.
struct SbcQuestion {
  const model::Model& model;
  ModelArguments& arguments;
  Output& output;
  bool json = false;
};

class SbcSource {
 public:
  virtual ~SbcSource() = default;
  virtual void describe(Arguments& arguments, const std::string& alone) = 0;
  virtual bool is_chosen() const = 0;
  // Completes arguments of the model that aren't given, before it is loaded. Throws Error(io) and Error(data).
  virtual void complete(ModelArguments& /*model*/, Output& /*output*/) {}
  // States where parameters and data come from. The options may point to parts of the source, which outlives them.
  virtual void apply(const SbcQuestion& question, results::SbcOptions& options) = 0;
};
using SbcSourceRow = ChosenRow<SbcSource>;
ChosenTable<SbcSource> sbc_sources();
inline constexpr const char* kCalibrationGroup = "Calibration";

}  // namespace credo::cli
