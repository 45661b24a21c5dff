#include "infer/optimise/climb.hpp"

#include "infer/core/vectors.hpp"
#include "infer/gibbs/site_sweep.hpp"

namespace credo::infer {
namespace {
constexpr Index kLevelIterations =
    3;  // in a row, to say that the log density has stopped to change
constexpr Index kMaxRestarts = 3;
constexpr double kFar = 15.0;  // an unconstrained value beyond: exp(15) is 3e6
constexpr double kRunaway = 1e10, kOverflow = 1e50;
constexpr double kRise = 1.0;     // nats up to twice the distance
constexpr double kSpike = 1e-12;  // a standard deviation relative to its value

// The components of the gradient that lead away from 0, far out, and rise by a nat until twice as far.
std::vector<double> rising_outward(const PointState& at) {
  std::vector<double> outward(at.position.size(), 0.0);
  for (std::size_t d = 0; d < outward.size(); ++d) {
    const double rise = at.gradient[d] * at.position[d];
    if (std::fabs(at.position[d]) >= kFar && rise >= kRise)
      outward[d] = std::copysign(1.0, at.position[d]);
  }
  return outward;
}

bool overflows(const PointState& at) {
  return largest(at.position) > kOverflow || at.log_density > kOverflow;
}

// The coordinates that the density knows to more digits than numbers have.
std::vector<double> spikes(const PointState& at, std::span<const double> covariance) {
  const std::size_t n = at.position.size();
  std::vector<double> narrow(n, 0.0);
  for (std::size_t d = 0; d < n; ++d)
    if (std::sqrt(covariance[d * n + d]) < kSpike * std::fabs(at.position[d])) narrow[d] = 1.0;
  return narrow;
}

bool any(std::span<const double> direction) { return largest(direction) > 0.0; }

// A slope along one of the directions, whose largest component is 1: at a kink there is one though no
// point is higher.
bool rises_along(const PointState& at, std::span<const double> directions) {
  constexpr double kSlope = 1e-4;  // nats by unit
  const std::size_t n = at.position.size();
  for (std::size_t k = 0; n > 0 && (k + 1) * n <= directions.size(); ++k)
    if (std::fabs(dot(directions.subspan(k * n, n), at.gradient)) > kSlope) return true;
  return false;
}

// A step to the top that is as long as the way there: the curvature falls with the gradient.
bool leads_far_away(const PointState& at, std::span<const double> step) {
  constexpr double kLong = 1e-3;
  for (std::size_t d = 0; d < step.size(); ++d)
    if (std::fabs(step[d]) > kLong * (1.0 + std::fabs(at.position[d]))) return true;
  return false;
}
}  // namespace

std::string_view words_of(ClimbEnd end) {
  constexpr std::array<std::string_view, 10> words{
      "it was stopped",
      "a Newton step would gain nothing more",
      "the log density has stopped to change",
      "the iterations that were allowed were used up",
      "no point along the direction climbs",
      "the log density seems to rise without bound",
      "the log density levels off, but has no maximum at a finite distance",
      "the gradient vanishes at a saddle",
      "the temperature has come to its end",
      "the requested steps are done"};
  return words[static_cast<std::size_t>(end)];
}

Climb::Climb(const ClimbSetup& setup, const ClimbOptions& climb_options)
    : Job(setup.context, setup.number, columns_of<ClimbInfo>()),
      options(climb_options),
      here(make_point(setup.context.density.dimension(), true)),
      before(here),
      line_(setup.context.density.dimension()),
      is_exact_(setup.exact) {}

Step<Nothing> Climb::begin() {
  ChainResult& result = recorder.warmup_done();
  result.num_init_tries =
      co_await find_initial_point(here, context.init_of(number), context.density);
  result.initial_point = here.position;
  report_iteration(0.0);
  co_return Nothing{};
}

Step<Nothing> Climb::advance() {
  if (end_ == ClimbEnd::none && num_iterations >= options.max_iterations)
    end_ = ClimbEnd::max_iterations;
  if (end_ == ClimbEnd::none) {
    co_await iterate();
    co_return Nothing{};
  }
  co_await look_around();
  const bool goes_on = has_converged(end_) && num_restarts < kMaxRestarts &&
                       dot(newton_step_, here.gradient) > 2.0 * options.tolerance &&
                       num_iterations < options.max_iterations && restart(curvature_.covariance);
  if (goes_on) {
    ++num_restarts;
    end_ = ClimbEnd::none;
    num_level = 0;
    co_return Nothing{};
  }
  judge();
  hand_over();
  co_return Nothing{};
}

Step<bool> Climb::move_along(std::span<const double> direction, double first_step, double gain) {
  ++num_iterations;
  const bool climbs = co_await line_.run(here, direction, first_step);
  if (!climbs) {
    // Too close to the top for the log density's digits, or a place that it can't climb from.
    constexpr double kUnseen = 1e-13;
    const bool is_unseen = gain <= kUnseen * (1.0 + std::fabs(here.log_density));
    end_ = is_unseen ? ClimbEnd::change : ClimbEnd::line_search;
    co_return false;
  }
  const double change = line_.found().log_density - here.log_density;
  before = here;
  here = line_.found();
  const bool is_level =
      std::fabs(change) <= options.tolerance_change * (1.0 + std::fabs(here.log_density));
  num_level = is_level ? num_level + 1 : 0;
  if (num_level >= kLevelIterations) end_ = ClimbEnd::change;
  const bool runs_away = line_.rises_on() && largest(here.position) > kRunaway;
  if (overflows(here) || runs_away) end_ = ClimbEnd::unbounded;
  report_iteration(line_.step());
  co_return true;
}

Step<Nothing> Climb::climb_by(QuasiNewton& matrix) {
  const std::vector<double> uphill = matrix.direction(here.gradient);
  const double slope = dot(uphill, here.gradient), gain = 0.5 * slope;
  if (gain <= options.tolerance && (matrix.knows() || slope == 0.0)) {
    finish(ClimbEnd::gain);
    co_return Nothing{};
  }
  const double first = matrix.knows() ? 1.0 : std::min(1.0, 1.0 / std::sqrt(dot(uphill, uphill)));
  const bool moved = co_await move_along(uphill, first, gain);
  if (moved) matrix.learn(before, here);
  co_return Nothing{};
}

void Climb::check(std::span<const double> values) const {
  const std::size_t n = static_cast<std::size_t>(context.density.dimension());
  if (values.size() == n && here.position.size() == n && here.gradient.size() == n) return;
  throw Error(ErrorCode::io, "the state isn't of a climb with so many unconstrained values",
              "state of start " + std::to_string(number + 1),
              "resume the run with the program and data it was begun with");
}

void Climb::check(const QuasiNewton& matrix) const {
  check(matrix.fits(here.position.size()) ? here.position : std::vector<double>());
}

void Climb::report_iteration(double step) {
  std::vector<double> row(columns_of<ClimbRow>().size());
  write_columns(ClimbRow{.log_density = here.log_density,
                         .gradient = largest(here.gradient),
                         .step = step,
                         .num_evaluations = program->num_evaluations},
                row);
  recorder.row(0, row);
}

// ---- the end

Step<Nothing> Climb::look_around() {
  const Index dimension = context.density.dimension();
  curvature_ = {};
  newton_step_.assign(here.position.size(), 0.0);
  limits_.clear();
  if (dimension > options.max_curvature || overflows(here)) co_return Nothing{};
  std::vector<double> hessian(here.position.size() * here.position.size());
  const bool is_known = co_await find_hessian(here, is_exact_, hessian);
  if (is_known) take_step(hessian);
  co_return Nothing{};
}

void Climb::take_step(std::span<const double> hessian) {
  curvature_ = curvature_off_kinks(hessian, precision_of_hessian(is_exact_));
  if (curvature_.shape == Curvature::Shape::peaked)
    newton_step_ = product(curvature_.covariance, here.gradient);
}

// Coordinates at a kink have variance 0 and no part in directions.
Curvature Climb::curvature_off_kinks(std::span<const double> hessian, double precision) const {
  const std::vector<double> held = kinks_held();
  const std::size_t n = here.position.size();
  std::vector<std::size_t> apart;
  for (std::size_t d = 0; d < n; ++d)
    if (held.empty() || held[d] < 2.0) apart.push_back(d);
  if (apart.size() == n) return curvature_of(hessian, ssize(here.position), precision);
  std::vector<double> part;
  for (const std::size_t i : apart)
    for (const std::size_t j : apart) part.push_back(hessian[i * n + j]);
  const Curvature own = curvature_of(part, ssize(apart), precision);
  Curvature all{.shape = own.shape};
  if (own.shape == Curvature::Shape::peaked) all.covariance.assign(n * n, 0.0);
  all.directions.assign(own.directions.size() / std::max<std::size_t>(1, apart.size()) * n, 0.0);
  for (std::size_t i = 0; i < apart.size(); ++i) {
    for (std::size_t j = 0; j < apart.size() && !all.covariance.empty(); ++j)
      all.covariance[apart[i] * n + apart[j]] = own.covariance[i * apart.size() + j];
    for (std::size_t k = 0; k * n < all.directions.size(); ++k)
      all.directions[k * n + apart[i]] = own.directions[k * apart.size() + i];
  }
  return all;
}

void Climb::judge() {
  const bool is_peaked = curvature_.shape == Curvature::Shape::peaked;
  if (end_ == ClimbEnd::steps && is_peaked &&
      0.5 * dot(newton_step_, here.gradient) <= options.tolerance)
    end_ = ClimbEnd::gain;
  if (!has_converged(end_)) {
    const bool is_near = is_peaked && !leads_far_away(here, newton_step_);
    limits_ = rising_outward(here);
    if (any(limits_) && !is_near) end_ = ClimbEnd::unbounded;
  } else if (is_peaked && any(limits_ = spikes(here, curvature_.covariance))) {
    end_ = ClimbEnd::unbounded;
  } else if (is_peaked && leads_far_away(here, newton_step_)) {
    end_ = ClimbEnd::infinity;
    limits_ = newton_step_;
  } else if (curvature_.shape == Curvature::Shape::uphill) {
    end_ = ClimbEnd::saddle;
  } else if (rises_along(here, curvature_.directions)) {  // flat directions don't rise
    end_ = ClimbEnd::line_search;
  }
  if (!any(limits_)) limits_ = curvature_.directions;
}

ClimbInfo Climb::info() const {
  const bool is_peaked = curvature_.shape == Curvature::Shape::peaked;
  return {.log_density = here.log_density,
          .gradient = largest(here.gradient),
          .gain = is_peaked ? 0.5 * dot(newton_step_, here.gradient) : kNaN,
          .num_iterations = num_iterations,
          .end = static_cast<Index>(end_),
          .curvature = static_cast<Index>(curvature_.shape),
          .converged = has_converged(end_)};
}

void Climb::hand_over() {
  ChainResult& result = recorder.result;
  result.metric = MetricKind::dense;
  result.inv_metric = curvature_.covariance;
  result.tuned = {{"mode", here.position}, {"gradient", here.gradient}, {"limits", limits_}};
  if (std::vector<double> kinks = kinks_held(); !kinks.empty())
    result.tuned.push_back({"kinks", std::move(kinks)});
  write_columns(info(), recorder.columns());
  recorder.keep(0, 0, here.position);
  recorder.done_with(1);
  is_handed_ = true;
}

// ---- the run

std::vector<RowGroup> climb_groups() {
  return {{.name = "climb", .row = "iteration", .columns = columns_of<ClimbRow>()}};
}

namespace {
// Why a kind of matrix can't be evaluated; empty if it can.
std::string why_no_matrix(const density::LogDensity& density, density::Want want) {
  const auto n = static_cast<std::size_t>(density.dimension());
  std::vector<double> origin(n, 0.0), matrix(n * n);
  density::Request request{.position = origin, .gradient = {}, .status = {}, .matrix = matrix};
  density::Request* batch[] = {&request};
  try {
    density.make_evaluator()->evaluate(want, batch);
  } catch (const Error& error) {
    return error.message();
  }
  return {};
}
}  // namespace

std::string why_no_hessian(const density::LogDensity& density) {
  if (!density.has_hessian()) return "this log density has no second derivatives";
  return why_no_matrix(density, density::Want::hessian);
}

void require_information(const density::LogDensity& density, std::string_view method) {
  std::string why = "this log density states no outcomes";
  if (density.has_information()) why = why_no_matrix(density, density::Want::information);
  if (why.empty()) return;
  throw Error(ErrorCode::usage,
              std::string(method) + " needs the expected information of the outcomes: " + why,
              std::string(method), "newton needs second derivatives only, lbfgs gradients only");
}

RunResult run_climbs(const density::LogDensity& density, const SampleOptions& options,
                     DrawSink& sink, const ClimbOptions& climb, const ClimbMaker& make) {
  validate(climb);
  require_continuous(density, "the search for a mode");
  if (!density.has_gradient())
    throw Error(ErrorCode::usage, options.sampler + " needs a gradient, the log density has none",
                "sampler", "use anneal without polishing");
  SampleOptions own = options;
  own.num_warmup = 0;
  own.num_draws = own.thin = 1;
  RunContext context(density, own, 1, sink);
  const bool exact = density.dimension() <= climb.max_curvature && why_no_hessian(density).empty();
  std::vector<std::unique_ptr<Job>> jobs;
  for (Index c = 0; c < own.num_chains; ++c) jobs.push_back(make({context, c, exact}));
  const std::vector<RowGroup> groups = climb_groups();
  context.begin_sink(columns_of<ClimbInfo>(), groups);
  return run_jobs(context, jobs);
}

}  // namespace credo::infer
