// A posterior as a normal distribution times sites, which are functions of one linear combination of the unconstrained values each:
//
//   p(θ) = exp(c + hᵀ θ - ½ θᵀ P θ) Π f_n(s_n),   s_n = a_nᵀ θ
//
// find_sites() reads this form from values and gradients of a density and of its rows, and proves it at random points.
#pragma once
#include "density/log_density.hpp"
#include "numerics/gaussian_integrals.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {

// log f of a site. Working memory of one thread.
class SiteFunction {
 public:
  virtual ~SiteFunction() = default;
  virtual std::string_view form() const = 0;  // "probit"; "row": known by its values alone
  // log f and its derivative; -infinity and 0 where the density refuses the point.
  virtual void evaluate(std::span<const double> s, std::span<double> log_f,
                        std::span<double> slopes) const = 0;
  // Moments of N(s; mean, variance) f(s) in closed form; none without one.
  virtual std::optional<numerics::TiltedNormal> tilted(double /*mean*/, double /*variance*/) const {
    return std::nullopt;
  }
};

struct LinearSite {
  std::vector<std::size_t> places;      // coordinates with a weight that isn't 0
  std::vector<double> weights;          // a
  std::unique_ptr<SiteFunction> exact;  // by evaluations of the density
  std::unique_ptr<SiteFunction> form;   // that was recognised; null if none was
  Index row = 0;                        // its number among the rows of the likelihood; kPriorSite
  double start_precision = 0.0, start_shift = 0.0;  // the factor that rounds begin with
  static constexpr Index kPriorSite = -1;           // a term of the prior, of one value
  bool is_of_prior() const { return row == kPriorSite; }

  const SiteFunction& function() const { return form == nullptr ? *exact : *form; }
};

// exp(constant + shiftᵀ θ - ½ θᵀ precision θ)
struct NormalBase {
  numerics::RowMatrix precision;
  std::vector<double> shift;
  double constant = 0.0;
};

struct SitePosterior {
  NormalBase base;
  std::vector<LinearSite> sites;
  std::function<Index()> num_evaluations;  // evaluations of the density and of single rows so far
};

// The part of a posterior that rounds over its sites change: a resumed fit, which finds the sites anew, continues from there.
struct SitesProgress {
  std::vector<char> has_form;  // a mark for each site
  Index num_evaluations = 0;
  static void saved(auto& self, auto&& field) {
    field(self.has_form);
    field(self.num_evaluations);
  }
};
SitesProgress progress_of(const SitePosterior& posterior);
void resume_at(SitePosterior& posterior, const SitesProgress& progress);
void count_from(SitePosterior& posterior, Index num_evaluations);  // these were made so far

// Throws Error(usage) with the statement or the row, and a way out, for a density that hasn't this form. It must live as long. Takes
// about 10 evaluations of each row, and D + 10 of the density.
SitePosterior find_sites(const density::LogDensity& density);

// A form with few parameters that a function of one variable may have.
struct SiteForm {
  std::string_view name;
  // Null unless the function with these values at these points has the form.
  std::unique_ptr<SiteFunction> (*match)(std::span<const double> s, std::span<const double> log_f);
};
std::span<const SiteForm> site_forms();

}  // namespace credo::infer
