// Why the empirical covariance divides by n - 1 (E10 of the catalogue's file 000): over many
// samples of n vectors its mean is the covariance, for each n and whatever the distribution; divided by n it
// is (n - 1) / n of it.
//
//   (x, y, z) = A e with e of three independent skewed distributions, exponential, Bernoulli's and uniform.
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/adapt/welford.hpp"

namespace {
using namespace credo;

constexpr Index kReplications = 40'000;
constexpr std::array<std::array<double, 3>, 3> kA = {
    {{1.0, 0.0, 0.0}, {0.5, 2.0, 0.0}, {-1.0, 0.5, 3.0}}};
constexpr std::array<double, 3> kVariances = {1.0, 0.16, 1.0 / 12.0};  // of e

double covariance(std::size_t i, std::size_t j) {
  double sum = 0.0;
  for (std::size_t k = 0; k < 3; ++k) sum += kA[i][k] * kA[j][k] * kVariances[k];
  return sum;
}

std::array<double, 3> draw(Rng& rng) {
  const std::array<double, 3> e = {rng.exponential(), rng.uniform() < 0.2 ? 1.0 : 0.0,
                                   rng.uniform()};
  std::array<double, 3> x{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) x[i] += kA[i][k] * e[k];
  return x;
}

// Entry 3 j + i of the estimates of all replications.
std::array<std::vector<double>, 9> estimates(Index n) {
  std::array<std::vector<double>, 9> entries;
  Rng rng({.seed = 10, .purpose = purpose::kTest, .chain = static_cast<std::uint32_t>(n)});
  infer::Welford moments(infer::MetricKind::dense, 3);
  for (Index r = 0; r < kReplications; ++r) {
    moments.restart();
    for (Index i = 0; i < n; ++i) moments.add(draw(rng));
    const std::span<const double> found = moments.with_jitter(0.0);
    for (std::size_t k = 0; k < 9; ++k) entries[k].push_back(found[k]);
  }
  return entries;
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("The empirical covariance is unbiased", argc, argv);
  examples::Table& table = experiment.table("means", {"n", "found", "error", "by_n"});
  for (const Index n : {2, 3, 5, 10, 30}) {
    const double bias = static_cast<double>(n - 1) / static_cast<double>(n);
    const std::string sample = std::to_string(n) + " vectors: ";
    const std::array<std::vector<double>, 9> entries = estimates(n);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const examples::Estimate found = examples::mean_of(entries[3 * j + i]);
        experiment.within(sample + "entry " + std::to_string(i + 1) + std::to_string(j + 1),
                          found.mean, covariance(i, j), 4.0 * found.error);
      }
    const examples::Estimate variance = examples::mean_of(entries[0]);
    experiment.at_least(sample + "bias of division by n, in standard errors",
                        (covariance(0, 0) - bias * variance.mean) / (bias * variance.error), 4.0);
    table.row({static_cast<double>(n), variance.mean, variance.error, bias * variance.mean});
  }
  return experiment.finish();
}
