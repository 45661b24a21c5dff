// A union of ellipsoids that is to hold the part of the unit cube that live points were drawn from [feroz2009].
//
//   1  an ellipsoid {(x - m)' C⁻¹ (x - m) <= s}: mean and covariance of its points, s so that it holds them all
//   2  two halves of its points by 2-means take its place where their volumes together are below a half of its own; and so on
//   3  each is enlarged by means of left-out points [buchner2016]: from bootstrapped ones the mean, the covariance
//      and s; the furthest of the others, in units of s. The largest of 20 such factors, over all ellipsoids
#pragma once
#include "infer/mcmc/hamiltonian/metric.hpp"

namespace credo {
class Rng;
}

namespace credo::infer {

class BoundingEllipsoids {
 public:
  struct Ellipsoid {
    std::vector<double> centre;
    Metric metric;               // its covariance
    double square_radius = 1.0;  // s
    double log_volume = 0.0;
    // (x - m)' C⁻¹ (x - m); `work` is overwritten.
    double distance(std::span<const double> x, std::vector<double>& work) const;
  };

  explicit BoundingEllipsoids(Index dimension) : dimension_(dimension) {}

  // The fewest points that one ellipsoid takes.
  static constexpr Index least_points(Index dimension) { return 4 * (dimension + 1); }

  // N × D points of the cube. False, without a change, if they lie in fewer dimensions. O(20 N D² + D³) for each
  // ellipsoid that is tried.
  [[nodiscard]] bool fit(std::span<const double> points, Rng& rng);
  // A uniform draw from the union, or from the cube if that is smaller than the ellipsoids together.
  void draw(Rng& rng, std::span<double> out) const;

  Index size() const { return ssize(all_); }
  std::span<const Ellipsoid> all() const { return all_; }
  double log_volume() const;  // sum over all ellipsoids, overlaps counted several times
  double enlargement() const { return enlargement_; }  // factor of squared radii
  Index num_holding(std::span<const double> point) const;
  bool holds(std::span<const double> point) const { return num_holding(point) > 0; }

 private:
  Index dimension_;
  std::vector<Ellipsoid> all_;
  double enlargement_ = 1.0;
};

}  // namespace credo::infer
