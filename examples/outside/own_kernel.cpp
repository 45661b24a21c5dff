// A Markov kernel and a proposal of this program's own, mixed with a sampler of the library.
#include <credo/credo.hpp>

#include <algorithm>
#include <filesystem>
#include <random>

#include "check.hpp"

namespace {
// A random walk whose steps have heavy tails: t-distributed with 2 degrees of freedom, so that bold
// steps come among small ones. Warm-up tunes the scale to accept three in ten. A mutant has another
// power than 1: it accepts too much.
class HeavyWalk final : public credo::Kernel {
 public:
  HeavyWalk(credo::Index dimension, double power)
      : power_(power), to_(static_cast<std::size_t>(dimension)) {}

  credo::Step step(credo::Point& at, credo::Random& random) override {
    const double size = scale_ / std::sqrt(random.exponential());
    for (std::size_t d = 0; d < to_.size(); ++d) to_[d] = at.position()[d] + size * random.normal();
    const credo::Answer there = co_await credo::evaluate(to_);
    const double log_ratio = power_ * (there.log_density - at.log_density());
    const double accept_prob = std::min(1.0, std::exp(log_ratio));
    if (random.uniform() < accept_prob) at.move_to(there);
    co_return {.accept_prob = accept_prob};
  }

  void learn(const credo::Point&, const credo::Transition& made) override {
    scale_ *= std::exp((made.accept_prob - 0.3) / std::sqrt(++num_learned_));
  }
  std::vector<credo::Setting> settings() const override { return {{"scale", {scale_}}}; }

 private:
  double power_, scale_ = 0.5, num_learned_ = 0.0;
  std::vector<double> to_;
};

credo::Scheme heavy_walk(double power = 1.0) {
  return credo::own("heavy_walk", [=](credo::Index dimension) {
    return std::make_unique<HeavyWalk>(dimension, power);
  });
}

// A guess of the posterior, wherever the chain is: independent normals.
constexpr double kMean = 0.7, kSd = 1.2;
void draw_guess(std::span<const double>, std::span<double> to, credo::Random& random) {
  for (double& x : to) x = kMean + kSd * random.normal();
}
double log_ratio_of_guess(std::span<const double> from, std::span<const double> to) {
  double sum = 0.0;
  for (std::size_t d = 0; d < to.size(); ++d)
    sum += 0.5 * (std::pow(to[d] - kMean, 2) - std::pow(from[d] - kMean, 2)) / (kSd * kSd);
  return sum;
}

void require(bool is_so, const std::string& what) {
  std::printf("%s: %s\n", what.c_str(), is_so ? "yes" : "WRONG");
  if (!is_so) std::exit(1);
}
bool is_right(const credo::Scheme& scheme) {
  const credo::KernelCheck check = credo::check_kernel(scheme);
  std::printf("%s", check.text().c_str());
  return check.ok();
}
}  // namespace

int main() {
  const credo::Scheme guess = credo::metropolis({draw_guess, log_ratio_of_guess});
  require(is_right(heavy_walk()) && is_right(guess), "both leave log densities invariant");
  require(!is_right(heavy_walk(0.5)), "a walk that accepts too much is found");
  require(!is_right(credo::metropolis({draw_guess, credo::symmetric})), "and a forgotten ratio");

  const credo::Model model = credo::stan_file("dose.stan", "dose.data.json");
  const credo::Scheme mixed = credo::mixture(
      {{0.5, heavy_walk()}, {0.3, guess}, {0.2, credo::kernel("nuts", {{"max-depth", 5}})}});
  const credo::Fit fit = credo::sample(model, {.scheme = mixed, .draws = 4000, .seed = 1});
  const credo::Fit nuts = credo::sample(model, {.seed = 2});
  std::printf("%s%s", fit.summary_text().c_str(), fit.verdict().text.c_str());
  require(fit.verdict().word != "bad", "the verdict isn't bad");
  for (const char* name : {"alpha", "beta"}) {
    const credo::SummaryRow a = fit.summary(name), b = nuts.summary(name);
    check_near(name, a.mean, b.mean, 4.0 * std::hypot(a.mcse_mean, b.mcse_mean));
  }

  const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                       ("own_kernel_" + std::to_string(std::random_device()()));
  std::filesystem::create_directory(folder);
  fit.save(folder / "fit.nc");
  fit.save(folder / "fit");
  require(std::filesystem::remove_all(folder) == 6, "a folder, a NetCDF file and four CSV files");
}
