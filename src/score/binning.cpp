// Calibrators by bins: histogram, isotonic regression, scaling-binning; and classes one against all others.
#include <fmt/format.h>

#include "base/error.hpp"
#include "diagnose/chains.hpp"
#include "numerics/elementary.hpp"
#include "numerics/log_sum.hpp"
#include "score/calibrators.hpp"
#include "score/scores.hpp"

namespace credo::score {
namespace {

// A value for each bin of probabilities.
class Steps final : public ClassMap {
 public:
  Steps(std::vector<double> edges, std::vector<double> values)
      : edges_(std::move(edges)), values_(std::move(values)) {}
  double probability(const Chance& chance) const override {
    return values_[bin_of(edges_, chance.probability)];
  }
  std::vector<CalibratorParameter> parameters() const override {
    std::vector<CalibratorParameter> all;
    for (std::size_t b = 0; b < values_.size(); ++b)
      all.push_back({fmt::format("({:.6g}, {:.6g}]", edges_[b], edges_[b + 1]), values_[b]});
    return all;
  }

 private:
  std::vector<double> edges_, values_;
};

// The mean of `what` in each bin; the bin's middle if it is empty.
std::vector<double> means_in_bins(std::span<const double> edges,
                                  std::span<const double> probabilities,
                                  std::span<const double> what) {
  std::vector<double> sums(edges.size() - 1, 0.0), counts(sums);
  for (std::size_t i = 0; i < what.size(); ++i) {
    const std::size_t b = bin_of(edges, probabilities[i]);
    sums[b] += what[i], counts[b] += 1.0;
  }
  for (std::size_t b = 0; b < sums.size(); ++b)
    sums[b] = counts[b] > 0.0 ? sums[b] / counts[b] : 0.5 * (edges[b] + edges[b + 1]);
  return sums;
}

std::vector<double> probabilities_of(std::span<const Chance> chances) {
  std::vector<double> probabilities;
  for (const Chance& chance : chances) probabilities.push_back(chance.probability);
  return probabilities;
}

std::unique_ptr<ClassMap> fit_histogram(std::span<const Chance> chances,
                                        std::span<const double> targets,
                                        const CalibratorOptions& options) {
  const std::vector<double> p = probabilities_of(chances);
  std::vector<double> edges = bin_edges(p, options.num_bins, options.binning);
  std::vector<double> values = means_in_bins(edges, p, targets);
  return std::make_unique<Steps>(std::move(edges), std::move(values));
}

// Platt's map g, then the mean of g in each of its bins in the place of the mean label [kumar2019].
class ScalingBinning final : public ClassMap {
 public:
  ScalingBinning(std::unique_ptr<ClassMap> scaling, std::vector<double> edges,
                 std::vector<double> values)
      : scaling_(std::move(scaling)), edges_(std::move(edges)), values_(std::move(values)) {}
  double probability(const Chance& chance) const override {
    return values_[bin_of(edges_, scaling_->probability(chance))];
  }
  std::vector<CalibratorParameter> parameters() const override {
    std::vector<CalibratorParameter> all = scaling_->parameters();
    for (const CalibratorParameter& step : Steps(edges_, values_).parameters()) all.push_back(step);
    return all;
  }

 private:
  std::unique_ptr<ClassMap> scaling_;
  std::vector<double> edges_, values_;
};

std::unique_ptr<ClassMap> fit_scaling_binning(std::span<const Chance> chances,
                                              std::span<const double> targets,
                                              const CalibratorOptions& options) {
  auto scaling = fit_platt(chances, targets, options);
  std::vector<double> g;
  for (const Chance& chance : chances) g.push_back(scaling->probability(chance));
  std::vector<double> edges = bin_edges(g, options.num_bins, options.binning);
  std::vector<double> values = means_in_bins(edges, g, g);
  return std::make_unique<ScalingBinning>(std::move(scaling), std::move(edges), std::move(values));
}

// Right-continuous steps at the probabilities that were seen; below the first one its value.
class Staircase final : public ClassMap {
 public:
  Staircase(std::vector<double> places, std::vector<double> values)
      : places_(std::move(places)), values_(std::move(values)) {}
  double probability(const Chance& chance) const override {
    const auto above = std::upper_bound(places_.begin(), places_.end(), chance.probability);
    return above == places_.begin()
               ? values_[0]
               : values_[static_cast<std::size_t>(above - places_.begin()) - 1];
  }
  std::vector<CalibratorParameter> parameters() const override {
    std::vector<CalibratorParameter> all;
    for (std::size_t k = 0; k < places_.size(); ++k)
      if (k == 0 || values_[k] != values_[k - 1])
        all.push_back({fmt::format("from {:.6g}", places_[k]), values_[k]});
    return all;
  }

 private:
  std::vector<double> places_, values_;
};

std::unique_ptr<ClassMap> fit_isotonic(std::span<const Chance> chances,
                                       std::span<const double> targets, const CalibratorOptions&) {
  std::map<double, std::pair<double, double>> sums;  // by probability: target, count
  const std::vector<double> p = probabilities_of(chances);
  for (std::size_t i = 0; i < p.size(); ++i) {
    auto& [sum, count] = sums[p[i]];
    sum += targets[i], count += 1.0;
  }
  std::vector<double> places, means, counts;
  for (const auto& [place, own] : sums) {
    places.push_back(place), means.push_back(own.first / own.second);
    counts.push_back(own.second);
  }
  return std::make_unique<Staircase>(std::move(places), isotonic(means, counts));
}

// --- Classes ------------------------------------------------------------------------------------------
// log p_k - log (1 - p_k), exact where the logits of two classes were given.
Chance chance_of(const Predictions& all, Index row, std::size_t of_class) {
  std::vector<double> others;
  const std::span<const double> logits = all.logits_of(row);
  for (std::size_t k = 0; k < logits.size(); ++k)
    if (k != of_class) others.push_back(logits[k]);
  return {all.values[row][of_class], logits[of_class] - numerics::log_sum_exp(others)};
}

class ByClass final : public Calibrator {
 public:
  ByClass(std::vector<std::unique_ptr<ClassMap>> maps, std::vector<std::string> classes)
      : maps_(std::move(maps)), classes_(std::move(classes)) {}
  ClassProbabilities distribution(const Predictions& all, Index row) const override {
    if (maps_.size() == 1) {
      const double p = maps_[0]->probability(chance_of(all, row, 1));
      return {{1.0 - p, p}, {numerics::log1p(-p), numerics::log(p)}};
    }
    std::vector<double> p;
    for (std::size_t k = 0; k < maps_.size(); ++k)
      p.push_back(maps_[k]->probability(chance_of(all, row, k)));
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p)  // no class has weight: all are equal
      x = sum > 0.0 ? x / sum : 1.0 / static_cast<double>(p.size());
    return distribution_of_probabilities(std::move(p));
  }
  std::vector<CalibratorParameter> parameters() const override {
    std::vector<CalibratorParameter> all;
    for (std::size_t k = 0; k < maps_.size(); ++k)
      for (CalibratorParameter parameter : maps_[k]->parameters()) {
        if (maps_.size() > 1) parameter.name += " of " + classes_[k];
        all.push_back(std::move(parameter));
      }
    return all;
  }

 private:
  std::vector<std::unique_ptr<ClassMap>> maps_;  // with two classes only the map of the second
  std::vector<std::string> classes_;
};

template <FitClassMap fit>
std::unique_ptr<Calibrator> fit_classes(const Predictions& all, const CalibratorOptions& options) {
  return fit_by_class(all, options, fit);
}
}  // namespace

std::unique_ptr<Calibrator> fit_by_class(const Predictions& all, const CalibratorOptions& options,
                                         FitClassMap fit) {
  const std::vector<Index> rows = known_rows(all);
  if (rows.empty())
    throw Error(ErrorCode::data, "no row has an outcome", all.source,
                "recalibration needs rows whose outcomes are known");
  const std::vector<double> targets = targets_of(all, rows, options.smoothing);
  const auto k = static_cast<std::size_t>(all.num_classes());
  std::vector<std::unique_ptr<ClassMap>> maps;
  for (std::size_t c = k == 2 ? 1 : 0; c < k; ++c) {
    std::vector<Chance> chances;
    std::vector<double> own;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      chances.push_back(chance_of(all, rows[i], c));
      own.push_back(targets[i * k + c]);
    }
    maps.push_back(fit(chances, own, options));
  }
  return std::make_unique<ByClass>(std::move(maps), all.classes);
}

std::vector<double> isotonic(std::span<const double> y, std::span<const double> weights) {
  struct Pool {
    double mean, weight;
    std::size_t count;
  };
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < y.size(); ++i) {
    pools.push_back({y[i], weights[i], 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean >= pools.back().mean) {
      const Pool last = pools.back();
      pools.pop_back();
      Pool& own = pools.back();
      const double weight = own.weight + last.weight;
      own.mean = (own.mean * own.weight + last.mean * last.weight) / weight;
      own.weight = weight, own.count += last.count;
    }
  }
  std::vector<double> values;
  for (const Pool& pool : pools) values.insert(values.end(), pool.count, pool.mean);
  return values;
}

std::vector<double> targets_of(const Predictions& all, std::span<const Index> rows,
                               double smoothing) {
  std::vector<double> targets;
  for (const Index i : rows) {
    const auto own =
        smoothed_target(static_cast<std::size_t>(all.num_classes()), all.label(i), smoothing);
    targets.insert(targets.end(), own.begin(), own.end());
  }
  return targets;
}

Predictions recalibrated(const Predictions& all, const Calibrator& calibrator) {
  Predictions better = all;
  better.values = better.logs = better.logits = {};
  for (Index i = 0; i < all.num_rows(); ++i)
    add_distribution(better, calibrator.distribution(all, i));
  return better;
}

extern const CalibratorRow histogram_calibrator{.name = "histogram",
                                                .words = "share of events in each bin",
                                                .by_class = true,
                                                .reference = "zadrozny2001",
                                                .fit = fit_classes<fit_histogram>};
extern const CalibratorRow isotonic_calibrator{.name = "isotonic",
                                               .words = "non-decreasing steps",
                                               .by_class = true,
                                               .reference = "zadrozny2002",
                                               .fit = fit_classes<fit_isotonic>};
extern const CalibratorRow scaling_binning_calibrator{
    .name = "scaling-binning",
    .words = "mean of Platt's probabilities in each bin of them",
    .by_class = true,
    .reference = "kumar2019",
    .fit = fit_classes<fit_scaling_binning>};

}  // namespace credo::score
