#include "infer/jumps/components.hpp"

#include <fmt/format.h>

#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::infer::rj {
namespace {
constexpr double kLogPi = 1.14472988584940017414;

double log_of(Index n) { return numerics::log(static_cast<double>(n)); }

class UniformSlot final : public LabelDistribution {
 public:
  UniformSlot(const ComponentLayout& layout, Index extra) : layout_(layout), extra_(extra) {}
  Label draw(std::span<const double> x, Rng& rng) const override {
    return {rng.index_below(layout_.count(x) + extra_), 0};
  }
  double log_probability(std::span<const double> x, const Label&) const override {
    return -log_of(layout_.count(x) + extra_);
  }

 private:
  ComponentLayout layout_;
  Index extra_;  // slots beyond those of the components that are there
};

class UniformPair final : public LabelDistribution {
 public:
  explicit UniformPair(const ComponentLayout& layout) : layout_(layout) {}
  Label draw(std::span<const double> x, Rng& rng) const override {
    const Index n = layout_.count(x) + 1;
    const Index first = rng.index_below(n), second = rng.index_below(n - 1);
    return {first, second < first ? second : second + 1};
  }
  double log_probability(std::span<const double> x, const Label&) const override {
    const Index n = layout_.count(x) + 1;
    return -log_of(n) - log_of(n - 1);
  }

 private:
  ComponentLayout layout_;
};

class NearestPair final : public LabelDistribution {
 public:
  explicit NearestPair(const ComponentLayout& layout) : layout_(layout) {}
  Label draw(std::span<const double> x, Rng& rng) const override {
    const Index first = rng.index_below(layout_.count(x));
    return {first, layout_.nearest(x, first)};
  }
  double log_probability(std::span<const double> x, const Label& label) const override {
    if (layout_.nearest(x, label[0]) != label[1]) return -kInfinity;
    return -log_of(layout_.count(x));
  }

 private:
  ComponentLayout layout_;
};

void add_component(const ComponentLayout& layout, Index component, std::vector<Index>& places) {
  for (Index i = 0; i < layout.size; ++i) places.push_back(layout.begin(component) + i);
}

class BirthPlaces final : public Places {
 public:
  explicit BirthPlaces(const ComponentLayout& layout) : layout_(layout) {}
  void of_label(const Label& label, std::vector<Index>&, std::vector<Index>& to) const override {
    add_component(layout_, label[0], to);
  }

 private:
  ComponentLayout layout_;
};

class SplitPlaces final : public Places {
 public:
  explicit SplitPlaces(const ComponentLayout& layout) : layout_(layout) {}
  void of_label(const Label& pair, std::vector<Index>& from,
                std::vector<Index>& to) const override {
    add_component(layout_, split_of(pair), from);
    add_component(layout_, pair[0], to);
    add_component(layout_, pair[1], to);
  }

 private:
  ComponentLayout layout_;
};

class UniformInBall final : public AuxiliaryDistribution {
 public:
  explicit UniformInBall(Index dimension) : size_(dimension) {
    const double half = 0.5 * static_cast<double>(dimension);
    log_density_ = numerics::lgamma(half + 1.0) - half * kLogPi;
  }
  Index size() const override { return size_; }
  void draw(std::span<const double>, const Label&, std::span<double> u, Rng& rng) const override {
    double square = 0.0;
    for (double& value : u) value = rng.normal(), square += value * value;
    const double radius = numerics::pow(rng.uniform(), 1.0 / static_cast<double>(size_));
    for (double& value : u) value *= radius / numerics::sqrt(square);
  }
  double log_density(std::span<const double>, const Label&,
                     std::span<const double> u) const override {
    double square = 0.0;
    for (const double value : u) square += value * value;
    return square < 1.0 ? log_density_ : -kInfinity;
  }

 private:
  Index size_;
  double log_density_;
};
}  // namespace

Index ComponentLayout::nearest(std::span<const double> x, Index j) const {
  Index best = -1;
  double least = 0.0;
  for (Index other = 0; other < count(x); ++other) {
    if (other == j) continue;
    double square = 0.0;
    for (Index i = 0; i < num_positions; ++i) {
      const double off =
          x[static_cast<std::size_t>(begin(j) + i)] - x[static_cast<std::size_t>(begin(other) + i)];
      square += off * off;
    }
    if (best < 0 || square < least) least = square, best = other;
  }
  return best;
}

std::shared_ptr<const LabelDistribution> uniform_slot(const ComponentLayout& layout) {
  return std::make_shared<UniformSlot>(layout, 1);
}
std::shared_ptr<const LabelDistribution> uniform_component(const ComponentLayout& layout) {
  return std::make_shared<UniformSlot>(layout, 0);
}
std::shared_ptr<const LabelDistribution> uniform_pair(const ComponentLayout& layout) {
  return std::make_shared<UniformPair>(layout);
}
std::shared_ptr<const LabelDistribution> nearest_pair(const ComponentLayout& layout) {
  return std::make_shared<NearestPair>(layout);
}
std::shared_ptr<const Places> birth_places(const ComponentLayout& layout) {
  return std::make_shared<BirthPlaces>(layout);
}
std::shared_ptr<const Places> split_places(const ComponentLayout& layout) {
  return std::make_shared<SplitPlaces>(layout);
}

// ---- the dispatcher ----

std::vector<MoveProbabilities> balanced_probabilities(std::span<const double> log_prior,
                                                      double share) {
  if (!(share > 0.0 && share <= 0.25))
    throw Error(ErrorCode::usage, fmt::format("a share must be in (0, 0.25], is {}", share),
                "balanced_probabilities");
  const auto ratio = [&](std::size_t from, std::size_t to) {
    return share * std::min(1.0, numerics::exp(log_prior[to] - log_prior[from]));
  };
  std::vector<MoveProbabilities> by_number(log_prior.size());
  for (std::size_t k = 0; k + 1 < log_prior.size(); ++k) {
    by_number[k].birth = ratio(k, k + 1);
    by_number[k + 1].death = ratio(k + 1, k);
    if (k == 0) continue;
    by_number[k].split = by_number[k].birth;
    by_number[k + 1].merge = by_number[k + 1].death;
  }
  return by_number;
}

namespace {
void check_ends(std::span<const MoveProbabilities> by_number) {
  const auto stuck = [&] {
    const MoveProbabilities &least = by_number.front(), &most = by_number.back();
    return least.death > 0.0 || least.split > 0.0 || least.merge > 0.0 || most.birth > 0.0 ||
           most.split > 0.0 || (by_number.size() > 1 && by_number[1].merge > 0.0);
  };
  if (by_number.empty() || stuck())
    throw Error(ErrorCode::usage, "a move at the smallest or largest number has nowhere to go",
                "component_jumps",
                "without components there is birth only; with most, no birth or split");
}
}  // namespace

std::vector<Jump> component_jumps(const ComponentMoves& moves,
                                  std::span<const MoveProbabilities> by_number) {
  check_ends(by_number);
  const ComponentLayout& layout = moves.layout;
  const auto birth_map = std::make_shared<const SmoothMap>(identity_map(layout.size));
  std::vector<Jump> jumps;
  for (std::size_t k = 0; k + 1 < by_number.size(); ++k) {
    const MoveProbabilities &below = by_number[k], &above = by_number[k + 1];
    const auto from = static_cast<Index>(k);
    if (below.birth > 0.0 || above.death > 0.0) {
      Direction there = {below.birth, uniform_slot(layout), moves.birth};
      Direction back = {above.death, uniform_component(layout), nullptr};
      jumps.push_back({.name = "birth",
                       .back_name = "death",
                       .from = from,
                       .to = from + 1,
                       .map = birth_map,
                       .there = std::move(there),
                       .back = std::move(back),
                       .places = birth_places(layout)});
    }
    if (moves.split && (below.split > 0.0 || above.merge > 0.0))
      jumps.push_back({.name = "split",
                       .back_name = "merge",
                       .from = from,
                       .to = from + 1,
                       .map = moves.split,
                       .there = {below.split, uniform_pair(layout), moves.split_auxiliary},
                       .back = {above.merge, nearest_pair(layout), moves.merge_auxiliary},
                       .places = split_places(layout)});
  }
  return jumps;
}

// ---- splitting of positions ----

std::shared_ptr<const AuxiliaryDistribution> uniform_in_ball(Index dimension) {
  return std::make_shared<UniformInBall>(dimension);
}

MapFormulas split_positions(Index dimension, double alpha) {
  if (!(alpha > 0.0) || !std::isfinite(alpha))
    throw Error(ErrorCode::usage, fmt::format("alpha must be positive and finite, is {}", alpha),
                "split_positions");
  const auto d = static_cast<std::size_t>(dimension);
  return {.size = 2 * dimension,
          .forward =
              [=](Scalars x) {
                std::vector<Expr> y;
                for (std::size_t i = 0; i < d; ++i) y.push_back(x[i] - alpha * x[d + i]);
                for (std::size_t i = 0; i < d; ++i) y.push_back(x[i] + alpha * x[d + i]);
                return y;
              },
          .inverse =
              [=](Scalars y) {
                std::vector<Expr> x;
                for (std::size_t i = 0; i < d; ++i) x.push_back((y[i] + y[d + i]) / 2.0);
                for (std::size_t i = 0; i < d; ++i) x.push_back((y[d + i] - y[i]) / (2.0 * alpha));
                return x;
              }};
}

}  // namespace credo::infer::rj
