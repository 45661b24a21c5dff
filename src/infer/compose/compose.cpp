// Compositions [tierney1994, sec. 2.4]: mixtures Σ w_k T_k and products T_1 T_2 … of kernels.
#include "infer/compose/compose.hpp"

#include <fmt/format.h>

#include "infer/core/chain.hpp"
#include "infer/core/needs.hpp"

namespace credo::infer {
namespace {

enum class Order { mixture, cycle, shuffled, palindrome };

class Composition final : public TransitionKernel {
 public:
  Composition(Order order, std::vector<double> cumulative,
              std::vector<std::unique_ptr<TransitionKernel>> parts)
      : order_(order), cumulative_(std::move(cumulative)), parts_(std::move(parts)) {
    turns_.reserve(2 * parts_.size());
  }

  Step<PartInfo> step(PointState& state, Rng& rng) override {
    PartInfo info;
    decide_turns(rng);
    for (const std::size_t turn : turns_) info.add(co_await parts_[turn]->step(state, rng));
    co_return info;
  }

  Step<Nothing> search(PointState& state, Rng& rng) override {
    for (std::size_t k = 0; k < parts_.size(); ++k)
      if (!searched_ || wants_search_[k]) co_await parts_[k]->search(state, rng);
    searched_ = true;
    co_return Nothing{};
  }

  bool learn() override {
    bool any = false;
    wants_search_.assign(parts_.size(), false);
    for (std::size_t k = 0; k < parts_.size(); ++k) any |= wants_search_[k] = parts_[k]->learn();
    return any;
  }
  void finish() override {
    for (const auto& part : parts_) part->finish();
  }
  void forget() override {
    for (const auto& part : parts_) part->forget();
  }
  void report_tuned(ChainResult& result) const override {
    for (const auto& part : parts_) part->report_tuned(result);
  }
  void save(ArchiveWriter& to) const override { saved(*this, to); }
  void load(ArchiveReader& from) override { saved(*this, from); }

 private:
  static void saved(auto& self, auto&& field) {
    field(self.parts_);
    field(self.searched_);
  }
  void decide_turns(Rng& rng) {
    turns_.clear();
    const std::size_t n = parts_.size();
    if (order_ == Order::mixture) {
      const double u = rng.uniform() * cumulative_.back();
      const auto chosen = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
      return turns_.push_back(
          std::min(n - 1, static_cast<std::size_t>(chosen - cumulative_.begin())));
    }
    for (std::size_t k = 0; k < n; ++k) turns_.push_back(k);
    if (order_ == Order::shuffled)
      for (std::size_t k = n; k > 1; --k)
        std::swap(turns_[k - 1],
                  turns_[static_cast<std::size_t>(rng.index_below(static_cast<Index>(k)))]);
    if (order_ == Order::palindrome)
      for (std::size_t k = n; k-- > 0;) turns_.push_back(k);
  }

  Order order_;
  std::vector<double> cumulative_;  // weights of a mixture, summed
  std::vector<std::unique_ptr<TransitionKernel>> parts_;
  std::vector<std::size_t> turns_;
  std::vector<bool> wants_search_;
  bool searched_ = false;
};

KernelMaker compose(Order order, std::vector<WeightedKernel> parts) {
  std::vector<double> weights;
  for (const WeightedKernel& part : parts) weights.push_back(part.weight);
  check_weights(weights);
  return [order, parts = std::move(parts)](const PartSetup& setup) {
    std::vector<double> cumulative;
    double total = 0.0;
    for (const WeightedKernel& part : parts) cumulative.push_back(total += part.weight);
    std::vector<std::unique_ptr<TransitionKernel>> made;
    for (const WeightedKernel& part : parts) {
      PartSetup own = setup;
      if (order == Order::mixture) own.share *= part.weight / total;
      made.push_back(part.kernel(own));
    }
    return std::make_unique<Composition>(order, std::move(cumulative), std::move(made));
  };
}

KernelMaker compose(Order order, std::vector<KernelMaker> parts) {
  std::vector<WeightedKernel> weighted;
  for (KernelMaker& part : parts) weighted.push_back({1.0, std::move(part)});
  return compose(order, std::move(weighted));
}

void check_coordinates(std::span<const Index> coordinates, Index dimension) {
  std::vector<bool> taken(static_cast<std::size_t>(dimension));
  for (const Index c : coordinates) {
    if (c < 0 || c >= dimension || taken[static_cast<std::size_t>(c)])
      throw Error(ErrorCode::usage,
                  fmt::format("coordinate {} must be in [0, {}) and given once", c, dimension),
                  "on_coordinates");
    taken[static_cast<std::size_t>(c)] = true;
  }
}
}  // namespace

void PartInfo::add(const PartInfo& other) {
  accept_sum += other.accept_sum;
  num_decisions += other.num_decisions;
  num_evaluations += other.num_evaluations;
  num_divergent += other.num_divergent;
}

void check_weights(std::span<const double> weights) {
  if (weights.empty())
    throw Error(ErrorCode::usage, "a composition has no part", "compose", "give it one at least");
  for (const double weight : weights)
    if (!(weight > 0.0) || !std::isfinite(weight))
      throw Error(ErrorCode::usage, fmt::format("weight must be > 0 and finite, is {}", weight),
                  "mixture", "leave out a part that is never taken");
}

KernelMaker kernel(std::string_view sampler, const KernelOptions& options) {
  const SamplerSpec& row = find_sampler(sampler);
  if (row.make == nullptr)
    throw Error(ErrorCode::usage, fmt::format("'{}' can't be a part of a composition", sampler),
                "kernel", "a part moves one point and asks for values and gradients");
  if (!options.empty()) require_needs(fields_of(options), fields_of(row.options()));
  return [&row, options](const PartSetup& setup) { return row.make(options, setup); };
}

KernelMaker on_coordinates(std::vector<Index> coordinates, KernelMaker part) {
  return [coordinates = std::move(coordinates), part = std::move(part)](const PartSetup& setup) {
    const bool nested = !setup.coordinates.empty();
    check_coordinates(coordinates, nested ? ssize(setup.coordinates) : setup.dimension);
    std::vector<Index> places = coordinates;
    if (nested)
      for (Index& place : places) place = setup.coordinates[static_cast<std::size_t>(place)];
    PartSetup own = setup;
    own.coordinates = places;
    return part(own);
  };
}

KernelMaker mixture(std::vector<WeightedKernel> parts) {
  return compose(Order::mixture, std::move(parts));
}
KernelMaker cycle(std::vector<KernelMaker> parts) {
  return compose(Order::cycle, std::move(parts));
}
KernelMaker shuffled_cycle(std::vector<KernelMaker> parts) {
  return compose(Order::shuffled, std::move(parts));
}
KernelMaker palindrome(std::vector<KernelMaker> parts) {
  return compose(Order::palindrome, std::move(parts));
}

// ---- as a kernel of the frame ----

Composed::Composed(const ComposedOptions& options_, Index dimension)
    : options(options_),
      root(options.make(
          {.run = options.run, .dimension = dimension, .has_gradient = options.has_gradient})),
      settings{root.get()} {}

Step<ComposedInfo> Composed::step(PointState& current, Rng& rng) {
  const PartInfo part = co_await root->step(current, rng);
  co_return ComposedInfo{
      .log_density = current.log_density,
      .accept_stat =
          part.num_decisions > 0 ? part.accept_sum / static_cast<double>(part.num_decisions) : 1.0,
      .num_evaluations = part.num_evaluations,
      .num_divergent = part.num_divergent,
      .divergent = part.num_divergent > 0};
}

// Parts may have settings of one name: those of the second such part end in _2, and so on.
void report_settings(const Composed::Settings& settings, ChainResult& result) {
  settings.root->report_tuned(result);
  std::map<std::string, Index> count;
  for (TunedSetting& setting : result.tuned)
    if (const Index k = ++count[setting.name]; k > 1) setting.name += fmt::format("_{}", k);
}

namespace {
class ComposedAdaptation {
 public:
  ComposedAdaptation(const SampleOptions&, const Composed&) {}
  bool learn(Index, const ComposedInfo&, const PointState&, Composed& kernel) {
    return kernel.root->learn();
  }
  Step<Nothing> search(Composed& kernel, PointState& state, Rng rng) {
    co_await kernel.root->search(state, rng);
    co_return Nothing{};
  }
  void finish(Composed& kernel) const { kernel.root->finish(); }
  static void saved(auto&, auto&&) {}
};
}  // namespace

RunResult run_kernel(const density::LogDensity& density, const SampleOptions& options,
                     const KernelMaker& make, DrawSink& sink) {
  RunResult result = run_sampler<Composed, ComposedAdaptation>(
      density, options, {.make = make, .run = options, .has_gradient = density.has_gradient()},
      sink);
  result.sampler = "composition";
  return result;
}

}  // namespace credo::infer
