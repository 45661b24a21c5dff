// With v = ρ0 γ, δ = u' - u and r the rain of the step, a transition's density of u' is
//
//   log p = -R² / (2 v Δt) - ½ log(2 π v Δt) + J
//   euler       R = e^δ - 1 - Δt (r e^-u - ρ0),          J = δ     (J: Jacobian of x' = e^u')
//   log_euler   R = δ - Δt (r e^-u - ρ0 - ½ v),          J = 0
//
// The texts print the log term of the sum without its sum sign and with γ ρ0 x² for γ ρ0 x² Δt;
// here it is under the sum, with its constant. Euler's normal distribution of x' reaches below 0; u doesn't
// see that part, whose weight is Φ(-1 / sqrt(v Δt)).
#include "models/paths/tank.hpp"

#include "numerics/elementary.hpp"
#include "numerics/incomplete_gamma.hpp"

namespace credo::models {
namespace {
constexpr double kHalfLog2Pi = 0.91893853320467274178;

class TankEquation final : public Sde {
 public:
  TankEquation(const TankParameters& parameters, Rain rain)
      : rate_(parameters.rate),
        scale_(std::sqrt(parameters.rate * parameters.noise)),
        rain_(std::move(rain)) {}
  Index dimension() const override { return 1; }
  Index num_noises() const override { return 1; }
  void drift(std::span<const double> x, double t, std::span<double> f) const override {
    f[0] = rain_(t) - rate_ * x[0];
  }
  void diffusion(std::span<const double> x, double, std::span<double> g) const override {
    g[0] = -scale_ * x[0];
  }

 private:
  double rate_, scale_;
  Rain rain_;
};

struct Slopes {                           // slopes of the path's log density
  double by_rate = 0.0, by_square = 0.0;  // ρ0 with v held, v
};
struct PathPart {
  double log_density;
  Slopes slopes;
};
PathPart euler_path(const TankData& data, double rate, double square, std::span<const double> u,
                    std::span<double> by_u);
PathPart log_euler_path(const TankData& data, double rate, double square, std::span<const double> u,
                        std::span<double> by_u);
void exp_of(std::span<const double> u, std::span<double> x);
double log_observations(const TankData& data, double sd, std::span<const double> u,
                        std::span<double> by_u, double& by_sd);
double log_prior(const TankData& data, std::span<const double> parameters,
                 std::span<double> by_parameters);
double log_normal(const LogNormalPrior& distribution, double log_value, double& slope);
void check(const TankData& data);
}  // namespace

double TankModel::log_joint(std::span<const double> parameters, std::span<const double> u,
                            std::span<double> by_parameters, std::span<double> by_u) const {
  const double rate = parameters[0], noise = parameters[1], sd = parameters[2];
  const PathPart path = data_.scheme == TankScheme::euler
                            ? euler_path(data_, rate, rate * noise, u, by_u)
                            : log_euler_path(data_, rate, rate * noise, u, by_u);
  double sum = path.log_density + log_prior(data_, parameters, by_parameters);
  by_parameters[0] += path.slopes.by_rate + noise * path.slopes.by_square;
  by_parameters[1] += rate * path.slopes.by_square;
  double by_start = 0.0;
  sum += log_normal(data_.initial, u[0], by_start);
  by_u[0] += by_start;
  return sum + log_observations(data_, sd, u, by_u, by_parameters[2]);
}

double TankModel::noise_scale(std::span<const double> parameters,
                              std::span<double> by_parameters) const {
  by_parameters[0] = 0.5 / parameters[0];
  by_parameters[1] = 0.5 / parameters[1];
  by_parameters[2] = 0.0;
  return std::sqrt(parameters[0] * parameters[1]);
}

double TankModel::observation_scale(std::span<const double> parameters,
                                    std::span<double> by_parameters) const {
  by_parameters[0] = by_parameters[1] = 0.0;
  by_parameters[2] = 1.0 / parameters[2];
  return parameters[2];
}

TankModel::TankModel(TankData data) : data_(std::move(data)) {
  check(data_);
  const double least = numerics::exp(data_.prior[2].log_mean);
  for (std::size_t k = 0; k < data_.observed.size(); ++k) {
    const double x = std::max(data_.observed[k], least);
    observed_.push_back(
        {.step = data_.observed_at[k], .centre = numerics::log(x), .factor = 1.0 / x});
  }
}

namespace {
PathPart euler_path(const TankData& data, double rate, double square, std::span<const double> u,
                    std::span<double> by_u) {
  const double dt = data.time_step, variance = square * dt, precision = 1.0 / variance;
  exp_of(u, by_u);  // x_i stands in by_u[i] until step i has read it
  double squares = 0.0, rests = 0.0, x = by_u[0], from_before = 0.0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double next = by_u[i + 1], ratio = next / x, fed = dt * data.rain[i] / x;
    const double rest = ratio - 1.0 - (fed - dt * rate);
    by_u[i] = from_before + (precision * rest * (ratio - fed) - 1.0);
    from_before = 1.0 - precision * rest * ratio;
    squares += rest * rest, rests += rest;
    x = next;
  }
  by_u.back() = from_before;
  const double n = static_cast<double>(u.size() - 1);
  return {.log_density = -0.5 * precision * squares -
                         n * (kHalfLog2Pi + 0.5 * numerics::log(variance)) + (u.back() - u[0]),
          .slopes = {.by_rate = -rests / square,
                     .by_square = 0.5 / square * (precision * squares - n)}};
}

PathPart log_euler_path(const TankData& data, double rate, double square, std::span<const double> u,
                        std::span<double> by_u) {
  const double dt = data.time_step, variance = square * dt, precision = 1.0 / variance;
  const double fall = dt * (rate + 0.5 * square);
  exp_of(u, by_u);
  double squares = 0.0, rests = 0.0, from_before = 0.0;
  for (std::size_t i = 0; i + 1 < u.size(); ++i) {
    const double fed = dt * data.rain[i] / by_u[i];
    const double rest = u[i + 1] - u[i] - (fed - fall);
    by_u[i] = from_before + precision * rest * (1.0 - fed);
    from_before = -precision * rest;
    squares += rest * rest, rests += rest;
  }
  by_u.back() = from_before;
  const double n = static_cast<double>(u.size() - 1);
  return {
      .log_density = -0.5 * precision * squares - n * (kHalfLog2Pi + 0.5 * numerics::log(variance)),
      .slopes = {.by_rate = -rests / square,
                 .by_square = 0.5 / square * (precision * squares - n - rests)}};
}

void exp_of(std::span<const double> u, std::span<double> x) {
  numerics::function(numerics::Unary::exp).array(u.data(), x.data(), u.size());
}

double log_observations(const TankData& data, double sd, std::span<const double> u,
                        std::span<double> by_u, double& by_sd) {
  double squares = 0.0;
  for (std::size_t k = 0; k < data.observed.size(); ++k) {
    const auto step = static_cast<std::size_t>(data.observed_at[k]);
    const double x = numerics::exp(u[step]), off = (data.observed[k] - x) / sd;
    by_u[step] += off * x / sd;
    squares += off * off;
  }
  const double n = static_cast<double>(data.observed.size());
  by_sd += (squares - n) / sd;
  return -0.5 * squares - n * (kHalfLog2Pi + numerics::log(sd));
}

double log_prior(const TankData& data, std::span<const double> parameters,
                 std::span<double> by_parameters) {
  double sum = 0.0;
  for (std::size_t j = 0; j < 3; ++j) {
    const double log_value = numerics::log(parameters[j]);
    double slope = 0.0;
    sum += log_normal(data.prior[j], log_value, slope) - log_value;
    by_parameters[j] = (slope - 1.0) / parameters[j];
  }
  return sum;
}

// Log density of the logarithm.
double log_normal(const LogNormalPrior& distribution, double log_value, double& slope) {
  const double off = (log_value - distribution.log_mean) / distribution.log_sd;
  slope = -off / distribution.log_sd;
  return -0.5 * off * off - numerics::log(distribution.log_sd) - kHalfLog2Pi;
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

void check(const TankData& data) {
  const auto refuse = [](const std::string& message, const std::string& where) {
    throw Error(ErrorCode::data, message, where);
  };
  if (!(data.time_step > 0.0 && std::isfinite(data.time_step)))
    refuse("time_step must be > 0, is " + std::to_string(data.time_step), "time_step");
  if (data.rain.empty() || !all_finite(data.rain))
    refuse("rain must have a finite value for each step, at least one", "rain");
  if (data.observed.size() != data.observed_at.size() || !all_finite(data.observed))
    refuse("observed must have a finite value for each of the " +
               std::to_string(data.observed_at.size()) + " steps in observed_at",
           "observed");
  Index last = -1;
  for (const Index step : data.observed_at) {
    if (step <= last || step > ssize(data.rain))
      refuse("steps must increase from 0 to at most " + std::to_string(data.rain.size()) +
                 ", found " + std::to_string(step) + " after " + std::to_string(last),
             "observed_at");
    last = step;
  }
  const auto check_distribution = [&](const LogNormalPrior& distribution,
                                      const std::string& where) {
    if (!(distribution.log_sd > 0.0 && std::isfinite(distribution.log_sd) &&
          std::isfinite(distribution.log_mean)))
      refuse("a log-normal distribution needs a finite mean and an sd > 0", where);
  };
  check_distribution(data.initial, "initial");
  for (const LogNormalPrior& distribution : data.prior) check_distribution(distribution, "prior");
}
}  // namespace

// ---- the equation and its distribution ----

std::unique_ptr<Sde> tank_equation(const TankParameters& parameters, Rain rain) {
  return std::make_unique<TankEquation>(parameters, std::move(rain));
}

// The stationary distribution of dx = (r - a x) dt + s x dW (Ito) is InvGamma(1 + 2 a / s², 2 r / s²); a Stratonovich
// equation is the Ito one with a = ρ0 - ½ s².
InverseGammaPrior tank_stationary_distribution(const TankParameters& parameters, double rain,
                                          SdeKind kind) {
  const double square = parameters.rate * parameters.noise;
  const double rate = kind == SdeKind::ito ? parameters.rate : parameters.rate - 0.5 * square;
  return {.shape = 1.0 + 2.0 * rate / square, .scale = 2.0 * rain / square};
}

double InverseGammaPrior::mean() const { return shape > 1.0 ? scale / (shape - 1.0) : kInfinity; }
double InverseGammaPrior::variance() const {
  return shape > 2.0 ? mean() * mean() / (shape - 2.0) : kInfinity;
}
double InverseGammaPrior::cdf(double x) const {
  return x > 0.0 ? numerics::gamma_q(shape, scale / x) : 0.0;
}

// m₂ = E((1 - a) x + Δt r)² + Δt ρ0 γ m₂ with a = ρ0 Δt and E x = r / ρ0.
double tank_chain_second_moment(const TankParameters& parameters, double rain, double time_step) {
  const double keep = 1.0 - parameters.rate * time_step, fed = rain * time_step;
  const double contraction = keep * keep + time_step * parameters.rate * parameters.noise;
  if (!(contraction < 1.0)) return kInfinity;
  return (2.0 * keep * fed * rain / parameters.rate + fed * fed) / (1.0 - contraction);
}

TankRun simulate_tank(TankData data, const TankParameters& parameters, Index stride,
                      const StreamKey& noise) {
  if (stride < 1)
    throw Error(ErrorCode::usage, "stride must be >= 1, is " + std::to_string(stride), "stride");
  const auto rain_at = [&](double t) {
    const auto step = static_cast<std::size_t>(std::llround(t / data.time_step));
    return data.rain[std::min(step, data.rain.size() - 1)];
  };
  const double square = parameters.rate * parameters.noise, scale = std::sqrt(square);
  const auto in_logarithm = scalar_sde(
      [&](double u, double t) {
        return rain_at(t) * numerics::exp(-u) - parameters.rate - 0.5 * square;
      },
      [&](double, double) { return scale; });
  const SimulationOptions options{.time_step = data.time_step, .num_steps = ssize(data.rain)};
  Rng rng({.seed = noise.seed,
           .purpose = noise.purpose,
           .chain = noise.chain,
           .iteration = noise.iteration + 1});
  const double log_start = data.initial.log_mean + data.initial.log_sd * rng.normal();
  TankRun run{.x = std::vector<double>(data.rain.size() + 1), .data = {}};
  if (data.scheme == TankScheme::euler) {
    const double start[] = {numerics::exp(log_start)};
    simulate(*tank_equation(parameters, rain_at), options, start, noise, run.x);
  } else {
    simulate(in_logarithm, options, std::span(&log_start, 1), noise, run.x);
    for (double& x : run.x) x = numerics::exp(x);
  }
  data.observed_at.clear(), data.observed.clear();
  for (Index step = 0; step < ssize(run.x); step += stride) {
    data.observed_at.push_back(step);
    data.observed.push_back(run.x[static_cast<std::size_t>(step)] +
                            parameters.noise_sd * rng.normal());
  }
  run.data = std::move(data);
  return run;
}

}  // namespace credo::models
