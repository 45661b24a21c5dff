#include "infer/table.hpp"

namespace credo::infer {

extern const SamplerSpec kComposition;  // made of samplers, and none of the list
extern const SamplerSpec kAdaptiveMetropolis, kAnneal, kBarker, kDeMcz, kDram, kEllipticalSlice,
    kEnsemble, kEnsembleSlice, kExact, kFactorSlice, kFrozenMetric, kHitAndRun, kHmcStatic,
    kImportance, kIndependence, kLbfgs, kMala, kNewton, kNuts, kRam, kRiemann, kRwm, kSlice, kSmc,
    kSplitHmc, kTempering, kUla, kUnderdamped;

namespace {
constexpr std::array kSamplers = {&kAdaptiveMetropolis,
                                  &kAnneal,
                                  &kBarker,
                                  &kDeMcz,
                                  &kDram,
                                  &kEllipticalSlice,
                                  &kEnsemble,
                                  &kEnsembleSlice,
                                  &kExact,
                                  &kFactorSlice,
                                  &kFrozenMetric,
                                  &kHitAndRun,
                                  &kHmcStatic,
                                  &kImportance,
                                  &kIndependence,
                                  &kLbfgs,
                                  &kMala,
                                  &kNewton,
                                  &kNuts,
                                  &kRam,
                                  &kRiemann,
                                  &kRwm,
                                  &kSlice,
                                  &kSmc,
                                  &kSplitHmc,
                                  &kTempering,
                                  &kUla,
                                  &kUnderdamped};
}

std::span<const SamplerSpec* const> samplers() { return kSamplers; }

bool climbs_to_modes(std::string_view name) {
  const auto row = std::find_if(kSamplers.begin(), kSamplers.end(),
                                [&](const SamplerSpec* spec) { return spec->name == name; });
  return row != kSamplers.end() && !is_sampler(**row);
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
