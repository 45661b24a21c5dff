// All states take their steps together, because a program weighs as many states at once as there are columns.
#include "model/states/laplace_updates.hpp"

#include "numerics/linear_algebra/decompositions.hpp"

namespace credo::model {
namespace {
using numerics::GaussianState;
using Numbers = std::vector<double>;
constexpr int kMostSteps = 30, kMostHalvings = 12;
constexpr double kStepTolerance = 1e-7;  // in standard deviations of N(m, P)
constexpr double kDifference = 0x1p-14;  // step in z, for second derivatives
constexpr double kSlack = 1e-12;         // of f, relative: rounding

// S' v and S v, S upper triangular.
Numbers spread_by(const Numbers& root, const Numbers& v) {
  const std::size_t d = v.size();
  Numbers out(d, 0.0);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t k = 0; k <= i; ++k) out[i] += root[k + i * d] * v[k];
  return out;
}
Numbers gathered_by(const Numbers& root, const Numbers& v) {
  const std::size_t d = v.size();
  Numbers out(d, 0.0);
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t i = k; i < d; ++i) out[k] += root[k + i * d] * v[i];
  return out;
}

// Current point of a state, in z; f and the gradient of the outcome's part.
struct Climb {
  Numbers z, slope, step, curvature;  // curvature: the outcome's, S H S'
  double value = 0.0, length = 1.0;
  bool stays = false, moves = true;
};

class Climbs {
 public:
  Climbs(NormalReader& reader, Index time, std::span<const GaussianState> states)
      : reader_(reader), time_(time), states_(states), d_(states[0].mean.size()) {
    const std::vector<Numbers> start(states.size(), Numbers(d_, 0.0));
    const auto seen = outcomes_at(start);
    for (std::size_t i = 0; i < states.size(); ++i) {
      Climb& climb = climbs_.emplace_back();
      climb.z = start[i];
      take(climb, seen[i]);
      climb.stays =
          !std::all_of(seen[i].begin(), seen[i].end(), [](double x) { return std::isfinite(x); });
    }
  }

  std::vector<GaussianState> run() {
    for (int step = 0; step < kMostSteps; ++step) {
      take_curvatures();
      double longest = 0.0;
      for (Climb& climb : climbs_) longest = std::max(longest, choose_step(climb));
      if (longest < kStepTolerance) break;
      take_steps();
    }
    take_curvatures();
    std::vector<GaussianState> distributions;
    for (std::size_t i = 0; i < climbs_.size(); ++i) distributions.push_back(distribution_of(i));
    return distributions;
  }

 private:
  std::vector<Numbers> outcomes_at(const std::vector<Numbers>& zs) {
    std::vector<Numbers> xs;
    for (std::size_t i = 0; i < zs.size(); ++i) {
      xs.push_back(spread_by(states_[i].root, zs[i]));
      for (std::size_t e = 0; e < d_; ++e) xs.back()[e] += states_[i].mean[e];
    }
    std::vector<Numbers> seen = reader_.log_outcomes(time_, xs);
    for (std::size_t i = 0; i < zs.size(); ++i) {
      const Numbers slope = gathered_by(states_[i].root, {seen[i].begin() + 1, seen[i].end()});
      std::copy(slope.begin(), slope.end(), seen[i].begin() + 1);
    }
    return seen;
  }
  static double objective(const Numbers& seen, const Numbers& z) {
    return seen[0] - 0.5 * std::inner_product(z.begin(), z.end(), z.begin(), 0.0);
  }
  static void take(Climb& climb, const Numbers& seen) {
    climb.value = objective(seen, climb.z);
    climb.slope.assign(seen.begin() + 1, seen.end());
  }

  // Central differences of the gradients, one element of all states at a time.
  void take_curvatures() {
    for (Climb& climb : climbs_) climb.curvature.assign(d_ * d_, 0.0);
    for (std::size_t e = 0; e < d_; ++e) {
      std::array<std::vector<Numbers>, 2> seen;
      for (const std::size_t side : {0, 1}) {
        std::vector<Numbers> zs;
        for (const Climb& climb : climbs_) {
          zs.push_back(climb.z);
          zs.back()[e] += side == 0 ? kDifference : -kDifference;
        }
        seen[side] = outcomes_at(zs);
      }
      for (std::size_t i = 0; i < climbs_.size(); ++i)
        for (std::size_t k = 0; k < d_; ++k) {
          const double half = (seen[1][i][1 + k] - seen[0][i][1 + k]) / (4.0 * kDifference);
          climbs_[i].curvature[k + e * d_] += half;
          climbs_[i].curvature[e + k * d_] += half;
        }
    }
  }

  // I + S H S' as V diag V', negative curvature of the outcome as none.
  struct Precision {
    Numbers vectors, values;
  };
  Precision precision_of(const Climb& climb) const {
    Precision p{climb.curvature, Numbers(d_)};
    Numbers work(2 * d_);
    if (!std::all_of(p.vectors.begin(), p.vectors.end(), [](double x) { return std::isfinite(x); }))
      p.vectors.assign(d_ * d_, 0.0);
    numerics::symmetric_eigen(static_cast<Index>(d_), p.vectors.data(), p.values.data(),
                              work.data());
    for (double& value : p.values) value = 1.0 + std::max(value, 0.0);
    return p;
  }

  // Newton's; its length.
  double choose_step(Climb& climb) const {
    climb.step.assign(d_, 0.0), climb.length = 1.0;
    climb.moves = !climb.stays;
    if (climb.stays) return 0.0;
    const Precision p = precision_of(climb);
    for (std::size_t v = 0; v < d_; ++v) {
      double along = 0.0;
      for (std::size_t k = 0; k < d_; ++k)
        along += p.vectors[k + v * d_] * (climb.slope[k] - climb.z[k]);
      for (std::size_t k = 0; k < d_; ++k)
        climb.step[k] += p.vectors[k + v * d_] * along / p.values[v];
    }
    const double length = std::sqrt(
        std::inner_product(climb.step.begin(), climb.step.end(), climb.step.begin(), 0.0));
    climb.moves = length >= kStepTolerance;
    return length;
  }

  // Each state's step, or half of it, and so on, until f doesn't fall.
  void take_steps() {
    for (int halving = 0; halving <= kMostHalvings; ++halving) {
      std::vector<Numbers> zs;
      for (const Climb& climb : climbs_) {
        zs.push_back(climb.z);
        for (std::size_t k = 0; climb.moves && k < d_; ++k)
          zs.back()[k] += climb.length * climb.step[k];
      }
      const auto seen = outcomes_at(zs);
      bool all_moved = true;
      for (std::size_t i = 0; i < climbs_.size(); ++i) {
        Climb& climb = climbs_[i];
        if (!climb.moves) continue;
        const bool rises =
            objective(seen[i], zs[i]) >= climb.value - kSlack * (1.0 + std::fabs(climb.value));
        if (rises) climb.z = zs[i], take(climb, seen[i]), climb.moves = false;
        climb.length *= 0.5;
        all_moved = all_moved && rises;
      }
      if (all_moved) return;
    }
  }

  // N(m + S' z, S' (I + S H S')^-1 S).
  GaussianState distribution_of(std::size_t i) const {
    const Climb& climb = climbs_[i];
    if (climb.stays) return states_[i];
    const Precision p = precision_of(climb);
    GaussianState distribution{spread_by(states_[i].root, climb.z), Numbers(d_ * d_)};
    for (std::size_t e = 0; e < d_; ++e) distribution.mean[e] += states_[i].mean[e];
    Numbers rows(d_ * d_), q(d_ * d_), work(d_ * d_);  // diag^-1/2 V' S, whose factor R is the root
    for (std::size_t v = 0; v < d_; ++v)
      for (std::size_t e = 0; e < d_; ++e) {
        double sum = 0.0;
        for (std::size_t k = 0; k <= e; ++k)
          sum += p.vectors[k + v * d_] * states_[i].root[k + e * d_];
        rows[v + e * d_] = sum / std::sqrt(p.values[v]);
      }
    const auto d = static_cast<Index>(d_);
    numerics::qr({d, d, d}, rows.data(), q.data(), work.data());
    for (std::size_t e = 0; e < d_; ++e)
      for (std::size_t k = 0; k <= e; ++k) distribution.root[k + e * d_] = rows[k + e * d_];
    return distribution;
  }

  NormalReader& reader_;
  Index time_;
  std::span<const GaussianState> states_;
  std::size_t d_;
  std::vector<Climb> climbs_;
};
}  // namespace

std::vector<GaussianState> laplace_updates(NormalReader& reader, Index time,
                                           std::span<const GaussianState> predicted) {
  return Climbs(reader, time, predicted).run();
}

}  // namespace credo::model
