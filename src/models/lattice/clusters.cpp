// Clusters are trees of sites whose root is their smallest site, whatever the order in which bonds
// are found: so neither strips nor threads show in the result.
#include "models/lattice/clusters.hpp"

#include <fmt/format.h>

#include <atomic>

namespace credo::models {
using infer::Chooser;
using infer::gibbs::ChooserDraws;
using infer::gibbs::StreamDraws;
namespace {
constexpr Index kRowsOfStrip = 32;
constexpr std::size_t kMaxValues = 256;

// With path halving: every other site on the way is hung one higher.
std::uint32_t root_of(std::span<std::uint32_t> parents, std::uint32_t site) {
  while (parents[site] != site) {
    parents[site] = parents[parents[site]];
    site = parents[site];
  }
  return site;
}

void join(std::span<std::uint32_t> parents, Index a, Index b) {
  const std::uint32_t root_a = root_of(parents, static_cast<std::uint32_t>(a));
  const std::uint32_t root_b = root_of(parents, static_cast<std::uint32_t>(b));
  parents[std::max(root_a, root_b)] = std::min(root_a, root_b);
}

double checked_bond(const Lattice& lattice) {
  if (lattice.agreement() < 0.0) {
    throw Error(ErrorCode::data,
                fmt::format("clusters need a coupling of at least 0, the agreement is {}",
                            lattice.agreement()),
                "coupling", "take single-site Gibbs updates");
  }
  return bond_probability(lattice);
}
}  // namespace

double bond_probability(const Lattice& lattice) { return -std::expm1(-lattice.agreement()); }

SwendsenWang::SwendsenWang(Lattice lattice, Index num_threads)
    : lattice_(std::move(lattice)),
      bond_(checked_bond(lattice_)),
      num_strips_((lattice_.rows() + kRowsOfStrip - 1) / kRowsOfStrip),
      parents_(static_cast<std::size_t>(lattice_.num_sites())) {
  if (lattice_.has_evidence())
    sums_.resize(static_cast<std::size_t>(lattice_.num_sites() * lattice_.num_values()));
  if (num_threads > 1) team_ = std::make_unique<Team>(std::min(num_threads, Team::kMost));
}

SwendsenWang::Strip SwendsenWang::strip(Index k) const {
  return {k * kRowsOfStrip, std::min((k + 1) * kRowsOfStrip, lattice_.rows())};
}

// Bonds with both ends in the strip. Slots of a site's two edges: 2 site and 2 site + 1.
template <class Draws>
void SwendsenWang::bind_strip(std::span<const Spin> spins, Index k, Draws& draws) {
  const auto [first_row, last_row] = strip(k);
  const Index cols = lattice_.cols(), first = first_row * cols, last = last_row * cols;
  std::iota(parents_.begin() + first, parents_.begin() + last, static_cast<std::uint32_t>(first));
  for (Index row = first; row < last; row += cols) {
    for (Index i = row; i < row + cols; ++i) {
      const Index r = i + 1 < row + cols ? i + 1 : lattice_.right(i);
      if (r >= 0 && spins[i] == spins[r] && draws.accept(2 * i, bond_)) join(parents_, i, r);
      const Index d = i + cols;
      if (d < last && spins[i] == spins[d] && draws.accept(2 * i + 1, bond_)) join(parents_, i, d);
    }
  }
}

template <class Draws>
void SwendsenWang::bind_between(std::span<const Spin> spins, Draws& draws) {
  for (Index k = 0; k < num_strips_; ++k) {
    const Index end = strip(k).last * lattice_.cols();
    for (Index i = end - lattice_.cols(); i < end; ++i) {
      const Index d = lattice_.down(i);
      if (d >= 0 && spins[i] == spins[d] && draws.accept(2 * i + 1, bond_)) join(parents_, i, d);
    }
  }
}

// In ascending order a site's parent has its root and its value already. Slots of clusters lie
// behind those of the edges.
template <class Draws>
void SwendsenWang::recolour(std::span<Spin> spins, Draws& draws) {
  const Index n = lattice_.num_sites();
  num_clusters_ = 0;
  for (Index i = 0; i < n; ++i) {
    if (parents_[i] != static_cast<std::uint32_t>(i)) {
      spins[i] = spins[parents_[i]];
      continue;
    }
    spins[i] = static_cast<Spin>(draws.uniform_index(2 * n + i, lattice_.num_values()));
    ++num_clusters_;
  }
}

// Leaves at each root the sums of its cluster, and hangs every site on its root.
void SwendsenWang::sum_evidence() {
  const Index q = lattice_.num_values();
  for (Index i = 0; i < lattice_.num_sites(); ++i) {
    const bool is_root = parents_[i] == static_cast<std::uint32_t>(i);
    if (!is_root) parents_[i] = parents_[parents_[i]];
    for (Index v = 0; v < q; ++v) {
      double& sum = sums_[static_cast<Index>(parents_[i]) * q + v];
      sum = is_root ? lattice_.evidence(i, v) : sum + lattice_.evidence(i, v);
    }
  }
}

template <class Draws>
void SwendsenWang::recolour_by_evidence(std::span<Spin> spins, Draws& draws) {
  sum_evidence();
  const Index n = lattice_.num_sites(), q = lattice_.num_values();
  std::array<double, kMaxValues> storage;
  const std::span weights(storage.data(), static_cast<std::size_t>(q));
  num_clusters_ = 0;
  for (Index i = 0; i < n; ++i) {
    if (parents_[i] != static_cast<std::uint32_t>(i)) {
      spins[i] = spins[parents_[i]];
      continue;
    }
    const auto sums = std::span(sums_).subspan(i * q, q);
    const double top = *std::max_element(sums.begin(), sums.end());
    for (Index v = 0; v < q; ++v) weights[v] = std::exp(sums[v] - top);
    spins[i] = static_cast<Spin>(draws.choose(2 * n + i, weights));
    ++num_clusters_;
  }
}

void SwendsenWang::step(std::span<Spin> spins, Chooser& chooser) {
  ChooserDraws draws(chooser);
  for (Index k = 0; k < num_strips_; ++k) bind_strip(spins, k, draws);
  bind_between(spins, draws);
  if (lattice_.has_evidence()) return recolour_by_evidence(spins, draws);
  recolour(spins, draws);
}

void SwendsenWang::step(std::span<Spin> spins, const StreamKey& key) {
  struct Strips {
    SwendsenWang& self;
    std::span<const Spin> spins;
    StreamKey key;
    std::atomic<Index> next = 0;
    static void run(void* context, Index /*member*/) {
      auto& all = *static_cast<Strips*>(context);
      StreamDraws draws(all.key);
      for (Index k = all.next++; k < all.self.num_strips_; k = all.next++)
        all.self.bind_strip(all.spins, k, draws);
    }
  };
  Strips strips{.self = *this, .spins = spins, .key = key};
  if (team_ == nullptr) Strips::run(&strips, 0);
  if (team_ != nullptr) team_->run(Strips::run, &strips);
  StreamDraws draws(key);
  bind_between(spins, draws);
  if (lattice_.has_evidence()) return recolour_by_evidence(spins, draws);
  recolour(spins, draws);
}

Wolff::Wolff(Lattice lattice)
    : lattice_(std::move(lattice)),
      bond_(checked_bond(lattice_)),
      is_in_(static_cast<std::size_t>(lattice_.num_sites()), 0) {
  cluster_.reserve(static_cast<std::size_t>(lattice_.num_sites()));
}

void Wolff::grow(std::span<const Spin> spins, Chooser& chooser) {
  for (const Index i : cluster_) is_in_[i] = 0;
  cluster_.assign(1, chooser.uniform_index(lattice_.num_sites()));
  is_in_[cluster_[0]] = 1;
  const Spin value = spins[cluster_[0]];
  for (Index k = 0; k < ssize(cluster_); ++k) {
    for (const Index j : lattice_.neighbours(cluster_[k])) {
      if (spins[j] != value || is_in_[j] != 0 || !chooser.accept(bond_)) continue;
      is_in_[j] = 1;
      cluster_.push_back(j);
    }
  }
}

void Wolff::step(std::span<Spin> spins, Chooser& chooser) {
  grow(spins, chooser);
  const Index old = spins[cluster_[0]];
  const Index step = 1 + chooser.uniform_index(lattice_.num_values() - 1);
  const Index offered = (old + step) % lattice_.num_values();
  if (lattice_.has_evidence()) {
    double gain = 0.0;
    for (const Index i : cluster_)
      gain += lattice_.evidence(i, offered) - lattice_.evidence(i, old);
    if (!chooser.accept_log(gain)) return;
  }
  for (const Index i : cluster_) spins[i] = static_cast<Spin>(offered);
}

}  // namespace credo::models
