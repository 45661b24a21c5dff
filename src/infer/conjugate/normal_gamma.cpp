// Real numbers and the scale of their covariance: normal given a precision, variance or standard deviation.
#include "infer/conjugate/blocks.hpp"

namespace credo::infer::conjugate {
namespace {

// The precision that a row's number states, up to a constant: the number itself, or its reciprocal or the square of that.
double log_precision(const ScalarRow& row, double s) {
  return (row.family == "gamma" ? 1.0 : -1.0) * row.power * std::log(s);
}

class NormalGammaBlock final : public Block {
 public:
  // `given`: at the scale `at`.
  struct Places {
    std::vector<Index> reals;
    Index scale, num_values;
  };
  NormalGammaBlock(NormalFit given, ScalarFit scale, Places places, double at, double width)
      : given_(std::move(given)),
        scale_(std::move(scale)),
        reals_(std::move(places.reals)),
        place_(places.scale),
        size_(places.num_values),
        at_(at),
        width_(width) {}
  std::string_view family() const override {
    return scale_.row->family == "gamma" ? "normal_gamma" : "normal_inv_gamma";
  }
  BlockState state() const override {
    BlockState state{.kind = "normal_scale",
                     .places = reals_,
                     .mean = given_.mean,
                     .covariance = given_.covariance(),
                     .family = std::string(scale_.row->family),
                     .power = scale_.row->power,
                     .arguments = scale_.family->to_args(scale_.natural, {}),
                     .scale_place = place_};
    for (double& value : state.covariance) value *= std::exp(log_precision(*scale_.row, at_));
    return state;
  }
  double log_density(std::span<const double> values) const override {
    const double s = values[static_cast<std::size_t>(place_)];
    return scaled(s).log_density(at_places(values, reals_)) + log_density_of(scale_, s);
  }
  std::vector<Marginal> marginals() const override {
    const auto [shape, rate] = gamma();
    std::vector<Marginal> all;
    for (Index k = 0; k < given_.size(); ++k) {
      const double nu = 2.0 * shape, spread = std::sqrt(rate / shape * unit_variance(k, k));
      const double mu = given_.mean[static_cast<std::size_t>(k)];
      all.push_back({.place = reals_[static_cast<std::size_t>(k)],
                     .family = "student_t",
                     .arguments = {{"nu", nu}, {"mu", mu}, {"sigma", spread}},
                     .mean = nu > 1.0 ? mu : kNaN,
                     .sd = nu > 2.0   ? spread * std::sqrt(nu / (nu - 2.0))
                           : nu > 1.0 ? kInfinity
                                      : kNaN});
    }
    all.push_back(marginal_of(scale_, place_));
    return all;
  }
  void add_covariance(std::span<double> all) const override {
    const auto [shape, rate] = gamma();
    const double factor = shape > 1.0 ? rate / (shape - 1.0) : kInfinity;
    const auto at = [&](Index j, Index k) -> double& {
      return all[static_cast<std::size_t>(j * size_ + k)];
    };
    for (Index j = 0; j < given_.size(); ++j)
      for (Index k = 0; k < given_.size(); ++k)
        at(reals_[static_cast<std::size_t>(j)], reals_[static_cast<std::size_t>(k)]) +=
            factor * unit_variance(j, k);
    const double sd = marginal_of(scale_, place_).sd;
    at(place_, place_) += sd * sd;
  }
  void scatter(Rng& rng, double spread, std::span<double> values) const override {
    const double s = at_ * std::exp(std::clamp(spread * width_ * rng.normal(), -6.0, 6.0));
    values[static_cast<std::size_t>(place_)] = s;
    const NormalFit given = scaled(s);
    const std::size_t n = reals_.size();
    for (std::size_t i = 0; i < n; ++i) values[static_cast<std::size_t>(reals_[i])] = given.mean[i];
    for (std::size_t k = 0; k < n; ++k) {
      const double z = spread * rng.normal();
      for (std::size_t i = 0; i < n; ++i)
        values[static_cast<std::size_t>(reals_[i])] += z * given.axes[k * n + i];
    }
  }

 private:
  // The normal for another value of the scale.
  NormalFit scaled(double s) const {
    const double log_factor =
        0.5 * (log_precision(*scale_.row, at_) - log_precision(*scale_.row, s));
    NormalFit given = given_;
    for (double& a : given.axes) a *= std::exp(log_factor);
    given.log_det += log_factor * static_cast<double>(given.size());
    return given;
  }
  double unit_variance(Index j, Index k) const {  // for precision 1
    return given_.variance(j, k) * std::exp(log_precision(*scale_.row, at_));
  }
  std::pair<double, double> gamma() const {  // shape and rate of the precision
    const std::vector<double> args = scale_.family->to_args(scale_.natural, {});
    return {args[0], args[1]};
  }

  NormalFit given_;  // at the centre's scale
  ScalarFit scale_;
  std::vector<Index> reals_;
  Index place_, size_;
  double at_, width_;
};

Index positive_place(const Meeting& meeting) {
  for (std::size_t k = 0; k < meeting.units.size(); ++k)
    if (meeting.unit(k).domain == Domain::positive) return meeting.unit(k).places.front();
  return -1;
}

bool is_scaled_normal(const Meeting& meeting) {
  return number_of(meeting, Domain::positive) == 1 && number_of(meeting, Domain::real) > 0 &&
         number_of(meeting, Domain::real) + 1 == ssize(meeting.units);
}

// Values along the scale, with the real numbers at their mean.
Sampled along_scale(const Meeting& meeting, const NormalFit& given, Index place) {
  std::vector<double> values = meeting.centre.values;
  const std::vector<Index> reals = real_places(meeting);
  for (std::size_t k = 0; k < reals.size(); ++k)
    values[static_cast<std::size_t>(reals[k])] = given.mean[k];
  return sample(Domain::positive, values[static_cast<std::size_t>(place)], [&](double s) {
    values[static_cast<std::size_t>(place)] = s;
    return meeting.problem.log_density(values);
  });
}

// True if the curvature along the first axis scales as the row's precision does.
bool scales_as(const ScalarRow& row, const Meeting& meeting, const NormalFit& given, Index place) {
  Centre centre = meeting.centre;
  double& s = centre.values[static_cast<std::size_t>(place)];
  const double before = s;
  s *= 2.0;
  const Meeting doubled{meeting.problem, centre, meeting.units};
  const NormalFit there = fit_reals(doubled, real_places(meeting));
  const double expected = log_precision(row, before) - log_precision(row, s);
  return there.is_proper &&
         std::abs(std::log(there.variance(0, 0) / given.variance(0, 0)) - expected) < 1e-6;
}

Fitted fit_normal_gamma(const Meeting& meeting) {
  const Index place = positive_place(meeting);
  NormalFit given = fit_reals(meeting, real_places(meeting));
  Fitted fitted{.block = nullptr, .is_improper = !given.is_proper};
  if (!given.is_proper) return fitted;
  const Sampled raw = along_scale(meeting, given, place);
  for (const ScalarRow& row : scalar_rows(Domain::positive)) {
    if (row.family == "lognormal" || !scales_as(row, meeting, given, place)) continue;
    Sampled points = raw;  // less the normal's own factor, which depends on the scale
    for (std::size_t i = 0; i < points.x.size(); ++i)
      points.f[i] -= 0.5 * static_cast<double>(given.size()) * log_precision(row, points.x[i]);
    ScalarFit scale = fit_scalar(row, points);
    fitted.is_improper = fitted.is_improper || (scale.is_linear && !scale.is_proper);
    if (!scale.is_proper) continue;
    const auto at = static_cast<std::size_t>(place);
    fitted.block = std::make_unique<NormalGammaBlock>(
        std::move(given), std::move(scale),
        NormalGammaBlock::Places{real_places(meeting), place, meeting.problem.num_values},
        meeting.centre.values[at], meeting.centre.scale[at]);
    break;
  }
  return fitted;
}
}  // namespace

std::unique_ptr<Block> normal_gamma_of_state(const BlockState& state, Index num_values) {
  NormalFit given = normal_of(state.mean, state.covariance);
  ScalarFit scale = scalar_of(Domain::positive, state);
  if (!given.is_proper || !scale.is_proper || state.scale_place < 0 ||
      state.mean.size() != state.places.size())
    return nullptr;
  return std::make_unique<NormalGammaBlock>(
      std::move(given), std::move(scale),
      NormalGammaBlock::Places{state.places, state.scale_place, num_values}, 1.0, 1.0);
}

extern const BlockKind normal_gamma_block{"normal and scale", is_scaled_normal, fit_normal_gamma};

}  // namespace credo::infer::conjugate
