// The tank under constant rain (E18): its stationary distribution is inverse gamma, that of Stratonovich's
// form another one, and Euler's chain has a second moment of its own that is known exactly.
#include "examples/support/experiment.hpp"
#include "models/paths/tank.hpp"

namespace {
using namespace credo;
using namespace credo::models;

constexpr TankParameters kTank{.rate = 1.0, .noise = 0.5};
constexpr std::size_t kPaths = 8000;
const InverseGammaPrior kDistribution = tank_stationary_distribution(kTank, 1.0);

// Ends of independent paths that start at the mean; after 10 time constants e^-10 of it is left.
std::vector<double> ends(SdeScheme scheme, double time_step, std::size_t num_paths) {
  std::vector<double> x(num_paths);
  simulate_ends(*tank_equation(kTank, [](double) { return 1.0; }),
                {.scheme = scheme,
                 .time_step = time_step,
                 .num_steps = static_cast<Index>(std::lround(10.0 / time_step))},
                std::vector<double>{1.0}, {.seed = 1, .purpose = purpose::kTransition}, x);
  std::sort(x.begin(), x.end());
  return x;
}

// sup |F_n - F| sqrt(n), above 2.27 with probability 7e-5.
double distance(const std::vector<double>& x, const InverseGammaPrior& distribution) {
  double sup = 0.0;
  const double n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double share = static_cast<double>(i);
    sup = std::max(
        {sup, distribution.cdf(x[i]) - share / n, (share + 1.0) / n - distribution.cdf(x[i])});
  }
  return sup * std::sqrt(n);
}

struct Power {
  double mean = 0.0, error = 0.0;
};
Power mean_of_power(const std::vector<double>& x, int power) {
  double sum = 0.0, squares = 0.0;
  for (const double value : x) {
    const double p = std::pow(value, power);
    sum += p, squares += p * p;
  }
  const double n = static_cast<double>(x.size()), mean = sum / n;
  return {mean, std::sqrt((squares / n - mean * mean) / n)};
}

void write_tails(examples::Experiment& experiment, const std::vector<double>& ito,
                 const std::vector<double>& stratonovich) {
  const InverseGammaPrior other = tank_stationary_distribution(kTank, 1.0, SdeKind::stratonovich);
  examples::Table& tails = experiment.table(
      "tails", {"x", "Ito", "its distribution", "Stratonovich", "its distribution"});
  const auto tail = [](const std::vector<double>& x, double at) {
    const auto above = x.end() - std::upper_bound(x.begin(), x.end(), at);
    return above > 0 ? static_cast<double>(above) / static_cast<double>(x.size()) : kNaN;
  };
  for (double x = 0.2; x < 12.0; x *= 1.06)
    tails.row(
        {x, tail(ito, x), 1.0 - kDistribution.cdf(x), tail(stratonovich, x), 1.0 - other.cdf(x)});
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Stationary distribution of the tank (E18)", argc, argv);
  const std::vector<double> ito = ends(SdeScheme::euler, 0.002, kPaths);
  const Power mean = mean_of_power(ito, 1), square = mean_of_power(ito, 2);
  experiment.within("mean, r0 / rho0", mean.mean, kDistribution.mean(), 4.0 * mean.error);
  experiment.at_most("distance from InvGamma(5, 4)", distance(ito, kDistribution), 2.27);
  experiment.within("variance of Euler's chain at 0.002, exact",
                    tank_chain_second_moment(kTank, 1.0, 0.002) - 1.0, 0.33378, 5e-6);
  experiment.within("second moment at 0.002", square.mean,
                    tank_chain_second_moment(kTank, 1.0, 0.002), 4.0 * square.error);
  const Power coarse = mean_of_power(ends(SdeScheme::euler, 0.2, 20 * kPaths), 2);
  experiment.within("second moment at 0.2", coarse.mean, tank_chain_second_moment(kTank, 1.0, 0.2),
                    4.0 * coarse.error);
  experiment.at_least("its distance from the equation's, in errors",
                      std::fabs(coarse.mean - 4.0 / 3.0) / coarse.error, 4.0);
  const std::vector<double> stratonovich = ends(SdeScheme::heun, 0.01, kPaths);
  experiment.at_most(
      "Stratonovich: distance from InvGamma(4, 4)",
      distance(stratonovich, tank_stationary_distribution(kTank, 1.0, SdeKind::stratonovich)),
      2.27);
  experiment.at_least("and from the Ito distribution", distance(stratonovich, kDistribution), 2.27);
  write_tails(experiment, ito, stratonovich);
  return experiment.finish();
}
