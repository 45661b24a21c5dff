// Two observations, -1 and 1, of a normal with unknown mean and scale: diffuse priors, which two
// points don't overrule, and sensible ones (X15 of the catalogue's chapter 12).
#include <fmt/core.h>

#include "diagnose/convergence.hpp"
#include "diagnose/trace.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "examples/support/program.hpp"
#include "infer/core/sample.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using examples::Experiment, examples::Table;

constexpr const char* kTwoPoints = R"(
data {
  vector[2] y;
  real prior_mean;
  real<lower=0> prior_sd, rate;
}
parameters {
  real alpha;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(prior_mean, prior_sd);
  sigma ~ exponential(rate);
  y ~ normal(alpha, sigma);
})";
constexpr const char* kDiffuse =
    R"({"y": [-1, 1], "prior_mean": 0, "prior_sd": 1000, "rate": 0.0001})";
constexpr const char* kSensible = R"({"y": [-1, 1], "prior_mean": 1, "prior_sd": 10, "rate": 1})";

constexpr Index kRepetitions = 40, kChains = 3, kDraws = 500, kBins = 20;

// The posterior by a sum over a grid of alpha and log sigma.
struct Exact {
  double mean_alpha = 0.0, mean_sigma = 0.0, mode_alpha = 0.0, mode_sigma = 0.0, tail = 0.0;
};

// What the text's priors say of (alpha, log sigma), without constants.
struct Priors {
  double mean, sd, rate;
  double log_density(double alpha, double log_sigma) const {
    const double sigma = std::exp(log_sigma), z = (alpha - mean) / sd;
    return -0.5 * z * z - rate * sigma - log_sigma - (alpha * alpha + 1.0) / (sigma * sigma);
  }
};

Exact on_grid(const Priors& priors) {
  constexpr int kCells = 1200;
  std::vector<double> of_alpha(kCells), of_sigma(kCells);
  double total = 0.0;
  Exact exact;
  // alpha = sinh(t): fine near 0 and wide enough for the diffuse prior; d alpha = cosh(t) dt.
  const auto alpha_at = [](int i) { return std::sinh(-9.5 + 19.0 * i / kCells); };
  const auto log_sigma_at = [](int j) { return -4.0 + 16.5 * j / kCells; };
  for (int i = 0; i < kCells; ++i) {
    for (int j = 0; j < kCells; ++j) {
      const double alpha = alpha_at(i), sigma = std::exp(log_sigma_at(j));
      const double density = std::exp(priors.log_density(alpha, log_sigma_at(j)));
      const double weight = density * std::sqrt(1.0 + alpha * alpha);
      total += weight;
      of_alpha[i] += density;         // up to a constant, the density of alpha
      of_sigma[j] += weight / sigma;  // and that of sigma
      exact.mean_alpha += weight * alpha;
      exact.mean_sigma += weight * sigma;
      exact.tail += sigma > 100.0 ? weight : 0.0;
    }
  }
  exact.mean_alpha /= total, exact.mean_sigma /= total, exact.tail /= total;
  const auto mode = [](const std::vector<double>& density) {
    return static_cast<int>(std::max_element(density.begin(), density.end()) - density.begin());
  };
  exact.mode_alpha = alpha_at(mode(of_alpha));
  exact.mode_sigma = std::exp(log_sigma_at(mode(of_sigma)));
  return exact;
}

// One run as in the text: three chains of 500 draws.
struct Fit {
  RunResult run;
  std::shared_ptr<examples::Written> draws;
  double num_divergent() const {
    double count = 0.0;
    for (const ChainResult& chain : run.chains) count += static_cast<double>(chain.num_divergent);
    return count;
  }
};

Fit fit(const model::Model& model, Index repetition, Index num_draws) {
  StoredDraws store;
  Fit result{.run = {}, .draws = nullptr};
  result.run = run_chains(model,
                          {.num_chains = kChains,
                           .num_warmup = 500,
                           .num_draws = num_draws,
                           .seed = 15,
                           .first_chain = repetition * kChains,
                           .num_threads = 1},
                          store);
  result.draws = std::make_shared<examples::Written>(model, store.draws);
  return result;
}

// Over the repetitions, the worse of alpha and sigma.
struct Seen {
  std::vector<double> r_hat, divergent, uneven, overlap;
  double share_flat = 0.0;  // of the runs whose rank histograms have a p-value above 0.01
};

Seen judge_runs(Experiment& experiment, const std::string& name, const model::Model& model) {
  Seen seen;
  for (Index r = 0; r < kRepetitions; ++r) {
    const Fit one = fit(model, r, kDraws);
    const auto alpha = (*one.draws)["alpha"], sigma = (*one.draws)["sigma"];
    const auto of_alpha = diagnose::trace_ranks(alpha, kBins),
               of_sigma = diagnose::trace_ranks(sigma, kBins);
    seen.r_hat.push_back(std::max(diagnose::r_hat(alpha), diagnose::r_hat(sigma)));
    seen.divergent.push_back(one.num_divergent());
    seen.uneven.push_back(std::max(of_alpha.distance, of_sigma.distance));
    seen.overlap.push_back(std::min(diagnose::overlap(alpha), diagnose::overlap(sigma)));
    if (of_alpha.p_value > 0.01 && of_sigma.p_value > 0.01) seen.share_flat += 1.0 / kRepetitions;
  }
  const auto note = [&](const char* what, const std::vector<double>& values) {
    experiment.note(fmt::format("{}: {}, 5 %", name, what), diagnose::quantile(values, 0.05));
    experiment.note(fmt::format("{}: {}, median", name, what), examples::median(values));
    experiment.note(fmt::format("{}: {}, 95 %", name, what), diagnose::quantile(values, 0.95));
  };
  note("R-hat", seen.r_hat);
  note("divergent transitions of 1500", seen.divergent);
  note("distance of rank histograms from flat", seen.uneven);
  note("overlap of chains", seen.overlap);
  experiment.note(name + ": share of runs with flat rank histograms", seen.share_flat);
  return seen;
}

// A single run of 1500 draws may be lucky or not: the text's claims are made of the median run, and
// of all but one in twenty where they are that clear.
void compare(Experiment& experiment, const Seen& diffuse, const Seen& sensible) {
  experiment.at_least("diffuse: R-hat, 5 %", diagnose::quantile(diffuse.r_hat, 0.05), 1.01);
  experiment.at_most("sensible: R-hat, median", examples::median(sensible.r_hat), 1.01);
  experiment.at_least("diffuse: divergent transitions, 5 %",
                      diagnose::quantile(diffuse.divergent, 0.05), 15.0);  // a hundredth
  experiment.at_most("sensible: divergent transitions, median",
                     examples::median(sensible.divergent), 0.0);
  experiment.at_least(
      "unevenness of ranks, diffuse 5 % / sensible 95 %",
      diagnose::quantile(diffuse.uneven, 0.05) / diagnose::quantile(sensible.uneven, 0.95), 1.0);
  experiment.at_least(
      "overlap of chains, sensible 5 % / diffuse 95 %",
      diagnose::quantile(sensible.overlap, 0.05) / diagnose::quantile(diffuse.overlap, 0.95), 1.0);
}

void judge_exactly(Experiment& experiment, const model::Model& sensible) {
  const Exact diffuse = on_grid({0.0, 1000.0, 0.0001}), exact = on_grid({1.0, 10.0, 1.0});
  experiment.at_least("diffuse: probability of sigma > 100", diffuse.tail, 0.25);
  experiment.at_most("sensible: probability of sigma > 100", exact.tail, 1e-40);
  experiment.within("sensible: peak of alpha", exact.mode_alpha, 0.0, 0.05);
  experiment.within("sensible: peak of sigma", exact.mode_sigma, 1.0, 0.05);
  const Fit longer = fit(sensible, kRepetitions, 10'000);
  const auto alpha = (*longer.draws)["alpha"], sigma = (*longer.draws)["sigma"];
  experiment.within("sensible: mean of alpha", diagnose::mean(alpha.values), exact.mean_alpha,
                    4.0 * diagnose::mcse_mean(alpha));
  experiment.within("sensible: mean of sigma", diagnose::mean(sigma.values), exact.mean_sigma,
                    4.0 * diagnose::mcse_mean(sigma));
  experiment.at_most("sensible: R-hat of alpha, 3 x 10000 draws", diagnose::r_hat(alpha), 1.01);
  experiment.at_most("sensible: R-hat of sigma, 3 x 10000 draws", diagnose::r_hat(sigma), 1.01);
}

void draw(Experiment& experiment, const std::string& name, const Fit& one) {
  const auto alpha = (*one.draws)["alpha"], sigma = (*one.draws)["sigma"];
  Table& traces = experiment.table(name + "_traces", {"draw", "chain1", "chain2", "chain3"});
  for (Index s = 0; s < kDraws; s += 5) {
    std::vector<double> row{static_cast<double>(s)};
    for (Index c = 0; c < kChains; ++c) row.push_back(alpha.chain(c)[static_cast<std::size_t>(s)]);
    traces.row(row);
  }
  const diagnose::TraceRanks ranks = diagnose::trace_ranks(sigma, kBins);
  Table& table = experiment.table(name + "_ranks", {"rank", "chain1", "chain2", "chain3"});
  for (Index bin = 0; bin <= kBins; ++bin) {
    std::vector<double> row{static_cast<double>(bin * kChains * kDraws / kBins)};
    for (Index c = 0; c < kChains; ++c)
      row.push_back(static_cast<double>(
          ranks.counts[static_cast<std::size_t>(c * kBins + std::min(bin, kBins - 1))]));
    table.row(row);
  }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Two observations: diffuse and sensible priors", argc, argv);
  const auto diffuse = examples::program(kTwoPoints, kDiffuse);
  const auto sensible = examples::program(kTwoPoints, kSensible);
  judge_exactly(experiment, *sensible);
  const Seen bad = judge_runs(experiment, "diffuse", *diffuse);
  const Seen good = judge_runs(experiment, "sensible", *sensible);
  compare(experiment, bad, good);
  draw(experiment, "diffuse", fit(*diffuse, 0, kDraws));
  draw(experiment, "sensible", fit(*sensible, 0, kDraws));
  return experiment.finish();
}
