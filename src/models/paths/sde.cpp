// With ΔW ~ Normal(0, Δt) and a(y) = f(y, s) Δt + g(y, s) ΔW:
//
//   euler      x' = x + a(x)
//   heun       x' = x + ½ (a(x) + a(x + a(x)))
//   midpoint   x' = x + a((x + y) / 2), y the x' before, at first Euler's        [kloeden1992]
//
// Weak order 1 for all; in the last two s is the time in the middle of the step, or both ends.
#include "models/paths/sde.hpp"

#include <atomic>

#include "base/error.hpp"
#include "base/team.hpp"

namespace credo::models {
namespace {
// Makes steps; its memory is allocated once.
class Stepper {
 public:
  Stepper(const Sde& equation, const SimulationOptions& options, const StreamKey& noise);
  void restart(const StreamKey& noise) { rng_ = Rng(noise); }
  void step(double t, std::span<const double> x, std::span<double> next);

 private:
  using Values = std::vector<double>;
  void draw_noise();
  void change(std::span<const double> x, double t, Values& out);  // a(x)

  const Sde& equation_;
  const SimulationOptions& options_;
  Rng rng_;
  Values noise_, drift_, diffusion_, first_, second_, between_;
};

void check(const Sde& equation, const SimulationOptions& options, Index start_size);

struct Block {  // paths that threads share, taken by `next`
  const Sde& equation;
  const SimulationOptions& options;
  std::span<const double> start;
  StreamKey noise;
  std::span<double> ends;
  std::atomic<Index>& next;
};
void run_paths(const Block& work);
}  // namespace

void simulate(const Sde& equation, const SimulationOptions& options, std::span<const double> start,
              const StreamKey& noise, std::span<double> path) {
  check(equation, options, ssize(start));
  const std::size_t d = start.size(), n = static_cast<std::size_t>(options.num_steps);
  if (path.size() != (n + 1) * d)
    throw Error(ErrorCode::usage,
                "a path of " + std::to_string(n) + " steps of " + std::to_string(d) +
                    " values was given room for " + std::to_string(path.size()),
                "simulate", "it has num_steps + 1 rows");
  Stepper stepper(equation, options, noise);
  std::copy(start.begin(), start.end(), path.begin());
  for (std::size_t i = 0; i < n; ++i)
    stepper.step(options.start_time + static_cast<double>(i) * options.time_step,
                 path.subspan(i * d, d), path.subspan((i + 1) * d, d));
}

void simulate_ends(const Sde& equation, const SimulationOptions& options,
                   std::span<const double> start, const StreamKey& noise, std::span<double> ends) {
  check(equation, options, ssize(start));
  if (ends.size() % start.size() != 0)
    throw Error(ErrorCode::usage,
                "room for " + std::to_string(ends.size()) + " values isn't a number of rows of " +
                    std::to_string(start.size()),
                "simulate_ends", "give num_paths times dimension values");
  std::atomic<Index> next = 0;
  Block work{equation, options, start, noise, ends, next};
  if (options.num_threads <= 1) return run_paths(work);
  Team team(std::min(options.num_threads, Team::kMost));
  team.run([](void* context, Index) { run_paths(*static_cast<const Block*>(context)); }, &work);
}

namespace {
constexpr Index kPathsAtATime = 64;

void run_paths(const Block& work) {
  const std::size_t d = work.start.size();
  const auto num_paths = static_cast<Index>(work.ends.size() / d);
  std::vector<double> x(d), next(d);
  StreamKey key = work.noise;
  Stepper stepper(work.equation, work.options, key);
  for (Index begin = work.next.fetch_add(kPathsAtATime); begin < num_paths;
       begin = work.next.fetch_add(kPathsAtATime))
    for (Index p = begin; p < std::min(begin + kPathsAtATime, num_paths); ++p) {
      key.chain = static_cast<std::uint32_t>(p);
      stepper.restart(key);
      std::copy(work.start.begin(), work.start.end(), x.begin());
      for (Index i = 0; i < work.options.num_steps; ++i) {
        stepper.step(work.options.start_time + static_cast<double>(i) * work.options.time_step, x,
                     next);
        std::swap(x, next);
      }
      std::copy(x.begin(), x.end(), work.ends.begin() + static_cast<std::ptrdiff_t>(d) * p);
    }
}

Stepper::Stepper(const Sde& equation, const SimulationOptions& options, const StreamKey& noise)
    : equation_(equation), options_(options), rng_(noise) {
  const auto d = static_cast<std::size_t>(equation.dimension());
  const auto m = static_cast<std::size_t>(equation.num_noises());
  noise_.resize(m), diffusion_.resize(d * m);
  for (Values* values : {&drift_, &first_, &second_, &between_}) values->resize(d);
}

void Stepper::step(double t, std::span<const double> x, std::span<double> next) {
  draw_noise();
  const double end = t + options_.time_step, middle = t + 0.5 * options_.time_step;
  change(x, t, first_);
  for (std::size_t d = 0; d < x.size(); ++d) next[d] = x[d] + first_[d];
  if (options_.scheme == SdeScheme::heun) {
    std::copy(next.begin(), next.end(), between_.begin());
    change(between_, end, second_);
    for (std::size_t d = 0; d < x.size(); ++d) next[d] = x[d] + 0.5 * (first_[d] + second_[d]);
  }
  if (options_.scheme != SdeScheme::midpoint) return;
  for (Index k = 0; k < options_.num_corrections; ++k) {
    for (std::size_t d = 0; d < x.size(); ++d) between_[d] = 0.5 * (x[d] + next[d]);
    change(between_, middle, second_);
    for (std::size_t d = 0; d < x.size(); ++d) next[d] = x[d] + second_[d];
  }
}

void Stepper::draw_noise() {
  const double scale = std::sqrt(options_.time_step);
  for (double& w : noise_) w = scale * rng_.normal();
}

void Stepper::change(std::span<const double> x, double t, Values& out) {
  equation_.drift(x, t, drift_);
  equation_.diffusion(x, t, diffusion_);
  const std::size_t n = out.size();
  for (std::size_t d = 0; d < n; ++d) {
    double noise = 0.0;
    for (std::size_t m = 0; m < noise_.size(); ++m) noise += diffusion_[m * n + d] * noise_[m];
    out[d] = options_.time_step * drift_[d] + noise;
  }
}

void check(const Sde& equation, const SimulationOptions& options, Index start_size) {
  const auto refuse = [](const std::string& message, const std::string& where) {
    throw Error(ErrorCode::usage, message, where);
  };
  if (start_size != equation.dimension() || start_size == 0)
    refuse("the start has " + std::to_string(start_size) + " values, the equation " +
               std::to_string(equation.dimension()),
           "start");
  if (!(options.time_step > 0.0 && std::isfinite(options.time_step)))
    refuse("time_step must be > 0, is " + std::to_string(options.time_step), "time_step");
  if (options.num_steps < 0)
    refuse("num_steps must be >= 0, is " + std::to_string(options.num_steps), "num_steps");
  if (options.num_corrections < 1)
    refuse("num_corrections must be >= 1, is " + std::to_string(options.num_corrections),
           "num_corrections");
}
}  // namespace

}  // namespace credo::models
