#include "infer/smc/move_crew.hpp"

#include <fmt/format.h>

#include "infer/adapt/welford.hpp"
#include "infer/compose/compose.hpp"
#include "infer/core/table.hpp"
#include "infer/mcmc/walk/rwm.hpp"
#include "infer/smc/resampling_schemes.hpp"
#include "numerics/elementary.hpp"

namespace credo::infer {
namespace {
constexpr Index kChainsOfPart = 16;  // at least
constexpr Index kMostMembers = 16;   // of a crew
}  // namespace

ChosenRow mover_of(const SmcOptions& options, bool has_gradient) {
  if (options.mover.is_named()) return options.mover;
  return has_gradient ? "nuts" : "slice";
}

std::optional<std::string> biased_mover(const SmcOptions& options, bool has_gradient) {
  const std::string mover = mover_of(options, has_gradient).name;
  if (!find_sampler(mover).biased) return std::nullopt;
  return fmt::format(
      "the mover '{}' is biased by its step size, and so are the draws and the evidence", mover);
}

// A copy of the kernel, which moves z, and the particle m + s L z at which it requests evaluations.
struct MoveCrew::Member {
  std::unique_ptr<TransitionKernel> kernel;
  PointState z;
  std::vector<double> start, position, gradient, step;  // start: z before the moves
};

MoveCrew::MoveCrew(const RunContext& context, const SmcOptions& options)
    : context_(context),
      options_(options),
      mover_(mover_of(options, context.density.has_gradient())),
      has_gradient_(find_sampler(mover_.name).needs_gradient),
      dimension_(context.density.dimension()),
      centre_(static_cast<std::size_t>(dimension_), 0.0),
      metric_(options.move_metric, dimension_) {
  require_mover(mover_, kMovers, context.density.has_gradient());
  make_ = mover_kernel(mover_, kMovers);
}

Rng MoveCrew::stream(std::uint32_t purpose, Index chain, Index particle, Index iteration) const {
  return particle_stream(context_.options, purpose, chain, particle, iteration);
}

// Standardisation by equally weighted particles that stand for all.
void standardise(const Particles& particles, std::vector<double>& centre, Metric& metric) {
  const MetricKind kind = metric.kind();
  const Index dimension = static_cast<Index>(particles.population.dimension);
  Welford moments(kind == MetricKind::unit ? MetricKind::diagonal : kind, dimension);
  constexpr double kMiddle = 0.5, kNone = 1e-280;
  for (const Index i : systematic_parents(particles.log_weights(), kMiddle))
    moments.add(particles.population.position(i));
  const std::span<const double> found = moments.with_jitter(std::numeric_limits<double>::min());
  std::vector<double> covariance(found.begin(), found.end());
  const auto n = static_cast<std::size_t>(dimension);
  for (std::size_t d = 0; d < n; ++d)
    if (!(covariance[kind == MetricKind::dense ? d * n + d : d] > kNone)) return;
  const double count = static_cast<double>(particles.size());
  const double kept = count / (count + static_cast<double>(dimension) + 4.0);
  if (kind == MetricKind::dense)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < n; ++i)
        if (i != j) covariance[j * n + i] *= kept;
  if (kind != MetricKind::unit && !metric.set_inverse(covariance)) return;
  centre.assign(moments.mean().begin(), moments.mean().end());
}

double largest_correlation(std::span<const double> before, std::span<const double> after,
                           Index dimension) {
  const auto step = static_cast<std::size_t>(dimension);
  const double count = static_cast<double>(before.size() / step);
  double largest = 0.0;
  for (std::size_t d = 0; d < step; ++d) {
    double mean_before = 0.0, mean_after = 0.0;
    for (std::size_t i = d; i < before.size(); i += step)
      mean_before += before[i] / count, mean_after += after[i] / count;
    double product = 0.0, square_before = 0.0, square_after = 0.0;
    for (std::size_t i = d; i < before.size(); i += step) {
      const double x = before[i] - mean_before, y = after[i] - mean_after;
      product += x * y, square_before += x * x, square_after += y * y;
    }
    const double scale = std::sqrt(square_before) * std::sqrt(square_after);
    if (scale > 0.0) largest = std::max(largest, product / scale);
  }
  return largest;
}

Index MoveCrew::most_rounds() const {
  if (options_.move_until == 1.0) return 1;
  return std::max<Index>(1, options_.most_moves / options_.num_moves);
}

Step<Nothing> MoveCrew::move(PopulationState& particles, Index chain, Index stage,
                             double inverse_temperature, std::span<const double> rows) {
  const std::vector<double> before =
      most_rounds() > 1 ? particles.positions : std::vector<double>();
  std::vector<double> ratios;
  infos_.assign(static_cast<std::size_t>(particles.num_points()), {});
  for (Index round = 0;;) {
    task_ = {.particles = &particles,
             .chain = chain,
             .round = stage * most_rounds() + round,
             .inverse_temperature = inverse_temperature,
             .rows = rows};
    co_await move_all();
    num_moves_ = ++round * options_.num_moves;
    if (round == most_rounds()) break;
    if (largest_correlation(before, particles.positions, dimension_) <= options_.move_until) break;
    co_await evaluate_along(particles, inverse_temperature, ratios, {}, rows);
  }
  co_return Nothing{};
}

Step<Nothing> MoveCrew::walk_chains(PopulationState& particles, Index chain, Index stage,
                                    double inverse_temperature, Index length) {
  infos_.assign(static_cast<std::size_t>(particles.num_points()), {});
  task_ = {.particles = &particles,
           .chain = chain,
           .round = stage,
           .inverse_temperature = inverse_temperature,
           .length = length};
  co_await move_all();
  num_moves_ = length - 1;
  co_return Nothing{};
}

// Neighbours, and the copies that move them. It has coroutine frames of its own: parts run at the same time.
class MoveCrew::Part final : public PooledKernel {
 public:
  Part(MoveCrew& crew, Index first, Index end) : crew_(crew), next_(first), end_(end) {}
  Step<Nothing> move();

 private:
  Step<Nothing> work(Member& member);
  Step<Nothing> move_one(Member& member, Index particle);
  Step<Nothing> walk_one(Member& member, Index first);
  void take_up(Member& member, Index particle) const;
  Step<Nothing> transition(Member& member, Index particle, Index iteration);
  void put_down(Member& member, Index particle) const;

  MoveCrew& crew_;
  const Task& task_ = crew_.task_;
  Index next_, end_;  // range of particles
};

// Each num_moves times, or from place to place of a chain.
Step<Nothing> MoveCrew::move_all() {
  const Index length = task_.length, num_chains = task_.particles->num_points() / length;
  std::vector<std::unique_ptr<Part>> parts;
  std::vector<ChainProgram> programs =
      parts_of(num_chains, length > 1 ? kChainsOfPart : kPointsOfPart, [&](Index first, Index end) {
        return parts.emplace_back(std::make_unique<Part>(*this, first * length, end * length))
            ->move();
      });
  co_await run_parts(programs);
  co_return Nothing{};
}

Step<Nothing> MoveCrew::Part::move() {
  const Index size = std::min(kMostMembers, (end_ - next_) / task_.length);
  std::vector<Member> members(static_cast<std::size_t>(size));
  StepTeam<Nothing> team(size);
  for (Member& member : members) {
    member.kernel = crew_.make_({.run = crew_.context_.options, .dimension = crew_.dimension_});
    member.z = make_point(crew_.dimension_, crew_.has_gradient_);
    member.position = member.start = member.step = member.z.position;
    member.gradient = member.z.gradient;
    team.add(work(member));
  }
  const auto as_it_is = [](Index, density::Request&) {};
  co_await team.run(as_it_is);
  co_return Nothing{};
}

Step<Nothing> MoveCrew::Part::work(Member& member) {
  while (next_ < end_) {
    const Index particle = std::exchange(next_, next_ + task_.length);
    if (task_.particles->log_density(particle) == -kInfinity) continue;
    if (task_.length > 1)
      co_await walk_one(member, particle);
    else
      co_await move_one(member, particle);
  }
  co_return Nothing{};
}

Step<Nothing> MoveCrew::Part::move_one(Member& member, Index particle) {
  take_up(member, particle);
  const Index num_moves = crew_.options_.num_moves;
  for (Index m = 0; m < num_moves; ++m)
    co_await transition(member, particle, task_.round * num_moves + m);
  put_down(member, particle);
  co_return Nothing{};
}

// All places have the first state before.
Step<Nothing> MoveCrew::Part::walk_one(Member& member, Index first) {
  take_up(member, first);
  for (Index k = 1; k < task_.length; ++k) {
    co_await transition(member, first + k, task_.round);
    put_down(member, first + k);
  }
  co_return Nothing{};
}

void MoveCrew::Part::take_up(Member& member, Index particle) const {
  const std::span<double> x = task_.particles->position(particle);
  std::vector<double>& z = member.z.position;
  for (std::size_t d = 0; d < x.size(); ++d) z[d] = (x[d] - crew_.centre_[d]) / crew_.scale_;
  crew_.metric_.unshape_move(z);
  member.start = z;
  member.z.log_density = task_.particles->log_density(particle);
  member.kernel->forget();
}

Step<Nothing> MoveCrew::Part::transition(Member& member, Index particle, Index iteration) {
  Rng rng = crew_.stream(purpose::kWalker, task_.chain, particle, iteration);
  Step<PartInfo> inner = member.kernel->step(member.z, rng);
  for (inner.resume(); !inner.done(); inner.resume()) {
    density::Request& asked = inner.pending()->request;
    crew_.place(asked.position, member);
    const bool with_gradient = inner.pending()->want == density::Want::gradient;
    Evaluate question =
        evaluate(member.position, with_gradient ? std::span(member.gradient) : std::span<double>());
    question.request.weight = task_.inverse_temperature;
    question.request.rows = task_.rows;
    const Evaluation answer = co_await question;
    asked.log_density = answer.log_density;
    asked.status = answer.status;
    if (!with_gradient) continue;
    crew_.metric_.shape_gradient(member.gradient, asked.gradient);
    for (double& g : asked.gradient) g *= crew_.scale_;
  }
  crew_.infos_[static_cast<std::size_t>(particle)].add(inner.result());
  co_return Nothing{};
}

void MoveCrew::Part::put_down(Member& member, Index particle) const {
  if (member.z.position == member.start) return;  // it keeps its bits
  crew_.place(member.z.position, member);
  std::ranges::copy(member.position, task_.particles->position(particle).begin());
}

void MoveCrew::place(std::span<const double> z, Member& member) const {
  metric_.shape_move(z, member.step);
  for (std::size_t d = 0; d < z.size(); ++d)
    member.position[d] = centre_[d] + scale_ * member.step[d];
}

SmcInfo MoveCrew::info_of(const Particles& particles, Index i) const {
  return {.log_density = particles.population.log_density(i),
          .accept_stat = infos_[static_cast<std::size_t>(i)].acceptance()};
}

double MoveCrew::mean_acceptance() const {
  PartInfo all;
  for (const PartInfo& info : infos_) all.add(info);
  return all.acceptance();
}

Index MoveCrew::num_divergent() const {
  Index count = 0;
  for (const PartInfo& info : infos_) count += info.num_divergent;
  return count;
}

// Tunes towards the requested acceptance.
void MoveCrew::tune_scale() {
  constexpr double kGradientAccept = 0.8, kGain = 2.0;
  double target = options_.move_accept;
  if (target == 0.0) target = has_gradient_ ? kGradientAccept : optimal_walk_acceptance(dimension_);
  const double accept = mean_acceptance();
  if (!std::isnan(accept)) scale_ *= numerics::exp(kGain * (accept - target));
}

}  // namespace credo::infer
