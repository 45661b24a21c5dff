// Functions of one variable that are recognised by their values: a transformation of log f that is affine in s (or a parabola) at all
// points to 1e-9. A recognised site needs no evaluation of the density, and has closed moments where there are any.
#include "infer/sites/linear_site.hpp"
#include "numerics/elementary.hpp"
#include "numerics/special.hpp"

namespace credo::infer {
namespace {
constexpr double kSameForm =
    1e-9;  // relative to the size of a value; rows are computed to about 1e-13
constexpr std::size_t kLeastPoints = 6;

struct Line {
  double slope = 0.0, offset = 0.0;
};

// The line through the outermost points, if all others are on it.
std::optional<Line> line_through(std::span<const double> s, std::span<const double> y) {
  const auto ends = std::ranges::minmax_element(s);
  const auto a = static_cast<std::size_t>(ends.min - s.begin()),
             b = static_cast<std::size_t>(ends.max - s.begin());
  if (!(s[b] > s[a])) return std::nullopt;
  Line line{.slope = (y[b] - y[a]) / (s[b] - s[a])};
  line.offset = y[a] - line.slope * s[a];
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double size = 1.0 + std::abs(line.slope * s[i]) + std::abs(line.offset);
    if (!(std::abs(line.slope * s[i] + line.offset - y[i]) <= kSameForm * size))
      return std::nullopt;
  }
  return line;
}

// Points at which the transformation keeps digits.
std::optional<Line> transformed_line(std::span<const double> s, std::span<const double> log_f,
                                     double (*transform)(double)) {
  constexpr double kNearOne = -1e-6;  // log f above it has lost digits of 1 - f
  std::vector<double> x, y;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (log_f[i] > 0.0) return std::nullopt;
    if (log_f[i] > kNearOne || !std::isfinite(log_f[i])) continue;
    x.push_back(s[i]), y.push_back(transform(log_f[i]));
  }
  if (x.size() < kLeastPoints) return std::nullopt;
  return line_through(x, y);
}

// ---- the forms

class NormalSiteForm final : public SiteFunction {
 public:
  NormalSiteForm(double constant, double shift, double precision)
      : constant_(constant), shift_(shift), precision_(precision) {}
  std::string_view form() const override { return "normal"; }
  void evaluate(std::span<const double> s, std::span<double> log_f,
                std::span<double> slopes) const override {
    for (std::size_t i = 0; i < s.size(); ++i) {
      log_f[i] = constant_ + (shift_ - 0.5 * precision_ * s[i]) * s[i];
      slopes[i] = shift_ - precision_ * s[i];
    }
  }
  std::optional<numerics::TiltedNormal> tilted(double mean, double variance) const override {
    numerics::TiltedNormal found = numerics::tilted_by_normal(mean, variance, shift_, precision_);
    found.log_mass += constant_;
    return found;
  }

 private:
  double constant_, shift_, precision_;
};

// Newton's divided differences at three points far apart; all others are on the parabola.
std::unique_ptr<SiteFunction> match_normal(std::span<const double> s,
                                           std::span<const double> log_f) {
  if (s.size() < kLeastPoints) return nullptr;
  const auto ends = std::ranges::minmax_element(s);
  const auto a = static_cast<std::size_t>(ends.min - s.begin()),
             b = static_cast<std::size_t>(ends.max - s.begin());
  std::size_t middle = a;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (std::abs(s[i] - 0.5 * (s[a] + s[b])) < std::abs(s[middle] - 0.5 * (s[a] + s[b])))
      middle = i;
  if (middle == a || middle == b) return nullptr;
  const double first = (log_f[middle] - log_f[a]) / (s[middle] - s[a]),
               second = (log_f[b] - log_f[middle]) / (s[b] - s[middle]),
               square = (second - first) / (s[b] - s[a]);
  const double shift = first - square * (s[a] + s[middle]),
               constant = log_f[a] - (shift + square * s[a]) * s[a];
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double size = 1.0 + std::abs(constant) + std::abs(shift * s[i]) +
                        std::abs(square * s[i] * s[i]) + std::abs(log_f[i]);
    if (!(std::abs(constant + (shift + square * s[i]) * s[i] - log_f[i]) <= kSameForm * size))
      return nullptr;
  }
  return std::make_unique<NormalSiteForm>(constant, shift, -2.0 * square);
}

class ProbitSiteForm final : public SiteFunction {
 public:
  explicit ProbitSiteForm(const Line& line) : line_(line) {}
  std::string_view form() const override { return "probit"; }
  void evaluate(std::span<const double> s, std::span<double> log_f,
                std::span<double> slopes) const override {
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double z = line_.slope * s[i] + line_.offset;
      log_f[i] = numerics::log_phi(z);
      slopes[i] = line_.slope * numerics::inverse_mills(z);
    }
  }
  std::optional<numerics::TiltedNormal> tilted(double mean, double variance) const override {
    return numerics::tilted_by_probit(mean, variance, line_.slope, line_.offset);
  }

 private:
  Line line_;
};

std::unique_ptr<SiteFunction> match_probit(std::span<const double> s,
                                           std::span<const double> log_f) {
  const auto line = transformed_line(s, log_f, numerics::inv_phi_log);
  return line ? std::make_unique<ProbitSiteForm>(*line) : nullptr;
}

class LogisticSiteForm final : public SiteFunction {
 public:
  explicit LogisticSiteForm(const Line& line) : line_(line) {}
  std::string_view form() const override { return "logistic"; }
  void evaluate(std::span<const double> s, std::span<double> log_f,
                std::span<double> slopes) const override {
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double z = line_.slope * s[i] + line_.offset;
      log_f[i] = numerics::log_inv_logit(z);
      slopes[i] = line_.slope * numerics::inv_logit(-z);
    }
  }

 private:
  Line line_;
};

double logit_of_log(double log_p) { return log_p - numerics::log1m_exp(log_p); }

std::unique_ptr<SiteFunction> match_logistic(std::span<const double> s,
                                             std::span<const double> log_f) {
  const auto line = transformed_line(s, log_f, logit_of_log);
  return line ? std::make_unique<LogisticSiteForm>(*line) : nullptr;
}

constexpr std::array kSiteForms{SiteForm{"normal", match_normal}, SiteForm{"probit", match_probit},
                                SiteForm{"logistic", match_logistic}};
}  // namespace

std::span<const SiteForm> site_forms() { return kSiteForms; }

}  // namespace credo::infer
