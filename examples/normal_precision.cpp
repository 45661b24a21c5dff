// Mean and precision of normal data by Gibbs sampling, with the limits of the conjugate priors (E14
// of the catalogue's file 000): the marginals are known,
//   μ ~ t with N - 1 degrees of freedom at ȳ, scale s / √N
//   τ ~ Gamma((N - 1) / 2, Σ(y - ȳ)² / 2)
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "models/mixture/gaussian_mixture.hpp"

namespace {
using namespace credo;
using namespace credo::models;

constexpr Index kChains = 20, kDraws = 20'000, kPeople = 12;

std::vector<double> heights() {  // in metres
  Rng rng({.seed = 9, .purpose = purpose::kTest});
  std::vector<double> all;
  for (Index i = 0; i < kPeople; ++i) all.push_back(1.72 + 0.09 * rng.normal());
  return all;
}

struct Marginals {
  double n, mean, squares;  // squares: Σ (y - ȳ)²

  double cdf_of_mean(double x) const {
    const double freedom = n - 1.0, t = (x - mean) / std::sqrt(squares / freedom / n);
    const double tail = 0.5 * boost::math::ibeta(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    return t > 0.0 ? 1.0 - tail : tail;
  }
  double cdf_of_precision(double x) const {
    return boost::math::gamma_p(0.5 * (n - 1.0), 0.5 * squares * x);
  }
};

// Shares of draws in tenths of the exact distribution, by chain: all must be 0.1.
struct Tenths {
  std::array<std::vector<double>, 10> shares;
  void add_chain(std::span<const double> uniform) {
    std::array<double, 10> counts{};
    for (const double u : uniform) counts[std::min<std::size_t>(std::size_t(10.0 * u), 9)] += 1.0;
    for (std::size_t k = 0; k < 10; ++k)
      shares[k].push_back(counts[k] / static_cast<double>(uniform.size()));
  }
};

void claim(examples::Experiment& experiment, const std::string& name, const Tenths& tenths) {
  for (std::size_t k = 0; k < 10; ++k) {
    const examples::Estimate share = examples::mean_of(tenths.shares[k]);
    experiment.within(name + ": share of tenth " + std::to_string(k + 1), share.mean, 0.1,
                      4.0 * share.error);
  }
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Mean and precision of normal data", argc, argv);
  const std::vector<double> data = heights();
  const NormalPrecisionGibbs gibbs(data);
  const Marginals exact{static_cast<double>(kPeople), diagnose::mean(data),
                        static_cast<double>(kPeople - 1) * diagnose::variance(data)};
  Tenths of_mean, of_precision;
  std::vector<double> times, u_mean(kDraws), u_precision(kDraws), first_means, first_precisions;
  for (std::uint32_t c = 0; c < kChains; ++c) {
    Rng rng({.seed = 10, .purpose = purpose::kTest, .chain = c});
    NormalPrecisionState state{.mean = 1.0 + 0.1 * c, .precision = 1.0};
    for (Index s = -100; s < kDraws; ++s) {
      gibbs.step(state, rng);
      if (s < 0) continue;  // warm-up
      u_mean[static_cast<std::size_t>(s)] = exact.cdf_of_mean(state.mean);
      u_precision[static_cast<std::size_t>(s)] = exact.cdf_of_precision(state.precision);
      if (c == 0 && s < 2000)
        first_means.push_back(state.mean), first_precisions.push_back(state.precision);
    }
    of_mean.add_chain(u_mean);
    of_precision.add_chain(u_precision);
    times.push_back(diagnose::integrated_time(diagnose::autocorrelation(u_precision)).time);
  }
  claim(experiment, "mean", of_mean);
  claim(experiment, "precision", of_precision);
  // Given the data, τ_new depends on τ_old through (μ - ȳ)² ~ 1 / (N τ_old): a weak correlation.
  experiment.at_most("autocorrelation time of the precision", examples::mean_of(times).mean, 1.5);

  examples::Table& draws = experiment.table("draws", {"mean", "precision"});
  for (std::size_t i = 0; i < first_means.size(); ++i)
    draws.row({first_means[i], first_precisions[i]});
  return experiment.finish();
}
