// Simulation-based calibration: parameters are drawn from the prior, or from the posterior of the data at hand, data from the
// model at these, the posterior is sampled, and the parameters' ranks among the draws are uniform, if the model, its prior and the algorithm fit
// together [talts2018; modrak2023].
#pragma once
#include "density/model.hpp"
#include "infer/core/sample.hpp"
#include "infer/smc/filter_checkpoints.hpp"
#include "results/arrays/arrays.hpp"
#include "results/draws/places.hpp"

namespace credo::results {

// One simulated data set and its fit.
struct SbcReplicate {
  // For each quantity a number that is uniform on (0, 1) where all is right: the share of draws below the parameter
  // that the data were drawn at, ties and the parameter itself at random. Empty: it couldn't be fitted.
  std::vector<double> places;
  Index num_draws = 0;  // independent ones, which the places are among
  Index num_divergent = 0;
  std::string failure = {};

  static void saved(auto& self, auto&& field) {
    field(self.places);
    field(self.num_draws);
    field(self.num_divergent);
    field(self.failure);
  }
};

struct SbcOptions {
  // The model that parameters and data are drawn from, with the same data and among its parameters and transformed
  // parameters those of the model that is fitted; null: that one itself.
  const density::Model* generator = nullptr;
  // Positions of draws of a fit of the model, one for each replicate: data are drawn at these, and each fit is one given the
  // model's own data and the new ones, whose posterior the draw comes from, too [sailynoja2025]. Empty: from the prior.
  std::vector<std::vector<double>> posterior = {};
  Index num_replicates = 200;
  Index num_threads = 0;  // 0: as many as the machine has. Never changes a number
  std::uint64_t seed = 1;
  infer::SampleOptions run = {};  // options of each fit, on one thread; seeded by replicate
  // Replicates that were done before, by number; they aren't done again.
  std::map<Index, SbcReplicate> done = {};
  // Called with each one as it is done, from any thread, one call at a time.
  std::function<void(Index number, const SbcReplicate&)> on_done = nullptr;
  infer::FilterCheckpoints* states = nullptr;  // keeps states of fits in progress; may be null
};

struct SbcQuantity {
  std::string name;
  PlaceFigures places;
};

struct Sbc {
  std::vector<SbcReplicate> replicates;
  std::vector<SbcQuantity>
      quantities;  // parameters' elements, then the log likelihood where it is known
  Index num_failed() const;
  Index num_divergent() const;
  std::vector<double> places_of(std::size_t quantity) const;  // those of fitted replicates
  // A quantity is accused below this p-value: at most one of a hundred right programs has any such.
  double p_limit() const {
    return 0.01 / static_cast<double>(std::max<std::size_t>(quantities.size(), 1));
  }
};

// Throws Error(program) where the prior can't be drawn from, or the likelihood, with what to write.
Sbc calibrate(const density::Model& model, const SbcOptions& options);

// The same figures for known replicates.
Sbc judge_calibration(const density::Names& model, std::vector<SbcReplicate> replicates);

std::vector<std::string> sbc_names(const density::Names& names);

// Group calibration, by quantity: p_value, mean, spread; group replicates: place by replicate and quantity, NaN if the
// fit failed, num_draws, num_divergent.
ArrayList arrays_of(const Sbc& sbc);

}  // namespace credo::results
