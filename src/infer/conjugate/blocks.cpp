// Blocks of one number, of one simplex, and of real numbers.
#include "infer/conjugate/blocks.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "numerics/special.hpp"

namespace credo::infer::conjugate {

std::vector<Index> real_places(const Meeting& meeting) {
  std::vector<Index> places;
  for (std::size_t k = 0; k < meeting.units.size(); ++k)
    if (meeting.unit(k).domain == Domain::real) places.push_back(meeting.unit(k).places.front());
  return places;
}

Index number_of(const Meeting& meeting, Domain domain) {
  Index number = 0;
  for (std::size_t k = 0; k < meeting.units.size(); ++k)
    number += meeting.unit(k).domain == domain ? 1 : 0;
  return number;
}

std::vector<double> at_places(std::span<const double> values, const std::vector<Index>& places) {
  std::vector<double> chosen;
  for (const Index place : places) chosen.push_back(values[static_cast<std::size_t>(place)]);
  return chosen;
}

NormalFit fit_reals(const Meeting& meeting, const std::vector<Index>& places) {
  std::vector<double> values = meeting.centre.values;
  return fit_normal(
      [&](std::span<const double> x) {
        for (std::size_t k = 0; k < places.size(); ++k)
          values[static_cast<std::size_t>(places[k])] = x[k];
        return meeting.problem.log_density(values);
      },
      at_places(values, places), at_places(meeting.centre.scale, places));
}

namespace {

// ---- one number

// Place of a number, and about how far it moves on its coordinate without bounds.
struct Around {
  double centre, scale;
};
Around around(const Meeting& meeting, Index place) {
  return {meeting.centre.values[static_cast<std::size_t>(place)],
          meeting.centre.scale[static_cast<std::size_t>(place)]};
}

class ScalarBlock final : public Block {
 public:
  ScalarBlock(ScalarFit fit, Domain domain, Index place, Index size, const Around& near)
      : fit_(std::move(fit)),
        domain_(domain),
        place_(place),
        size_(size),
        scale_(near.scale),
        centre_(near.centre) {}
  std::string_view family() const override { return fit_.row->family; }
  BlockState state() const override {
    return {.kind = "number",
            .places = {place_},
            .mean = {},
            .covariance = {},
            .family = std::string(fit_.row->family),
            .power = fit_.row->power,
            .arguments = fit_.family->to_args(fit_.natural, {})};
  }
  double log_density(std::span<const double> values) const override {
    return log_density_of(fit_, values[static_cast<std::size_t>(place_)]);
  }
  std::vector<Marginal> marginals() const override { return {marginal_of(fit_, place_)}; }
  void add_covariance(std::span<double> all) const override {
    const double sd = marginal_of(fit_, place_).sd;
    all[static_cast<std::size_t>(place_ * size_ + place_)] += sd * sd;
  }
  void scatter(Rng& rng, double spread, std::span<double> values) const override {
    const double most = domain_ == Domain::unit ? 6.0 : 12.0;
    const double by = std::clamp(spread * scale_ * rng.normal(), -most, most);
    values[static_cast<std::size_t>(place_)] = from_free(domain_, to_free(domain_, centre_) + by);
  }

 private:
  ScalarFit fit_;
  Domain domain_;
  Index place_, size_;
  double scale_, centre_;
};

bool is_one_number(const Meeting& meeting) {
  return meeting.units.size() == 1 && !scalar_rows(meeting.unit(0).domain).empty();
}

Fitted fit_number(const Meeting& meeting) {
  const Unit& unit = meeting.unit(0);
  const auto place = static_cast<std::size_t>(unit.places.front());
  std::vector<double> values = meeting.centre.values;
  const Sampled points = sample(unit.domain, values[place], [&](double x) {
    values[place] = x;
    return meeting.problem.log_density(values);
  });
  Fitted fitted;
  for (const ScalarRow& row : scalar_rows(unit.domain)) {
    ScalarFit fit = fit_scalar(row, points);
    fitted.is_improper = fitted.is_improper || (fit.is_linear && !fit.is_proper);
    if (!fit.is_proper) continue;
    fitted.block = std::make_unique<ScalarBlock>(std::move(fit), unit.domain, unit.places.front(),
                                                 meeting.problem.num_values,
                                                 around(meeting, unit.places.front()));
    break;
  }
  return fitted;
}

constexpr BlockKind kNumber{"number", is_one_number, fit_number};

// ---- one simplex

class DirichletBlock final : public Block {
 public:
  DirichletBlock(std::vector<double> alpha, std::vector<Index> places, Index size)
      : alpha_(std::move(alpha)),
        places_(std::move(places)),
        size_(size),
        sum_(std::accumulate(alpha_.begin(), alpha_.end(), 0.0)) {}
  std::string_view family() const override { return "dirichlet"; }
  BlockState state() const override {
    return {.kind = "dirichlet",
            .places = places_,
            .mean = {},
            .covariance = {},
            .family = "dirichlet",
            .arguments = alpha_};
  }
  double log_density(std::span<const double> values) const override {
    double sum = numerics::lgamma(sum_);
    for (std::size_t k = 0; k < alpha_.size(); ++k)
      sum += (alpha_[k] - 1.0) * std::log(values[static_cast<std::size_t>(places_[k])]) -
             numerics::lgamma(alpha_[k]);
    return sum;
  }
  std::vector<Marginal> marginals() const override {
    std::vector<Marginal> all;
    for (std::size_t k = 0; k < alpha_.size(); ++k)
      all.push_back({.place = places_[k],
                     .family = "beta",
                     .arguments = {{"alpha", alpha_[k]}, {"beta", sum_ - alpha_[k]}},
                     .mean = alpha_[k] / sum_,
                     .sd = std::sqrt(covariance(k, k))});
    return all;
  }
  void add_covariance(std::span<double> all) const override {
    for (std::size_t j = 0; j < alpha_.size(); ++j)
      for (std::size_t k = 0; k < alpha_.size(); ++k)
        all[static_cast<std::size_t>(places_[j] * size_ + places_[k])] += covariance(j, k);
  }
  void scatter(Rng& rng, double spread, std::span<double> values) const override {
    const double sharpness = std::min(4.0, spread);
    double sum = 0.0;
    for (std::size_t k = 0; k < alpha_.size(); ++k) {
      const double scale = std::min(1.0, 1.0 / std::sqrt(alpha_[k]));
      double& value = values[static_cast<std::size_t>(places_[k])];
      sum += value = alpha_[k] / sum_ * std::exp(sharpness * scale * rng.normal());
    }
    for (const Index place : places_) values[static_cast<std::size_t>(place)] /= sum;
  }

 private:
  double covariance(std::size_t j, std::size_t k) const {
    const double p = alpha_[j] / sum_, q = alpha_[k] / sum_;
    return (j == k ? p * (1.0 - p) : -p * q) / (sum_ + 1.0);
  }
  std::vector<double> alpha_;
  std::vector<Index> places_;
  Index size_;
  double sum_;
};

bool is_one_simplex(const Meeting& meeting) {
  return meeting.units.size() == 1 && meeting.unit(0).domain == Domain::simplex;
}

// From the middle of the simplex, element k is multiplied by `by` before all are divided by their sum. With exponents e and their sum S the log density
// then rises by e_k log(by) - S log(1 + (by - 1) / K); the sum over all k determines S.
Fitted fit_simplex(const Meeting& meeting) {
  constexpr double kBy = 8.0;
  const std::vector<Index>& places = meeting.unit(0).places;
  const auto size = static_cast<double>(places.size());
  std::vector<double> values = meeting.centre.values;
  for (const Index place : places) values[static_cast<std::size_t>(place)] = 1.0 / size;
  const double here = meeting.problem.log_density(values), loss = std::log1p((kBy - 1.0) / size);
  std::vector<double> alpha;
  double total = 0.0;
  for (const Index raised : places) {
    for (const Index place : places)
      values[static_cast<std::size_t>(place)] = (place == raised ? kBy : 1.0) / (size + kBy - 1.0);
    alpha.push_back(meeting.problem.log_density(values) - here);
    total += alpha.back();
  }
  const double sum = total / (std::log(kBy) - size * loss);
  Fitted fitted;
  for (double& a : alpha) {
    a = 1.0 + (a + sum * loss) / std::log(kBy);
    fitted.is_improper = fitted.is_improper || !(a > rounding_of(here));
  }
  if (!fitted.is_improper)
    fitted.block = std::make_unique<DirichletBlock>(alpha, places, meeting.problem.num_values);
  return fitted;
}
constexpr BlockKind kSimplex{"simplex", is_one_simplex, fit_simplex};

// ---- real numbers

class NormalBlock final : public Block {
 public:
  NormalBlock(NormalFit fit, std::vector<Index> places, Index size)
      : fit_(std::move(fit)), places_(std::move(places)), size_(size) {}
  std::string_view family() const override { return fit_.size() == 1 ? "normal" : "multi_normal"; }
  BlockState state() const override {
    return {.kind = "normal",
            .places = places_,
            .mean = fit_.mean,
            .covariance = fit_.covariance(),
            .family = "normal"};
  }
  double log_density(std::span<const double> values) const override {
    return fit_.log_density(at_places(values, places_));
  }
  std::vector<Marginal> marginals() const override {
    std::vector<Marginal> all;
    for (Index k = 0; k < fit_.size(); ++k) {
      const double mean = fit_.mean[static_cast<std::size_t>(k)],
                   sd = std::sqrt(fit_.variance(k, k));
      all.push_back({.place = places_[static_cast<std::size_t>(k)],
                     .family = "normal",
                     .arguments = {{"mu", mean}, {"sigma", sd}},
                     .mean = mean,
                     .sd = sd});
    }
    return all;
  }
  void add_covariance(std::span<double> all) const override {
    for (Index j = 0; j < fit_.size(); ++j)
      for (Index k = 0; k < fit_.size(); ++k)
        all[static_cast<std::size_t>(places_[static_cast<std::size_t>(j)] * size_ +
                                     places_[static_cast<std::size_t>(k)])] += fit_.variance(j, k);
  }
  void scatter(Rng& rng, double spread, std::span<double> values) const override {
    const std::size_t n = places_.size();
    for (std::size_t i = 0; i < n; ++i) values[static_cast<std::size_t>(places_[i])] = fit_.mean[i];
    for (std::size_t k = 0; k < n; ++k) {
      const double z = spread * rng.normal();
      for (std::size_t i = 0; i < n; ++i)
        values[static_cast<std::size_t>(places_[i])] += z * fit_.axes[k * n + i];
    }
  }

 private:
  NormalFit fit_;
  std::vector<Index> places_;
  Index size_;
};

bool are_real(const Meeting& meeting) {
  return number_of(meeting, Domain::real) == ssize(meeting.units);
}
Fitted fit_normal_block(const Meeting& meeting) {
  std::vector<Index> places = real_places(meeting);
  NormalFit fit = fit_reals(meeting, places);
  if (!fit.is_proper) return {.block = nullptr, .is_improper = true};
  return {.block = std::make_unique<NormalBlock>(std::move(fit), std::move(places),
                                                 meeting.problem.num_values)};
}
constexpr BlockKind kNormal{"normal", are_real, fit_normal_block};

// ---- blocks of states

std::unique_ptr<Block> number_of_state(const BlockState& state, Index num_values) {
  const Domain domain = state.family == "beta" ? Domain::unit : Domain::positive;
  ScalarFit fit = scalar_of(domain, state);
  if (!fit.is_proper || state.places.size() != 1) return nullptr;
  const double mean = marginal_of(fit, state.places.front()).mean;
  const double centre = std::isfinite(mean) ? mean : 1.0;
  return std::make_unique<ScalarBlock>(std::move(fit), domain, state.places.front(), num_values,
                                       Around{centre, 1.0});
}
std::unique_ptr<Block> dirichlet_of_state(const BlockState& state, Index num_values) {
  const bool is_proper = std::ranges::all_of(state.arguments, [](double a) { return a > 0.0; });
  if (!is_proper || state.arguments.size() != state.places.size()) return nullptr;
  return std::make_unique<DirichletBlock>(state.arguments, state.places, num_values);
}
std::unique_ptr<Block> normal_of_state(const BlockState& state, Index num_values) {
  NormalFit fit = normal_of(state.mean, state.covariance);
  if (!fit.is_proper || state.mean.size() != state.places.size()) return nullptr;
  return std::make_unique<NormalBlock>(std::move(fit), state.places, num_values);
}
}  // namespace

extern const BlockKind normal_gamma_block, matrix_block;
std::span<const BlockKind* const> block_kinds() {
  static constexpr std::array kAll{&kNumber, &kSimplex, &kNormal, &normal_gamma_block,
                                   &matrix_block};
  return kAll;
}

std::unique_ptr<Block> normal_gamma_of_state(const BlockState& state, Index num_values);
std::unique_ptr<Block> matrix_of_state(const BlockState& state, Index num_values);
std::unique_ptr<Block> block_of(const BlockState& state, Index num_values) {
  std::unique_ptr<Block> block;
  if (state.kind == "number") block = number_of_state(state, num_values);
  if (state.kind == "dirichlet") block = dirichlet_of_state(state, num_values);
  if (state.kind == "normal") block = normal_of_state(state, num_values);
  if (state.kind == "normal_scale") block = normal_gamma_of_state(state, num_values);
  if (state.kind == "matrix") block = matrix_of_state(state, num_values);
  if (block != nullptr) return block;
  throw Error(ErrorCode::data, fmt::format("no {} distribution has these arguments", state.kind),
              "posterior", "name a file that credo exact -o has written");
}

// A matrix with all of its real numbers, or with none.
std::optional<BlockState> restricted_matrix(const BlockState& state,
                                            const std::function<bool(Index place)>& keep) {
  const auto reals = static_cast<std::ptrdiff_t>(state.mean.size());
  const auto kept = std::ranges::count_if(state.places.begin(), state.places.begin() + reals, keep);
  if (!keep(state.places.back()) || (kept != 0 && kept != reals))
    throw Error(ErrorCode::program, "a matrix or its mean vector has grown", "posterior",
                "keep its size");
  BlockState part = state;
  if (kept == reals) return part;
  part.places.erase(part.places.begin(), part.places.begin() + reals);
  part.mean.clear();
  return part;
}

std::optional<BlockState> restricted(const BlockState& state,
                                     const std::function<bool(Index place)>& keep) {
  if (state.kind == "matrix") return restricted_matrix(state, keep);
  const bool has_scale = state.scale_place >= 0 && keep(state.scale_place);
  BlockState part = state;
  part.places.clear(), part.mean.clear(), part.covariance.clear();
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < state.places.size(); ++k)
    if (keep(state.places[k])) kept.push_back(k), part.places.push_back(state.places[k]);
  if (part.places.empty() && !has_scale) return std::nullopt;
  if (state.mean.empty()) return part;
  for (const std::size_t j : kept) {
    part.mean.push_back(state.mean[j]);
    for (const std::size_t i : kept)
      part.covariance.push_back(state.covariance[j * state.places.size() + i]);
  }
  if (part.places.empty()) {
    part.kind = "number";
    part.places = {state.scale_place};
    part.scale_place = -1;
  }
  return part;
}

}  // namespace credo::infer::conjugate
