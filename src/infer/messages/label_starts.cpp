#include "infer/messages/label_starts.hpp"

#include "dist/samplers.hpp"

namespace credo::infer {
namespace {
constexpr int kPooledRounds = 3, kLloydRounds = 2;

class LabelStart {
 public:
  LabelStart(const density::MomentForm& form, std::vector<double> statistics)
      : form_(form),
        evaluator_(form.make_label_evaluator()),
        rows_(static_cast<std::size_t>(form.num_label_rows())),
        labels_(static_cast<std::size_t>(form.num_labels())),
        statistics_(std::move(statistics)),
        weights_(rows_ * labels_),
        logs_(rows_ * labels_),
        gradient_(statistics_.size()) {
    for (const MomentBlock& block : form.blocks())
      has_locations_ = has_locations_ || block.family == density::MomentFamily::normal;
  }

  std::vector<double> make(Rng& rng) {
    std::ranges::fill(weights_, 1.0 / static_cast<double>(labels_));
    for (int k = 0; k < kPooledRounds; ++k) move(false);
    const std::vector<double> pooled = statistics_;
    std::ranges::fill(weights_, 0.0);
    for (std::size_t k = 0; k < labels_; ++k) {
      weights_[choose(k, rng) * labels_ + k] = 1.0;
      statistics_ = pooled;
      move(true);
      evaluate();
    }
    for (int k = 0; k < kLloydRounds; ++k) {
      take_nearest();
      move(true);
      evaluate();
    }
    take_nearest();
    move(false);
    return std::move(statistics_);
  }

 private:
  void evaluate() { evaluator_->evaluate(statistics_, weights_, logs_, gradient_); }

  // The factors given the weights; `locations`: those of normal values alone, if there are any.
  void move(bool locations) {
    evaluate();
    for (const MomentBlock& block : form_.blocks()) {
      if (locations && has_locations_ && block.family != density::MomentFamily::normal) continue;
      const auto first = static_cast<std::size_t>(block.first),
                 size = static_cast<std::size_t>(block.num_statistics);
      const auto natural = std::span<const double>(gradient_).subspan(first, size);
      if (family_of(block).is_proper(natural, block))
        family_of(block).mean(natural, block, std::span(statistics_).subspan(first, size));
    }
  }

  double nearest(std::size_t row, std::size_t num_labels) const {
    const auto logs = std::span(logs_).subspan(row * labels_, num_labels);
    return *std::ranges::max_element(logs);
  }

  std::size_t choose(std::size_t label, Rng& rng) const {
    if (label == 0) return static_cast<std::size_t>(rng.index_below(static_cast<Index>(rows_)));
    std::vector<double> distances;
    for (std::size_t r = 0; r < rows_; ++r) distances.push_back(-nearest(r, label));
    const double least = *std::ranges::min_element(distances);
    for (double& d : distances) d = std::isfinite(d) ? d - least : 0.0;
    const double most = *std::ranges::max_element(distances);
    if (!(most > 0.0)) std::ranges::fill(distances, 1.0);
    return static_cast<std::size_t>(dist::draw_category(rng, distances));
  }

  void take_nearest() {
    for (std::size_t r = 0; r < rows_; ++r) {
      const auto logs = std::span(logs_).subspan(r * labels_, labels_);
      const auto best = static_cast<std::size_t>(std::ranges::max_element(logs) - logs.begin());
      for (std::size_t k = 0; k < labels_; ++k) weights_[r * labels_ + k] = k == best ? 1.0 : 0.0;
    }
  }

  const density::MomentForm& form_;
  std::unique_ptr<density::LabelEvaluator> evaluator_;
  std::size_t rows_, labels_;
  bool has_locations_ = false;
  std::vector<double> statistics_, weights_, logs_, gradient_;
};
}  // namespace

std::vector<double> label_start(const density::MomentForm& form, std::vector<double> statistics,
                                Rng& rng) {
  if (form.num_labels() < 2 || form.num_label_rows() < form.num_labels()) return statistics;
  return LabelStart(form, std::move(statistics)).make(rng);
}

}  // namespace credo::infer
