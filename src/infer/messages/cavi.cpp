// The best product of exponential-family factors of the declared parameters, by coordinate ascent (coordinate_ascent.hpp), as weighted draws.
#include <fmt/format.h>

#include "base/error.hpp"
#include "density/model.hpp"
#include "density/moment_form.hpp"
#include "infer/core/chain.hpp"
#include "infer/messages/coordinate_ascent.hpp"
#include "infer/messages/label_starts.hpp"
#include "infer/variational/approximation.hpp"

namespace credo::infer {
namespace {
using density::MomentForm;

// Independent factors; values of points are always the same.
class FactorDraws final : public Approximation {
 public:
  FactorDraws(std::shared_ptr<const MomentForm> form, std::vector<double> natural,
              std::vector<char> is_point)
      : form_(std::move(form)),
        natural_(std::move(natural)),
        is_point_(std::move(is_point)),
        values_(static_cast<std::size_t>(form_->num_values())) {
    for (std::size_t b = 0; b < form_->blocks().size(); ++b) {
      const MomentBlock& block = form_->blocks()[b];
      log_partition_.push_back(
          is_point_[b] != 0 ? 0.0 : family_of(block).log_partition(this->natural(block), block));
    }
  }
  std::unique_ptr<Approximation> clone() const override {
    return std::make_unique<FactorDraws>(*this);
  }

  double draw(Rng& rng, std::span<double> x) override {
    double log_q = 0.0;
    for (std::size_t b = 0; b < form_->blocks().size(); ++b) log_q += draw_block(b, rng);
    return log_q + form_->place(values_, x);
  }

 private:
  std::span<const double> natural(const MomentBlock& block) const {
    return std::span<const double>(natural_).subspan(
        static_cast<std::size_t>(block.first), static_cast<std::size_t>(block.num_statistics));
  }
  double draw_block(std::size_t b, Rng& rng) {
    const MomentBlock& block = form_->blocks()[b];
    const FactorFamily& family = family_of(block);
    std::vector<double> own(block.values.size());
    if (is_point_[b] != 0)
      family.mode(natural(block), block, own);
    else
      family.draw(natural(block), block, rng, own);
    for (std::size_t k = 0; k < own.size(); ++k)
      values_[static_cast<std::size_t>(block.values[k])] = own[k];
    if (is_point_[b] != 0) return 0.0;
    const std::vector<double> statistics = density::statistics_at(std::span(&block, 1), values_);
    const auto eta = natural(block);
    return std::inner_product(eta.begin(), eta.end(), statistics.begin(), 0.0) - log_partition_[b];
  }

  std::shared_ptr<const MomentForm> form_;
  std::vector<double> natural_;
  std::vector<char> is_point_;
  std::vector<double> log_partition_;  // a number for each block
  std::vector<double> values_;
};

void draw_whole_numbers(const density::LogDensity& density, std::span<double> position, Rng& rng) {
  const density::DiscreteBlock whole = density.discrete_block();
  for (std::size_t k = 0; k < whole.lower.size(); ++k)
    position[position.size() - whole.lower.size() + k] =
        static_cast<double>(whole.lower[k] + rng.index_below(whole.upper[k] - whole.lower[k] + 1));
}

// Statistics at draws of the prior, and for labels from there by k-means++.
std::vector<std::vector<double>> prior_starts(const density::LogDensity& density,
                                              const MomentForm& form, const CoordinateOptions& own,
                                              std::uint64_t seed) {
  std::vector<std::vector<double>> starts;
  constexpr Index kMostTries = 100;
  for (Index k = 0; k < own.num_starts * kMostTries && ssize(starts) < own.num_starts; ++k) {
    Rng rng({.seed = seed,
             .purpose = purpose::kInitialPoint,
             .iteration = static_cast<std::uint32_t>(k)});
    std::vector<double> position(static_cast<std::size_t>(density.dimension()));
    if (const auto start = density.draw_start(rng, own.init_radius))
      position = start->position;
    else
      for (double& x : position) x = rng.uniform(-own.init_radius, own.init_radius);
    draw_whole_numbers(density, position, rng);
    std::vector<double> statistics =
        density::statistics_at(form.blocks(), form.values_at(position));
    if (std::ranges::all_of(statistics, [](double t) { return std::isfinite(t); }))
      starts.push_back(label_start(form, std::move(statistics), rng));
  }
  if (starts.empty())
    throw Error(ErrorCode::evaluation, "no start has finite statistics", "coordinate ascent",
                "declare the ranges of the parameters, or begin nearer to 0: --init-radius 0.5");
  return starts;
}

// "mu[1]" and "shape" as "mu_1_shape".
std::string figure_name(const std::string& block, const std::string& argument) {
  std::string name;
  for (const char c : block + "_" + argument) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  return name;
}

bool has_points(std::span<const char> is_point) {
  return std::ranges::any_of(is_point, [](char p) { return p != 0; });
}

// The bound is exact, so it has no error. With points it isn't a bound of the log evidence, but of the log density of data and points.
std::vector<TunedSetting> bound_figures_of(const CoordinateFit& fit,
                                           std::span<const char> is_point) {
  if (has_points(is_point)) return {{"bound_at_points", {fit.bound}}};
  return {{"bound", {fit.bound}}, {"bound_error", {0.0}}};
}

std::vector<TunedSetting> figures_of(const MomentForm& form, const CoordinateFit& fit,
                                     std::span<const char> is_point) {
  std::vector<TunedSetting> figures = bound_figures_of(fit, is_point);
  figures.insert(figures.end(),
                 {{"num_sweeps", {static_cast<double>(fit.course.size())}},
                  {"num_fit_evaluations", {static_cast<double>(fit.num_evaluations)}}});
  std::map<std::string, std::vector<double>> all;
  std::vector<std::string> order;
  for (std::size_t b = 0; b < form.blocks().size(); ++b) {
    const MomentBlock& block = form.blocks()[b];
    const auto natural = std::span<const double>(fit.state.natural)
                             .subspan(static_cast<std::size_t>(block.first),
                                      static_cast<std::size_t>(block.num_statistics));
    std::string owner;
    for (const std::string& name : block.parameters) owner += (owner.empty() ? "" : "_") + name;
    std::vector<FactorArgument> arguments = family_of(block).arguments(natural, block);
    if (is_point[b] != 0) {
      arguments = {{"point", std::vector<double>(block.values.size())}};
      family_of(block).mode(natural, block, arguments[0].values);
    }
    for (const FactorArgument& argument : arguments) {
      const std::string name = figure_name(owner, argument.name);
      if (!all.contains(name)) order.push_back(name);
      all[name].insert(all[name].end(), argument.values.begin(), argument.values.end());
    }
  }
  for (const std::string& name : order) figures.push_back({name, all[name]});
  return figures;
}

std::vector<std::string> words_on(const CoordinateFit& fit, std::span<const char> is_point) {
  std::vector<std::string> words;
  if (!fit.converged)
    words.push_back(
        "the bound was still rising when the sweeps were used up: allow more with --max-sweeps");
  double least = kInfinity;
  for (const double bound : fit.start_bounds) least = std::min(least, bound);
  if (fit.bound - least > 1.0)
    words.push_back(
        fmt::format("bounds of the {} starts differ by up to {:.1f} nats; the best one counts, and "
                    "more starts (--num-starts) may find a better one",
                    fit.start_bounds.size(), fit.bound - least));
  if (has_points(is_point))
    words.push_back(fmt::format(
        "parameters of --point have no uncertainty: draws and weights are those of the others, "
        "given the points; the log density of data and points is at least {:.3f}",
        fit.bound));
  return words;
}

// True if log p - log q holds at all of some draws.
bool holds_at_draws(const density::LogDensity& density, FactorDraws draws, std::uint64_t seed,
                    const std::function<bool(double log_weight)>& holds) {
  constexpr Index kLooks = 1000;
  std::vector<double> x(static_cast<std::size_t>(density.dimension()));
  const auto evaluator = density.make_evaluator();
  Rng rng({.seed = seed, .purpose = purpose::kWalker});
  for (Index k = 0; k < kLooks; ++k) {
    const double log_q = draws.draw(rng, x);
    density::Request request{.position = x, .gradient = {}, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::value, batch);
    if (!holds(request.log_density - log_q)) return false;
  }
  return true;
}

// Shares of components that no row belongs to underflow to 0, where densities are infinite.
bool have_weights(const density::LogDensity& density, const FactorDraws& draws,
                  std::uint64_t seed) {
  return holds_at_draws(density, draws, seed, [](double w) { return std::isfinite(w); });
}

std::vector<BoundRow> course_of(const CoordinateFit& fit) {
  std::vector<BoundRow> rows;
  for (const CoordinateRow& row : fit.course)
    rows.push_back(
        {.bound = row.bound, .step = 1.0, .gradient = 0.0, .num_evaluations = row.num_evaluations});
  return rows;
}

CoordinateFit fit_factors(const density::LogDensity& density, const MomentForm& form,
                          const CoordinateOptions& own, std::uint64_t seed) {
  const std::vector<std::vector<double>> starts = prior_starts(density, form, own, seed);
  if (own.batch == 0) return ascend(form, own, starts);
  CoordinateOptions one_sweep = own;
  one_sweep.max_sweeps = 1;
  Rng rng({.seed = seed, .purpose = purpose::kTransition});
  return ascend_by_batches(form, own, ascend(form, one_sweep, starts).state.statistics, rng);
}

RunResult run_cavi(const density::LogDensity& density, const SampleOptions& options,
                   DrawSink& sink) {
  const auto own = options_for<CoordinateOptions>(options.kernel, options.sampler);
  validate(own);
  require_no_metric(options);
  const density::Model* model = density.as_model();
  if (model == nullptr)
    throw Error(ErrorCode::usage,
                "coordinate ascent reads the statements of a program, and this density has none",
                "cavi", "--method normal takes any density with a gradient");
  const std::shared_ptr<const MomentForm> form =
      model->moment_forms().require(model->name()).moment_form({own.join, own.separate});
  const std::vector<char> is_point = point_marks(*form, own.point);
  const CoordinateFit fit = fit_factors(density, *form, own, options.seed);
  const FactorDraws draws(form, fit.state.natural, is_point);
  FittedApproximation fitted{.distribution = draws.clone(),
                             .figures = figures_of(*form, fit, is_point),
                             .warnings = words_on(fit, is_point),
                             .course = course_of(fit),
                             .has_course = true,
                             .has_weights = have_weights(density, draws, options.seed)};
  if (std::ranges::all_of(is_point, [](char p) { return p != 0; }))
    fitted.has_weights = false;
  else if (!fitted.has_weights)
    fitted.warnings.emplace_back(
        "the density isn't finite at some of the draws, as where shares of components without rows "
        "underflow to 0: draws have no weights and count equally");
  return draw_approximation(density, options, std::move(fitted), sink);
}
}  // namespace

bool is_exact_by_factors(const density::LogDensity& density, std::uint64_t seed) {
  const density::Model* model = density.as_model();
  if (model == nullptr || !model->moment_forms()) return false;
  try {
    CoordinateOptions own;
    own.join = {"auto"};
    own.num_starts = 1;
    const std::shared_ptr<const MomentForm> form =
        model->moment_forms()->moment_form({own.join, own.separate});
    if (form->has_bounds()) return false;
    const CoordinateFit fit = fit_factors(density, *form, own, seed);
    const FactorDraws draws(form, fit.state.natural, point_marks(*form, {}));
    const double tolerance = 1e-9 * (1.0 + std::fabs(fit.bound));
    return holds_at_draws(density, draws, seed,
                          [&](double w) { return std::fabs(w - fit.bound) <= tolerance; });
  } catch (const Error& error) {  // no conjugate form, or no proper factor
    if (error.code() == ErrorCode::internal) throw;
    return false;
  }
}

constexpr SamplerSpec needing_program(SamplerSpec row) {
  row.needs_program = true;
  return row;
}

extern const SamplerSpec kCavi;
const SamplerSpec kCavi = needing_program(approximation_row(
    {.name = "cavi",
     .summary = "weighted draws from the best independent conjugate factors, by coordinate ascent",
     .reference = "bishop2006"},
    [] { return KernelOptions(CoordinateOptions{}); }, run_cavi, bound_groups));

}  // namespace credo::infer
