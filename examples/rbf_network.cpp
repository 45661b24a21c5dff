// A radial basis network whose number of centres isn't known, on data with two bumps and much noise
// (X19 of the catalogue's chapter 12): (a) it doesn't overfit, (b) p(k | D) settles, (c) its mode
// is k = 2. Three samplers: coefficients and noise sampled, the same integrated out, and centres
// chosen among the inputs. The prior of k, Poisson(1), prefers none or one.
#include "diagnose/convergence.hpp"
#include "examples/support/experiment.hpp"
#include "infer/jumps/reversible_jump.hpp"
#include "models/jumps/inclusion.hpp"

namespace {
using namespace credo;
using namespace credo::infer;

constexpr Index kTrain = 50, kTest = 200, kMost = 8;
constexpr double kNoise = 0.4;

struct Data {
  std::vector<double> x, y, truth;
};

Data two_bumps(Index size, std::uint32_t number) {
  Data data;
  Rng rng({.seed = 19, .purpose = purpose::kGenerated, .iteration = number});
  for (Index i = 0; i < size; ++i) {
    const double x = rng.uniform(-2.5, 2.5), left = (x + 1.0) / 0.5, right = (x - 1.0) / 0.5;
    data.x.push_back(x);
    data.truth.push_back(0.5 + 0.1 * x + 1.5 * std::exp(-0.5 * left * left) +
                         1.2 * std::exp(-0.5 * right * right));
    data.y.push_back(data.truth.back() + kNoise * rng.normal());
  }
  return data;
}

double rms(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

StoredDraws sampled(const rj::Family& family, std::vector<rj::Jump> moves, Index num_draws) {
  const rj::Jumps jumps(family, std::move(moves));
  StoredDraws store;
  rj::run(jumps, {.num_chains = 4, .num_warmup = 500, .num_draws = num_draws, .seed = 1}, store);
  return store;
}

// The mean of full_prediction over every tenth draw.
std::vector<double> predicted(const models::RbfProblem& problem, const rj::Family& family,
                              const density::Draws& draws, std::span<const double> inputs) {
  std::vector<double> mean(inputs.size()), row(static_cast<std::size_t>(draws.num_quantities()));
  double count = 0.0;
  for (Index c = 0; c < draws.num_chains(); ++c)
    for (Index s = 0; s < draws.num_draws(); s += 10, ++count) {
      draws.get(s, c, row);
      const auto width = static_cast<std::size_t>(family.dimension_of(static_cast<Index>(row[0])));
      for (std::size_t i = 0; i < inputs.size(); ++i)
        mean[i] +=
            models::full_prediction(problem, std::span(row).subspan(1, width), {&inputs[i], 1});
    }
  for (double& value : mean) value /= count;
  return mean;
}

// What overfits: a centre at every other input, fitted with hardly any prior.
std::vector<double> many_centres(const models::RbfProblem& problem,
                                 std::span<const double> inputs) {
  models::RbfProblem loose = problem;
  loose.bump_scale = loose.line_scale = 1e4;
  std::vector<double> centres;
  for (Index i = 0; i < kTrain; i += 2) centres.push_back(problem.x[static_cast<std::size_t>(i)]);
  loose.max_centres = ssize(centres);
  models::CollapsedPredictor predictor(models::make_rbf(loose));
  predictor.condition(centres);
  std::vector<double> fit;
  for (const double x : inputs) fit.push_back(predictor({&x, 1}));
  return fit;
}

rj::Visits over_candidates(const models::RbfProblem& problem) {
  models::InclusionSampler sampler(models::rbf_inclusion(problem, problem.x));
  auto state = sampler.start(models::Inclusion(problem.x.size()));
  constexpr Index kDraws = 100'000, kWarmup = 5'000;
  density::Draws number(kDraws, 1, 1);
  for (Index i = -kWarmup; i < kDraws; ++i) {
    Rng rng({.seed = 3,
             .purpose = purpose::kTransition,
             .iteration = static_cast<std::uint32_t>(i + kWarmup)});
    sampler.step(state, rng);
    if (i >= 0) number(i, 0, 0) = static_cast<double>(std::min(state.num_included, kMost));
  }
  return rj::visits_of(number, kMost + 1);
}

Index mode_of(const rj::Visits& visits) {
  const auto& p = visits.probability;
  return std::max_element(p.begin(), p.end()) - p.begin();
}

// Shares of k = 0 ... 5 in the first chain so far, warm-up included: from its very start.
void write_shares(const StoredDraws& store, examples::Table& table) {
  std::array<double, kMost + 1> count{};
  for (Index i = 0; i < store.draws.num_draws(); ++i) {
    ++count[static_cast<std::size_t>(store.draws(i, 0, 0))];
    if (i % 150 != 149) continue;
    std::vector<double> row = {static_cast<double>(i + 1)};
    for (std::size_t k = 0; k < 6; ++k) row.push_back(count[k] / static_cast<double>(i + 1));
    table.row(std::move(row));
  }
}

void write_fit(const models::RbfProblem& problem, const rj::Family& family,
               const StoredDraws& store, const Data& test, examples::Experiment& experiment) {
  std::vector<double> grid, truth;
  for (int i = 0; i <= 100; ++i) grid.push_back(-2.5 + 0.05 * i);
  const std::vector<double> fit = predicted(problem, family, store.draws, grid);
  const std::vector<double> loose = many_centres(problem, grid);
  examples::Table& curve = experiment.table("curve", {"x", "fit", "25 centres"});
  for (std::size_t i = 0; i < grid.size(); ++i) curve.row({grid[i], fit[i], loose[i]});
  examples::Table& points = experiment.table("test", {"x", "y"});
  for (std::size_t i = 0; i < test.x.size(); ++i) points.row({test.x[i], test.y[i]});
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Radial basis network with an unknown number of centres", argc,
                                  argv);
  const Data train = two_bumps(kTrain, 0), test = two_bumps(kTest, 1);
  const models::SharedRbf problem = models::make_rbf({.x = train.x,
                                                      .y = train.y,
                                                      .width = 0.5,
                                                      .max_centres = kMost,
                                                      .expected_centres = 1.0,
                                                      .centre_sd = 1.5});
  const rj::Family full_models = models::full_family(problem, kernel("nuts"));
  const rj::Family collapsed_models = models::collapsed_family(problem, kernel("slice"));
  const StoredDraws full = sampled(full_models, models::full_rbf_jumps(problem, {}), 15'000);
  const StoredDraws collapsed =
      sampled(collapsed_models, models::collapsed_rbf_jumps(problem, {}), 8'000);

  // (a) Eight parameters from 50 points (a line, the noise, two bumps) cost 8/50 of the variance on
  // average, with standard deviation sqrt(16)/50: at most four of these more; and better than what
  // overfits.
  const std::vector<double> fit = predicted(*problem, full_models, full.draws, test.x);
  const std::vector<double> train_fit = predicted(*problem, full_models, full.draws, train.x);
  const double noise = rms(test.truth, test.y), error = rms(fit, test.y);
  experiment.note("error on the training set", rms(train_fit, train.y));
  experiment.note("error of the truth on the test set", noise);
  experiment.at_most("error on the test set", error,
                     noise * std::sqrt(1.0 + (8.0 + 4.0 * 4.0) / kTrain));
  experiment.at_least("25 centres by least squares, on the test set, over it",
                      rms(many_centres(*problem, test.x), test.y) / error, 1.1);

  // (b), (c)
  const rj::Visits a = rj::visits_of(full.draws, kMost + 1),
                   b = rj::visits_of(collapsed.draws, kMost + 1), c = over_candidates(*problem);
  experiment.holds("mode at k = 2, coefficients sampled", mode_of(a) == 2);
  experiment.holds("mode at k = 2, coefficients integrated out", mode_of(b) == 2);
  experiment.holds("mode at k = 2, centres among the inputs", mode_of(c) == 2);
  for (std::size_t k = 2; k < 5; ++k)
    experiment.within("p(k = " + std::to_string(k) + " | D), sampled against integrated out",
                      a.probability[k], b.probability[k], 4.0 * std::hypot(a.mcse[k], b.mcse[k]));

  examples::Table& numbers =
      experiment.table("numbers", {"k", "full", "collapsed", "inclusion", "prior"});
  const std::vector<double> log_prior = problem->log_prior_of_number();
  for (std::size_t k = 0; k <= kMost; ++k)
    numbers.row({static_cast<double>(k), a.probability[k], b.probability[k], c.probability[k],
                 std::exp(log_prior[k])});
  write_shares(full, experiment.table("shares", {"iteration", "0", "1", "2", "3", "4", "5"}));
  write_fit(*problem, full_models, full, test, experiment);
  return experiment.finish();
}
