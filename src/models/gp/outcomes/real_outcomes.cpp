// Outcomes that are real numbers: normal, and student with outliers [rasmussen2006, section 9.3].
#include "models/gp/outcomes/outcome_family.hpp"

namespace credo::models {
namespace {
constexpr double kLogTwoPi = 1.8378770664093454836, kLogPi = 1.1447298858494001741;

// phi[0]: standard deviation.
struct NormalSite {
  template <class T>
  static SiteValues<T> at(const OutcomeSite& site, const T* phi, double without) {
    using std::log;
    const double off = site.y - site.offset - without;
    const T precision = 1.0 / (phi[0] * phi[0]);
    return {.value = 0.5 * log(precision) - 0.5 * kLogTwoPi - 0.5 * off * off * precision,
            .first = off * precision,
            .second = -precision,
            .third = T(0.0)};
  }
};
numerics::NormalExpectations normal_expectations(const OutcomeSite& site, const double* phi,
                                                 double mean, double variance) {
  const SiteValues<double> at = NormalSite::at(site, phi, mean);
  return {
      .value = at.value + 0.5 * variance * at.second, .slope = at.first, .curvature = at.second};
}

// phi[0]: scale; phi[1]: degrees of freedom.
struct StudentSite {
  template <class T>
  static SiteValues<T> at(const OutcomeSite& site, const T* phi, double without) {
    using credo::models::lgamma, numerics::lgamma, std::log, std::log1p;
    const double off = site.y - site.offset - without;
    const T scale = phi[0], df = phi[1], a = df * scale * scale, u = a + off * off;
    return {.value = lgamma(0.5 * (df + 1.0)) - lgamma(0.5 * df) - 0.5 * (log(df) + kLogPi) -
                     log(scale) - 0.5 * (df + 1.0) * log1p(off * off / a),
            .first = (df + 1.0) * off / u,
            .second = (df + 1.0) * (off * off - a) / (u * u),
            .third = (df + 1.0) * off * (2.0 * off * off - 6.0 * a) / (u * u * u)};
  }
};

double same(double f) { return f; }
double mean_of(double mean, double) { return mean; }
std::string finite(const OutcomeSite&) { return ""; }

OutcomeFamily real_row(std::string_view name, std::string_view summary) {
  OutcomeFamily row{.name = name, .link = "identity", .summary = summary, .is_scaled = true};
  row.mean_at = same, row.mean_under = mean_of, row.inverse = same, row.refusal = finite;
  return row;
}
OutcomeFamily normal_row() {
  OutcomeFamily row = real_row("normal", "real numbers with normal noise");
  row.is_normal = true;
  row.parameters = {{.name = "sd", .centre = 0.3, .is_in_units = true}};
  row.at = site_values<NormalSite>, row.by_parameters = site_slopes<NormalSite>;
  row.expectations = normal_expectations;
  return row;
}
OutcomeFamily student_row() {
  OutcomeFamily row = real_row("student", "real numbers with outliers");
  row.is_log_concave = false;
  row.parameters = {{.name = "scale", .centre = 0.3, .is_in_units = true},
                    {.name = "df", .centre = 5.0, .spread = 0.7}};
  row.at = site_values<StudentSite>, row.by_parameters = site_slopes<StudentSite>;
  return row;
}
}  // namespace

extern const OutcomeFamily kNormalIdentity, kStudentIdentity;
const OutcomeFamily kNormalIdentity = normal_row();
const OutcomeFamily kStudentIdentity = student_row();

}  // namespace credo::models
