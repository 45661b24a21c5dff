#include "infer/mcmc/walk/proposals.hpp"

#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
class PredictedBlock final : public Proposal {
 public:
  PredictedBlock(std::vector<Index> coordinates, std::vector<Prediction> predictions)
      : coordinates_(std::move(coordinates)), predictions_(std::move(predictions)) {
    for (const Prediction& prediction : predictions_) total_ += prediction.weight;
  }

  // A coordinate that is given twice would be drawn once and weighed twice.
  void check(Index dimension) const override {
    std::vector<bool> taken(static_cast<std::size_t>(dimension));
    for (const Index c : coordinates_) {
      if (c < 0 || c >= dimension || taken[static_cast<std::size_t>(c)])
        throw Error(ErrorCode::usage,
                    fmt::format("coordinate {} must be in [0, {}) and given once", c, dimension),
                    "predicted_block");
      taken[static_cast<std::size_t>(c)] = true;
    }
  }

  void draw(std::span<const double> from, std::span<double> to, Rng& rng) const override {
    std::copy(from.begin(), from.end(), to.begin());
    double rest = rng.uniform() * total_;
    std::size_t chosen = 0;
    while (chosen + 1 < predictions_.size() && rest > predictions_[chosen].weight)
      rest -= predictions_[chosen++].weight;
    const Prediction& from_data = predictions_[chosen];
    for (std::size_t k = 0; k < coordinates_.size(); ++k)
      to[static_cast<std::size_t>(coordinates_[k])] =
          from_data.mean[k] + from_data.sd[k] * rng.normal();
  }
  double log_ratio(std::span<const double> from, std::span<const double> to) const override {
    return log_density(from) - log_density(to);
  }

 private:
  // Log density of the mixture, up to a constant.
  double log_density(std::span<const double> x) const {
    double log_sum = -kInfinity;
    for (const Prediction& prediction : predictions_) {
      log_sum = numerics::log_sum_exp(log_sum,
                                      numerics::log(prediction.weight) + log_normal(prediction, x));
    }
    return log_sum;
  }
  double log_normal(const Prediction& prediction, std::span<const double> x) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < coordinates_.size(); ++k) {
      const double z =
          (x[static_cast<std::size_t>(coordinates_[k])] - prediction.mean[k]) / prediction.sd[k];
      sum -= 0.5 * z * z + numerics::log(prediction.sd[k]);
    }
    return sum;
  }

  std::vector<Index> coordinates_;
  std::vector<Prediction> predictions_;
  double total_ = 0.0;
};

bool makes_sense(const Prediction& prediction, std::size_t size) {
  const auto is_finite = [](double x) { return std::isfinite(x); };
  return prediction.weight > 0.0 && is_finite(prediction.weight) &&
         prediction.mean.size() == size && prediction.sd.size() == size &&
         std::all_of(prediction.mean.begin(), prediction.mean.end(), is_finite) &&
         std::all_of(prediction.sd.begin(), prediction.sd.end(),
                     [](double sd) { return sd > 0.0 && std::isfinite(sd); });
}

// The stretch begins anywhere, its ends cut off: each choice has the same probability both ways.
class RegeneratedWindow final : public Proposal {
 public:
  explicit RegeneratedWindow(Generator generator) : generator_(std::move(generator)) {}

  void check(Index dimension) const override {
    if (generator_.first < 0 || generator_.first > dimension - generator_.count)
      throw Error(ErrorCode::usage,
                  fmt::format("a path of {} coordinates from {} on doesn't fit into {}",
                              generator_.count, generator_.first, dimension),
                  "regenerated_window");
  }

  void draw(std::span<const double> from, std::span<double> to, Rng& rng) const override {
    std::copy(from.begin(), from.end(), to.begin());
    const Index starts = generator_.count + generator_.window - 1;
    const Index begin = rng.index_below(starts) - (generator_.window - 1);
    const Index end = std::min(begin + generator_.window, generator_.count);
    generator_.regenerate(to, generator_.first + std::max<Index>(begin, 0), generator_.first + end,
                          rng);
  }
  double log_ratio(std::span<const double> from, std::span<const double> to) const override {
    return generator_.log_prior(from) - generator_.log_prior(to);
  }

 private:
  Generator generator_;
};
}  // namespace

KernelMaker metropolis(std::shared_ptr<const Proposal> proposal) {
  return [proposal = std::move(proposal)](const PartSetup& setup) {
    return std::make_unique<Part<Metropolis, NoAdaptation>>(MetropolisOptions{proposal}, setup);
  };
}

std::shared_ptr<const Proposal> predicted_block(std::vector<Index> coordinates,
                                                std::vector<Prediction> predictions) {
  const auto fits = [&](const Prediction& p) { return makes_sense(p, coordinates.size()); };
  if (coordinates.empty() || predictions.empty() ||
      !std::all_of(predictions.begin(), predictions.end(), fits))
    throw Error(
        ErrorCode::usage,
        "a prediction has a finite weight > 0, and a finite mean and standard deviation > 0 "
        "for each coordinate",
        "predicted_block");
  return std::make_shared<PredictedBlock>(std::move(coordinates), std::move(predictions));
}

std::shared_ptr<const Proposal> regenerated_window(Generator generator) {
  if (generator.window < 1 || generator.count < 1)
    throw Error(ErrorCode::usage, "a window and a path have at least one coordinate",
                "regenerated_window");
  return std::make_shared<RegeneratedWindow>(std::move(generator));
}

}  // namespace credo::infer
