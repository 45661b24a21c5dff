// A 40-point Gauss-Legendre rule for integrands exp(E(s)) that decay from E(0) = 0 to E = -44, and
// the Taylor series of such integrals by a parameter on which E depends linearly.
#pragma once
#include "numerics/incomplete_taylor.hpp"

namespace credo::numerics {

inline constexpr double kDecayExponent = 44;  // e^-44 = 8e-20 is left out
inline constexpr size_t kRuleSize = 40;

struct RuleNode {
  double abscissa, weight;  // on [-1, 1]; the rule holds each abscissa with both signs
};

// [dlmf, 3.5.1]; exact for polynomials of degree 79.
inline constexpr RuleNode kGaussRule[kRuleSize / 2] = {
    {0.99823770971055920035, 0.0045212770985331912585},
    {0.99072623869945700645, 0.010498284531152813615},
    {0.97725994998377426266, 0.016421058381907888713},
    {0.9579168192137916558, 0.022245849194166957262},
    {0.93281280827867653336, 0.027937006980023401098},
    {0.90209880696887429673, 0.033460195282547847393},
    {0.86595950321225950382, 0.03878216797447201764},
    {0.8246122308333116632, 0.043870908185673271992},
    {0.77830565142651938769, 0.048695807635072232061},
    {0.72731825518992710328, 0.053227846983936824355},
    {0.67195668461417954838, 0.057439769099391551367},
    {0.61255388966798023795, 0.061306242492928939167},
    {0.54946712509512820208, 0.064804013456601038075},
    {0.48307580168617871291, 0.067912045815233903826},
    {0.41377920437160500152, 0.070611647391286779695},
    {0.34199409082575847301, 0.072886582395804059061},
    {0.26815218500725368114, 0.0747231690579682642},
    {0.19269758070137109972, 0.076110361900626242372},
    {0.11608407067525520848, 0.077039818164247965588},
    {0.038772417506050821933, 0.077505947978424811264},
};

// One panel of the rule: s, the integrand e^E(s) and the derivative of E by the parameter.
struct Panel {
  alignas(64) std::array<double, kRuleSize> s, integrand, slope;
};

// int_0^length e^E ds as a series in the parameter. fill(panel) reads s, writes integrand and
// slope.
template <class Fill>
Taylor integrate_decay(double length, Fill fill) {
  constexpr double kPanelLength = 4;  // E has branch points at distance pi from the real line
  const double count = std::ceil(length / kPanelLength), half = 0.5 * length / count;
  Taylor total;
  for (double p = 0; p < count; ++p) {
    Panel panel;
    const double centre = (2 * p + 1) * half;
    for (size_t i = 0; i < kRuleSize / 2; ++i) {
      panel.s[2 * i] = centre - half * kGaussRule[i].abscissa;
      panel.s[2 * i + 1] = centre + half * kGaussRule[i].abscissa;
    }
    fill(panel);
    for (size_t i = 0; i < kRuleSize; ++i) {
      const double mass = half * kGaussRule[i / 2].weight * panel.integrand[i], t = panel.slope[i];
      total = total + Taylor{{mass, mass * t, mass * t * t / 2, mass * t * t * t / 6}};
    }
  }
  return total;
}

// s with F(s) = kDecayExponent for a convex increasing F with F(0) = 0, to a per cent, by Newton's
// method from `start`. decay(s) returns {F, F'}.
template <class Decay>
double decay_length(double start, Decay decay) {
  double s = start;
  for (int k = 0; k < 60; ++k) {
    const auto [value, slope] = decay(s);
    if (std::abs(value - kDecayExponent) < 0.01 * kDecayExponent || !(slope > 0)) break;
    s = std::max(s - (value - kDecayExponent) / slope, 0.25 * s);
  }
  return s;
}

}  // namespace credo::numerics
