#include "infer/messages/coordinate_ascent.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "infer/core/fit_stages.hpp"

namespace credo::infer {
namespace {
constexpr double kMostFall = 1e-9;  // share of the bound's size, for rounding of a long sum

std::span<const double> part(std::span<const double> all, const MomentBlock& block) {
  return all.subspan(static_cast<std::size_t>(block.first),
                     static_cast<std::size_t>(block.num_statistics));
}
std::span<double> part(std::vector<double>& all, const MomentBlock& block) {
  return std::span(all).subspan(static_cast<std::size_t>(block.first),
                                static_cast<std::size_t>(block.num_statistics));
}
std::span<const double> part(const std::vector<double>& all, const MomentBlock& block) {
  return part(std::span<const double>(all), block);
}

class CoordinateAscent {
 public:
  CoordinateAscent(const density::MomentForm& form, const CoordinateOptions& options,
                   std::span<const std::vector<double>> starts, AscentFault fault)
      : form_(form),
        options_(options),
        is_point_(point_marks(form, options.point)),
        no_entropy_(is_point_),
        evaluator_(form.make_evaluator()),
        size_(static_cast<std::size_t>(form.num_statistics())) {
    if (fault.drops_entropy) no_entropy_.front() = 1;
    for (const MomentBlock& block : form.blocks())
      num_steps_ = std::max(num_steps_, block.step + 1);
    for (const std::vector<double>& start : starts) {
      Lane& lane = lanes_.emplace_back();
      lane.statistics = start;
      lane.natural.assign(size_, 0.0);
    }
  }

  // Every start by itself; several are evaluated together.
  CoordinateFit run() {
    FitStage stage;
    stage.resume(*this);
    const auto wide = static_cast<std::size_t>(evaluator_->most_lanes());
    while (!stage.has_ended() && first_ < lanes_.size()) {
      activate(std::min(lanes_.size(), first_ + wide));
      while (num_sweeps_ < options_.max_sweeps && !active_.empty()) {
        stop_if_asked();
        sweep(num_sweeps_++);
        stage.look(*this);
      }
      evaluate();
      judge();
      first_ += wide, num_sweeps_ = 0;
    }
    stage.end(*this);
    return best();
  }

  static void saved(auto& self, auto&& field) {
    field(self.lanes_);
    field(self.first_);
    field(self.num_sweeps_);
    field(self.num_evaluations_);
  }

 private:
  struct Lane : CoordinateState {
    std::vector<CoordinateRow> course;
    double bound = -kInfinity;
    int num_small = 0;
    bool is_done = false, has_failed = false;
    std::string failure;

    static void saved(auto& self, auto&& field) {
      CoordinateState::saved(self, field);
      field(self.course);
      field(self.bound);
      field(self.num_small);
      field(self.is_done);
      field(self.has_failed);
      field(self.failure);
    }
  };

  // Lanes that aren't at their end, from the first one that is evaluated with others.
  void activate(std::size_t end) {
    active_.clear();
    for (std::size_t k = first_; k < end; ++k)
      if (!lanes_[k].is_done && !lanes_[k].has_failed) active_.push_back(&lanes_[k]);
  }

  void sweep(Index number) {
    const bool all = options_.order == "all";
    for (Index step = 0; step < (all ? 1 : num_steps_); ++step) {
      evaluate();
      if (step == 0 && number > 0) judge();
      for (std::size_t l = 0; l < active_.size(); ++l)
        for (std::size_t b = 0; b < form_.blocks().size(); ++b)
          if (all || form_.blocks()[b].step == step) update(*active_[l], b, gradient(l), number);
      std::erase_if(active_, [](const Lane* lane) { return lane->is_done || lane->has_failed; });
    }
  }

  std::span<const double> gradient(std::size_t lane) const {
    return std::span(gradients_).subspan(lane * size_, size_);
  }

  void evaluate() {
    inputs_.clear();
    for (const Lane* lane : active_)
      inputs_.insert(inputs_.end(), lane->statistics.begin(), lane->statistics.end());
    gradients_.resize(inputs_.size());
    values_.resize(active_.size());
    if (active_.empty()) return;
    evaluator_->evaluate(ssize(active_), inputs_, values_, gradients_);
    ++num_evaluations_;
  }

  // The bound at the present factors, g + Σ entropies.
  void judge() {
    for (std::size_t l = 0; l < active_.size(); ++l) {
      Lane& lane = *active_[l];
      const double bound = values_[l] + entropies(form_, lane, no_entropy_),
                   gain = bound - lane.bound, size = 1.0 + std::fabs(bound);
      require_rise(lane, bound, gain, size);
      lane.course.push_back({bound, lane.course.empty() ? 0.0 : gain, num_evaluations_});
      lane.num_small = std::fabs(gain) <= options_.tolerance * size ? lane.num_small + 1 : 0;
      lane.bound = bound;
      lane.is_done = lane.num_small == 2;
    }
    if (std::erase_if(active_, [](const Lane* lane) { return lane->is_done; }) > 0) evaluate();
  }

  void require_rise(const Lane& lane, double bound, double gain, double size) const {
    const bool must_rise =
        share_of_new(options_) == 1.0 && options_.order == "sites" && std::isfinite(lane.bound);
    if (!must_rise || gain >= -kMostFall * size) return;
    throw Error(ErrorCode::internal,
                fmt::format("the bound fell from {:.12g} to {:.12g} in sweep {}", lane.bound, bound,
                            lane.course.size() + 1),
                "coordinate ascent",
                "please report this; --method normal climbs the bound of another distribution");
  }

  // λ becomes the gradient; E t follows.
  void update(Lane& lane, std::size_t b, std::span<const double> gradient, Index number) {
    if (lane.has_failed) return;
    const MomentBlock& block = form_.blocks()[b];
    const std::span<double> natural = part(lane.natural, block);
    const std::span<const double> wanted = part(gradient, block);
    const double share = number == 0 ? 1.0 : share_of_new(options_);
    for (std::size_t k = 0; k < natural.size(); ++k)
      natural[k] = (1.0 - share) * natural[k] + share * wanted[k];
    if (is_point_[b] != 0) return move_point(lane, b);
    const FactorFamily& family = family_of(block);
    if (!family.is_proper(natural, block))
      return fail(lane, fmt::format("the factor of {} isn't a proper {} distribution in sweep {}",
                                    block.name, family.name, number + 1));
    family.mean(natural, block, part(lane.statistics, block));
  }

  void move_point(Lane& lane, std::size_t b) const {
    const MomentBlock& block = form_.blocks()[b];
    std::vector<double> values(block.values.size());
    if (!family_of(block).mode(part(lane.natural, block), block, values))
      return fail(lane, fmt::format("{} has no mode inside of its support", block.name));
    MomentBlock alone = block;
    std::iota(alone.values.begin(), alone.values.end(), Index{0});
    std::ranges::copy(density::statistics_at(std::span(&alone, 1), values),
                      part(lane.statistics, block).begin());
  }

  static void fail(Lane& lane, std::string words) {
    lane.has_failed = true;
    lane.failure = std::move(words);
  }

  CoordinateFit best() {
    Lane* best = nullptr;
    CoordinateFit fit;
    for (Lane& lane : lanes_) {
      if (lane.has_failed || lane.course.empty()) continue;
      fit.start_bounds.push_back(lane.bound);
      if (best == nullptr || lane.bound > best->bound) best = &lane;
    }
    if (best == nullptr)
      throw Error(ErrorCode::program,
                  lanes_.front().failure.empty() ? "no sweep was made" : lanes_.front().failure,
                  "coordinate ascent", "give every parameter a proper prior");
    fit.state = {std::move(best->natural), std::move(best->statistics)};
    fit.bound = best->bound;
    fit.converged = best->is_done;
    fit.num_evaluations = num_evaluations_;
    fit.course = std::move(best->course);
    return fit;
  }

  const density::MomentForm& form_;
  const CoordinateOptions& options_;
  std::vector<char> is_point_, no_entropy_;  // marks of blocks
  std::unique_ptr<density::MomentEvaluator> evaluator_;
  std::size_t size_;
  Index num_steps_ = 0, num_evaluations_ = 0;
  std::size_t first_ = 0;  // first of the lanes that are evaluated together
  Index num_sweeps_ = 0;   // theirs
  std::vector<Lane> lanes_;
  std::vector<Lane*> active_;
  std::vector<double> inputs_, values_, gradients_;
};
}  // namespace

double entropies(const density::MomentForm& form, const CoordinateState& state,
                 std::span<const char> is_point) {
  double sum = 0.0;
  for (std::size_t b = 0; b < form.blocks().size(); ++b) {
    const MomentBlock& block = form.blocks()[b];
    if (is_point[b] == 0)
      sum -= log_factor(part(state.natural, block), block, part(state.statistics, block));
  }
  return sum;
}

std::vector<char> point_marks(const density::MomentForm& form, std::span<const std::string> names) {
  std::vector<char> marks;
  std::set<std::string> known;
  for (const MomentBlock& block : form.blocks()) {
    known.insert(block.parameters.begin(), block.parameters.end());
    const auto is_named = [&](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    const auto num_named = std::ranges::count_if(block.parameters, is_named);
    if (num_named > 0 && num_named < ssize(block.parameters))
      throw Error(ErrorCode::usage,
                  fmt::format("{} share a factor, and only some of them are points", block.name),
                  "point", "name all of them, or add --separate");
    marks.push_back(num_named > 0 ? 1 : 0);
  }
  for (const std::string& name : names)
    if (!known.contains(name))
      throw Error(ErrorCode::usage, fmt::format("the program has no parameter {}", name), "point",
                  "--point takes names of parameters: --point mu,tau");
  return marks;
}

CoordinateFit ascend(const density::MomentForm& form, const CoordinateOptions& options,
                     std::span<const std::vector<double>> starts, AscentFault fault) {
  return CoordinateAscent(form, options, starts, fault).run();
}

}  // namespace credo::infer
