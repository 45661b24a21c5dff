// A checkerboard of sites that can be drawn at once, and with it the denoising of a binary image
// (X4 and X5 of the catalogue's chapter 12), beside the mean-field approximation.
#include "examples/support/experiment.hpp"
#include "models/lattice/lattice_gibbs.hpp"

namespace {
using namespace credo;
using namespace credo::infer::gibbs;
using namespace credo::models;
using examples::Experiment, examples::Table;

constexpr Index kSide = 64, kSites = kSide * kSide;
constexpr double kCoupling = 1.0, kNoise = 2.0;

Index row_of(Index site) { return site / kSide; }
Index col_of(Index site) { return site % kSide; }

// A ring with a bar across it.
double truth_at(Index site) {
  const double y = static_cast<double>(row_of(site)) - 31.5;
  const double x = static_cast<double>(col_of(site)) - 31.5;
  const double radius = std::hypot(x, y);
  const bool inside = (radius < 26.0 && radius > 16.0) || (std::fabs(y) < 4.0 && radius < 26.0);
  return inside ? 1.0 : -1.0;
}

std::vector<double> noisy_image(Rng& rng) {
  std::vector<double> image;
  for (Index i = 0; i < kSites; ++i) image.push_back(truth_at(i) + kNoise * rng.normal());
  return image;
}

double error_rate(std::span<const double> image) {
  double wrong = 0.0;
  for (Index i = 0; i < kSites; ++i) wrong += image[i] * truth_at(i) > 0.0 ? 0.0 : 1.0;
  return wrong / kSites;
}
double agreement(std::span<const double> a, std::span<const double> b) {
  double same = 0.0;
  for (Index i = 0; i < kSites; ++i) same += a[i] * b[i] > 0.0 ? 1.0 : 0.0;
  return same / kSites;
}

// m_i <- m_i / 2 + tanh(J sum of neighbours' m + log evidence ratio / 2) / 2, until it stands.
std::vector<double> mean_field(const Lattice& lattice) {
  std::vector<double> mean(kSites, 0.0), next(kSites);
  for (double change = 1.0; change > 1e-6; mean.swap(next)) {
    change = 0.0;
    for (Index i = 0; i < kSites; ++i) {
      double field = 0.5 * (lattice.evidence(i, 1) - lattice.evidence(i, 0));
      for (const Index j : lattice.neighbours(i)) field += kCoupling * mean[j];
      next[i] = 0.5 * mean[i] + 0.5 * std::tanh(field);
      change = std::max(change, std::fabs(next[i] - mean[i]));
    }
  }
  return mean;
}

struct Denoised {
  std::vector<double> after_one, after_five, mean;  // mean of all sweeps
};
Denoised denoise(const Lattice& posterior, std::span<const double> image,
                 std::uint32_t num_sweeps) {
  const ColouredGibbs gibbs(posterior);
  Spins spins(kSites);
  for (Index i = 0; i < kSites; ++i) spins[i] = image[i] > 0.0 ? 1 : 0;
  Denoised result{.after_one = {}, .after_five = {}, .mean = std::vector<double>(kSites, 0.0)};
  for (std::uint32_t sweep = 1; sweep <= num_sweeps; ++sweep) {
    gibbs.step(spins, {.seed = 5, .purpose = purpose::kTransition, .iteration = sweep});
    std::vector<double> state;
    for (const Spin s : spins) state.push_back(s == 1 ? 1.0 : -1.0);
    for (Index i = 0; i < kSites; ++i) result.mean[i] += state[i] / num_sweeps;
    if (sweep == 1) result.after_one = state;
    if (sweep == 5) result.after_five = state;
  }
  return result;
}

void checkerboard(Experiment& experiment, const Lattice& lattice) {
  const ColouredGibbs gibbs(lattice);
  experiment.within("colours of a grid", static_cast<double>(gibbs.num_colours()), 2.0, 0.0);
  Adjacency neighbours;
  for (Index i = 0; i < kSites; ++i) {
    const LatticeNeighbours found = lattice.neighbours(i);
    neighbours.emplace_back(found.begin(), found.end());
  }
  const ColourClasses classes = greedy_colouring(neighbours);
  bool alternate = true;
  for (std::size_t colour = 0; colour < classes.size(); ++colour)
    for (const Index site : classes[colour])
      alternate &= (row_of(site) + col_of(site)) % 2 == static_cast<Index>(colour);
  std::vector<double> colour_of(kSites);
  for (std::size_t colour = 0; colour < classes.size(); ++colour)
    for (const Index site : classes[colour]) colour_of[site] = static_cast<double>(colour);
  Table& board = experiment.table("board", {"col", "row", "colour"});
  for (Index i = 0; i < kSites; ++i)
    if (row_of(i) < 8 && col_of(i) < 8)
      board.row({static_cast<double>(col_of(i)), static_cast<double>(row_of(i)), colour_of[i]});
  experiment.holds("the colours alternate along rows and columns", alternate);
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Denoising an image with an Ising prior, J = 1, noise 2", argc, argv);
  Rng rng({.seed = 12, .purpose = purpose::kInitialState});
  const std::vector<double> image = noisy_image(rng);
  const Lattice prior = Lattice::ising({.rows = kSide, .cols = kSide, .coupling = kCoupling});
  checkerboard(experiment, prior);

  const Lattice posterior = prior.with_evidence(gaussian_evidence(image, kNoise));
  const Denoised gibbs = denoise(posterior, image, 15), longer = denoise(posterior, image, 2000);
  const std::vector<double> by_mean_field = mean_field(posterior);
  const double of_signs = error_rate(image), share = std::erfc(0.5 / std::sqrt(2.0)) / 2.0;
  // A sign is wrong where the normal noise exceeds half of its standard deviation.
  experiment.within("wrong signs of the image", of_signs, share,
                    4.0 * std::sqrt(share * (1.0 - share) / kSites));
  experiment.at_most("wrong pixels after one sweep", error_rate(gibbs.after_one), 0.75 * of_signs);
  experiment.at_most("wrong pixels after five sweeps", error_rate(gibbs.after_five),
                     error_rate(gibbs.after_one));
  experiment.at_most("wrong pixels of the mean of 15 sweeps", error_rate(gibbs.mean),
                     0.5 * of_signs);
  experiment.note("wrong pixels of the mean of 2000 sweeps", error_rate(longer.mean));
  experiment.note("wrong pixels of the mean field", error_rate(by_mean_field));
  experiment.at_least("pixels where 15 sweeps and the mean field agree",
                      agreement(gibbs.mean, by_mean_field), 0.9);
  experiment.at_least("pixels where 2000 sweeps and the mean field agree",
                      agreement(longer.mean, by_mean_field), 0.95);

  Table& pixels =
      experiment.table("pixels", {"col", "row", "truth", "image", "one", "five", "mean", "field"});
  for (Index i = 0; i < kSites; ++i)
    pixels.row({static_cast<double>(col_of(i)), static_cast<double>(row_of(i)), truth_at(i),
                image[i], gibbs.after_one[i], gibbs.after_five[i], gibbs.mean[i],
                by_mean_field[i]});
  return experiment.finish();
}
