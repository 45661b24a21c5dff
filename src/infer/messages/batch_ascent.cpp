// Coordinate ascent by batches of rows [hoffman2013].
#include <fmt/format.h>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/messages/coordinate_ascent.hpp"

namespace credo::infer {
namespace {
constexpr double kForgetting = 0.7, kLeastGain = 1e-6;

class BatchAscent {
 public:
  BatchAscent(const density::MomentForm& form, const CoordinateOptions& options, Rng& rng)
      : form_(form), rng_(rng), none_(form.blocks().size(), 0), whole_(form.make_evaluator()) {
    const Index num_batches = num_batches_of(options);
    for (Index k = 0; k < num_batches; ++k) {
      batches_.push_back(form.make_batch_evaluator(k, num_batches));
      order_.push_back(static_cast<std::size_t>(k));
    }
  }

  CoordinateFit run(const CoordinateOptions& options, std::vector<double> start) {
    fit_.state.natural.assign(start.size(), 0.0);
    fit_.state.statistics = std::move(start);
    gradient_.resize(fit_.state.natural.size());
    FitStage stage;
    if (stage.resume(*this)) rng_ = Rng(rng_.key(), position_);
    while (!stage.has_ended() && ssize(fit_.course) < options.max_sweeps && num_small_ < 2) {
      sweep(options);
      position_ = rng_.position();
      stage.look(*this);
    }
    stage.end(*this);
    fit_.converged = num_small_ == 2;
    fit_.num_evaluations = num_evaluations_;
    fit_.start_bounds = {fit_.bound};
    return std::move(fit_);
  }

  static void saved(auto& self, auto&& field) {
    field(self.fit_.state);
    field(self.fit_.bound);
    field(self.fit_.course);
    field(self.order_);
    field(self.position_);
    field(self.num_steps_);
    field(self.num_evaluations_);
    field(self.num_small_);
  }

 private:
  void sweep(const CoordinateOptions& options) {
    stop_if_asked();
    shuffle();
    for (const std::size_t k : order_) step(fit_.state, *batches_[k]);
    const double bound = bound_of(fit_.state), gain = bound - fit_.bound;
    num_evaluations_ += 1;
    fit_.course.push_back({bound, fit_.course.empty() ? 0.0 : gain, num_evaluations_});
    const double least = std::max(options.tolerance, kLeastGain) * (1.0 + std::fabs(bound));
    num_small_ = std::fabs(gain) <= least ? num_small_ + 1 : 0;
    fit_.bound = bound;
  }
  Index num_batches_of(const CoordinateOptions& options) const {
    const Index rows = form_.num_label_rows();
    if (rows == 0)
      throw Error(
          ErrorCode::usage, "the program has no rows that are sums over labels", "batch",
          "other rows enter as sufficient statistics, and need no batches: leave --batch out");
    if (2 * options.batch > rows)
      throw Error(ErrorCode::usage,
                  fmt::format("batches have {} rows, and the program has {}", options.batch, rows),
                  "batch", "a batch has at most half of the rows");
    if (!options.point.empty())
      throw Error(ErrorCode::usage, "points aren't estimated by batches", "batch",
                  "leave --point or --batch out");
    return (rows + options.batch - 1) / options.batch;
  }

  void shuffle() {
    for (std::size_t k = order_.size() - 1; k > 0; --k)
      std::swap(order_[k],
                order_[static_cast<std::size_t>(rng_.index_below(static_cast<Index>(k) + 1))]);
  }

  void step(CoordinateState& state, density::MomentEvaluator& batch) {
    double value = 0.0;
    batch.evaluate(1, state.statistics, std::span(&value, 1), gradient_);
    const double rate = std::pow(static_cast<double>(num_steps_ + 1), -kForgetting);
    ++num_steps_;
    for (std::size_t k = 0; k < gradient_.size(); ++k)
      state.natural[k] = (1.0 - rate) * state.natural[k] + rate * gradient_[k];
    for (const MomentBlock& block : form_.blocks()) {
      const auto first = static_cast<std::size_t>(block.first),
                 size = static_cast<std::size_t>(block.num_statistics);
      const auto natural = std::span<const double>(state.natural).subspan(first, size);
      if (!family_of(block).is_proper(natural, block))
        throw Error(ErrorCode::program,
                    fmt::format("the factor of {} isn't a proper {} distribution", block.name,
                                family_of(block).name),
                    "coordinate ascent", "give every parameter a proper prior");
      family_of(block).mean(natural, block, std::span(state.statistics).subspan(first, size));
    }
  }

  double bound_of(const CoordinateState& state) {
    double value = 0.0;
    whole_->evaluate(1, state.statistics, std::span(&value, 1), gradient_);
    return value + entropies(form_, state, none_);
  }

  const density::MomentForm& form_;
  Rng& rng_;
  std::vector<char> none_;
  std::unique_ptr<density::MomentEvaluator> whole_;
  std::vector<std::unique_ptr<density::MomentEvaluator>> batches_;
  std::vector<std::size_t> order_;
  std::vector<double> gradient_;
  CoordinateFit fit_;
  std::uint64_t position_ = 0;  // in the random numbers
  Index num_steps_ = 0, num_evaluations_ = 0;
  int num_small_ = 0;  // gains in a row that were small
};
}  // namespace

CoordinateFit ascend_by_batches(const density::MomentForm& form, const CoordinateOptions& options,
                                std::vector<double> start, Rng& rng) {
  return BatchAscent(form, options, rng).run(options, std::move(start));
}

}  // namespace credo::infer
