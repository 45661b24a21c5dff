// A piece on [a, b] with the tangent value v and slope s at its higher end, q = |s| (b - a):
//
//   ∫ e^u = e^v (b - a) (1 - e^-q) / q,   e^v / |s| where it has no end
//   from the higher end on, at t = -log(1 - p (1 - e^-q)) / |s| with p uniform
//
// Both are written by expm1 and log1p, whose relative errors stay at rounding for any q > 0, so that equal
// slopes need no case of their own but q = 0.
#include "infer/mcmc/rejection/tangent_hull.hpp"

#include "base/error.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {

struct Piece {
  double left, right, top, slope;  // top: the value at the higher end
};

double log_mass_of(const Piece& piece) {
  const double width = piece.right - piece.left, steepness = std::fabs(piece.slope);
  if (!(width > 0.0)) return -kInfinity;
  const double q = steepness * width;
  if (q == 0.0) return piece.top + numerics::log(width);
  const double covered = -numerics::expm1(-q);  // covered share of the endless tail, or of q
  if (q > 1.0) return piece.top + numerics::log(covered) - numerics::log(steepness);
  return piece.top + numerics::log(covered / q) + numerics::log(width);
}

double place_in(const Piece& piece, double p) {
  const double width = piece.right - piece.left, steepness = std::fabs(piece.slope);
  const double q = steepness * width;
  const double t = q > 0.0 ? -numerics::log1p(p * numerics::expm1(-q)) / steepness : p * width;
  const double x = piece.slope > 0.0 ? piece.right - t : piece.left + t;
  return std::clamp(x, piece.left, piece.right);  // rounding
}

double on_tangent(const TangentPoint& at, double x) { return at.value + at.slope * (x - at.x); }

// Place where the tangents at a and b, a.x < b.x, meet, from the point that the other's tangent misses by less; the
// middle where rounding finds no place between them.
double meeting(const TangentPoint& a, const TangentPoint& b) {
  const double above_a = on_tangent(b, a.x) - a.value, above_b = on_tangent(a, b.x) - b.value;
  const double turn = a.slope - b.slope;
  const double z = above_a < above_b ? a.x + above_a / turn : b.x - above_b / turn;
  return z >= a.x && z <= b.x ? z : a.x + 0.5 * (b.x - a.x);
}

}  // namespace

double tangent_excess(const TangentPoint& a, const TangentPoint& b) {
  return std::max(b.value - on_tangent(a, b.x), a.value - on_tangent(b, a.x));
}

// Rounding of sums of many terms that are as large as the values, and of slopes of as many terms.
double tangent_rounding(const TangentPoint& a, const TangentPoint& b) {
  constexpr double kRelative = 1e-11;
  const double distance = b.x - a.x;
  return kRelative * std::max({std::fabs(a.value), std::fabs(b.value),
                               std::fabs(a.slope * distance), std::fabs(b.slope * distance)});
}

TangentHull::TangentHull(Index most_points) {
  const auto n = static_cast<std::size_t>(most_points);
  points_.reserve(n), ends_.reserve(n), log_masses_.reserve(n);
}

void TangentHull::clear(double lower, double upper) {
  lower_ = lower, upper_ = upper;
  points_.clear(), ends_.clear(), log_masses_.clear();
}

void TangentHull::add(const TangentPoint& point) {
  CREDO_ASSERT(point.x >= lower_ && point.x <= upper_ && std::isfinite(point.value) &&
                   std::isfinite(point.slope),
               "a finite point within the bounds");
  const std::size_t place = place_of(point.x);
  if (is_full() || (place < points_.size() && points_[place].x == point.x)) return;
  points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(place), point);
  update();
}

void TangentHull::cut(double x) {
  if (x < points_.front().x)
    lower_ = std::max(lower_, x);
  else
    upper_ = std::min(upper_, x);
  update();
}

void TangentHull::update() {
  const std::size_t n = points_.size();
  ends_.resize(n - 1), log_masses_.resize(n);
  for (std::size_t i = 0; i + 1 < n; ++i) ends_[i] = meeting(points_[i], points_[i + 1]);
  for (std::size_t i = 0; i < n; ++i) {
    const double slope = points_[i].slope;
    const Piece piece{end_left(i), end_right(i), 0.0, slope};
    const double higher = slope > 0.0 ? piece.right : piece.left;
    const double top = slope == 0.0 ? points_[i].value : on_tangent(points_[i], higher);
    log_masses_[i] = log_mass_of({piece.left, piece.right, top, slope});
  }
}

TangentHull::Drawn TangentHull::draw(double for_piece, double for_place) const {
  const double most = *std::max_element(log_masses_.begin(), log_masses_.end());
  double total = 0.0;
  for (const double log_mass : log_masses_) total += numerics::exp(log_mass - most);
  double rest = for_piece * total;
  std::size_t i = 0,
              last = 0;  // the last piece that has a mass: rounding may leave a rest behind it
  for (; i < log_masses_.size(); ++i) {
    const double mass = numerics::exp(log_masses_[i] - most);
    if (mass > 0.0) last = i;
    if (rest < mass) break;
    rest -= mass;
  }
  if (i == log_masses_.size()) i = last;
  const double x = place_in({end_left(i), end_right(i), 0.0, points_[i].slope}, for_place);
  return {x, on_tangent(points_[i], x)};
}

double TangentHull::bound(double x) const {
  if (x < lower_ || x > upper_) return -kInfinity;
  return on_tangent(points_[piece_of(x)], x);
}

double TangentHull::chord(double x) const {
  const std::size_t right = place_of(x);
  if (right == points_.size() || (right == 0 && x < points_[0].x)) return -kInfinity;
  const TangentPoint& b = points_[right];
  if (right == 0 || x == b.x) return b.value;
  const TangentPoint& a = points_[right - 1];
  const double share = (x - a.x) / (b.x - a.x);
  return (1.0 - share) * a.value + share * b.value;
}

bool TangentHull::is_negligible(const TangentPoint& point) const {
  constexpr double kNegligible = 36.0;  // e^-36 is the unit roundoff
  double most = -kInfinity;
  for (const TangentPoint& p : points_) most = std::max(most, p.value);
  return point.value < most - kNegligible && bound(point.x) < most - kNegligible;
}

TangentHull::Excess TangentHull::excess(const TangentPoint& point) const {
  Excess worst;
  const auto look = [&](const TangentPoint& beside) {
    const double value = tangent_excess(point, beside) - tangent_rounding(point, beside);
    if (!(value <= worst.value)) worst = {value, beside};
  };
  const std::size_t right = place_of(point.x);
  if (right < points_.size()) look(points_[right]);
  if (right > 0) look(points_[right - 1]);
  return worst;
}

std::size_t TangentHull::place_of(double x) const {
  const auto left_of = [](const TangentPoint& point, double at) { return point.x < at; };
  return static_cast<std::size_t>(std::lower_bound(points_.begin(), points_.end(), x, left_of) -
                                  points_.begin());
}

std::size_t TangentHull::piece_of(double x) const {
  return static_cast<std::size_t>(std::lower_bound(ends_.begin(), ends_.end(), x) - ends_.begin());
}

}  // namespace credo::infer
