// Hand-written gradients against finite differences: central differences at falling steps,
// extrapolated to a vanishing one, with an estimate of their error [ridders1982].
#include <fmt/format.h>

#include "api/impl.hpp"
#include "base/rng.hpp"

namespace credo {
namespace {
constexpr Index kMaxTries = 100;      // for a point with a finite log density
constexpr Index kMaxComponents = 64;  // of more, directions are compared first
constexpr Index kDirections = 8;
constexpr double kRadius = 2.0;
// A derivative is right within this share of it, and the rounding of the values it is made of.
constexpr double kRelative = 1e-6, kAbsolute = 1e-9, kErrors = 20.0;

struct Derivative {
  double value = kNaN, error = kInfinity;
};

// [ridders1982]: a tableau of differences at steps h, h / 1.4, ...; column k removes the next even
// power of the step. The entry that differs least from its neighbours is the best.
template <class Difference>
Derivative extrapolated(Difference difference) {
  constexpr int kSteps = 10;
  constexpr double kFactor = 1.4, kFirst = 0.05, kWorse = 2.0;
  std::array<std::array<double, kSteps>, kSteps> table{};
  Derivative best;
  double step = kFirst;
  for (std::size_t i = 0; i < kSteps; ++i, step /= kFactor) {
    table[0][i] = difference(step);
    if (i == 0) continue;
    double power = 1.0;
    for (std::size_t k = 1; k <= i; ++k) {
      power *= kFactor * kFactor;
      table[k][i] = (table[k - 1][i] * power - table[k - 1][i - 1]) / (power - 1.0);
      const double error = std::max(std::abs(table[k][i] - table[k - 1][i]),
                                    std::abs(table[k][i] - table[k - 1][i - 1]));
      if (error <= best.error) best = {table[k][i], error};
    }
    if (std::abs(table[i][i] - table[i - 1][i - 1]) >= kWorse * best.error) break;
  }
  return best;
}

class Checker {
 public:
  explicit Checker(const Model& model) : model_(model.impl()), names_(model.free_names()) {}

  void check_at(const std::vector<double>& point, std::vector<GradientMismatch>& found) {
    std::vector<double> gradient(point.size());
    const density::Request at = evaluate_at(model_, point, gradient);
    if (!at.status.ok()) return;
    floor_ = kAbsolute * (1.0 + std::abs(at.log_density));
    if (ssize(point) > kMaxComponents && directions_agree(point, gradient)) return;
    std::vector<double> unit(point.size(), 0.0);
    for (std::size_t d = 0; d < point.size(); ++d) {
      unit[d] = 1.0;
      const Derivative numerical = along(point, unit);
      unit[d] = 0.0;
      if (!agree(gradient[d], numerical))
        found.push_back({.name = names_[d],
                         .component = static_cast<Index>(d),
                         .given = gradient[d],
                         .numerical = numerical.value,
                         .error = numerical.error,
                         .point = point});
    }
  }

 private:
  // If a point of the differences is outside of the support, there is no comparison.
  bool agree(double given, const Derivative& numerical) const {
    if (!std::isfinite(numerical.value) || !std::isfinite(numerical.error)) return true;
    const double scale = std::max(std::abs(given), std::abs(numerical.value));
    return std::abs(given - numerical.value) <=
           std::max({kErrors * numerical.error, kRelative * scale, floor_});
  }

  Derivative along(const std::vector<double>& point, const std::vector<double>& direction) {
    return extrapolated([&](double step) {
      return (value(point, direction, step) - value(point, direction, -step)) / (2.0 * step);
    });
  }

  double value(const std::vector<double>& point, const std::vector<double>& direction,
               double step) {
    moved_.resize(point.size());
    for (std::size_t d = 0; d < point.size(); ++d) moved_[d] = point[d] + step * direction[d];
    const density::Request at = evaluate_at(model_, moved_, {});
    return at.status.ok() ? at.log_density : kNaN;
  }

  // Along random signs: a wrong component shows in every one of them.
  bool directions_agree(const std::vector<double>& point, const std::vector<double>& gradient) {
    Rng rng({.seed = 1, .purpose = purpose::kInterface, .chain = 1, .iteration = 0});
    const double length = std::sqrt(static_cast<double>(point.size()));
    std::vector<double> direction(point.size());
    for (Index k = 0; k < kDirections; ++k) {
      double given = 0.0;
      for (std::size_t d = 0; d < point.size(); ++d) {
        direction[d] = (rng.uniform() < 0.5 ? -1.0 : 1.0) / length;
        given += direction[d] * gradient[d];
      }
      if (!agree(given, along(point, direction))) return false;
    }
    return true;
  }

  const Model::Impl& model_;
  std::vector<std::string> names_;
  std::vector<double> moved_;
  double floor_ = 0.0;
};

// Points with a finite log density, the given ones first.
std::vector<std::vector<double>> good_points(const Model& model,
                                             std::span<const std::vector<double>> given,
                                             Index count, std::uint64_t seed) {
  std::vector<std::vector<double>> points;
  const auto take = [&](const std::vector<double>& point) {
    const bool known =
        std::none_of(point.begin(), point.end(), [](double x) { return std::isnan(x); });
    if (known && ssize(point) == model.dimension() && ssize(points) < count &&
        evaluate_at(model.impl(), point, {}).status.ok())
      points.push_back(point);
  };
  for (const std::vector<double>& point : given) take(point);
  std::vector<double> point(static_cast<std::size_t>(model.dimension()));
  for (Index k = 0; k < kMaxTries && ssize(points) < count; ++k) {
    Rng rng({.seed = seed,
             .purpose = purpose::kInterface,
             .chain = 0,
             .iteration = static_cast<std::uint32_t>(k)});
    for (double& x : point) x = rng.uniform(-kRadius, kRadius);
    take(point);
  }
  return points;
}

std::vector<GradientMismatch> mismatches_at(const Model& model,
                                            std::span<const std::vector<double>> points) {
  std::vector<GradientMismatch> found;
  Checker checker(model);
  for (const std::vector<double>& point : points) checker.check_at(point, found);
  const auto badness = [](const GradientMismatch& m) {
    return std::abs(m.given - m.numerical) /
           (1.0 + std::max(std::abs(m.given), std::abs(m.numerical)));
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto& a, const auto& b) { return badness(a) > badness(b); });
  return found;
}

std::string text_of(const GradientMismatch& m) {
  return fmt::format(
      "the gradient by {} (component {}) is {:.10g}, by differences {:.10g} ± {:.1g}", m.name,
      m.component, m.given, m.numerical, m.error);
}

// Bits of a value and its gradient.
std::vector<std::uint64_t> bits_at(const Model& model, const std::vector<double>& point) {
  std::vector<double> gradient(model.has_gradient() ? point.size() : 0);
  const density::Request at = evaluate_at(model.impl(), point, gradient);
  std::vector<std::uint64_t> bits{std::bit_cast<std::uint64_t>(at.log_density)};
  if (at.status.ok())
    for (const double x : gradient) bits.push_back(std::bit_cast<std::uint64_t>(x));
  return bits;
}
}  // namespace

std::string GradientCheck::text() const {
  std::string text;
  for (const GradientMismatch& mismatch : mismatches) text += text_of(mismatch) + "\n";
  return text;
}

GradientCheck check_gradient(const Model& model, Index num_points, std::uint64_t seed) {
  if (!model.has_gradient())
    throw Error(ErrorCode::usage, "the model has no gradient", model.name());
  const auto points = good_points(model, {}, num_points, seed);
  if (points.empty() && num_points > 0)
    throw Error(ErrorCode::evaluation,
                fmt::format("none of {} random points has a finite log density", kMaxTries),
                model.name());
  return {.mismatches = mismatches_at(model, points), .num_points = ssize(points)};
}

void check_callable(const Model& model, std::span<const std::vector<double>> given,
                    bool with_gradient) {
  constexpr Index kPoints = 3;
  const auto points = good_points(model, given, kPoints, 1);
  std::vector<std::vector<std::uint64_t>> first;
  for (const auto& point : points) first.push_back(bits_at(model, point));
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto again = bits_at(model, points[k]);
    if (again == first[k]) continue;
    const auto differs =
        std::mismatch(again.begin(), again.end(), first[k].begin(), first[k].end());
    throw Error(
        ErrorCode::evaluation,
        fmt::format("the {} at a point was {} at the first call, and {} later",
                    differs.first == again.begin() ? "log density" : "gradient",
                    std::bit_cast<double>(*differs.second), std::bit_cast<double>(*differs.first)),
        model.name(), "the same point must give the same numbers at every call");
  }
  if (!with_gradient) return;
  const auto wrong = mismatches_at(model, points);
  if (wrong.empty()) return;
  throw Error(
      ErrorCode::evaluation,
      text_of(wrong[0]) + (wrong.size() > 1 ? fmt::format(", and {} more", wrong.size() - 1) : ""),
      model.name(),
      "credo::check_gradient shows all; check_gradient = false samples with it as it is");
}

}  // namespace credo
