// Ising and Potts models on a rectangular grid, with evidence at each site where there is some.
//
//   const Lattice ising = Lattice::ising({.rows = 512, .cols = 512, .coupling = 0.4});
//   const Lattice noisy = ising.with_evidence(gaussian_evidence(image, 2.0));   // a posterior
//   Spins spins(ising.num_sites());                                             // all 0
//
// A site is row * cols + col, its value one of 0 .. num_values - 1. Ising: 0 stands for -1, 1 for
// +1. Samplers: models/lattice/lattice_gibbs.hpp, models/lattice/clusters.hpp.
#pragma once
#include "base/error.hpp"
#include "base/types.hpp"

namespace credo::models {

using Spin = std::uint8_t;
using Spins = std::vector<Spin>;

// log weight = coupling sum over neighbours of s_i s_j + field sum of s_i, s = -1 or +1. The field
// favours its own sign; a text that writes an energy +h sum of s_i has the opposite sign.
struct IsingOptions {
  Index rows = 2, cols = 2;
  double coupling = 0.0;  // J, or J / T; below 0: neighbours avoid each other
  double field = 0.0;
  bool periodic = false;  // a side of two sites has no second edge around it
};

// log weight = coupling times the number of neighbours that agree. With two values and twice the
// coupling of an Ising model it is the Ising model.
struct PottsOptions {
  Index rows = 2, cols = 2;
  Index num_values = 3;  // 2 .. 256
  double coupling = 0.0;
  bool periodic = false;
};

struct LatticeNeighbours {
  std::array<Index, 4> sites{};
  Index count = 0;
  void add(Index site) { sites[static_cast<std::size_t>(count++)] = site; }
  const Index* begin() const { return sites.data(); }
  const Index* end() const { return sites.data() + count; }
};

class Lattice {
 public:
  // Throw Error(data) for sizes below 1, a number of values outside 2 .. 256, or numbers that are
  // not finite.
  static Lattice ising(const IsingOptions& options);
  static Lattice potts(const PottsOptions& options);
  // This lattice with log_evidence[site * num_values + value] added to the log weight of that value at
  // that site; it replaces earlier evidence and adds to an Ising field. Throws Error(data) for a
  // wrong length or values that aren't finite.
  Lattice with_evidence(std::vector<double> log_evidence) const;

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index num_sites() const { return rows_ * cols_; }
  Index num_values() const { return num_values_; }
  bool periodic() const { return periodic_; }
  // Log weight of a pair of equal neighbours minus that of an unequal pair: 2 J for
  // Ising, J for Potts.
  double agreement() const { return agreement_; }
  bool has_evidence() const { return !evidence_.empty() || field_ != 0.0; }
  double evidence(Index site, Index value) const;

  // The neighbour to the right and below, -1 at the edge of the lattice: every edge once.
  Index right(Index site) const;
  Index down(Index site) const;
  LatticeNeighbours neighbours(Index site) const;

  // Log weights of the values of a site given its neighbours, up to a constant.
  void conditional(std::span<const Spin> spins, Index site, std::span<double> log_weights) const;
  double log_weight(std::span<const Spin> spins) const;
  void check(std::span<const Spin> spins) const;  // throws Error(data): size and values

 private:
  Lattice() = default;
  void check_sizes() const;

  Index rows_ = 1, cols_ = 1, num_values_ = 2;
  bool periodic_ = false;
  double agreement_ = 0.0, field_ = 0.0;
  double edge_offset_ = 0.0;  // log weight of a pair that doesn't agree
  std::vector<double> evidence_;
};

// log N(y_i | s_i, sd) for s = -1 and +1, without what both share: a noisy image of an Ising model.
std::vector<double> gaussian_evidence(std::span<const double> image, double sd);

// The mean of s_i = 2 x_i - 1, Ising only.
double magnetisation(std::span<const Spin> spins);

// The coupling at which the infinite square lattice changes phase, log(1 + sqrt(2)) / 2 (Onsager).
inline constexpr double kCriticalIsingCoupling = 0.44068679350977151262;

}  // namespace credo::models
