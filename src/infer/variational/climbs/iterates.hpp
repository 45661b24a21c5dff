// The iterates of a climb by steps, whose averages are its place, and figures by which a level of steps of one size is judged.
#pragma once
#include "infer/variational/families/normal_family.hpp"

namespace credo::infer {

// The iterates of one step size: at most kMostKept of them, evenly spaced.
class Iterates {
 public:
  void take(std::span<const double> parameters) {
    constexpr std::size_t kMostKept = 400;
    if (count_++ % every_ != 0) return;
    kept_.emplace_back(parameters.begin(), parameters.end());
    if (kept_.size() < kMostKept) return;
    for (std::size_t k = 1; 2 * k < kept_.size(); ++k) kept_[k] = std::move(kept_[2 * k]);
    kept_.resize(kept_.size() / 2);
    every_ *= 2;
  }
  void clear() {
    kept_.clear();
    count_ = 0, every_ = 1;
  }
  std::size_t size() const { return kept_.size(); }
  // Iterates of the numbers that settle (NormalFamily::settled).
  Iterates settled(const NormalFamily& family) const {
    Iterates all;
    for (const std::vector<double>& parameters : kept_)
      all.kept_.push_back(family.settled(parameters));
    return all;
  }
  std::size_t num_components() const { return kept_.front().size(); }
  // Mean of component k over iterates first to last - 1 of those that are kept.
  double mean(std::size_t k, std::size_t first, std::size_t last) const {
    double sum = 0.0;
    for (std::size_t i = first; i < last; ++i) sum += kept_[i][k];
    return sum / static_cast<double>(last - first);
  }
  double variance(std::size_t k, std::size_t first, std::size_t last) const {
    const double centre = mean(k, first, last);
    double sum = 0.0;
    for (std::size_t i = first; i < last; ++i) sum += std::pow(kept_[i][k] - centre, 2);
    return sum / static_cast<double>(last - first - 1);
  }
  static void saved(auto& self, auto&& field) {
    field(self.kept_);
    field(self.count_);
    field(self.every_);
  }
  // Averages of the last half, and of its two halves.
  std::vector<double> averages() const { return averages(kept_.size() / 2, kept_.size()); }
  std::array<std::vector<double>, 2> averages_of_halves() const {
    const std::size_t first = kept_.size() / 2, middle = (first + kept_.size()) / 2;
    return {averages(first, middle), averages(middle, kept_.size())};
  }

 private:
  std::vector<double> averages(std::size_t first, std::size_t last) const {
    std::vector<double> all(kept_.front().size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = mean(k, first, last);
    return all;
  }
  std::vector<std::vector<double>> kept_;
  Index count_ = 0, every_ = 1;
};

struct LevelFigures {
  double largest_r_hat = 1.0;  // largest of the components that vary at all
  double error = 0.0;          // root mean square of the errors of the averages
};

// By halves and by tenths of the last half of the iterates. Components whose halves differ by less than `unseen` don't count for R-hat.
LevelFigures figures_of(const Iterates& iterates, double unseen);

}  // namespace credo::infer
