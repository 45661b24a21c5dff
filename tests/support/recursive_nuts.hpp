// The No-U-Turn sampler in its recursive form, for reading and as the oracle of
// infer/mcmc/hamiltonian/nuts.cpp; and its mutants, which tests must reject.
#pragma once
#include "infer/mcmc/hamiltonian/hamiltonian.hpp"
#include "support/kernel_checks.hpp"

namespace credo::testing {

enum class Mutation {
  none,
  inverted_weights,  // exp(H - H₀) for exp(H₀ - H)
  one_sided_turn,    // asks only the last point of a stretch whether it goes on
  always_later,      // takes the later half's point whatever its weight
  no_whole_check     // forgets to ask the whole tree: never stops but within a half; still valid
};

class RecursiveNuts {
 public:
  RecursiveNuts(infer::HmcSettings settings_, Index max_depth_, Mutation mutation_ = Mutation::none)
      : settings(std::move(settings_)), max_depth(max_depth_), mutation(mutation_) {}

  void step(density::Evaluator& evaluator, infer::HmcState& current, Rng& rng) {
    evaluator_ = &evaluator;
    End start = begin(current, rng);
    Tree whole = leaf(start, 0.0);
    start_energy_ = start.energy;
    End back = start, front = start;
    bool go_on = true;
    for (Index depth = 0; go_on && depth < max_depth; ++depth) {
      const bool forward = rng.uniform() < 0.5;
      Tree half = build(forward ? front : back, depth, forward ? 1.0 : -1.0, rng);
      if (!half.valid) break;
      if (!forward) std::swap(whole.first, whole.last);
      const double ratio = std::exp(std::min(0.0, half.log_weight - whole.log_weight));
      whole = join(whole, half, ratio, rng);
      if (!forward) std::swap(whole.first, whole.last);
      go_on = whole.valid || mutation == Mutation::no_whole_check;
    }
    current = whole.draw;
  }

  infer::HmcSettings settings;
  Index max_depth;
  Mutation mutation;

 private:
  using Vector = std::vector<double>;
  struct End {
    Vector momentum, velocity;
    infer::HmcState at;
    double energy;
  };
  struct Tree {
    End first, last;
    Vector momentum_sum;
    infer::HmcState draw;
    double log_weight;
    bool valid = true;
  };

  static double dot(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  }
  static Vector plus(Vector a, const Vector& b) {
    for (std::size_t d = 0; d < a.size(); ++d) a[d] += b[d];
    return a;
  }

  End begin(const infer::HmcState& current, Rng& rng) {
    End end{Vector(current.position.size()), Vector(current.position.size()), current, 0.0};
    for (double& p : end.momentum) p = rng.normal();
    settings.metric.shape_momentum(end.momentum);
    finish(end);
    return end;
  }
  void finish(End& end) {
    settings.metric.velocity(end.momentum, end.velocity);
    end.energy = 0.5 * dot(end.momentum, end.velocity) - end.at.log_density;
  }

  Tree leaf(const End& end, double energy_error) const {
    const double sign = mutation == Mutation::inverted_weights ? 1.0 : -1.0;
    return {end, end, end.momentum, end.at, sign * energy_error};
  }

  // One leapfrog step, on from `end`.
  void leap(End& end, double step_size) {
    for (std::size_t d = 0; d < end.momentum.size(); ++d)
      end.momentum[d] += 0.5 * step_size * end.at.gradient[d];
    settings.metric.velocity(end.momentum, end.velocity);
    for (std::size_t d = 0; d < end.momentum.size(); ++d)
      end.at.position[d] += step_size * end.velocity[d];
    end.at = state_at(*evaluator_, end.at.position);
    for (std::size_t d = 0; d < end.momentum.size(); ++d)
      end.momentum[d] += 0.5 * step_size * end.at.gradient[d];
    finish(end);
  }

  Tree build(End& end, Index depth, double direction, Rng& rng) {
    if (depth == 0) {
      leap(end, direction * settings.step_size);
      const double error = infer::energy_error(end.energy, start_energy_);
      Tree single = leaf(end, error);
      single.valid = !infer::is_divergent(error);
      return single;
    }
    const Tree earlier = build(end, depth - 1, direction, rng);
    if (!earlier.valid) return earlier;
    const Tree later = build(end, depth - 1, direction, rng);
    if (!later.valid) return later;
    const double odds = std::exp(later.log_weight - earlier.log_weight);
    return join(earlier, later, std::isinf(odds) ? 1.0 : odds / (1.0 + odds), rng);
  }

  Tree join(const Tree& earlier, const Tree& later, double probability, Rng& rng) const {
    const bool lucky = rng.uniform() < probability;
    const bool take_later = lucky || mutation == Mutation::always_later;
    const double larger = std::max(earlier.log_weight, later.log_weight);
    Tree whole{earlier.first, later.last, plus(earlier.momentum_sum, later.momentum_sum),
               take_later ? later.draw : earlier.draw,
               larger + std::log(std::exp(earlier.log_weight - larger) +
                                 std::exp(later.log_weight - larger))};
    whole.valid =
        goes_on(earlier.first, later.last, whole.momentum_sum) &&
        goes_on(earlier.first, later.first, plus(earlier.momentum_sum, later.first.momentum)) &&
        goes_on(earlier.last, later.last, plus(earlier.last.momentum, later.momentum_sum));
    return whole;
  }

  bool goes_on(const End& first, const End& last, const Vector& momentum_sum) const {
    const bool at_last = dot(last.velocity, momentum_sum) > 0.0;
    if (mutation == Mutation::one_sided_turn) return at_last;
    return at_last && dot(first.velocity, momentum_sum) > 0.0;
  }

  density::Evaluator* evaluator_ = nullptr;
  double start_energy_ = 0.0;
};

}  // namespace credo::testing
