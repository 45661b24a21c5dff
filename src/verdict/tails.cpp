// Linear coordinates x: log p(x ± t) at two far distances, in units of the draws' spread,
//   α = -Δ log p / Δ log t - 1.
// The weight goes back along that line to t of one spread, in exponential coordinates to t = 0.
// Exponential ones, x = log y with the Jacobian in the density: log p(x + t) = -α t, towards the
// bound log p(x - t) = -β t with y^(β-1) at 0, which must be above 0 as well.
#include "verdict/tails.hpp"

namespace credo::verdict {
namespace {
constexpr std::array<double, 2> kLinear{1e4, 1e6};  // times the spread
// Draws that have seen a small part of a proper distribution, such as a normal one of scale 1e10, make the
// first two look flat; a tail that falls only further out is no heavy one.
// Beyond these, sums over data that cancel leave too few digits.
constexpr std::array<double, 2> kFurther{1e11, 1e13};
constexpr std::array<double, 2> kLogarithms{60.0, 120.0};
constexpr Index kTailDraws = 4;

constexpr double kLight = 10.0;  // beyond this order no other draw is examined

struct Fall {
  double order = kInfinity, weight = -kInfinity;
};

// False where the density falls faster than any power between the two points further out.
bool further_is_heavy(const auto& measure, const std::array<double, 2>& log_density) {
  if (!measure(kFurther, 1.0)) return true;  // not known
  const double slope = (log_density[0] - log_density[1]) / std::log(kFurther[1] / kFurther[0]);
  return slope - 1.0 < kLight;
}

Fall fall_at(const Probe& probe, Index m, Index d, double sign) {
  std::vector<double> at = probe.point(m);
  const auto i = static_cast<std::size_t>(d);
  const double centre = at[i], scale = std::max(probe.scale(d), 1e-8 * (1.0 + std::fabs(centre)));
  const bool linear = probe.reach(d) == Reach::linear;
  std::array<double, 2> log_density{};
  const auto measure = [&](const std::array<double, 2>& distance, double unit) {
    for (std::size_t k = 0; k < 2; ++k) {
      at[i] = centre + sign * distance[k] * unit;
      log_density[k] = probe.log_density(at);
    }
    return std::isfinite(log_density[0]) && std::isfinite(log_density[1]);
  };
  if (linear && !further_is_heavy(measure, log_density)) return {};
  if (!measure(linear ? kLinear : kLogarithms, linear ? scale : 1.0)) return {};
  const double near = linear ? std::log(kLinear[0]) : kLogarithms[0];
  const double far = linear ? std::log(kLinear[1]) : kLogarithms[1];
  const double slope = (log_density[0] - log_density[1]) / (far - near);
  Fall fall{.order = linear ? slope - 1.0 : slope};
  if (fall.order < kLight)
    fall.weight = log_density[0] + slope * near - probe.log_density(probe.point(m));
  return fall;
}
// The volume of the coordinates that go along grows by e^s each.
Fall dilation_at(const Probe& probe, Index m, Index d, std::span<const Index> along) {
  std::array<double, 2> log_mass{};
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> at = probe.point(m);
    const double s = kLogarithms[k];
    for (const Index i : along) {
      const double centre = probe.point(0)[static_cast<std::size_t>(i)];
      double& x = at[static_cast<std::size_t>(i)];
      x = centre + (x - centre) * std::exp(s);
      log_mass[k] += s;
    }
    at[static_cast<std::size_t>(d)] += s;
    log_mass[k] += probe.log_density(at);
    if (!std::isfinite(log_mass[k])) return {};
  }
  Fall fall{.order = (log_mass[0] - log_mass[1]) / (kLogarithms[1] - kLogarithms[0])};
  if (fall.order < kLight)
    fall.weight = log_mass[0] + fall.order * kLogarithms[0] - probe.log_density(probe.point(m));
  return fall;
}
void take(const Fall& fall, double& order, double& weight) {
  order = std::max(order, fall.order);
  weight = std::max(weight, fall.weight);
}
}  // namespace

TailOrder tail_order(const Probe& probe, Index coordinate) {
  TailOrder order{.lower = kInfinity, .upper = kInfinity};
  if (probe.reach(coordinate) == Reach::bounded) return order;
  order.lower = order.upper = -kInfinity;
  const Index step = std::max<Index>(1, probe.num_points() / kTailDraws);
  for (Index m = 0; m < probe.num_points(); m += step) {
    if (order.lower < kLight)
      take(fall_at(probe, m, coordinate, -1.0), order.lower, order.lower_weight);
    if (order.upper < kLight)
      take(fall_at(probe, m, coordinate, 1.0), order.upper, order.upper_weight);
    if (order.least() >= kLight) break;
  }
  return order;
}

// A draw at which little of the tail is left may lie far from its axis: the others say how much
// there is.
double dilation_order(const Probe& probe, Index coordinate, std::span<const Index> along) {
  if (probe.reach(coordinate) != Reach::exponential) return kInfinity;
  double order = -kInfinity, weight = -kInfinity;
  const Index step = std::max<Index>(1, probe.num_points() / kTailDraws);
  for (Index m = step; m < probe.num_points(); m += step) {
    take(dilation_at(probe, m, coordinate, along), order, weight);
    if (order >= kLight) break;
  }
  return weight > kUnseenWeight ? order : kInfinity;
}

std::vector<Index> linear_coordinates(const Probe& probe) {
  std::vector<Index> all;
  for (Index d = 0; d < probe.dimension(); ++d)
    if (probe.reach(d) == Reach::linear) all.push_back(d);
  return all;
}

// A location that moves with its scale costs no density and has e^s times the room: the tail's
// order is one less. A location that the data determine ends the tail.
std::vector<Index> carried_along(const Probe& probe, Index scale) {
  constexpr double kLess = 0.5;
  const Index m = std::max<Index>(1, probe.num_points() / kTailDraws);
  const double alone = dilation_at(probe, m, scale, {}).order;
  std::vector<Index> carried;
  for (const Index d : linear_coordinates(probe))
    if (dilation_at(probe, m, scale, std::array{d}).order < alone - kLess) carried.push_back(d);
  return carried;
}

}  // namespace credo::verdict
