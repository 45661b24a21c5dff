#include "infer/evidence/ladder.hpp"

#include <fmt/format.h>

#include "density/path_density.hpp"
#include "diagnose/convergence.hpp"
#include "infer/core/table.hpp"
#include "infer/evidence/points.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/mcmc/walk/exact.hpp"
#include "infer/smc/resampling.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr Index kMostTriesOfADraw = 10'000;

Error no_likelihood_on_ladder() {
  return Error(ErrorCode::evaluation,
               fmt::format("of {} draws of the prior none has a likelihood", kMostTriesOfADraw),
               "ladder", "use a prior nearer to the data");
}

// A path held at one place.
class RungDensity final : public density::LogDensity {
 public:
  RungDensity(const density::LogDensity& path, double inverse_temperature)
      : path_(path), inverse_temperature_(inverse_temperature) {}
  Index dimension() const override { return path_.dimension(); }
  bool has_gradient() const override { return path_.has_gradient(); }
  std::string describe(const density::Status& status) const override {
    return path_.describe(status);
  }
  std::unique_ptr<density::Evaluator> make_evaluator() const override {
    return std::make_unique<Held>(path_.make_evaluator(), inverse_temperature_);
  }

 private:
  class Held final : public density::Evaluator {
   public:
    Held(std::unique_ptr<density::Evaluator> path, double place)
        : path_(std::move(path)), place_(place) {}
    void evaluate(density::Want want, std::span<density::Request* const> batch) override {
      for (density::Request* request : batch) request->weight = place_;
      path_->evaluate(want, batch);
    }
    void use_threads(Index num_threads) override { path_->use_threads(num_threads); }

   private:
    std::unique_ptr<density::Evaluator> path_;
    double place_;
  };

  const density::LogDensity& path_;
  double inverse_temperature_;
};

// Draws of a rung and their log likelihoods, S × C both.
struct RungDraws {
  density::Draws positions;
  std::vector<double> log_likelihoods;
  Index num_draws() const { return positions.num_draws(); }
  Index num_chains() const { return positions.num_chains(); }
  diagnose::Chains chains(std::span<const double> values) const {
    return {values, num_draws(), num_chains()};
  }
};

// The error of a mean by autocorrelation; that of draws that are all alike is 0.
double error_of_mean(const RungDraws& draws, std::span<const double> values) {
  return diagnose::is_degenerate(values) ? 0.0 : diagnose::mcse_mean(draws.chains(values));
}

// The largest R-hat of the log likelihood and of all coordinates, or of about 256 of them if there are more.
double largest_r_hat(const RungDraws& draws) {
  constexpr Index kMostCoordinates = 256;
  const Index n = draws.positions.num_quantities();
  double worst = 1.0;
  const auto look = [&](const diagnose::Chains& chains) {
    if (!diagnose::is_degenerate(chains.values)) worst = std::max(worst, diagnose::r_hat(chains));
  };
  for (Index d = 0; d < n; d += (n + kMostCoordinates - 1) / kMostCoordinates)
    look(diagnose::quantity(draws.positions, d));
  look(draws.chains(draws.log_likelihoods));
  return worst;
}

// Standard error of the mean of one sum per chain, from the spread between chains.
double error_between(std::span<const double> sums) {
  return std::sqrt(diagnose::variance(sums) / static_cast<double>(sums.size()));
}

class Ladder {
 public:
  Ladder(const density::LogDensity& from, const density::LogDensity& to,
         const LadderOptions& options)
      : from_(from), path_(from, to), options_(options) {}

  LadderEvidence climb();

 private:
  RungDraws draw_from_the_prior();
  RungDraws draw_at(double inverse_temperature, const RungDraws& below);
  LadderRung rung_of(const RungDraws& draws, double inverse_temperature) const;
  double next_step(const RungDraws& draws, double inverse_temperature) const;
  void take_step(const RungDraws& draws, double step, LadderRung& rung) const;
  void sum_up();
  double honest(double error, std::span<const double> sums) const;
  std::vector<double> chain_stones() const;
  std::vector<double> chain_integrals() const;

  const density::LogDensity& from_;
  density::PathDensity path_;
  const LadderOptions& options_;
  LadderEvidence found_;
  double share_variance_ = 0.0;
};

LadderEvidence Ladder::climb() {
  RungDraws draws = draw_from_the_prior();
  double place = 0.0;
  for (;;) {
    found_.rungs.push_back(rung_of(draws, place));
    if (place == 1.0) break;
    if (ssize(found_.rungs) > options_.most_rungs)
      throw Error(ErrorCode::evaluation,
                  fmt::format("after {} rungs the ladder is at the power {} of the likelihood",
                              options_.most_rungs, place),
                  "ladder", "use a prior nearer to the data, or a smaller conditional_ess");
    const double step = next_step(draws, place);
    take_step(draws, step, found_.rungs.back());
    place = step >= 1.0 - place ? 1.0 : place + step;
    draws = draw_at(place, draws);
    if (found_.interrupted) return found_;
  }
  sum_up();
  return found_;
}

// Draws without a likelihood are drawn again: their share is a factor of the evidence.
RungDraws Ladder::draw_from_the_prior() {
  const Index dimension = from_.dimension();
  RungDraws draws{density::Draws(options_.num_draws, options_.num_chains, dimension), {}};
  const auto exact = from_.make_exact_draws();
  PointValues values(path_);
  Index num_drawn = 0;
  for (Index c = 0; c < options_.num_chains; ++c) {
    Rng rng({.seed = options_.seed,
             .purpose = purpose::kInitialPoint,
             .chain = static_cast<std::uint32_t>(c),
             .iteration = 0});
    for (Index s = 0; s < options_.num_draws; ++s)
      for (Index tries = 1;; ++tries, ++num_drawn) {
        if (tries > kMostTriesOfADraw) throw no_likelihood_on_ladder();
        const density::Start start = draw_exactly(*exact, rng);
        std::vector<double> ratio;
        values.at(start.position, &ratio);
        if (ratio[0] == -kInfinity) continue;
        draws.positions.set(s, c, start.position);
        draws.log_likelihoods.push_back(ratio[0]);
        break;
      }
  }
  const double n = static_cast<double>(draws.log_likelihoods.size());
  if (num_drawn > 0) {
    const double share = (n - 1.0) / (n + static_cast<double>(num_drawn) - 1.0);
    found_.log_share = numerics::log(share);
    share_variance_ = (1.0 - share) / n;
  }
  found_.num_evaluations += values.num_evaluations();
  return draws;
}

RungDraws Ladder::draw_at(double inverse_temperature, const RungDraws& below) {
  const RungDensity rung(path_, inverse_temperature);
  const Index number = ssize(found_.rungs);
  SampleOptions run{.sampler = options_.sampler.name,
                    .num_chains = options_.num_chains,
                    .num_warmup = options_.num_warmup,
                    .num_draws = options_.num_draws,
                    .seed = options_.seed + static_cast<std::uint64_t>(number),
                    .num_threads = options_.num_threads};
  if (options_.sampler.is_named())
    run.kernel = options_.sampler.options_in(kLadderSamplers);
  else
    run.sampler = path_.has_gradient() ? "nuts" : "slice";
  Rng rng({.seed = run.seed, .purpose = purpose::kInitialState, .chain = 0, .iteration = 0});
  for (Index c = 0; c < run.num_chains; ++c) {
    run.init.emplace_back(static_cast<std::size_t>(rung.dimension()));
    below.positions.get(rng.index_below(below.num_draws()), c, run.init.back());
  }
  StoredDraws store;
  const RunResult result = run_chains(rung, run, store);
  found_.interrupted = result.interrupted;
  for (const ChainResult& chain : result.chains) found_.num_evaluations += chain.num_evaluations;
  RungDraws draws{std::move(store.draws), {}};
  if (found_.interrupted) return draws;
  const auto n = static_cast<std::size_t>(rung.dimension());
  std::vector<double> points;
  points.reserve(n * static_cast<std::size_t>(draws.num_draws() * draws.num_chains()));
  std::vector<double> row(n);
  for (Index c = 0; c < draws.num_chains(); ++c)
    for (Index s = 0; s < draws.num_draws(); ++s) {
      draws.positions.get(s, c, row);
      points.insert(points.end(), row.begin(), row.end());
    }
  PointValues values(path_);
  values.at(points, &draws.log_likelihoods);
  found_.num_evaluations += values.num_evaluations();
  return draws;
}

LadderRung Ladder::rung_of(const RungDraws& draws, double inverse_temperature) const {
  LadderRung rung{.inverse_temperature = inverse_temperature,
                  .mean = diagnose::mean(draws.log_likelihoods),
                  .mean_error = error_of_mean(draws, draws.log_likelihoods),
                  .variance = diagnose::variance(draws.log_likelihoods)};
  const diagnose::Chains chains = draws.chains(draws.log_likelihoods);
  for (Index c = 0; c < chains.num_chains; ++c)
    rung.chain_means.push_back(diagnose::mean(chains.chain(c)));
  if (inverse_temperature > 0.0 && chains.num_chains > 1) rung.r_hat = largest_r_hat(draws);
  return rung;
}

double Ladder::next_step(const RungDraws& draws, double inverse_temperature) const {
  const std::vector<double> equal(draws.log_likelihoods.size(), 0.0);
  ConditionalEss kept(equal, draws.log_likelihoods);
  return largest_step(1.0 - inverse_temperature, options_.conditional_ess,
                      [&](double step) { return kept.after(step); });
}

void Ladder::take_step(const RungDraws& draws, double step, LadderRung& rung) const {
  const double top = *std::max_element(draws.log_likelihoods.begin(), draws.log_likelihoods.end());
  std::vector<double> weights = draws.log_likelihoods;
  for (double& x : weights) x = numerics::exp(step * (x - top));
  const double mean = diagnose::mean(weights);
  rung.log_step = step * top + numerics::log(mean);
  rung.step_error = error_of_mean(draws, weights) / mean;
  const diagnose::Chains chains = draws.chains(weights);
  for (Index c = 0; c < chains.num_chains; ++c)
    rung.chain_steps.push_back(step * top + numerics::log(diagnose::mean(chains.chain(c))));
}

std::vector<double> Ladder::chain_stones() const {
  std::vector<double> sums(static_cast<std::size_t>(options_.num_chains), 0.0);
  for (const LadderRung& rung : found_.rungs)
    for (std::size_t c = 0; c < rung.chain_steps.size(); ++c) sums[c] += rung.chain_steps[c];
  return sums;
}

std::vector<double> Ladder::chain_integrals() const {
  std::vector<double> all;
  for (std::size_t c = 0; c < static_cast<std::size_t>(options_.num_chains); ++c) {
    std::vector<LadderRung> own(found_.rungs.begin() + 1, found_.rungs.end());
    for (LadderRung& rung : own) rung.mean = rung.chain_means[c];
    all.push_back(found_.rungs.front().chain_steps[c] + corrected_trapezium(own));
  }
  return all;
}

// The spread of a few chains is a rough estimate, so it replaces the error only if it is more than twice as large.
double Ladder::honest(double error, std::span<const double> sums) const {
  if (sums.size() < 2) return error;
  if (found_.least_mixed().r_hat > kMostRungRHat) return kInfinity;
  constexpr double kFarMore = 2.0;
  const double between = error_between(sums);
  return between > kFarMore * error ? between : error;
}

// The mean at β = 0 need not exist, nor its error: integration begins on the first rung above, to which the first
// stone leads.
void Ladder::sum_up() {
  const std::span<const LadderRung> rungs = found_.rungs;
  double stones = 0.0, stones_variance = share_variance_;
  for (const LadderRung& rung : rungs) {
    stones += rung.log_step;
    stones_variance += rung.step_error * rung.step_error;
  }
  const auto above = rungs.subspan(1);
  double variance = share_variance_ + std::pow(rungs.front().step_error, 2);
  found_.lower = found_.upper = rungs.front().log_step;
  for (std::size_t k = 0; k < above.size(); ++k) {
    const double below =
        k == 0 ? 0.0 : above[k].inverse_temperature - above[k - 1].inverse_temperature;
    const double beyond = k + 1 == above.size()
                              ? 0.0
                              : above[k + 1].inverse_temperature - above[k].inverse_temperature;
    variance += std::pow(0.5 * (below + beyond) * above[k].mean_error, 2);
    found_.lower += beyond * above[k].mean;
    found_.upper += below * above[k].mean;
  }
  found_.stepping = {.value = found_.log_share + stones,
                     .error = honest(std::sqrt(stones_variance), chain_stones())};
  const PathIntegral integral = integrate_along(above);
  found_.thermodynamic = {
      .value = found_.log_share + rungs.front().log_step + integral.value,
      .error = honest(std::sqrt(variance + integral.error * integral.error), chain_integrals())};
}
}  // namespace

// The rule is of fourth order: half of the rungs err sixteen times as much. A ladder isn't even, so the rest of the
// error is as uncertain as the correction is large.
PathIntegral integrate_along(std::span<const LadderRung> rungs) {
  std::vector<LadderRung> every_other;
  for (std::size_t k = 0; k < rungs.size(); k += 2) every_other.push_back(rungs[k]);
  if (rungs.size() % 2 == 0 && !rungs.empty()) every_other.push_back(rungs.back());
  const double fine = corrected_trapezium(rungs), coarse = corrected_trapezium(every_other);
  const double correction = (fine - coarse) / 15.0;
  return {.value = fine + correction, .error = std::abs(correction)};
}

double corrected_trapezium(std::span<const LadderRung> rungs) {
  double sum = 0.0;
  for (std::size_t k = 0; k + 1 < rungs.size(); ++k) {
    const LadderRung &low = rungs[k], &high = rungs[k + 1];
    const double step = high.inverse_temperature - low.inverse_temperature;
    sum +=
        0.5 * step * (low.mean + high.mean) - step * step / 12.0 * (high.variance - low.variance);
  }
  return sum;
}

namespace {
bool can_climb(const SamplerSpec& row) {
  return row.family == Family::chains && !row.needs_states && row.name != "exact";
}
std::vector<std::string_view> ladder_samplers() {
  std::vector<std::string_view> names;
  for (const SamplerSpec* row : samplers())
    if (can_climb(*row)) names.push_back(row->name);
  return names;
}
KernelOptions ladder_options(std::string_view name) {
  const SamplerSpec& row = find_sampler(name);
  if (!can_climb(row))
    throw Error(ErrorCode::usage, std::string(name) + " can't move along a ladder", "ladder",
                "use nuts or slice");
  return row.options();
}
}  // namespace

extern const RowTable kLadderSamplers;
const RowTable kLadderSamplers{
    .what = "sampler", .names = ladder_samplers, .options = ladder_options};

LadderEvidence ladder_evidence(const density::LogDensity& from, const density::LogDensity& to,
                               const LadderOptions& options) {
  require_continuous(to, "a ladder of temperatures");
  if (options.sampler.is_named()) (void)kLadderSamplers.options(options.sampler.name);
  return Ladder(from, to, options).climb();
}

}  // namespace credo::infer
