#include "models/lattice/lattice.hpp"

#include <fmt/format.h>

namespace credo::models {
namespace {
constexpr Index kMaxSites = Index{1} << 31;  // sites are numbered with 32 bits

[[noreturn]] void refuse(std::string message, const char* where, const char* hint = "") {
  throw Error(ErrorCode::data, std::move(message), where, hint);
}

void check_finite(double value, const char* where) {
  if (!std::isfinite(value)) refuse(fmt::format("must be finite, is {}", value), where);
}
}  // namespace

void Lattice::check_sizes() const {
  if (rows_ < 1 || cols_ < 1 || rows_ > kMaxSites / cols_)
    refuse(fmt::format("a grid of {} x {} sites, both must be at least 1 and their product at most "
                       "2^31",
                       rows_, cols_),
           "lattice");
  if (num_values_ < 2 || num_values_ > 256)
    refuse(fmt::format("{} values a site, must be 2 .. 256", num_values_), "num_values");
}

Lattice Lattice::ising(const IsingOptions& options) {
  check_finite(options.coupling, "coupling");
  check_finite(options.field, "field");
  Lattice lattice;
  lattice.rows_ = options.rows;
  lattice.cols_ = options.cols;
  lattice.periodic_ = options.periodic;
  lattice.agreement_ = 2.0 * options.coupling;
  lattice.edge_offset_ = -options.coupling;
  lattice.field_ = options.field;
  lattice.check_sizes();
  return lattice;
}

Lattice Lattice::potts(const PottsOptions& options) {
  check_finite(options.coupling, "coupling");
  Lattice lattice;
  lattice.rows_ = options.rows;
  lattice.cols_ = options.cols;
  lattice.num_values_ = options.num_values;
  lattice.periodic_ = options.periodic;
  lattice.agreement_ = options.coupling;
  lattice.check_sizes();
  return lattice;
}

Lattice Lattice::with_evidence(std::vector<double> log_evidence) const {
  if (ssize(log_evidence) != num_sites() * num_values_)
    refuse(fmt::format("{} numbers for {} sites of {} values", log_evidence.size(), num_sites(),
                       num_values_),
           "log_evidence", "give one for each value of each site, site by site");
  for (const double e : log_evidence) check_finite(e, "log_evidence");
  Lattice lattice = *this;
  lattice.evidence_ = std::move(log_evidence);
  return lattice;
}

double Lattice::evidence(Index site, Index value) const {
  const double from_field = field_ * static_cast<double>(2 * value - 1);
  return evidence_.empty() ? from_field : evidence_[site * num_values_ + value] + from_field;
}

// A side of one or two sites has no edge around it.
Index Lattice::right(Index site) const {
  if (site % cols_ + 1 < cols_) return site + 1;
  return periodic_ && cols_ > 2 ? site + 1 - cols_ : -1;
}

Index Lattice::down(Index site) const {
  if (site + cols_ < num_sites()) return site + cols_;
  return periodic_ && rows_ > 2 ? site + cols_ - num_sites() : -1;
}

LatticeNeighbours Lattice::neighbours(Index site) const {
  LatticeNeighbours found;
  const Index col = site % cols_, n = num_sites();
  if (const Index r = right(site); r >= 0) found.add(r);
  if (const Index d = down(site); d >= 0) found.add(d);
  if (col > 0) found.add(site - 1);
  if (col == 0 && periodic_ && cols_ > 2) found.add(site + cols_ - 1);
  if (site >= cols_) found.add(site - cols_);
  if (site < cols_ && periodic_ && rows_ > 2) found.add(site - cols_ + n);
  return found;
}

void Lattice::conditional(std::span<const Spin> spins, Index site,
                          std::span<double> log_weights) const {
  for (Index k = 0; k < num_values_; ++k) log_weights[k] = has_evidence() ? evidence(site, k) : 0.0;
  for (const Index j : neighbours(site)) log_weights[spins[j]] += agreement_;
}

double Lattice::log_weight(std::span<const Spin> spins) const {
  double sum = 0.0;
  for (Index i = 0; i < num_sites(); ++i) {
    if (has_evidence()) sum += evidence(i, spins[i]);
    for (const Index j : {right(i), down(i)}) {
      if (j >= 0) sum += edge_offset_ + (spins[i] == spins[j] ? agreement_ : 0.0);
    }
  }
  return sum;
}

void Lattice::check(std::span<const Spin> spins) const {
  if (ssize(spins) != num_sites())
    refuse(fmt::format("{} values for {} sites", spins.size(), num_sites()), "spins");
  for (const Spin value : spins) {
    if (value >= num_values_)
      refuse(fmt::format("a site has the value {}, must be below {}", value, num_values_), "spins");
  }
}

// The logarithms are -(y - s)^2 / (2 sd^2); s^2 = 1 and y^2 are common to both.
std::vector<double> gaussian_evidence(std::span<const double> image, double sd) {
  if (!(sd > 0.0)) refuse(fmt::format("must be > 0, is {}", sd), "sd");
  std::vector<double> log_evidence;
  for (const double y : image) {
    log_evidence.push_back(-y / (sd * sd));
    log_evidence.push_back(y / (sd * sd));
  }
  return log_evidence;
}

double magnetisation(std::span<const Spin> spins) {
  Index up = 0;
  for (const Spin value : spins) up += value;
  return static_cast<double>(2 * up - ssize(spins)) / static_cast<double>(ssize(spins));
}

}  // namespace credo::models
