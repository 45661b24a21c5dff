#include "infer/variational/fits/outer_points.hpp"

#include <fmt/format.h>

#include <bit>
#include <set>

#include "infer/optimise/mode.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "numerics/log_sum.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostOfGrid = 3, kMostOfDesign = 16;
constexpr double kLowestOfGrid = 6.0;  // nats below the mode
constexpr std::size_t kMostPoints = 5000;
constexpr double kLeastMass = 1e-6;
constexpr double kFarther = 1.1;  // radius of the design over √m [rue2009, sec. 6.5]
constexpr double kHalfLogTwoPiOfOuter = 0.91893853320467274178;

// φ = φ̂ + R z, R R' = C.
struct OuterScale {
  std::vector<double> mode, covariance, root;
  double log_mode = -kInfinity, log_root = 0.0;  // log p̂(φ̂), log |R|
  std::vector<double> at(std::span<const double> z) const {
    std::vector<double> x = mode;
    for (std::size_t j = 0; j < z.size(); ++j)
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += root[j * x.size() + i] * z[j];
    return x;
  }
};

OuterScale outer_scale(const CollapsedDensity& collapsed) {
  const LatentModel& model = collapsed.model();
  const std::vector<double> start = values_at(model.reference.position, model.block.outer);
  const Mode mode = find_mode(collapsed, {.tolerance = 1e-7, .start = start});
  if (!mode.converged && mode.num_iterations == 0)
    throw Error(ErrorCode::evaluation,
                "the climb to the mode of the outer parameters didn't converge", "outer",
                "credo optimize --marginal says how it ends");
  OuterScale scale{.mode = mode.position,
                   .covariance = inverse_hessian(collapsed, mode.position),
                   .root = {},
                   .log_mode = mode.log_density};
  const auto m = ssize(scale.mode);
  const numerics::SymmetricEigen eigen({m, m, scale.covariance});
  for (std::size_t k = 0; k < eigen.size(); ++k) {
    const double sd = std::sqrt(eigen.values[k]);
    scale.log_root += numerics::log(sd);
    for (const double v : eigen.vector(k)) scale.root.push_back(sd * v);
  }
  return scale;
}

// Points with log p̂ + log of a volume; masses and the evidence follow.
class PointList {
 public:
  explicit PointList(const CollapsedDensity& collapsed) : inner_(collapsed.model()) {}
  // log p̂ there; -infinity where it is refused.
  double look(std::span<const double> outer) {
    return inner_.find(outer).ok() ? inner_.normal().log_marginal() : -kInfinity;
  }
  // Takes the last point.
  void take(double log_volume) {
    logs_.push_back(inner_.normal().log_marginal() + log_volume);
    found_.push_back({.inner = inner_.release()});
  }
  OuterPoints finish(const OuterScale& scale) {
    OuterPoints all{.mode = scale.mode, .covariance = scale.covariance, .points = {}};
    all.log_evidence = numerics::log_sum_exp(logs_);
    double kept = 0.0;
    for (std::size_t k = 0; k < found_.size(); ++k) {
      found_[k].mass = std::exp(logs_[k] - all.log_evidence);
      if (found_[k].mass < kLeastMass) continue;
      kept += found_[k].mass;
      all.points.push_back(std::move(found_[k]));
    }
    for (OuterPoint& point : all.points) point.mass /= kept;
    return all;
  }

 private:
  InnerMode inner_;
  std::vector<double> logs_;
  std::vector<OuterPoint> found_;
};

// From the mode on to neighbours, as long as they are high enough.
void take_grid(PointList& list, const OuterScale& scale, double step) {
  const std::size_t m = scale.mode.size();
  const double log_volume = scale.log_root + static_cast<double>(m) * numerics::log(step);
  std::set<std::vector<Index>> seen{std::vector<Index>(m, 0)};
  std::vector<std::vector<Index>> waiting(seen.begin(), seen.end());
  for (std::size_t next = 0; next < waiting.size(); ++next) {
    if (waiting.size() > kMostPoints)
      throw Error(ErrorCode::usage, "the grid has too many points", "grid_step",
                  "take a longer step, --outer ccd or --outer sample");
    const std::vector<Index> place = waiting[next];
    std::vector<double> z;
    for (const Index k : place) z.push_back(step * static_cast<double>(k));
    if (!(list.look(scale.at(z)) > scale.log_mode - kLowestOfGrid)) continue;
    list.take(log_volume);
    for (std::size_t d = 0; d < m; ++d) {
      for (const Index move : {-1, 1}) {
        std::vector<Index> neighbour = place;
        neighbour[d] += move;
        if (seen.insert(neighbour).second) waiting.push_back(std::move(neighbour));
      }
    }
  }
}

// Volumes for which a normal p̂ has its mass, mean and covariance: the centre has the share 1 - 1/f² of the mass, the sphere of
// radius f √m the rest.
void take_design(PointList& list, const OuterScale& scale) {
  const auto m = static_cast<Index>(scale.mode.size());
  const double share = 1.0 / (kFarther * kFarther), n = static_cast<double>(m);
  const double log_normal = scale.log_root + n * kHalfLogTwoPiOfOuter;
  std::vector<std::vector<double>> sphere;
  for (Index d = 0; d < m; ++d) {
    for (const double side : {-1.0, 1.0}) {
      sphere.emplace_back(static_cast<std::size_t>(m), 0.0);
      sphere.back()[static_cast<std::size_t>(d)] = side * kFarther * std::sqrt(n);
    }
  }
  const std::vector<double> corners = m > 1 ? corners_of_design(m) : std::vector<double>();
  for (std::size_t k = 0; k < corners.size(); k += static_cast<std::size_t>(m)) {
    sphere.emplace_back(corners.begin() + static_cast<Index>(k),
                        corners.begin() + static_cast<Index>(k) + m);
    for (double& z : sphere.back()) z *= kFarther;
  }
  const double log_volume = log_normal + 0.5 * n * kFarther * kFarther +
                            numerics::log(share / static_cast<double>(sphere.size()));
  list.look(scale.mode);
  list.take(log_normal + numerics::log1p(-share));
  for (const std::vector<double>& z : sphere)
    if (list.look(scale.at(z)) > -kInfinity) list.take(log_volume);
}

void require_at_most(const CollapsedDensity& collapsed, Index most, std::string_view what) {
  if (collapsed.dimension() <= most) return;
  throw Error(ErrorCode::usage,
              fmt::format("{} outer coordinates are too many for {}, at most {}",
                          collapsed.dimension(), what, most),
              "outer", "use --outer sample or --outer mode");
}

class LatentMixture final : public Approximation {
 public:
  LatentMixture(std::shared_ptr<const CollapsedDensity> collapsed,
                std::shared_ptr<const OuterPoints> points)
      : collapsed_(std::move(collapsed)), points_(std::move(points)) {}
  std::unique_ptr<Approximation> clone() const override {
    return std::make_unique<LatentMixture>(*this);
  }
  // log q is log p̂(φ_k) / ∫ p̂ + log q(f | φ_k), so that the mean weight is the evidence.
  double draw(Rng& rng, std::span<double> x) override {
    double left = rng.uniform();
    std::size_t k = 0;
    while (k + 1 < points_->points.size() && left >= points_->points[k].mass)
      left -= points_->points[k++].mass;
    const InnerNormal& inner = points_->points[k].inner;
    std::ranges::copy(inner.position(), x.begin());
    inner.add_noise(rng, x);
    return inner.log_marginal() - points_->log_evidence + inner.log_density(x);
  }

 private:
  std::shared_ptr<const CollapsedDensity> collapsed_;
  std::shared_ptr<const OuterPoints> points_;
};
}  // namespace

// Columns of a Hadamard matrix by their numbers [sanchez2005, table 2].
std::vector<double> corners_of_design(Index count) {
  constexpr std::array<unsigned, kMostOfDesign> kColumns{1,  2,  4,   8,   15,  16,  32,  51,
                                                         64, 85, 106, 128, 150, 171, 219, 237};
  const auto m = static_cast<std::size_t>(count);
  CREDO_ASSERT(m >= 1 && m <= kColumns.size(), "the table has so many columns");
  const unsigned runs = std::bit_floor(kColumns[m - 1]) * 2;
  std::vector<double> corners;
  for (unsigned run = 0; run < runs; ++run)
    for (std::size_t d = 0; d < m; ++d)
      corners.push_back(std::popcount(run & kColumns[d]) % 2 == 0 ? 1.0 : -1.0);
  return corners;
}

OuterPoints outer_points(const CollapsedDensity& collapsed, const OuterOptions& options) {
  if (options.method == OuterMethod::grid) require_at_most(collapsed, kMostOfGrid, "a grid");
  if (options.method == OuterMethod::ccd) require_at_most(collapsed, kMostOfDesign, "a design");
  const OuterScale scale = outer_scale(collapsed);
  PointList list(collapsed);
  if (options.method == OuterMethod::grid) {
    take_grid(list, scale, options.step);
  } else if (options.method == OuterMethod::ccd) {
    take_design(list, scale);
  } else {
    list.look(scale.mode);
    list.take(scale.log_root + static_cast<double>(scale.mode.size()) * kHalfLogTwoPiOfOuter);
  }
  return list.finish(scale);
}

std::shared_ptr<const Approximation> mixture_of_outer_points(
    std::shared_ptr<const CollapsedDensity> collapsed, OuterPoints points) {
  return std::make_shared<LatentMixture>(std::move(collapsed),
                                         std::make_shared<const OuterPoints>(std::move(points)));
}

}  // namespace credo::infer
