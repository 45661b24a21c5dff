// Linear coordinates x: log p(x ± t) at two far distances, in units of the draws' spread,
//   α = -Δ log p / Δ log t - 1.
// Exponential ones, x = log y with the Jacobian in the density: log p(x + t) = -α t, towards the
// bound log p(x - t) = -β t with y^(β-1) at 0, which must be above 0 as well.
#include "verdict/tails.hpp"

namespace credo::verdict {
namespace {
constexpr std::array<double, 2> kLinear{1e4, 1e6};  // times the spread
constexpr std::array<double, 2> kLogarithms{60.0, 120.0};
constexpr Index kDraws = 4;

double order_at(const Probe& probe, Index m, Index d, double sign) {
  std::vector<double> at = probe.point(m);
  const auto i = static_cast<std::size_t>(d);
  const double centre = at[i], scale = std::max(probe.scale(d), 1e-8 * (1.0 + std::fabs(centre)));
  const bool linear = probe.reach(d) == Reach::linear;
  std::array<double, 2> log_density{};
  for (std::size_t k = 0; k < 2; ++k) {
    at[i] = centre + sign * (linear ? kLinear[k] * scale : kLogarithms[k]);
    log_density[k] = probe.log_density(at);
    if (!std::isfinite(log_density[k])) return kInfinity;
  }
  const double fall = log_density[0] - log_density[1];
  return linear ? fall / std::log(kLinear[1] / kLinear[0]) - 1.0
                : fall / (kLogarithms[1] - kLogarithms[0]);
}
// The volume of the linear coordinates grows by e^s each.
double dilation_at(const Probe& probe, Index m, Index d) {
  std::array<double, 2> log_mass{};
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> at = probe.point(m);
    const double s = kLogarithms[k];
    for (Index i = 0; i < probe.dimension(); ++i) {
      if (probe.reach(i) != Reach::linear) continue;
      const double centre = probe.point(0)[static_cast<std::size_t>(i)];
      double& x = at[static_cast<std::size_t>(i)];
      x = centre + (x - centre) * std::exp(s);
      log_mass[k] += s;
    }
    at[static_cast<std::size_t>(d)] += s;
    log_mass[k] += probe.log_density(at);
    if (!std::isfinite(log_mass[k])) return kInfinity;
  }
  return (log_mass[0] - log_mass[1]) / (kLogarithms[1] - kLogarithms[0]);
}
constexpr double kLight = 10.0;  // no other draw is asked beyond this order
}  // namespace

TailOrder tail_order(const Probe& probe, Index coordinate) {
  TailOrder order{.lower = kInfinity, .upper = kInfinity};
  if (probe.reach(coordinate) == Reach::bounded) return order;
  order = {.lower = -kInfinity, .upper = -kInfinity};
  const Index step = std::max<Index>(1, probe.num_points() / kDraws);
  for (Index m = 0; m < probe.num_points(); m += step) {
    if (order.lower < kLight)
      order.lower = std::max(order.lower, order_at(probe, m, coordinate, -1.0));
    if (order.upper < kLight)
      order.upper = std::max(order.upper, order_at(probe, m, coordinate, 1.0));
    if (order.least() >= kLight) break;
  }
  return order;
}

double dilation_order(const Probe& probe, Index coordinate) {
  if (probe.reach(coordinate) != Reach::exponential) return kInfinity;
  double order = -kInfinity;
  const Index step = std::max<Index>(1, probe.num_points() / kDraws);
  for (Index m = step; m < probe.num_points(); m += step) {
    order = std::max(order, dilation_at(probe, m, coordinate));
    if (order >= kLight) break;
  }
  return order;
}

}  // namespace credo::verdict
