#include "infer/evidence/ellipsoids.hpp"

#include "base/rng.hpp"
#include "infer/adapt/welford.hpp"
#include "infer/evidence/points.hpp"
#include "numerics/elementary.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
using Ellipsoid = BoundingEllipsoids::Ellipsoid;
constexpr Index kNumBootstraps = 20;

// N × D points, and some of them.
struct CubePoints {
  std::span<const double> values;
  std::size_t dimension;
  std::span<const double> at(Index i) const {
    return values.subspan(static_cast<std::size_t>(i) * dimension, dimension);
  }
  Index size() const { return ssize(values) / static_cast<Index>(dimension); }
};
using Members = std::vector<Index>;

double log_unit_ball(Index dimension) {
  const double half = 0.5 * static_cast<double>(dimension);
  return half * numerics::log(std::numbers::pi) - std::lgamma(half + 1.0);
}

// Around these points, some of which may come several times.
std::optional<Ellipsoid> ellipsoid_of(const CubePoints& points, const Members& members) {
  const auto dimension = static_cast<Index>(points.dimension);
  if (ssize(members) < dimension + 2) return std::nullopt;
  Welford moments(MetricKind::dense, dimension);
  for (const Index i : members) moments.add(points.at(i));
  Ellipsoid found{.centre = {moments.mean().begin(), moments.mean().end()},
                  .metric = Metric(MetricKind::dense, dimension)};
  const std::span<const double> covariance = moments.with_jitter(0.0);
  if (!found.metric.set_inverse(covariance)) return std::nullopt;
  std::vector<double> work;
  found.square_radius = 0.0;
  for (const Index i : members)
    found.square_radius = std::max(found.square_radius, found.distance(points.at(i), work));
  found.log_volume = log_unit_ball(dimension) + 0.5 * log_determinant(covariance, dimension) +
                     0.5 * static_cast<double>(dimension) * numerics::log(found.square_radius);
  return found;
}

double log_of_sum(double a, double b) {
  const double top = std::max(a, b);
  return top + numerics::log1p(numerics::exp(std::min(a, b) - top));
}

// The longest axis of an ellipsoid, as long as a standard deviation.
std::vector<double> longest_axis(const Ellipsoid& of) {
  const numerics::SymmetricEigen eigen({ssize(of.centre), ssize(of.centre), of.metric.inverse()});
  const auto last = eigen.vector(eigen.size() - 1);
  std::vector<double> axis(last.begin(), last.end());
  for (double& v : axis) v *= std::sqrt(eigen.values.back());
  return axis;
}

double square_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += (a[d] - b[d]) * (a[d] - b[d]);
  return sum;
}

std::vector<double> mean_of(const CubePoints& points, const Members& members) {
  std::vector<double> mean(points.dimension);
  for (const Index i : members)
    for (std::size_t d = 0; d < mean.size(); ++d)
      mean[d] += points.at(i)[d] / static_cast<double>(ssize(members));
  return mean;
}

// Lloyd's iterations from both sides of the longest axis.
std::array<Members, 2> two_means(const CubePoints& points, const Members& members,
                                 const Ellipsoid& whole) {
  constexpr int kMostIterations = 20;
  const std::vector<double> axis = longest_axis(whole);
  std::array<std::vector<double>, 2> centres = {whole.centre, whole.centre};
  for (std::size_t d = 0; d < axis.size(); ++d) centres[0][d] -= axis[d], centres[1][d] += axis[d];
  std::array<Members, 2> halves, before;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    before = std::exchange(halves, {});
    for (const Index i : members) {
      const std::span<const double> x = points.at(i);
      halves[square_distance(x, centres[1]) < square_distance(x, centres[0])].push_back(i);
    }
    if (halves == before || halves[0].empty() || halves[1].empty()) break;
    for (std::size_t h = 0; h < 2; ++h) centres[h] = mean_of(points, halves[h]);
  }
  return halves;
}

struct Cluster {
  Members members;
  Ellipsoid ellipsoid;
};

void split(const CubePoints& points, Cluster cluster, std::vector<Cluster>& into) {
  constexpr double kLogHalf = -0.69314718055994530942;
  const Index least = BoundingEllipsoids::least_points(static_cast<Index>(points.dimension));
  if (ssize(cluster.members) >= 2 * least) {
    std::array<Members, 2> halves = two_means(points, cluster.members, cluster.ellipsoid);
    if (std::min(ssize(halves[0]), ssize(halves[1])) >= least) {
      std::optional<Ellipsoid> a = ellipsoid_of(points, halves[0]),
                               b = ellipsoid_of(points, halves[1]);
      if (a && b &&
          log_of_sum(a->log_volume, b->log_volume) < cluster.ellipsoid.log_volume + kLogHalf) {
        split(points, {std::move(halves[0]), *std::move(a)}, into);
        split(points, {std::move(halves[1]), *std::move(b)}, into);
        return;
      }
    }
  }
  into.push_back(std::move(cluster));
}

// How much further points lie that the ellipsoid of some others doesn't know, in units of its squared radius; at least 1.
double bootstrapped_factor(const CubePoints& points, const Members& members, Rng& rng) {
  double factor = 1.0;
  std::vector<double> work;
  for (Index k = 0; k < kNumBootstraps; ++k) {
    Members drawn;
    std::vector<char> is_drawn(members.size(), 0);
    for (std::size_t j = 0; j < members.size(); ++j) {
      const auto which = static_cast<std::size_t>(rng.index_below(ssize(members)));
      is_drawn[which] = 1;
      drawn.push_back(members[which]);
    }
    const std::optional<Ellipsoid> known = ellipsoid_of(points, drawn);
    if (!known) continue;  // too few different ones
    for (std::size_t j = 0; j < members.size(); ++j)
      if (is_drawn[j] == 0)
        factor =
            std::max(factor, known->distance(points.at(members[j]), work) / known->square_radius);
  }
  return factor;
}
}  // namespace

double BoundingEllipsoids::Ellipsoid::distance(std::span<const double> x,
                                               std::vector<double>& work) const {
  work.assign(x.begin(), x.end());
  for (std::size_t d = 0; d < work.size(); ++d) work[d] -= centre[d];
  metric.unshape_move(work);
  return std::inner_product(work.begin(), work.end(), work.begin(), 0.0);
}

bool BoundingEllipsoids::fit(std::span<const double> points, Rng& rng) {
  const CubePoints cube{points, static_cast<std::size_t>(dimension_)};
  Members everyone(static_cast<std::size_t>(cube.size()));
  std::iota(everyone.begin(), everyone.end(), Index{0});
  std::optional<Ellipsoid> whole = ellipsoid_of(cube, everyone);
  if (!whole) return false;
  std::vector<Cluster> clusters;
  split(cube, {std::move(everyone), *std::move(whole)}, clusters);
  enlargement_ = 1.0;
  for (const Cluster& cluster : clusters)
    enlargement_ = std::max(enlargement_, bootstrapped_factor(cube, cluster.members, rng));
  all_.clear();
  for (Cluster& cluster : clusters) {
    cluster.ellipsoid.square_radius *= enlargement_;
    cluster.ellipsoid.log_volume +=
        0.5 * static_cast<double>(dimension_) * numerics::log(enlargement_);
    all_.push_back(std::move(cluster.ellipsoid));
  }
  return true;
}

double BoundingEllipsoids::log_volume() const {
  double sum = -kInfinity;
  for (const Ellipsoid& one : all_) sum = log_of_sum(sum, one.log_volume);
  return sum;
}

Index BoundingEllipsoids::num_holding(std::span<const double> point) const {
  std::vector<double> work;
  return std::count_if(all_.begin(), all_.end(), [&](const Ellipsoid& one) {
    return one.distance(point, work) <= one.square_radius;
  });
}

// An ellipsoid by its volume, a point of it, which counts once however many hold it.
void BoundingEllipsoids::draw(Rng& rng, std::span<double> out) const {
  const double log_total = log_volume();
  std::vector<double> z(out.size());
  while (true) {
    if (log_total >= 0.0) {
      for (double& u : out) u = rng.uniform();
      return;
    }
    double rest = rng.uniform();
    std::size_t which = 0;
    while (which + 1 < all_.size() &&
           (rest -= numerics::exp(all_[which].log_volume - log_total)) > 0.0)
      ++which;
    const Ellipsoid& from = all_[which];
    double square = 0.0;
    for (double& v : z) v = rng.normal(), square += v * v;
    const double radius = std::sqrt(from.square_radius) *
                          std::pow(rng.uniform(), 1.0 / static_cast<double>(dimension_));
    for (double& v : z) v *= radius / std::sqrt(square);
    from.metric.shape_move(z, out);
    for (std::size_t d = 0; d < out.size(); ++d) out[d] += from.centre[d];
    const Index holding = std::max<Index>(1, num_holding(out));
    if (holding == 1 || rng.uniform() * static_cast<double>(holding) < 1.0) return;
  }
}

}  // namespace credo::infer
