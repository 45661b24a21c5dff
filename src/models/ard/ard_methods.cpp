// The updates of the four methods (type_two.hpp), each a row.
#include "models/ard/type_two.hpp"

namespace credo::models {
namespace {

double kept(double precision) { return precision > kPruned ? kInfinity : precision; }

// The noise at EM's update, which never lowers the evidence.
double noise_by_em(const ArdState& state) {
  if (state.is_noise_known()) return state.noise();
  return (state.residual() + state.noise() * state.known()) / state.num_rows();
}
double noise_by_fixed_point(const ArdState& state) {
  const double free = state.num_rows() - state.known();
  if (state.is_noise_known() || !(free > 0.0)) return state.noise();
  return state.residual() / free;
}
// The fixed point where the evidence rises by it, else EM's update.
void update_noise(ArdState& state) {
  const double by_em = noise_by_em(state), before = state.log_evidence();
  state.set_noise(noise_by_fixed_point(state));
  if (!(state.log_evidence() >= before)) state.set_noise(by_em);
}

void update_by_em(ArdState& state) {
  std::vector<double> precision = state.precision();
  for (std::size_t d = 0; d < precision.size(); ++d)
    if (std::isfinite(precision[d]))
      precision[d] = kept(1.0 / (state.mean()[d] * state.mean()[d] + state.variance(d)));
  state.set(std::move(precision), noise_by_em(state));
}

void update_by_fixed_point(ArdState& state) {
  std::vector<double> precision = state.precision();
  for (std::size_t d = 0; d < precision.size(); ++d) {
    const double known = 1.0 - precision[d] * state.variance(d);
    if (std::isfinite(precision[d]))
      precision[d] = kept(known / (state.mean()[d] * state.mean()[d]));
  }
  state.set(std::move(precision), noise_by_fixed_point(state));
}

void update_in_turn(ArdState& state) {
  for (std::size_t d = 0; d < state.size(); ++d) {
    const double best = state.best_precision(d);
    if (best != state.precision()[d]) state.set_precision(d, best);
  }
  update_noise(state);
}

// min_w ‖y - X w‖² / (2 σ²) + Σ √z_d |w_d|, by coordinate descent from w.
void minimise_weighted_l1(const ArdState& state, std::span<const double> width,
                          std::vector<double>& w) {
  constexpr int kMostSweeps = 10'000;
  constexpr double kSettled = 1e-13;
  const std::size_t n = w.size();
  std::vector<double> slope(n);
  for (std::size_t d = 0; d < n; ++d) {
    slope[d] = state.product(d);
    for (std::size_t j = 0; j < n; ++j) slope[d] -= state.product(d, j) * w[j];
  }
  double most = 1.0;
  for (int sweep = 0; sweep < kMostSweeps && most > kSettled; ++sweep) {
    most = 0.0;
    for (std::size_t d = 0; d < n; ++d) {
      const double square = state.product(d, d);
      if (square == 0.0) continue;
      const double to = square * w[d] + slope[d], limit = state.noise() * width[d];
      const double next = (to > limit ? to - limit : to < -limit ? to + limit : 0.0) / square;
      const double step = next - w[d];
      if (step == 0.0) continue;
      for (std::size_t j = 0; j < n; ++j) slope[j] -= state.product(d, j) * step;
      w[d] = next;
      most = std::max(most, std::abs(step) / (1.0 + std::abs(next)));
    }
  }
}

// log |C| ≤ Σ z_d / α_d + constant with z_d = x_dᵀ C⁻¹ x_d; with it the best 1 / α_d is |w_d| / √z_d.
void update_by_weighted_l1(ArdState& state) {
  std::vector<double> width(state.size()), precision(state.size(), kInfinity), w = state.mean();
  for (std::size_t d = 0; d < state.size(); ++d)
    width[d] = std::sqrt(std::max(state.fit_of(d).full, 0.0));
  minimise_weighted_l1(state, width, w);
  for (std::size_t d = 0; d < state.size(); ++d)
    if (w[d] != 0.0) precision[d] = kept(width[d] / std::abs(w[d]));
  state.set(std::move(precision), state.noise());
  update_noise(state);
}

constexpr ArdMethod kEmMethod{.name = "em",
                              .words = "EM over the coefficients",
                              .update = update_by_em,
                              .most_rounds = 20'000};
constexpr ArdMethod kEvidenceMethod{.name = "evidence",
                                    .words = "each precision at its maximum in turn",
                                    .update = update_in_turn,
                                    .most_rounds = 2'000};
constexpr ArdMethod kMackayMethod{.name = "mackay",
                                  .words = "MacKay's fixed point",
                                  .update = update_by_fixed_point,
                                  .most_rounds = 20'000};
constexpr ArdMethod kNonfactorialMethod{.name = "nonfactorial",
                                        .words = "reweighted l1: the mode of a non-factorial prior",
                                        .update = update_by_weighted_l1,
                                        .most_rounds = 5'000};
}  // namespace

std::span<const ArdMethod* const> ard_methods() {
  static constexpr std::array kRows{&kEmMethod, &kEvidenceMethod, &kMackayMethod,
                                    &kNonfactorialMethod};
  return kRows;
}

const ArdMethod* find_ard_method(std::string_view name) {
  for (const ArdMethod* row : ard_methods())
    if (row->name == name) return row;
  return nullptr;
}

}  // namespace credo::models
