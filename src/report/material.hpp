// Input of pictures: fits, their models as far as they are at hand, and figures that several pictures share, each
// computed when it is first needed. Used by several threads at once.
#pragma once
#include <deque>
#include <exception>
#include <mutex>

#include "density/model.hpp"
#include "diagnose/ecdf_band.hpp"
#include "report/figures.hpp"
#include "report/level_labels.hpp"
#include "results/checks/loo_pit.hpp"
#include "results/checks/predictive_check.hpp"
#include "results/draws/outcome_rows.hpp"
#include "results/loo/compare.hpp"

namespace credo::report {

struct Subject {
  std::string name;  // the file
  const results::Fit* fit;
  const density::Model* model = nullptr;  // with its data; null: not at hand
  results::DataText data = {};            // those of the model; empty: not at hand
  // The level of a factor to which an element belongs, by its name: "south" for "u.3". It may be missing or return an
  // empty text.
  std::function<std::string(const std::string& element)> level = {};
};

struct PictureOptions {
  Index num_lags = 40, num_bins = 20;  // the last lag; bins of histograms of ranks
  Index num_replicates = 200, num_prior_draws = 500;
  std::uint64_t seed = 1;               // seed of replicates and of draws from the prior
  std::vector<std::string> pairs = {};  // as results::CheckOptions
  std::string group = {};  // variable by which outcomes are grouped; empty: those that are found
};

// A value that the first thread to need it computes while the others wait; if that fails, all get the same error.
template <class T>
class Once {
 public:
  const T& get(const std::function<T()>& make) {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    if (!value_) {
      try {
        value_ = make();
      } catch (...) {
        failure_ = std::current_exception();
        throw;
      }
    }
    return *value_;
  }

 private:
  std::mutex mutex_;
  std::optional<T> value_;
  std::exception_ptr failure_;
};

class Material {
 public:
  // At least one; the first is the one that pictures of one fit show. Fits and models must live as long.
  explicit Material(std::vector<Subject> subjects, PictureOptions options = {});

  const results::Fit& fit() const { return *subjects_[0].fit; }
  std::span<const Subject> subjects() const { return subjects_; }
  const PictureOptions& options() const { return options_; }
  const std::vector<double>& weights() const {
    return weights_;
  }  // they add up to 1; empty: all draws count the same

  // Draws of all chains after warm-up: S × C × 1.
  density::Draws draws(Index quantity) const { return fit().quantities(false, quantity, 1); }
  bool is_whole(Index quantity) const;
  // The sampler's statistic of each draw, by its name; empty if the sampler doesn't have it.
  Series statistic(std::string_view name) const;
  std::string name(Index quantity) const;   // "theta[1,2]"
  std::string label(Index quantity) const;  // the same with the level of a factor: "u[3] south"
  std::vector<Quantiles> quantiles(std::span<const Index> quantities) const;

  // Each throws Error where it isn't defined for the fit, with what to do.
  const results::Loo& loo(std::size_t subject = 0) const;
  const std::vector<results::Replicated>& replicates() const;
  // One for each of the replicates; for rows that are left out.
  const std::vector<results::LooPit>& loo_pits() const;
  const results::FitPredictions& predictions() const;
  // Rows that can't be left out reliably, counted once per report by loo(); nothing if the model has no rows.
  struct Unreliable {
    Index count = 0, num_rows = 0;
    double k_limit = kNaN;
    std::string sentence() const;
  };
  std::optional<Unreliable> unreliable() const;
  std::vector<density::ObservedVariable> data() const;  // the model's data
  // Label of a value of a data variable: its level if it is a factor, otherwise the number.
  std::string label_of(const std::string& variable, double value) const;
  // Within which so many places lie in 95 % of calibrated cases, at kBandPoints points.
  static constexpr Index kBandPoints = 100;
  const diagnose::EcdfBand& uniform_band(Index num_places) const;
  // Draws from the prior of an output that the prior has, in the order of drawing; empty for generated quantities.
  const Series& prior(Index quantity) const;

 private:
  results::CheckOptions check_options() const;
  const density::Model& model_of(std::size_t subject) const;
  std::vector<Series> draw_prior() const;  // by output of the fit

  std::vector<Subject> subjects_;
  PictureOptions options_;
  std::vector<double> weights_;
  mutable std::deque<Once<results::Loo>> loo_;  // one for each subject
  mutable Once<std::vector<results::Replicated>> replicates_;
  mutable Once<std::vector<Series>> prior_;
  mutable Once<std::vector<results::LooPit>> loo_pits_;
  mutable Once<results::FitPredictions> predictions_;
  mutable Once<Levels> levels_;
  mutable std::mutex bands_mutex_;
  mutable std::map<Index, Once<diagnose::EcdfBand>> bands_;  // by number of places
};

}  // namespace credo::report
