// Parameters and path of a tank under known rain from 41 noisy observations (E19): split HMC in
// staging coordinates against plain HMC, whose step is dictated by the path's fastest part.
#include "examples/support/experiment.hpp"
#include "examples/support/tank_runs.hpp"

namespace {
using namespace credo;
using namespace credo::examples;

constexpr std::array<const char*, 3> kNames = {"log rho0", "log gamma", "log sigma"};
constexpr double kTime = 2.5;  // of a trajectory; the best or nearly so at each number of points

struct Fit {
  models::TankRun run;
  std::unique_ptr<PathPosterior> posterior;
  TankResult result;
};

Fit fit(Index points, PathCoordinates coordinates, TankSampling how) {
  Fit made{.run = tank_run(points, 1), .posterior = nullptr, .result = {}};
  made.posterior = std::make_unique<PathPosterior>(std::make_shared<const TankModel>(made.run.data),
                                                   coordinates);
  how.coordinates = coordinates;
  if (how.sampler == "split_hmc")
    how.kernel =
        infer::SplitHmcOptions{.integration_time = kTime, .precision = made.posterior->precision()};
  made.result = sample_tank(*made.posterior, made.run.data, how, 1);
  return made;
}

double mean(const Fit& of, Index p) { return diagnose::mean(of.result.store.draws.quantity(p)); }

void judge_recovery(Experiment& experiment, const Fit& of) {
  const std::array<double, 3> truth = {kTrueTank.rate, kTrueTank.noise, kTrueTank.noise_sd};
  for (Index p = 0; p < 3; ++p) {
    const auto j = static_cast<std::size_t>(p);
    const double sd = std::sqrt(diagnose::variance(of.result.store.draws.quantity(p)));
    experiment.within(std::string(kNames[j]) + ", 4 posterior sd", mean(of, p), std::log(truth[j]),
                      4.0 * sd);
    experiment.at_most("  its R-hat", diagnose::r_hat(diagnose::quantity(of.result.store.draws, p)),
                       1.03);
  }
}

void judge_agreement(Experiment& experiment, const Fit& split, const Fit& plain) {
  for (Index p = 0; p < 3; ++p) {
    const auto error = [&](const Fit& of) {
      return diagnose::mcse_mean(diagnose::quantity(of.result.store.draws, p));
    };
    experiment.within(std::string("split - nuts, ") + kNames[static_cast<std::size_t>(p)],
                      mean(split, p) - mean(plain, p), 0.0,
                      4.0 * std::hypot(error(split), error(plain)));
  }
}

// Mean and 90 % band of x, the true path, and the observations.
void write_path(Experiment& experiment, const Fit& of) {
  const density::Draws& draws = of.result.store.draws;
  const auto num_points = static_cast<std::size_t>(of.posterior->model().num_steps() + 1);
  std::vector<std::vector<double>> x(num_points);
  std::vector<double> position(static_cast<std::size_t>(draws.num_quantities()));
  for (Index s = 0; s < draws.num_draws(); ++s) {
    draws.get(s, 0, position);
    const std::vector<double> u = of.posterior->at(position).path;
    for (std::size_t i = 0; i < num_points; ++i) x[i].push_back(std::exp(u[i]));
  }
  Table& path = experiment.table("path", {"t", "low", "mean", "high", "true", "observed"});
  const Index points = of.run.data.observed_at[1], stride = 4;
  for (Index i = 0; i < ssize(x); i += stride) {
    const std::vector<double>& at = x[static_cast<std::size_t>(i)];
    const auto fine = static_cast<std::size_t>(i * kFinest / points);
    const double y =
        i % points == 0 ? of.run.data.observed[static_cast<std::size_t>(i / points)] : kNaN;
    path.row({static_cast<double>(i) * of.run.data.time_step, diagnose::quantile(at, 0.05),
              diagnose::mean(at), diagnose::quantile(at, 0.95), of.run.x[fine], y});
  }
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("A tank with multiplicative noise (E19)", argc, argv);
  constexpr auto kPlain = PathCoordinates::plain, kStaged = PathCoordinates::staged;
  const TankSampling split{.sampler = "split_hmc"};
  const Fit few = fit(5, kStaged, split), more = fit(20, kStaged, split),
            many = fit(80, kStaged, {.sampler = "split_hmc", .num_warmup = 500, .num_draws = 500});
  judge_recovery(experiment, more);
  const auto efficiency = [&](const Fit& of) { return 1e3 * of.result.ess_per_gradient(); };
  experiment.note("ESS / 1000 gradients, split, 5 points between observations", efficiency(few));
  experiment.note("  20 points", efficiency(more));
  experiment.note("  80 points", efficiency(many));
  experiment.at_least("80 points against 5", efficiency(many) / efficiency(few), 0.5);

  const Fit nuts = fit(5, kPlain, {.sampler = "nuts"});
  judge_agreement(experiment, few, nuts);
  const TankSampling hmc{.sampler = "hmc_static",
                         .kernel = infer::HmcStaticOptions{.integration_time = 1.57},
                         .num_warmup = 700,
                         .num_draws = 700};
  const Fit plain_few = fit(5, kPlain, hmc), plain = fit(20, kPlain, hmc);
  experiment.note("ESS / 1000 gradients, nuts on the plain path, 5 points", efficiency(nuts));
  experiment.note("  hmc_static, 5 points", efficiency(plain_few));
  experiment.note("  hmc_static, 20 points", efficiency(plain));
  experiment.at_least("split / hmc_static, 5 points", efficiency(few) / efficiency(plain_few), 10);
  experiment.at_least("split / hmc_static, 20 points", efficiency(more) / efficiency(plain), 40);
  write_path(experiment, more);
  return experiment.finish();
}
