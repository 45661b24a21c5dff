// The performance of samplers on one log density, a row each: what an independent draw costs.
#pragma once
#include "infer/core/sample.hpp"

namespace credo::cli {

// Named functions of a draw, S x C x K of all draws of a run.
struct Quantities {
  std::vector<std::string> names;
  std::function<density::Draws(const infer::StoredDraws&)> of;
};

enum class SamplerVerdict {
  fine,
  short_run,  // fewer than kTimesPerChain autocorrelation times a chain: figures may be too good
  biased,     // not the target exactly, however long
  disagree,   // R-hat above kRHatLimit: figures aren't believable
  failed      // no figures
};
std::string_view word_of(SamplerVerdict verdict);

// NaN where a figure isn't defined. A draw is one of any chain, or of any walker of an ensemble.
struct SamplerRow {
  std::string sampler;
  SamplerVerdict verdict = SamplerVerdict::failed;
  std::vector<std::string> remarks;            // reasons; for a sampler that failed, its error
  bool asks_gradients = false;                 // evaluations are gradients, or else values
  Index num_draws = 0;                         // of all chains
  double worst_time = kNaN, mean_time = kNaN;  // autocorrelation times of the quantities, in draws
  std::string slowest;                         // the quantity with the worst time
  double acceptance = kNaN;                    // or how often draws move, without a decision
  double effective_draws = kNaN;               // num_draws / worst_time
  double evaluations_per_draw = kNaN;
  double seconds_per_draw = kNaN;         // time of the run after warm-up, with all its threads
  double seconds_per_independent = kNaN;  // times worst_time
  double worst_r_hat = kNaN;
};

inline constexpr double kRHatLimit = 1.01;      // [vehtari2021, sec. 4]
inline constexpr double kTimesPerChain = 50.0;  // what a chain needs for its own time to be known

// Runs options.sampler. A sampler that can't run here gives a row with the reason. Same seed, same
// figures except the seconds. Throws Error for wrong options only.
SamplerRow measure_sampler(const density::LogDensity& density, const infer::SampleOptions& options,
                           const Quantities& quantities);

std::string sampler_table_text(std::span<const SamplerRow> rows);
std::string sampler_table_json(std::span<const SamplerRow> rows);

}  // namespace credo::cli
