// g: gradient, x: position, r: step size, t: number of the step; vectors are taken element by element.
//
//   gradient   x += r g
//   momentum   v = b v + g,  x += r v                            nesterov   x += r (g + b v)
//   adagrad    s += g²,  x += r g / (√s + e)                     rmsprop    s = c s + (1 - c) g²
//   adam       m = b m + (1 - b) g,  s = c s + (1 - c) g²,  x += r m̂ / (√ŝ + e),  m̂ = m / (1 - bᵗ),  ŝ = s / (1 - cᵗ)
//   amsgrad    adam with the largest ŝ so far                    adamax     s = max(c s, |g|),  x += r m̂ / (s + e)
//   nadam      adam with b m̂ + (1 - b) g / (1 - bᵗ) for m̂        adamw      x -= r w x,  then adam
//   lion       x += r (sign(b m + (1 - b) g) - w x),  m = c m + (1 - c) g
#include "credo/optimiser.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/nearest_name.hpp"
#include "numerics/linear_algebra/matrix.hpp"
#include "numerics/linear_algebra/sizes.hpp"

namespace credo::numerics {
namespace {
constexpr StepSetting kMomentum{"momentum", "share of the last direction that is kept", 0.9, 0.0,
                                1.0};
constexpr StepSetting kMean{"mean_decay", "share of the mean gradient that is kept", 0.9, 0.0, 1.0};
constexpr StepSetting kSquare{"square_decay", "share of the mean square that is kept", 0.999, 0.0,
                              1.0};
constexpr StepSetting kEpsilon{"epsilon", "added to roots of mean squares", 1e-8};
constexpr StepSetting kDecay{"weight_decay", "the position shrinks by so many step sizes", 0.01};
constexpr std::array kMomentumSettings{kMomentum};
constexpr std::array kAdagradSettings{kEpsilon};
constexpr std::array kRmspropSettings{StepSetting{"square_decay", kSquare.help, 0.9, 0.0, 1.0},
                                      kEpsilon};
constexpr std::array kAdamSettings{kMean, kSquare, kEpsilon};
constexpr std::array kAdamwSettings{kMean, kSquare, kEpsilon, kDecay};
constexpr std::array kLionSettings{
    kMean, StepSetting{"memory_decay", "share of the memory that is kept", 0.99, 0.0, 1.0}, kDecay};

template <class Move>  // move(k): the move of element k
void for_each_element(const StepCall& call, Move move) {
  for (std::size_t k = 0; k < call.position.size(); ++k) call.position[k] += call.rate * move(k);
}

void gradient_step(const StepCall& call) {
  for_each_element(call, [&](std::size_t k) { return call.gradient[k]; });
}

void momentum_step(const StepCall& call) {
  std::vector<double>& v = call.memory[0];
  for_each_element(
      call, [&](std::size_t k) { return v[k] = call.settings[0] * v[k] + call.gradient[k]; });
}

void nesterov_step(const StepCall& call) {
  std::vector<double>& v = call.memory[0];
  for_each_element(call, [&](std::size_t k) {
    v[k] = call.settings[0] * v[k] + call.gradient[k];
    return call.gradient[k] + call.settings[0] * v[k];
  });
}

void adagrad_step(const StepCall& call) {
  std::vector<double>& s = call.memory[0];
  for_each_element(call, [&](std::size_t k) {
    s[k] += call.gradient[k] * call.gradient[k];
    return call.gradient[k] / (std::sqrt(s[k]) + call.settings[0]);
  });
}

void rmsprop_step(const StepCall& call) {
  std::vector<double>& s = call.memory[0];
  const double c = call.settings[0];
  for_each_element(call, [&](std::size_t k) {
    s[k] = c * s[k] + (1.0 - c) * call.gradient[k] * call.gradient[k];
    return call.gradient[k] / (std::sqrt(s[k]) + call.settings[1]);
  });
}

// The moments of Adam. ratio(k, mean, mean square), both without the bias of a start at 0, is the move.
template <class Ratio>
void by_moments(const StepCall& call, Ratio ratio) {
  const double b = call.settings[0], c = call.settings[1];
  const double mean_share = 1.0 - std::pow(b, call.number),
               square_share = 1.0 - std::pow(c, call.number);
  std::vector<double>&m = call.memory[0], &s = call.memory[1];
  for (std::size_t k = 0; k < call.position.size(); ++k) {
    m[k] = b * m[k] + (1.0 - b) * call.gradient[k];
    s[k] = c * s[k] + (1.0 - c) * call.gradient[k] * call.gradient[k];
    call.position[k] += ratio(k, m[k] / mean_share, s[k] / square_share);
  }
}

void adam_step(const StepCall& call) {
  by_moments(call, [&](std::size_t, double mean, double square) {
    return call.rate * mean / (std::sqrt(square) + call.settings[2]);
  });
}

void adamw_step(const StepCall& call) {
  for (double& x : call.position) x -= call.rate * call.settings[3] * x;
  adam_step(call);
}

void amsgrad_step(const StepCall& call) {
  std::vector<double>& largest = call.memory[2];
  by_moments(call, [&](std::size_t k, double mean, double square) {
    largest[k] = std::max(largest[k], square);
    return call.rate * mean / (std::sqrt(largest[k]) + call.settings[2]);
  });
}

void nadam_step(const StepCall& call) {
  const double b = call.settings[0], share = (1.0 - b) / (1.0 - std::pow(b, call.number));
  by_moments(call, [&](std::size_t k, double mean, double square) {
    return call.rate * (b * mean + share * call.gradient[k]) /
           (std::sqrt(square) + call.settings[2]);
  });
}

void adamax_step(const StepCall& call) {
  const double b = call.settings[0], share = 1.0 - std::pow(b, call.number);
  std::vector<double>&m = call.memory[0], &s = call.memory[1];
  for_each_element(call, [&](std::size_t k) {
    m[k] = b * m[k] + (1.0 - b) * call.gradient[k];
    s[k] = std::max(call.settings[1] * s[k], std::fabs(call.gradient[k]));
    return m[k] / share / (s[k] + call.settings[2]);
  });
}

void lion_step(const StepCall& call) {
  std::vector<double>& m = call.memory[0];
  const double b = call.settings[0], c = call.settings[1];
  for_each_element(call, [&](std::size_t k) {
    const double direction = b * m[k] + (1.0 - b) * call.gradient[k];
    m[k] = c * m[k] + (1.0 - c) * call.gradient[k];
    return static_cast<double>((direction > 0.0) - (direction < 0.0)) -
           call.settings[2] * call.position[k];
  });
}

constexpr std::array<StepRow, 12> kSteps{{
    {"adagrad", "over the root of the sum of squares", "duchi2011", kAdagradSettings, 1, true,
     false, adagrad_step},
    {"adam", "mean gradient over the root of its mean square", "kingma2015", kAdamSettings, 2, true,
     false, adam_step},
    {"adamax", "mean gradient over its largest recent size", "kingma2015", kAdamSettings, 2, true,
     false, adamax_step},
    {"adamw", "adam, and the position shrinks", "loshchilov2019", kAdamwSettings, 2, true, false,
     adamw_step},
    {"amsgrad", "adam with mean squares that don't fall", "reddi2018", kAdamSettings, 3, true,
     false, amsgrad_step},
    {"gradient", "the gradient itself", "cauchy1847", {}, 0, false, false, gradient_step},
    {"lion", "the sign of a mean gradient, and the position shrinks", "chen2023", kLionSettings, 1,
     true, false, lion_step},
    {"momentum", "heavy ball: the direction is kept", "polyak1964", kMomentumSettings, 1, false,
     false, momentum_step},
    {"nadam", "adam that looks ahead", "dozat2016", kAdamSettings, 2, true, false, nadam_step},
    {"natural",
     "the gradient divided by the Fisher information",
     "amari1998",
     {},
     0,
     true,
     true,
     gradient_step},
    {"nesterov", "momentum that looks ahead", "nesterov1983", kMomentumSettings, 1, false, false,
     nesterov_step},
    {"rmsprop", "over the root of the mean square", "tieleman2012", kRmspropSettings, 1, true,
     false, rmsprop_step},
}};

// ---- sizes

constexpr std::array kRobbinsSettings{
    StepSetting{"delay", "steps before the size falls", 10.0, 1.0},
    StepSetting{"power", "speed of the fall; above 0.5 up to 1", 0.75, 0.0, 2.0}};
constexpr std::array kHoldSettings{
    StepSetting{"hold", "share of the steps of full size", 0.5, 0.0, 1.0}};
constexpr std::array kFloorSettings{StepSetting{"floor", "the last factor", 0.0, 0.0, 1.0}};
constexpr std::array kCycleSettings{
    StepSetting{"cycles", "how often the size starts again", 4.0, 1.0}};
constexpr std::array kFactorSettings{StepSetting{"last", "the last factor", 0.01, 0.0, 1.0}};
constexpr std::array kStairSettings{StepSetting{"stairs", "how often the size falls", 3.0, 1.0},
                                    StepSetting{"factor", "by how much it falls", 0.1, 0.0, 1.0}};
constexpr std::array kPowerSettings{StepSetting{"power", "1: a straight line", 1.0}};
constexpr std::array kWarmSettings{
    StepSetting{"warm", "share of the steps in which the size rises", 0.1, 0.0, 1.0}};

double half_cosine(double share) { return 0.5 * (1.0 + std::cos(3.14159265358979323846 * share)); }
double progress(double t, double num_steps) { return (t - 1.0) / std::max(num_steps - 1.0, 1.0); }

constexpr std::array<RateRow, 9> kRates{{
    {"constant",
     "the same for all steps",
     "robbins1951",
     {},
     false,
     [](std::span<const double>, double, double) { return 1.0; }},
    {"cosine", "half a cosine down to the floor", "loshchilov2017", kFloorSettings, false,
     [](std::span<const double> s, double t, double n) {
       return s[0] + (1.0 - s[0]) * half_cosine(progress(t, n));
     }},
    {"cyclic", "half cosines that start again", "loshchilov2017", kCycleSettings, false,
     [](std::span<const double> s, double t, double n) {
       const double cycle = std::ceil(n / std::floor(s[0]));
       return half_cosine(std::fmod(t - 1.0, cycle) / cycle);
     }},
    {"exponential", "falls by the same factor with each step", "bottou2018", kFactorSettings, false,
     [](std::span<const double> s, double t, double n) { return std::pow(s[0], progress(t, n)); }},
    {"hold", "full size at first, then over the number of the step", "robbins1951", kHoldSettings,
     false,
     [](std::span<const double> s, double t, double n) { return std::min(1.0, s[0] * n / t); }},
    {"polynomial", "a power of the share of steps that are left", "bottou2018", kPowerSettings,
     false,
     [](std::span<const double> s, double t, double n) {
       return std::pow(1.0 - (t - 1.0) / n, s[0]);
     }},
    {"robbins_monro", "(delay / (delay + t - 1))^power", "robbins1951", kRobbinsSettings, true,
     [](std::span<const double> s, double t, double) {
       return std::pow(s[0] / (s[0] + t - 1.0), s[1]);
     }},
    {"stairs", "falls by a factor after equal numbers of steps", "bottou2018", kStairSettings,
     false,
     [](std::span<const double> s, double t, double n) {
       return std::pow(s[1], std::floor((t - 1.0) * (std::floor(s[0]) + 1.0) / n));
     }},
    {"warm_up", "rises along a line, then falls with the root of the step's number", "vaswani2017",
     kWarmSettings, false,
     [](std::span<const double> s, double t, double n) {
       const double warm = std::max(s[0] * n, 1.0);
       return std::min(t / warm, std::sqrt(warm / t));
     }},
}};

template <class Row>
const Row& row_named(std::string_view name, std::span<const Row> rows, std::string_view what) {
  std::vector<std::string> names;
  for (const Row& row : rows) {
    if (row.name == name) return row;
    names.emplace_back(row.name);
  }
  const std::string near = did_you_mean(name, names);
  throw Error(ErrorCode::usage, fmt::format("unknown {} '{}'", what, name), "",
              near.empty() ? fmt::format("use one of {}", fmt::join(names, ", ")) : near);
}

std::vector<double> checked(std::string_view row, std::span<const StepSetting> settings,
                            std::span<const double> given) {
  std::vector<double> values;
  CREDO_ASSERT(given.empty() || given.size() == settings.size(),
               "all settings of the row are given, or none");
  for (std::size_t k = 0; k < settings.size(); ++k) {
    const StepSetting& s = settings[k];
    values.push_back(given.empty() ? s.standard : given[k]);
    if (!(values[k] >= s.lo && values[k] < s.hi))
      throw Error(ErrorCode::usage,
                  fmt::format("{} of {} is {}, but must be at least {} and below {}", s.name, row,
                              values[k], s.lo, s.hi),
                  std::string(s.name), fmt::format("the default is {}", s.standard));
  }
  return values;
}

bool all_are_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

// F^-1 g; not finite where F isn't positive definite.
std::vector<double> divided(std::span<const double> gradient, std::span<const double> information) {
  const Index n = ssize(gradient);
  if (ssize(information) != n) {
    const DenseMatrix inverse_root = inverse_of_upper(cholesky_root({n, n, information}));
    return (inverse_root * (transposed(inverse_root) * DenseMatrix(n, 1, gradient))).values;
  }
  std::vector<double> all(gradient.begin(), gradient.end());
  for (std::size_t k = 0; k < all.size(); ++k)
    all[k] = information[k] > 0.0 ? all[k] / information[k] : kNaN;
  return all;
}
}  // namespace

std::span<const StepRow> optimiser_steps() { return kSteps; }
const StepRow& optimiser_step(std::string_view name) {
  return row_named<StepRow>(name, kSteps, "optimiser");
}
std::span<const RateRow> rate_rules() { return kRates; }
const RateRow& rate_rule(std::string_view name) {
  return row_named<RateRow>(name, kRates, "rule for step sizes");
}

Optimiser::Optimiser(const StepRow& row, Index dimension, std::span<const double> settings)
    : row_(&row),
      dimension_(dimension),
      settings_(checked(row.name, row.settings, settings)),
      memory_(row.num_vectors, std::vector<double>(static_cast<std::size_t>(dimension))) {}

bool Optimiser::climb(std::span<double> position, std::span<const double> gradient, double rate,
                      std::span<const double> information) {
  require_size(position, dimension_, "Optimiser::climb", "position");
  require_size(gradient, dimension_, "Optimiser::climb", "gradient");
  if (row_->needs_information && ssize(information) != dimension_)
    require_size(information, dimension_ * dimension_, "Optimiser::climb", "information");
  std::vector<double> natural;
  if (row_->needs_information) gradient = natural = divided(gradient, information);
  if (!all_are_finite(gradient)) return false;
  ++num_steps_;
  row_->step({rate, static_cast<double>(num_steps_), settings_, gradient, position, memory_});
  return true;
}

StepSize::StepSize(const RateRow& row, double first, Index num_steps,
                   std::span<const double> settings)
    : row_(&row),
      first_(first),
      num_steps_(static_cast<double>(num_steps)),
      settings_(checked(row.name, row.settings, settings)) {}

double StepSize::at(Index t) const {
  return first_ * row_->factor(settings_, static_cast<double>(t), num_steps_);
}

}  // namespace credo::numerics
