// States of one series given all its outcomes, at known matrices: means, draws, and how well each outcome was predicted by those before it.
#pragma once
#include "base/rng.hpp"
#include "numerics/series_likelihood.hpp"

namespace credo::numerics {

// The model of series_likelihood.hpp with its outcomes.
struct SeriesSystem {
  SeriesSizes sizes;
  std::array<std::vector<double>, kSeriesParts> parts = {};
  SeriesInputs inputs() const;
};

class SeriesSmoother {
 public:
  // Runs the filter. The system must live as long.
  explicit SeriesSmoother(const SeriesSystem& system);

  double log_density() const { return log_density_; }  // NaN: no states can be computed

  // The distribution of each outcome given those before it; NaN while these don't determine the unknowns of the start.
  struct OneStep {
    std::vector<double> mean, sd;
  };
  OneStep one_step() const;

  // States x times: means given all outcomes. Throws Error(evaluation) if these don't determine the unknowns, as draw() does.
  std::vector<double> means() const;
  // A draw of the states given all outcomes, by the simulation smoother: a path of the model, moved by the smoothed difference between the
  // outcomes and those of the path [durbin2012, sec. 4.9].
  std::vector<double> draw(Rng& rng) const;

 private:
  const double* at(Index t) const { return trace_.data() + t * stride_; }
  const double* covariance(Index t) const { return at(t); }
  const double* unknown(Index t) const { return at(t) + n_ * (n_ + 1); }
  const double* gain(Index t) const { return at(t) + n_ * (n_ + 1 + u_); }  // times F
  const double* innovations(Index t) const { return gain(t) + n_; }         // F, v, V
  const double* design(Index t) const;
  const double* transition(Index t) const;
  std::vector<double> smoothed(std::span<const double> outcomes,
                               std::span<const double> first) const;
  std::vector<double> path(Rng& rng, std::span<double> outcomes) const;
  std::vector<double> start_root() const;

  const SeriesSystem& system_;
  Index n_, u_, times_, stride_;
  std::vector<double> trace_;
  double log_density_;
};

}  // namespace credo::numerics
