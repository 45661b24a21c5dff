// Gibbs sampling of y exp(-(x y + y)) on x, y > 0 and of a support in two pieces (X14 and X15 of
// the catalogue's files 002 and 003).
//
//   x | y ~ Exponential(y),  y | x ~ Gamma(2, scale 1 / (x + 1)):  y ~ Exponential(1), and x has no
// mean, but u = 1 / (1 + x) is uniform. A sweep correlates successive y by exactly 1/3.
#include "density/function_density.hpp"
#include "examples/support/estimate.hpp"
#include "examples/support/experiment.hpp"
#include "infer/compose/compose.hpp"
#include "infer/mcmc/walk/proposals.hpp"

namespace {
using namespace credo;
using examples::Estimate;

constexpr Index kChains = 20, kDraws = 100'000, kStatedDraws = 2'000'000;

struct State {
  double x = 1.0, y = 1.0;
};
void update_x(State& at, Rng& rng) { at.x = rng.exponential() / at.y; }
void update_y(State& at, Rng& rng) {
  at.y = (rng.exponential() + rng.exponential()) / (at.x + 1.0);
}
void sweep(State& at, Rng& rng) {
  update_x(at, rng);
  update_y(at, rng);
}
void random_scan(State& at, Rng& rng) {
  rng.index_below(2) == 0 ? update_x(at, rng) : update_y(at, rng);
}

// Chain by chain, of y and of u = 1 / (1 + x).
struct Figures {
  std::vector<double> mean_y, mean_u, square_u, lag_one_y, time_y, time_u;
  std::vector<double> trace;  // of u, the first chain
};

template <class Kernel>
Figures run(Kernel&& kernel) {
  Figures figures;
  std::vector<double> y(kDraws), u(kDraws);
  for (std::uint32_t c = 0; c < kChains; ++c) {
    Rng rng({.seed = 14, .purpose = purpose::kTest, .chain = c});
    State at;
    at.y = rng.exponential();
    update_x(at, rng);  // from the distribution itself
    for (std::size_t s = 0; s < y.size(); ++s) {
      kernel(at, rng);
      y[s] = at.y, u[s] = 1.0 / (1.0 + at.x);
    }
    const std::vector<double> rho = diagnose::autocorrelation(y);
    figures.mean_y.push_back(diagnose::mean(y));
    figures.mean_u.push_back(diagnose::mean(u));
    figures.square_u.push_back(diagnose::variance(u));
    figures.lag_one_y.push_back(rho[1]);
    figures.time_y.push_back(diagnose::integrated_time(rho).time);
    figures.time_u.push_back(diagnose::integrated_time(diagnose::autocorrelation(u)).time);
    if (c == 0) figures.trace = u;
  }
  return figures;
}

class Claims {
 public:
  explicit Claims(examples::Experiment& experiment) : experiment_(experiment) {}
  void exact(const std::string& what, std::span<const double> values, double expected) {
    const Estimate found = examples::mean_of(values);
    experiment_.within(what, found.mean, expected, 4.0 * found.error);
  }
  // Stated from 2 million draws, with the error of a time that sums three times as many lags.
  void time(const std::string& what, std::span<const double> values, double stated) {
    const Estimate found = examples::mean_of(values);
    const double error = stated * std::sqrt(2.0 * (6.0 * stated + 1.0) / kStatedDraws);
    experiment_.within(what, found.mean, stated, 4.0 * (found.error + error) + 0.05);
  }

 private:
  examples::Experiment& experiment_;
};

// ---- a support in two pieces that have no coordinate in common ----

std::shared_ptr<const density::LogDensity> two_squares() {
  return density::make_density(2, [](std::span<const double> x, std::span<double> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    const auto within = [&](double lo) {
      return x[0] > lo && x[0] < lo + 1.0 && x[1] > lo && x[1] < lo + 1.0;
    };
    return within(0.0) || within(2.0) ? 0.0 : -kInfinity;
  });
}

class Anywhere final : public infer::Proposal {
 public:
  void draw(std::span<const double>, std::span<double> to, Rng& rng) const override {
    for (double& value : to) value = rng.uniform(0.0, 3.0);
  }
  double log_ratio(std::span<const double>, std::span<const double>) const override { return 0.0; }
};

// The share of draws in the lower square, by chain.
std::vector<double> shares(const infer::KernelMaker& kernel) {
  const infer::SampleOptions options{.num_chains = kChains,
                                     .num_warmup = 0,
                                     .num_draws = 10'000,
                                     .seed = 15,
                                     .num_threads = 1,
                                     .init = {{0.5, 0.5}}};
  infer::StoredDraws store;
  infer::run_kernel(*two_squares(), options, kernel, store);
  std::vector<double> result;
  for (Index c = 0; c < kChains; ++c) {
    const auto x = diagnose::quantity(store.draws, 0).chain(c);
    result.push_back(
        static_cast<double>(std::count_if(x.begin(), x.end(), [](double v) { return v < 1.5; })) /
        static_cast<double>(x.size()));
  }
  return result;
}
}  // namespace

int main(int argc, char** argv) {
  examples::Experiment experiment("Gibbs sampling of y exp(-(x y + y)), and of two squares", argc,
                                  argv);
  const Figures swept = run(sweep), scanned = run(random_scan);
  Claims claims(experiment);
  claims.exact("sweep: mean of y", swept.mean_y, 1.0);
  claims.exact("sweep: mean of u", swept.mean_u, 0.5);
  claims.exact("sweep: variance of u", swept.square_u, 1.0 / 12.0);
  claims.exact("sweep: lag-one autocorrelation of y", swept.lag_one_y, 1.0 / 3.0);
  claims.exact("random scan: mean of u", scanned.mean_u, 0.5);
  claims.time("sweep: autocorrelation time of y", swept.time_y, 2.46);
  claims.time("sweep: autocorrelation time of u", swept.time_u, 3.4);
  claims.time("random scan: autocorrelation time of y", scanned.time_y, 8.8);
  claims.time("random scan: autocorrelation time of u", scanned.time_u, 12.6);

  // On a line through one square the other has no point, so a coordinate at a time stays for ever.
  const infer::KernelMaker slices = infer::kernel("slice");
  experiment.holds("a coordinate at a time never leaves its square", [&] {
    const std::vector<double> stays = shares(slices);
    return std::all_of(stays.begin(), stays.end(), [](double share) { return share == 1.0; });
  }());
  const auto jumps = infer::metropolis(std::make_shared<Anywhere>());
  claims.exact("with a tenth of jumps: share of the lower square",
               shares(infer::mixture({{0.9, slices}, {0.1, jumps}})), 0.5);

  examples::Table& trace = experiment.table("trace", {"update", "sweep", "scan"});
  for (std::size_t i = 0; i < 150; ++i)
    trace.row({static_cast<double>(i), swept.trace[i], scanned.trace[i]});
  return experiment.finish();
}
