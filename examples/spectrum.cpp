// The spectrum of random-walk Metropolis on a normal distribution, cut to a grid (E6), and how it forgets a
// start far out (E7 of the catalogue's file 000).
//
// P = M + K: M multiplies by the rejection probability r(x), K is an integral operator. Eigenvalue
// 1 is simple; on the right the rest ends at 1 - gap, set by K for small steps (gap ∝ σ²) and by M
// for large ones (gap = 1 - max r); on the left it stays well away from -1.
#include "infer/finite/spectrum.hpp"
#include "examples/support/experiment.hpp"
#include "infer/finite/chain_distributions.hpp"
#include "infer/finite/kernels.hpp"

namespace {
using namespace credo;
using namespace credo::infer::finite;

const Grid kGrid{.lo = -6.0, .hi = 6.0, .num_cells = 240};

struct Walk {
  FiniteChain chain;
  std::vector<double> distribution;
  Spectrum spectrum;
  double least_rejection = 1.0, most_rejection = 0.0;

  double smallest() const {  // eigenvalue: those of a reversible chain are real
    double least = 1.0;
    for (const auto& value : spectrum.values) least = std::min(least, value.real());
    return least;
  }
};

Walk walk(double step_sd) {
  FiniteChain chain = random_walk_on_grid(
      kGrid, [](double x) { return -0.5 * x * x; }, step_sd);
  std::vector<double> distribution = stationary_distribution(chain);
  const Spectrum spectrum = spectrum_of(chain, distribution);
  Walk result{.chain = chain, .distribution = distribution, .spectrum = spectrum};
  for (Index x = 0; x < chain.num_states(); ++x) {
    result.least_rejection = std::min(result.least_rejection, chain(x, x));
    result.most_rejection = std::max(result.most_rejection, chain(x, x));
  }
  return result;
}

void claim_spectra(examples::Experiment& experiment) {
  examples::Table& table =
      experiment.table("steps", {"step", "gap", "gap_below", "one_less_rejection"});
  for (const double step : {0.1, 0.2, 0.4, 0.8, 1.6, 2.4, 3.2, 6.4, 12.8, 30.0}) {
    const Walk w = walk(step);
    const std::string name = "step " + std::to_string(step).substr(0, 4);
    experiment.within(name + ": the first eigenvalue", w.spectrum.values[0].real(), 1.0, 1e-12);
    experiment.at_most(name + ": the second one", w.spectrum.second_real, 1.0 - 1e-4);
    experiment.holds(name + ": rejections are probabilities",
                     w.least_rejection >= 0.0 && w.most_rejection <= 1.0);
    experiment.at_least(name + ": gap below / gap", (1.0 + w.smallest()) / w.spectrum.gap(), 1.5);
    table.row({step, w.spectrum.gap(), 1.0 + w.smallest(), 1.0 - w.most_rejection});
  }
  // 4 in the limit, less terms of the order of the step.
  experiment.within("gap at step 0.2 / gap at 0.1",
                    walk(0.2).spectrum.gap() / walk(0.1).spectrum.gap(), 4.0, 0.5);
  const Walk large = walk(30.0);
  experiment.within("gap / (1 - largest rejection) at step 30",
                    large.spectrum.gap() / (1.0 - large.most_rejection), 1.0, 0.05);
}

// ‖p_n / π - 1‖² in the norm weighted by π.
double squared_norm(std::span<const double> distribution, std::span<const double> target) {
  double sum = 0.0;
  for (std::size_t x = 0; x < distribution.size(); ++x) {
    const double off = distribution[x] / target[x] - 1.0;
    sum += off * off * target[x];
  }
  return sum;
}

void claim_burn_in(examples::Experiment& experiment) {
  const Walk w = walk(1.0);
  const double lambda = w.spectrum.second_modulus;
  std::vector<double> distribution = point_distribution(w.chain.num_states(), 10);  // at -5.475
  const double start = squared_norm(distribution, w.distribution);
  double worst = 0.0, before = 0.0, rate = 0.0;
  examples::Table& table = experiment.table("burn_in", {"n", "distance", "mean"});
  for (Index n = 0; n <= 80; ++n) {
    const double distance = total_variation(distribution, w.distribution);
    double mean = 0.0;
    for (Index x = 0; x < w.chain.num_states(); ++x)
      mean += distribution[static_cast<std::size_t>(x)] * kGrid.centre(x);
    table.row({static_cast<double>(n), distance, mean});
    const double bound = std::pow(lambda, 2.0 * static_cast<double>(n)) * start;
    worst = std::max(worst, squared_norm(distribution, w.distribution) / bound);
    rate = distance / before;
    before = distance;
    distribution = distribution_after(w.chain, distribution, 1);
  }
  experiment.at_most("largest squared norm / its bound by the second eigenvalue", worst,
                     1.0 + 1e-10);
  // The next eigenvalue's part is smaller by (λ₃ / λ₂)^80, below 1e-5.
  experiment.within("decay of the distance a step, after 80", rate, lambda, 1e-4);
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Spectrum and burn-in of a random walk", argc, argv);
  claim_spectra(experiment);
  claim_burn_in(experiment);
  return experiment.finish();
}
