// L-BFGS [nocedal2006, algs. 7.4 and 7.5] on f = -log p: the direction -H ∇f from the last pairs
// s = x' - x, y = ∇f' - ∇f by the two-loop recursion; steps are halved until f falls by Armijo's
// rule; a pair counts where s·y > 0.
#include "infer/optimise/mode.hpp"

#include "base/stop.hpp"
#include "infer/core/fit_stages.hpp"
#include "infer/core/group.hpp"
#include "infer/core/initialise.hpp"
#include "infer/core/vectors.hpp"
#include "infer/gibbs/site_sweep.hpp"
#include "infer/optimise/lbfgs.hpp"
#include "numerics/linear_algebra/matrix.hpp"

namespace credo::infer {
namespace {
struct Search {
  const density::LogDensity& density;
  const ModeOptions& options;
  Mode mode;
  PointState here, there;
  QuasiNewton matrix;
  double step = 0.0;          // step of the last iteration
  Index num_evaluations = 0;  // in its line searches
  bool is_over = false;
  FitStage* stage = nullptr;
  const Index* num_asked = nullptr;  // evaluations since the search began or was resumed
  Index num_asked_before = 0;        // evaluations before it was resumed
  std::vector<double> reports = {};  // four numbers of each iteration

  Index num_asked_in_all() const {
    return num_asked_before + (num_asked != nullptr ? *num_asked : 0);
  }
  void report() {
    if (!options.on_iteration) return;
    const double size = largest(here.gradient);
    options.on_iteration(here.log_density, step, size, num_evaluations);
    reports.insert(reports.end(),
                   {here.log_density, step, size, static_cast<double>(num_evaluations)});
  }
  // Reports the iterations before the kept state again.
  void repeat_reports() const {
    for (std::size_t k = 0; k < reports.size() && options.on_iteration; k += 4)
      options.on_iteration(reports[k], reports[k + 1], reports[k + 2],
                           static_cast<Index>(reports[k + 3]));
  }

  void save(ArchiveWriter& to) const {
    to(here)(matrix)(mode.converged)(mode.num_iterations)(step)(num_evaluations);
    to(is_over)(num_asked_in_all())(reports);
  }
  void load(ArchiveReader& from) {
    from(here)(matrix)(mode.converged)(mode.num_iterations)(step)(num_evaluations);
    from(is_over)(num_asked_before)(reports);
  }
};

bool is_flat(const Search& search) {
  double largest = 0.0;
  for (const double g : search.here.gradient) largest = std::max(largest, std::fabs(g));
  return largest <= search.options.tolerance * (1.0 + std::fabs(search.here.log_density));
}

// True where a step that climbs was found: it is `there`.
Step<bool> climb(Search& search) {
  constexpr double kArmijo = 1e-4, kSmallest = 1e-12;
  const std::vector<double> uphill = search.matrix.direction(search.here.gradient);
  const double slope = dot(uphill, search.here.gradient);
  const double first =
      search.matrix.pairs.empty() ? std::min(1.0, 1.0 / std::sqrt(dot(uphill, uphill))) : 1.0;
  for (double step = first; step > kSmallest; step *= 0.5) {
    search.there.position = search.here.position;
    add(search.there.position, step, uphill);
    search.step = step, ++search.num_evaluations;
    search.there.log_density =
        (co_await evaluate(search.there.position, search.there.gradient)).log_density;
    if (search.there.log_density >= search.here.log_density + kArmijo * step * slope)
      co_return true;
  }
  co_return false;
}

Step<Nothing> begin(Search& search) {
  const InitOptions init{.radius = search.options.init_radius,
                         .given = search.options.start,
                         .seed = search.options.seed};
  co_await find_initial_point(search.here, init, search.density);
  co_return Nothing{};
}

Step<Nothing> seek(Search& search, bool is_resumed) {
  if (!is_resumed) co_await begin(search);
  Mode& mode = search.mode;
  while (!(mode.converged = is_flat(search)) &&
         mode.num_iterations < search.options.max_iterations && co_await climb(search)) {
    search.matrix.learn(search.here, search.there);
    std::swap(search.here, search.there);
    ++mode.num_iterations;
    search.report();
    search.stage->look(search);
  }
  search.is_over = true;
  co_return Nothing{};
}

// Begins or resumes a search, and runs it to its end. A search that was stopped has none.
void run_to_the_end(Search& search, const density::LogDensity& density) {
  FitStage stage(search.options.keeps_state);
  search.stage = &stage;
  const bool is_resumed = stage.resume(search);
  if (is_resumed) search.repeat_reports();
  if (!search.is_over) {
    std::vector<ChainProgram> programs;
    programs.push_back({.program = seek(search, is_resumed), .refusals = {}});
    search.num_asked = &programs[0].num_evaluations;
    run_groups(density, programs, {.num_threads = search.options.num_threads});
    search.num_asked_before = search.num_asked_in_all();
    search.num_asked = nullptr;
  }
  if (!search.is_over) stop_if_asked();
  search.mode.num_evaluations = search.num_asked_in_all();
  if (search.is_over) stage.end(search);
}

void check_gradient(const density::LogDensity& density, std::string_view what) {
  if (!density.has_gradient())
    throw Error(ErrorCode::usage, std::string(what) + " needs a gradient, the log density has none",
                "mode");
}
}  // namespace

Mode find_mode(const density::LogDensity& density, const ModeOptions& options) {
  check_gradient(density, "the search for a mode");
  require_continuous(density, "the search for a mode");
  Search search{.density = density,
                .options = options,
                .mode = {},
                .here = make_point(density.dimension(), true),
                .there = make_point(density.dimension(), true),
                .matrix = {.history = options.history}};
  run_to_the_end(search, density);
  search.mode.position = search.here.position;
  search.mode.gradient = search.here.gradient;
  search.mode.log_density = search.here.log_density;
  return search.mode;
}

std::optional<Mode> find_mode_if_defined(const density::LogDensity& density,
                                         const ModeOptions& options) {
  try {
    return find_mode(density, options);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::evaluation) throw;
    return std::nullopt;
  }
}

std::vector<std::vector<double>> points_near(const density::LogDensity& density, const Mode& mode,
                                             Index num_chains, double spread, std::uint64_t seed) {
  constexpr std::uint32_t kMaxTries = 100;
  const auto evaluator = density.make_evaluator();
  std::vector<std::vector<double>> points;
  for (Index c = 0; c < num_chains; ++c) {
    std::vector<double> point = mode.position;
    for (std::uint32_t attempt = 0; attempt < kMaxTries; ++attempt) {
      Rng rng({.seed = seed,
               .purpose = purpose::kInitialPoint,
               .chain = static_cast<std::uint32_t>(c),
               .iteration = attempt});
      for (std::size_t d = 0; d < point.size(); ++d)
        point[d] = mode.position[d] + spread * rng.normal();
      density::Request request{.position = point, .gradient = {}, .status = {}};
      density::Request* batch[] = {&request};
      evaluator->evaluate(density::Want::value, batch);
      if (request.status.ok() && std::isfinite(request.log_density)) break;
      if (attempt + 1 == kMaxTries)
        throw Error(ErrorCode::evaluation, "no point near the mode has a finite log density",
                    "points_near", "give a smaller spread");
    }
    points.push_back(point);
  }
  return points;
}

std::vector<double> inverse_hessian(const density::LogDensity& density,
                                    std::span<const double> position) {
  check_gradient(density, "the Hessian");
  const std::size_t n = position.size();
  std::vector<double> hessian(n * n), point(position.begin(), position.end());
  std::vector<double> up(n), down(n);
  const auto evaluator = density.make_evaluator();
  const auto gradient_at = [&](std::size_t j, double x, std::vector<double>& gradient) {
    point[j] = x;
    density::Request request{.position = point, .gradient = gradient, .status = {}};
    density::Request* batch[] = {&request};
    evaluator->evaluate(density::Want::gradient, batch);
    point[j] = position[j];
    if (!request.status.ok())
      throw Error(ErrorCode::evaluation, density.describe(request.status), "Hessian");
  };
  for (std::size_t j = 0; j < n; ++j) {
    const double h =
        6e-6 * std::max(1.0, std::fabs(position[j]));  // cube root of the unit roundoff
    gradient_at(j, position[j] + h, up);
    gradient_at(j, position[j] - h, down);
    for (std::size_t i = 0; i < n; ++i) hessian[j * n + i] = -(up[i] - down[i]) / (2.0 * h);
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i)
      hessian[j * n + i] = hessian[i * n + j] = 0.5 * (hessian[j * n + i] + hessian[i * n + j]);
  const numerics::SymmetricEigen eigen({ssize(position), ssize(position), std::move(hessian)});
  if (n > 0 && !(eigen.values[0] > 0.0))
    throw Error(ErrorCode::evaluation, "the Hessian is not negative definite there",
                "inverse_hessian", "ask at a mode, or let warm-up estimate a metric");
  return eigen.inverse().values;
}

}  // namespace credo::infer
