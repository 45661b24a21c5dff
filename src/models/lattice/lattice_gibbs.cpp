#include "models/lattice/lattice_gibbs.hpp"

#include <fmt/format.h>

#include <atomic>

namespace credo::models {
using infer::Chooser;
using infer::gibbs::Adjacency;
using infer::gibbs::ChooserDraws;
using infer::gibbs::ColourClasses;
using infer::gibbs::greedy_colouring;
using infer::gibbs::StreamDraws;
namespace {
constexpr std::size_t kMaxValues = 256;
constexpr Index kShare = 4096;  // sites that a thread takes at once

void weights_from_logs(std::span<double> values) {
  const double top = *std::max_element(values.begin(), values.end());
  for (double& value : values) value = std::exp(value - top);
}

// sigma of the difference in log weight.
template <class Draws>
Index draw_of_two(const Lattice& lattice, std::span<const Spin> spins, Index site, Draws& draws) {
  std::array<double, 2> log_weights{};
  lattice.conditional(spins, site, log_weights);
  return draws.accept(site, 1.0 / (1.0 + std::exp(log_weights[0] - log_weights[1]))) ? 1 : 0;
}

template <class Draws>
void draw_site(const Lattice& lattice, std::span<Spin> spins, Index site, Draws& draws) {
  if (lattice.num_values() == 2) {
    spins[site] = static_cast<Spin>(draw_of_two(lattice, spins, site, draws));
    return;
  }
  std::array<double, kMaxValues> storage;
  const std::span weights(storage.data(), static_cast<std::size_t>(lattice.num_values()));
  lattice.conditional(spins, site, weights);
  weights_from_logs(weights);
  spins[site] = static_cast<Spin>(draws.choose(site, weights));
}

Adjacency adjacency_of(const Lattice& lattice) {
  Adjacency neighbours;
  for (Index i = 0; i < lattice.num_sites(); ++i) {
    const LatticeNeighbours found = lattice.neighbours(i);
    neighbours.emplace_back(found.begin(), found.end());
  }
  return neighbours;
}

[[noreturn]] void refuse_classes(std::string message) {
  throw Error(ErrorCode::data, std::move(message), "classes", "let greedy_colouring() find them");
}

void check_classes(const Lattice& lattice, const ColourClasses& classes) {
  std::vector<Index> colours(static_cast<std::size_t>(lattice.num_sites()), -1);
  for (Index colour = 0; colour < ssize(classes); ++colour) {
    for (const Index i : classes[colour]) {
      if (i < 0 || i >= lattice.num_sites() || colours[i] >= 0)
        refuse_classes(fmt::format("site {} is not of the lattice, or given twice", i));
      colours[i] = colour;
    }
  }
  for (Index i = 0; i < lattice.num_sites(); ++i) {
    if (colours[i] < 0) refuse_classes(fmt::format("site {} has no colour", i));
    for (const Index j : lattice.neighbours(i)) {
      if (colours[i] == colours[j])
        refuse_classes(fmt::format("sites {} and {} are neighbours of one colour", i, j));
    }
  }
}

std::unique_ptr<Team> team_of(Index num_threads) {
  if (num_threads <= 1) return nullptr;
  return std::make_unique<Team>(std::min(num_threads, Team::kMost));
}
}  // namespace

void update_site(const Lattice& lattice, std::span<Spin> spins, Index site, Chooser& chooser) {
  ChooserDraws draws(chooser);
  draw_site(lattice, spins, site, draws);
}

void update_random_site(const Lattice& lattice, std::span<Spin> spins, Chooser& chooser) {
  update_site(lattice, spins, chooser.uniform_index(lattice.num_sites()), chooser);
}

void sweep_sites(const Lattice& lattice, std::span<Spin> spins, Chooser& chooser) {
  for (Index i = 0; i < lattice.num_sites(); ++i) update_site(lattice, spins, i, chooser);
}

void metropolis_flip(const Lattice& lattice, std::span<Spin> spins, Chooser& chooser) {
  const Index site = chooser.uniform_index(lattice.num_sites());
  const Index step = 1 + chooser.uniform_index(lattice.num_values() - 1);
  const Index old = spins[site], offered = (old + step) % lattice.num_values();
  std::array<double, kMaxValues> log_weights;
  lattice.conditional(spins, site, log_weights);
  if (chooser.accept_log(log_weights[static_cast<std::size_t>(offered)] -
                         log_weights[static_cast<std::size_t>(old)]))
    spins[site] = static_cast<Spin>(offered);
}

ColouredGibbs::ColouredGibbs(Lattice lattice, Index num_threads)
    : lattice_(std::move(lattice)),
      classes_(greedy_colouring(adjacency_of(lattice_))),
      team_(team_of(num_threads)) {}

ColouredGibbs::ColouredGibbs(Lattice lattice, ColourClasses classes, Index num_threads)
    : lattice_(std::move(lattice)), classes_(std::move(classes)), team_(team_of(num_threads)) {
  check_classes(lattice_, classes_);
}

void ColouredGibbs::step(std::span<Spin> spins, Chooser& chooser) const {
  for (const auto& sites : classes_) {
    for (const Index site : sites) update_site(lattice_, spins, site, chooser);
  }
}

void ColouredGibbs::update_share(std::span<Spin> spins, std::span<const Index> sites,
                                 const StreamKey& key) const {
  StreamDraws draws(key);
  for (const Index site : sites) draw_site(lattice_, spins, site, draws);
}

namespace {
// Shares of a colour's sites; whoever comes takes the next.
struct Shares {
  const std::function<void(Index)>& work;
  Index count;
  std::atomic<Index> next = 0;

  static void run(void* context, Index /*member*/) {
    auto& shares = *static_cast<Shares*>(context);
    for (Index k = shares.next++; k < shares.count; k = shares.next++) shares.work(k);
  }
};
}  // namespace

void ColouredGibbs::step(std::span<Spin> spins, const StreamKey& key) const {
  for (const auto& sites : classes_) {
    const std::function<void(Index)> work = [&](Index k) {
      const Index first = k * kShare, last = std::min(first + kShare, ssize(sites));
      update_share(spins, std::span(sites).subspan(first, last - first), key);
    };
    Shares shares{.work = work, .count = (ssize(sites) + kShare - 1) / kShare};
    if (team_ == nullptr) Shares::run(&shares, 0);
    if (team_ != nullptr) team_->run(Shares::run, &shares);
  }
}

}  // namespace credo::models
