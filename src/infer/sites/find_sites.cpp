// The form of a posterior as a normal distribution times sites.
//
// The gradient of a row that depends on s = aᵀ θ alone is f'(s) a at all points, so that one gradient gives a. The row is a site if
// its value at random points is that at the nearest point of the line θ = s a / |a|². Gradients of the rest at D + 1 points give h and P;
// values and gradients at random points prove them.
#include <fmt/format.h>

#include "base/rng.hpp"
#include "base/stream.hpp"
#include "density/model.hpp"
#include "infer/sites/linear_site.hpp"
#include "infer/sites/rows_at.hpp"

namespace credo::infer {
namespace {
constexpr std::uint32_t kProofPoints = stream("sites.proof_points");
constexpr double kSameRow = 1e-9;   // relative to the size of a value
constexpr double kSameRest = 1e-9;  // relative to the sizes of the terms
constexpr int kProofs = 6;
constexpr std::array kProofSpreads = {0.3, 1.0, 1.0, 3.0, 3.0, 0.1};

using Point = std::vector<double>;

// log f along the line of a site, by evaluations of the row.
class RowSiteFunction final : public SiteFunction {
 public:
  RowSiteFunction(std::shared_ptr<RowsAt> rows, Index row, Point direction)
      : rows_(std::move(rows)), row_(row), direction_(std::move(direction)) {
    for (const double a : direction_) square_ += a * a;
  }
  std::string_view form() const override { return "row"; }
  void evaluate(std::span<const double> s, std::span<double> log_f,
                std::span<double> slopes) const override {
    rows_->along(row_, direction_, square_, s, log_f, slopes);
  }

 private:
  std::shared_ptr<RowsAt> rows_;
  Index row_;
  Point direction_;
  double square_ = 0.0;
};

// The density along one coordinate through a centre, less its value there: a term of the prior.
class AxisSiteFunction final : public SiteFunction {
 public:
  AxisSiteFunction(std::shared_ptr<SiteRest> rest, std::size_t coordinate)
      : rest_(std::move(rest)), coordinate_(coordinate) {}
  std::string_view form() const override { return "prior"; }
  void evaluate(std::span<const double> s, std::span<double> log_f,
                std::span<double> slopes) const override {
    Point x = rest_->centre, gradient(x.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
      x[coordinate_] = s[i];
      log_f[i] = rest_->evaluate_whole(x, gradient) - rest_->value_at_centre;
      slopes[i] = std::isfinite(log_f[i]) ? gradient[coordinate_] : 0.0;
    }
  }

 private:
  std::shared_ptr<SiteRest> rest_;
  std::size_t coordinate_;
};

class SiteFinder {
 public:
  explicit SiteFinder(const density::LogDensity& density)
      : density_(density),
        rng_({.seed = 1, .purpose = kProofPoints}),
        shared_rest_(std::make_shared<SiteRest>(rest_of(density))),
        rest_(*shared_rest_) {}

  SitePosterior find() {
    const auto n = static_cast<std::size_t>(density_.dimension());
    found_.base.shift.assign(n, 0.0);
    read_base();
    if (rest_.can_ask_rows.can && !base_holds()) take_axes();
    if (rest_.rows != nullptr)
      for (Index row = 0; row < rest_.rows->num_rows(); ++row) add_site(row);
    if (!rest_.more_rows.empty()) read_base();
    prove_base();
    found_.base.constant += constant_rows_;
    found_.num_evaluations = [rest = shared_rest_] {
      return rest->num_evaluations + (rest->rows == nullptr ? 0 : rest->rows->num_evaluations());
    };
    return std::move(found_);
  }

 private:
  // ---- the rest

  // Near the rest's centre if it has one, else near the origin.
  Point random_point(double spread) {
    Point x = centre_;
    for (std::size_t d = 0; d < x.size(); ++d) x[d] += spread * scales_[d] * rng_.normal();
    return x;
  }

  void read_base() {
    const std::size_t n = found_.base.shift.size();
    NormalBase& base = found_.base;
    centre_.assign(n, 0.0), scales_.assign(n, 1.0);
    base.precision = numerics::RowMatrix(static_cast<Index>(n));
    Point at(n, 0.0), gradient(n);
    base.constant = rest_.evaluate(at, base.shift);
    for (std::size_t d = 0; d < n; ++d) {
      at[d] = 1.0;
      rest_.evaluate(at, gradient);
      at[d] = 0.0;
      for (std::size_t e = 0; e < n; ++e)
        base.precision(static_cast<Index>(e), static_cast<Index>(d)) = base.shift[e] - gradient[e];
    }
    symmetrise(base.precision);
    place_proofs();
  }
  void place_proofs() {
    const numerics::RowMatrix factor = numerics::lower_factor(found_.base.precision);
    const bool is_proper = std::isfinite(numerics::log_determinant_of_factor(factor));
    for (std::size_t d = 0; d < centre_.size(); ++d) {
      const double p = found_.base.precision(static_cast<Index>(d), static_cast<Index>(d));
      if (p > 0.0) scales_[d] = 1.0 / std::sqrt(p);
    }
    if (!is_proper) return;
    centre_ = found_.base.shift;
    numerics::solve_factor(factor, centre_);
    numerics::solve_factor_transposed(factor, centre_);
  }
  static void symmetrise(numerics::RowMatrix& p) {
    for (Index i = 0; i < p.rows; ++i)
      for (Index j = 0; j < i; ++j) p(i, j) = p(j, i) = 0.5 * (p(i, j) + p(j, i));
  }

  bool base_holds() {
    Point gradient(centre_.size());
    for (const double spread : kProofSpreads) {
      const Point x = random_point(spread);
      const double value = rest_.evaluate(x, gradient);
      if (!agrees_with_base(x, value, gradient)) return false;
    }
    return true;
  }
  void prove_base() {
    if (base_holds()) return;
    if (rest_.more_rows.empty()) throw rest_not_normal(density_, rest_, centre_);
    throw row_not_site(density_, rest_, rest_.more_rows.front(), centre_);
  }

  // Coordinates along which the prior isn't normal are sites, if it is a product of their functions and of a normal distribution.
  void take_axes() {
    const Point origin(centre_.size(), 0.0);
    Point gradient(origin.size());
    rest_.centre = origin;
    rest_.value_at_centre = rest_.evaluate_whole(origin, gradient);
    if (!std::isfinite(rest_.value_at_centre)) return;
    rest_.axes =
        bent_axes([&](std::span<const double> x,
                      std::span<double> g) { return std::isfinite(rest_.evaluate_whole(x, g)); },
                  origin);
    read_base();
    if (!base_holds()) {
      rest_.axes.clear();
      return read_base();
    }
    for (const std::size_t d : rest_.axes) add_axis(d);
  }
  // Rounds begin with the moments of the function itself, within 100 units.
  void add_axis(std::size_t d) {
    constexpr double kWide = 1e4;
    LinearSite site;
    site.places = {d}, site.weights = {1.0};
    site.exact = std::make_unique<AxisSiteFunction>(shared_rest_, d);
    site.row = LinearSite::kPriorSite;
    const numerics::LogFactor factor = [&site](std::span<const double> s, std::span<double> log_f,
                                               std::span<double> slopes) {
      site.exact->evaluate(s, log_f, slopes);
    };
    const numerics::TiltedNormal own = numerics::tilted_by_grid(0.0, kWide, factor, 1.0, {});
    if (own.variance > 0.0) {
      site.start_precision = 1.0 / own.variance;
      site.start_shift = own.mean / own.variance;
      scales_[d] = std::sqrt(own.variance), centre_[d] = own.mean;
    }
    found_.sites.push_back(std::move(site));
  }
  bool agrees_with_base(std::span<const double> x, double value,
                        std::span<const double> gradient) const {
    const NormalBase& base = found_.base;
    double sum = base.constant, size = 1.0 + std::abs(base.constant) + std::abs(value);
    for (std::size_t d = 0; d < x.size(); ++d) {
      double product = 0.0, terms = std::abs(base.shift[d]) + std::abs(gradient[d]);
      for (std::size_t e = 0; e < x.size(); ++e) {
        const double term = base.precision(static_cast<Index>(d), static_cast<Index>(e)) * x[e];
        product += term, terms += std::abs(term);
      }
      if (!(std::abs(base.shift[d] - product - gradient[d]) <= kSameRest * (1e-3 + terms)))
        return false;
      sum += x[d] * (base.shift[d] - 0.5 * product);
      size += std::abs(x[d]) * terms;
    }
    return std::abs(sum - value) <= kSameRest * size;
  }

  // ---- sites

  void add_site(Index row) {
    const std::optional<Point> direction = direction_of(row);
    if (!direction) return add_constant(row);
    auto exact = std::make_unique<RowSiteFunction>(rest_.rows, row, *direction);
    std::vector<double> s, log_f;
    if (!is_site(*exact, row, *direction, s, log_f)) return rest_.more_rows.push_back(row);
    LinearSite site;
    site.row = row;
    for (std::size_t d = 0; d < direction->size(); ++d)
      if ((*direction)[d] != 0.0) site.places.push_back(d), site.weights.push_back((*direction)[d]);
    for (const SiteForm& form : site_forms())
      if (site.form == nullptr) site.form = form.match(s, log_f);
    site.exact = std::move(exact);
    found_.sites.push_back(std::move(site));
  }

  // A row without a gradient is one number, or steps from one to another.
  void add_constant(Index row) {
    const double value = rest_.rows->value(row, centre_);
    for (const double spread : kProofSpreads)
      if (rest_.rows->value(row, random_point(spread)) != value)
        return rest_.more_rows.push_back(row);
    constant_rows_ += value;
  }

  // The largest weight is 1. None if the row has no gradient anywhere.
  std::optional<Point> direction_of(Index row) {
    Point gradient(centre_.size());
    for (int k = 0; k < kProofs; ++k) {
      const Point x = k == 0 ? centre_ : random_point(kProofSpreads[static_cast<std::size_t>(k)]);
      if (!std::isfinite(rest_.rows->gradient(row, x, gradient))) continue;
      double largest = 0.0;
      for (const double g : gradient)
        if (std::abs(g) > std::abs(largest)) largest = g;
      if (largest == 0.0) continue;
      for (double& g : gradient) g /= largest;
      return gradient;
    }
    return std::nullopt;
  }

  // Also adds points of the line, with the values there.
  bool is_site(const SiteFunction& along, Index row, std::span<const double> direction,
               std::vector<double>& s, std::vector<double>& log_f) {
    for (const double spread : kProofSpreads) {
      const Point x = random_point(spread);
      double at = 0.0, size = 0.0;
      for (std::size_t d = 0; d < x.size(); ++d)
        at += direction[d] * x[d], size += std::abs(direction[d] * x[d]);
      double value = 0.0, slope = 0.0;
      along.evaluate(std::span(&at, 1), std::span(&value, 1), std::span(&slope, 1));
      const double there = rest_.rows->value(row, x);
      if (value == there && !std::isfinite(there)) continue;
      const double rounding = kSameRow * (1.0 + std::abs(there) + std::abs(slope) * size);
      if (!(std::abs(value - there) <= rounding)) return false;
      s.push_back(at), log_f.push_back(value);
    }
    add_points(along, direction, s, log_f);
    return true;
  }
  // For recognising forms: wide and narrow, around the origin and around the centre.
  void add_points(const SiteFunction& along, std::span<const double> direction,
                  std::vector<double>& s, std::vector<double>& log_f) const {
    double middle = 0.0, variance = 0.0;
    for (std::size_t d = 0; d < direction.size(); ++d)
      middle += direction[d] * centre_[d], variance += std::pow(direction[d] * scales_[d], 2);
    const double sd = std::sqrt(variance);
    std::vector<double> points;
    for (const double z : {-4.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 4.0}) {
      points.push_back(middle + z * sd);
      points.push_back(z);
    }
    std::vector<double> values(points.size()), slopes(points.size());
    along.evaluate(points, values, slopes);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (std::isfinite(values[i])) s.push_back(points[i]), log_f.push_back(values[i]);
  }

  const density::LogDensity& density_;
  Rng rng_;
  std::shared_ptr<SiteRest> shared_rest_;
  SiteRest& rest_;
  SitePosterior found_;
  Point centre_, scales_;
  double constant_rows_ = 0.0;
};
}  // namespace

SitePosterior find_sites(const density::LogDensity& density) { return SiteFinder(density).find(); }

}  // namespace credo::infer
