// The algorithms, in alphabetical order of their names.
#include "infer/core/table.hpp"

#include "base/row_list.hpp"
#include "infer/core/standard_samplers.hpp"

// clang-format off
#define CREDO_ROWS(row) \
  row(kAbcSmc) \
  row(kAdam) \
  row(kAdaptiveMetropolis) \
  row(kAdaptiveRejection) \
  row(kAdf) \
  row(kAis) \
  row(kAmortized) \
  row(kAnneal) \
  row(kBarker) \
  row(kCavi) \
  row(kCvi) \
  row(kDeMcz) \
  row(kDram) \
  row(kEkf) \
  row(kEllipticalSlice) \
  row(kEm) \
  row(kEnsemble) \
  row(kEnsembleSlice) \
  row(kEp) \
  row(kExact) \
  row(kFactorSlice) \
  row(kFactors) \
  row(kFisher) \
  row(kFlow) \
  row(kFrozenMetric) \
  row(kGibbs) \
  row(kHamiltonian) \
  row(kHitAndRun) \
  row(kHmcStatic) \
  row(kIbis) \
  row(kImplicit) \
  row(kImportance) \
  row(kIndependence) \
  row(kLaplace) \
  row(kLbfgs) \
  row(kMala) \
  row(kMoments) \
  row(kNatural) \
  row(kNested) \
  row(kNeutra) \
  row(kNewton) \
  row(kNormal) \
  row(kNuts) \
  row(kPathfinder) \
  row(kPgibbs) \
  row(kPimh) \
  row(kPmmh) \
  row(kProximal) \
  row(kRam) \
  row(kRejection) \
  row(kRiemann) \
  row(kRwm) \
  row(kSgd) \
  row(kSlice) \
  row(kSmc) \
  row(kSmc2) \
  row(kSplitHmc) \
  row(kTempering) \
  row(kUla) \
  row(kUnderdamped)
// clang-format on

namespace credo::infer {

extern const SamplerSpec kComposition;  // made of samplers, and none of the list
using Row = SamplerSpec;
CREDO_ROWS(CREDO_DECLARE_ROW)

namespace {
constexpr std::array kSamplers{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};

const SamplerSpec* row_of(std::string_view name) {
  const auto row = std::ranges::find_if(kSamplers, [&](auto* spec) { return spec->name == name; });
  return row == kSamplers.end() ? nullptr : *row;
}
}  // namespace

std::span<const SamplerSpec* const> samplers() { return kSamplers; }

bool is_in_table(std::string_view name) { return row_of(name) != nullptr; }

bool climbs_to_modes(std::string_view name) {
  const SamplerSpec* row = row_of(name);
  return row != nullptr && !is_sampler(*row);
}

bool draws_by_simulation(std::string_view name) {
  const SamplerSpec* row = row_of(name);
  return row != nullptr && row->needs_simulations;
}

std::string_view why_no_part(const SamplerSpec& row) {
  if (row.make != nullptr) return {};
  if (row.needs_states) return "it runs a particle filter at each step";
  if (!row.no_part.empty()) return row.no_part;
  if (row.family == Family::optimum) return "it climbs to a mode";
  if (row.family == Family::particles) return "it moves a population of its own";
  return "it moves more than one point";
}

const SamplerSpec& find_sampler(std::string_view name) {
  if (name == kComposition.name) return kComposition;
  std::string names;
  for (const SamplerSpec* row : kSamplers) {
    if (row->name == name) return *row;
    if (is_sampler(*row)) names += (names.empty() ? "" : ", ") + std::string(row->name);
  }
  throw Error(ErrorCode::usage, "there is no sampler '" + std::string(name) + "'", "sampler",
              "there are: " + names);
}

}  // namespace credo::infer
