// The table of updates, and the integrals that they share.
#include "infer/sites/site_update.hpp"

#include "base/error.hpp"

namespace credo::infer {

extern const SiteUpdateRow kExpectationUpdate, kLaplaceUpdate, kMomentUpdate;

namespace {
constexpr std::array<const SiteUpdateRow*, 3> kSiteUpdates{&kExpectationUpdate, &kLaplaceUpdate,
                                                           &kMomentUpdate};
constexpr double kSameIntegral = 1e-8;  // log masses, means in standard deviations, log variances

bool is_same(const numerics::TiltedNormal& a, const numerics::TiltedNormal& b) {
  return std::abs(a.log_mass - b.log_mass) < kSameIntegral &&
         std::abs(a.mean - b.mean) < kSameIntegral * std::sqrt(b.variance) &&
         std::abs(a.variance - b.variance) < kSameIntegral * b.variance;
}
}  // namespace

std::span<const SiteUpdateRow* const> site_updates() { return kSiteUpdates; }

const SiteUpdateRow& site_update_named(std::string_view name) {
  for (const SiteUpdateRow* row : kSiteUpdates)
    if (row->name == name) return *row;
  throw Error(ErrorCode::usage, "there is no update of sites '" + std::string(name) + "'", "update",
              "there are: expectations, laplace, moments");
}

bool form_holds(LinearSite& site, const SiteNormal& near) {
  if (site.form == nullptr) return true;
  std::array<double, 5> s{}, by_form{}, exact{}, slopes{};
  for (std::size_t i = 0; i < s.size(); ++i)
    s[i] = near.mean + 2.0 * (static_cast<double>(i) - 2.0) * std::sqrt(near.variance);
  site.form->evaluate(s, by_form, slopes);
  site.exact->evaluate(s, exact, slopes);
  for (std::size_t i = 0; i < s.size(); ++i)
    if (!(std::abs(by_form[i] - exact[i]) <= kSameIntegral * (1.0 + std::abs(exact[i])))) {
      site.form = nullptr;
      return false;
    }
  return true;
}

numerics::LogFactor log_factor_of(const SiteFunction& function) {
  return [&function](std::span<const double> s, std::span<double> log_f, std::span<double> slopes) {
    function.evaluate(s, log_f, slopes);
  };
}

numerics::TiltedNormal tilted_moments(const SiteAt& site) {
  const auto& [mean, variance] = site.cavity;
  SiteIntegrals& own = *site.integrals;
  if (site.power == 1.0)
    if (const auto closed = site.function->tilted(mean, variance)) {
      own.rule = SiteIntegrals::Rule::closed;
      return *closed;
    }
  const numerics::LogFactor factor = log_factor_of(*site.function);
  const numerics::TiltedPeak peak =
      numerics::tilted_peak(mean, variance, factor, site.power, own.peak);
  own.peak = peak.at;
  const bool tries_grid = own.rule == SiteIntegrals::Rule::unknown ||
                          own.rule == SiteIntegrals::Rule::grid || !peak.found();
  const numerics::TiltedNormal by_hermite =
      numerics::tilted_by_hermite(mean, variance, factor, site.power, peak);
  if (!tries_grid) return by_hermite;
  const numerics::TiltedNormal by_grid =
      numerics::tilted_by_grid(mean, variance, factor, site.power, peak);
  if (own.rule == SiteIntegrals::Rule::unknown)
    own.rule =
        is_same(by_hermite, by_grid) ? SiteIntegrals::Rule::hermite : SiteIntegrals::Rule::grid;
  return by_grid;
}

numerics::NormalExpectations normal_expectations(const SiteAt& site) {
  const auto& [mean, variance] = site.marginal;
  SiteIntegrals& own = *site.integrals;
  const numerics::LogFactor factor = log_factor_of(*site.function);
  if (own.rule == SiteIntegrals::Rule::hermite)
    return numerics::expectations_by_hermite(mean, variance, factor);
  const numerics::NormalExpectations by_grid =
      numerics::expectations_by_grid(mean, variance, factor);
  if (own.rule == SiteIntegrals::Rule::grid) return by_grid;
  const numerics::NormalExpectations by_hermite =
      numerics::expectations_by_hermite(mean, variance, factor);
  const double unit = std::sqrt(variance);
  const bool is_same_rule =
      std::abs(by_hermite.value - by_grid.value) <
          kSameIntegral * (1.0 + std::abs(by_grid.value)) &&
      std::abs(by_hermite.slope - by_grid.slope) * unit < kSameIntegral &&
      std::abs(by_hermite.curvature - by_grid.curvature) * variance < kSameIntegral;
  own.rule = is_same_rule ? SiteIntegrals::Rule::hermite : SiteIntegrals::Rule::grid;
  return is_same_rule ? by_hermite : by_grid;
}

double log_mass_of_factor(const SiteNormal& normal, const SiteFactor& factor, double power) {
  return numerics::tilted_by_normal(normal.mean, normal.variance, power * factor.shift,
                                    power * factor.precision)
      .log_mass;
}

}  // namespace credo::infer
