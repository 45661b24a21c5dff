// Simulated annealing on a surface of several peaks, and the surface at several temperatures (X2
// and X3 of the catalogue's chapter 12):
//
//   p(x, y) ~ |3 (1 - x)^2 exp(-x^2 - (y + 1)^2) - 10 (x/5 - x^3 - y^5) exp(-x^2 - y^2)
//              - exp(-(x + 1)^2 - y^2) / 3|   on [-3, 3]^2,      p_T ~ p^(1/T)
#include <fmt/core.h>

#include "density/function_density.hpp"
#include "diagnose/convergence.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/ensemble/tempered.hpp"
#include "infer/mcmc/walk/rwm.hpp"
#include "infer/optimise/anneal.hpp"

namespace {
using namespace credo;
using namespace credo::infer;
using examples::Experiment, examples::Table;

constexpr Index kRuns = 400;
constexpr double kFirstTemperature = 1.0, kScale = 0.5;

double peaks(double x, double y) {
  const double first = 3.0 * (1.0 - x) * (1.0 - x) * std::exp(-x * x - (y + 1.0) * (y + 1.0));
  const double second = 10.0 * (x / 5.0 - x * x * x - std::pow(y, 5.0)) * std::exp(-x * x - y * y);
  return std::fabs(first - second - std::exp(-(x + 1.0) * (x + 1.0) - y * y) / 3.0);
}
std::unique_ptr<density::LogDensity> log_peaks() {
  return density::make_value_density(2, [](std::span<const double> x) {
    const bool outside = std::fabs(x[0]) > 3.0 || std::fabs(x[1]) > 3.0;
    return outside ? -kInfinity : std::log(peaks(x[0], x[1]));
  });
}

struct Peak {
  double height, x, y;
};
constexpr std::array<Peak, 6> kStated{{{8.106, -0.01, 1.58},
                                       {6.551, 0.23, -1.63},
                                       {3.777, -0.46, -0.63},
                                       {3.592, 1.29, 0.00},
                                       {3.050, -1.35, 0.20},
                                       {0.065, 0.30, 0.32}}};

// The points of a grid of step 0.01 that no neighbour exceeds, highest first.
std::vector<Peak> find_peaks() {
  const auto at = [](int i, int j) { return peaks(-3.0 + 0.01 * i, -3.0 + 0.01 * j); };
  std::vector<Peak> found;
  for (int i = 1; i < 600; ++i) {
    for (int j = 1; j < 600; ++j) {
      bool highest = true;
      for (int k = 0; k < 9 && highest; ++k) highest = at(i, j) >= at(i + k / 3 - 1, j + k % 3 - 1);
      if (highest) found.push_back({at(i, j), -3.0 + 0.01 * i, -3.0 + 0.01 * j});
    }
  }
  std::sort(found.begin(), found.end(),
            [](const Peak& a, const Peak& b) { return a.height > b.height; });
  return found;
}

void judge_peaks(Experiment& experiment) {
  const std::vector<Peak> found = find_peaks();
  experiment.within("peaks", static_cast<double>(found.size()), 6.0, 0.0);
  for (std::size_t k = 0; k < std::min(found.size(), kStated.size()); ++k) {
    experiment.within(fmt::format("height of peak {}", k + 1), found[k].height, kStated[k].height,
                      1e-3);
    experiment.within("  its x", found[k].x, kStated[k].x, 0.01);
    experiment.within("  its y", found[k].y, kStated[k].y, 0.01);
  }
}

// ---- X2 ----

struct Cooled {
  AnnealResult result;
  std::vector<double> temperatures;              // step by step
  std::vector<std::vector<double>> log_density;  // of each run, step by step
};

Cooled cool(double rate, Index num_steps) {
  Cooled cooled{.result = {}, .temperatures = {}, .log_density = {}};
  cooled.temperatures.resize(static_cast<std::size_t>(num_steps));
  cooled.log_density.assign(kRuns, std::vector<double>(static_cast<std::size_t>(num_steps)));
  const auto on_step = [&](Index run, Index step, double temperature, double log_density) {
    cooled.temperatures[static_cast<std::size_t>(step)] = temperature;
    cooled.log_density[static_cast<std::size_t>(run)][static_cast<std::size_t>(step)] = log_density;
  };
  cooled.result = anneal(*log_peaks(), {.num_runs = kRuns,
                                        .num_steps = num_steps,
                                        .temperature = kFirstTemperature,
                                        .rate = rate,
                                        .scale = kScale,
                                        .init_radius = 3.0,
                                        .seed = 2,
                                        .num_threads = 1,
                                        .on_step = on_step});
  return cooled;
}

// Mean of log p over the runs, at one step.
double mean_height(const Cooled& cooled, std::size_t step) {
  double sum = 0.0;
  for (const auto& run : cooled.log_density) sum += run[step] / static_cast<double>(kRuns);
  return sum;
}
// Share of the runs that end above a height. Only the highest peak is above 6.6, only two above 4.
double share_above(const Cooled& cooled, double height) {
  double share = 0.0;
  for (const AnnealRun& run : cooled.result.runs)
    share += std::exp(run.last_log_density) > height ? 1.0 / kRuns : 0.0;
  return share;
}

void judge_cooling(Experiment& experiment, const std::string& name, const Cooled& cooled,
                   double rate) {
  double worst = 0.0;
  for (std::size_t t = 1; t < cooled.temperatures.size(); ++t)
    worst = std::max(worst,
                     std::fabs(cooled.temperatures[t] / cooled.temperatures[t - 1] / rate - 1.0));
  experiment.at_most(name + ": relative error of T(t+1) / T(t)", worst, 1e-13);
  const std::size_t last = cooled.temperatures.size() - 1;
  double before = -kInfinity;
  bool rises = true;
  for (const std::size_t step : {std::size_t{0}, last / 4, last / 2, last}) {
    const double height = mean_height(cooled, step);
    experiment.note(fmt::format("{}: mean log density, step {}", name, step), height);
    rises &= height > before;
    before = height;
  }
  experiment.holds(name + ": visited densities rise", rises);
  const AnnealRun& best = cooled.result.best();
  experiment.within(name + ": best run, x", best.best[0], kStated[0].x, 0.02);
  experiment.within(name + ": best run, y", best.best[1], kStated[0].y, 0.02);
  const double highest = share_above(cooled, 6.6), two = share_above(cooled, 4.0);
  experiment.note(name + ": share of runs that end on the highest peak", highest);
  experiment.note(name + ": on the second", two - highest);
}

// ---- X3 ----

struct Surface {
  std::vector<double> weights;  // of the cells of a grid of step 0.05, 121 x 121
  double near_highest = 0.0;    // probability within 1/2 of the highest peak
  double height = 0.0;          // largest / mean density
};
double x_of(std::size_t cell) { return -3.0 + 0.05 * static_cast<double>(cell / 121); }
double y_of(std::size_t cell) { return -3.0 + 0.05 * static_cast<double>(cell % 121); }
bool is_near_highest(double x, double y) {
  return std::hypot(x - kStated[0].x, y - kStated[0].y) < 0.5;
}

Surface surface_at(double temperature) {
  const auto base = log_peaks();
  const auto density = tempered(*base, temperature);
  const auto evaluator = density->make_evaluator();
  Surface surface;
  double total = 0.0, highest = 0.0;
  for (std::size_t cell = 0; cell < 121 * 121; ++cell) {
    const std::array<double, 2> at{x_of(cell), y_of(cell)};
    density::Request request{.position = at, .gradient = {}, .status = {}};
    std::array<density::Request*, 1> batch{&request};
    evaluator->evaluate(density::Want::value, batch);
    // Relative to the highest peak, so that low temperatures stay in range.
    surface.weights.push_back(
        std::exp(request.log_density - std::log(kStated[0].height) / temperature));
    total += surface.weights.back();
    highest = std::max(highest, surface.weights.back());
  }
  for (std::size_t cell = 0; cell < surface.weights.size(); ++cell)
    if (is_near_highest(x_of(cell), y_of(cell)))
      surface.near_highest += surface.weights[cell] / total;
  surface.height = highest * static_cast<double>(surface.weights.size()) / total;
  return surface;
}

// The sampler on p_T spends as much of its time near the highest peak as the surface says.
void judge_draws(Experiment& experiment, double temperature, double expected) {
  const auto base = log_peaks();
  StoredDraws store;
  run_chains(*tempered(*base, temperature),
             {.sampler = "rwm",
              .num_warmup = 500,
              .num_draws = 20'000,
              .num_threads = 1,
              .adapt = {.engaged = false, .step_size = {}, .schedule = {}},
              .kernel = RwmOptions{.scale = 1.5, .metric = MetricKind::unit}},
             store);
  std::vector<double> near;
  for (Index c = 0; c < 4; ++c)
    for (Index s = 0; s < store.draws.num_draws(); ++s)
      near.push_back(is_near_highest(store.draws(s, c, 0), store.draws(s, c, 1)) ? 1.0 : 0.0);
  const diagnose::Chains chains{near, store.draws.num_draws(), 4};
  // 0.01 for the cells on the edge of the disc.
  experiment.within(fmt::format("T = {}: share of draws near the highest peak", temperature),
                    diagnose::mean(near), expected, 4.0 * diagnose::mcse_mean(chains) + 0.01);
}

void surfaces(Experiment& experiment) {
  Table& table = experiment.table("surfaces", {"x", "y", "t10", "t1", "t03", "t01"});
  std::vector<Surface> shown;
  double before = 0.0;
  for (const double temperature : {100.0, 10.0, 1.0, 0.3, 0.1, 0.01}) {
    const Surface surface = surface_at(temperature);
    experiment.note(fmt::format("T = {}: largest / mean density", temperature), surface.height);
    experiment.note(fmt::format("T = {}: probability near the highest peak", temperature),
                    surface.near_highest);
    experiment.at_least("  more than at the temperature before", surface.near_highest, before);
    before = surface.near_highest;
    if (temperature >= 0.1 && temperature <= 10.0)
      judge_draws(experiment, temperature, surface.near_highest);
    if (temperature == 100.0) experiment.at_most("T = 100 is nearly flat", surface.height, 1.2);
    if (temperature == 0.01)
      experiment.at_least("T = 0.01 has one peak", surface.near_highest, 1.0 - 1e-6);
    if (temperature >= 0.1 && temperature <= 10.0) shown.push_back(surface);
  }
  for (std::size_t cell = 0; cell < 121 * 121; ++cell)
    if (cell / 121 % 2 == 0 && cell % 121 % 2 == 0)
      table.row({x_of(cell), y_of(cell), shown[0].weights[cell], shown[1].weights[cell],
                 shown[2].weights[cell], shown[3].weights[cell]});
}

void draw(Experiment& experiment, const Cooled& fast, const Cooled& slow) {
  Table& of_fast = experiment.table("fast", {"step", "temperature", "height"});
  for (std::size_t step = 0; step < fast.temperatures.size(); ++step)
    of_fast.row({static_cast<double>(step), fast.temperatures[step], mean_height(fast, step)});
  Table& of_slow = experiment.table("slow", {"step", "temperature", "height"});
  for (std::size_t step = 0; step < slow.temperatures.size(); step += 60)
    of_slow.row({static_cast<double>(step), slow.temperatures[step], mean_height(slow, step)});
}
}  // namespace

int main(int argc, char** argv) {
  Experiment experiment("Simulated annealing on several peaks", argc, argv);
  judge_peaks(experiment);
  const double slow_rate = std::pow(0.9, 0.01);
  const Cooled fast = cool(0.9, 60), slow = cool(slow_rate, 6000);
  judge_cooling(experiment, "rate 0.9 a step", fast, 0.9);
  judge_cooling(experiment, "rate 0.9 in 100 steps", slow, slow_rate);
  const double of_slow = share_above(slow, 6.6), of_fast = share_above(fast, 6.6);
  const double error = std::sqrt((of_slow * (1.0 - of_slow) + of_fast * (1.0 - of_fast)) /
                                 static_cast<double>(kRuns));
  experiment.at_least("most slow runs end on the highest peak: share less 1/2, errors",
                      (of_slow - 0.5) / std::sqrt(0.25 / static_cast<double>(kRuns)), 4.0);
  experiment.at_least("more than of the fast ones: difference, errors", (of_slow - of_fast) / error,
                      4.0);
  surfaces(experiment);
  draw(experiment, fast, slow);
  return experiment.finish();
}
