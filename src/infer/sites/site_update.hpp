// Updates of a site's normal factor exp(shift s - ½ precision s²). A new one is a file in infer/sites/updates/ with a row, and the name
// of the row in site_updates.cpp.
#pragma once
#include "infer/sites/linear_site.hpp"

namespace credo::infer {

// exp(constant + shift s - ½ precision s²)
struct SiteFactor {
  double precision = 0.0, shift = 0.0, constant = 0.0;
  static void saved(auto& self, auto&& field) {
    field(self.precision);
    field(self.shift);
    field(self.constant);
  }
};

struct SiteNormal {
  double mean = kNaN, variance = kNaN;
};

// Compares a recognised form with the density within four standard deviations of the mean, and forgets it where they differ: false then.
bool form_holds(LinearSite& site, const SiteNormal& near);

// Memory of a site's integrals between rounds.
struct SiteIntegrals {
  enum class Rule { unknown, closed, hermite, grid };
  Rule rule = Rule::unknown;
  double peak = kNaN;  // place of the last integrand's mode
  static void saved(auto& self, auto&& field) {
    field(self.rule);
    field(self.peak);
  }
};

// A site, and the distribution of its s: N(marginal) given all data, N(cavity) without `power` of the site's own factor.
struct SiteAt {
  const SiteFunction* function = nullptr;
  SiteIntegrals* integrals = nullptr;
  SiteNormal marginal, cavity;
  SiteFactor factor;
  double power = 1.0;
};

// A new factor, and the integral or value of the site from which its constant follows.
struct SiteProposal {
  double precision = kNaN, shift = kNaN;
  double value = kNaN;  // log ∫ N(cavity) f^power, E log f, or log f
  double at = kNaN;     // where that is a value
  bool exists() const { return std::isfinite(precision) && std::isfinite(shift); }
};

struct SiteUpdateRow {
  std::string_view name, summary;
  bool uses_cavity = true;
  SiteProposal (*update)(const SiteAt& site);
  // The constant with which `site.factor` stands for the site in the evidence.
  double (*constant)(const SiteAt& site, const SiteProposal& found);
};
std::span<const SiteUpdateRow* const> site_updates();
const SiteUpdateRow& site_update_named(std::string_view name);

// Moments of N(cavity) f(s)^power: by closed form, by Gauss–Hermite, or over a grid; which of these is decided at the first call, by
// comparison with the grid, and again after `integrals.rule` was set to unknown.
numerics::TiltedNormal tilted_moments(const SiteAt& site);
numerics::NormalExpectations normal_expectations(const SiteAt& site);
numerics::LogFactor log_factor_of(const SiteFunction& function);

// log ∫ N(s; normal) exp(power (shift s - ½ precision s²)) ds
double log_mass_of_factor(const SiteNormal& normal, const SiteFactor& factor, double power);

}  // namespace credo::infer
