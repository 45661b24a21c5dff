// Evaluation of batches: lanes, the guards, and what a failed point says.
#include <fmt/format.h>

#include <chrono>

#include "base/error.hpp"
#include "model/densities.hpp"
#include "model/majority.hpp"

namespace credo::model {

namespace {
// A way to run some points: how many at once, and whether a team shares the work.
struct Way {
  Index lanes = 1;
  bool split = false;
};

// How to run a batch. Results don't depend on it, so it is found by trying: each number of lanes is
// timed for a few runs, without and with the team, then batches are split in the cheapest way.
class WayChoice {
 public:
  explicit WayChoice(Index max_lanes) {
    while (Index{1} << num_sizes_ < max_lanes) ++num_sizes_;
    ++num_sizes_;
  }

  // The next run where `waiting` points are left.
  Way next(Index waiting) {
    if (try_next(waiting)) {
      measuring_ = true;
      return way(trying_, trying_split_);
    }
    if (measuring_) settle();
    const std::size_t size = plan_[static_cast<std::size_t>(std::min(waiting, kMost))];
    return way(size, trials_[size].split_pays());
  }
  bool measuring() const { return measuring_; }

  // Takes the time of the last run; splits: a team could have shared it, or did.
  void took(double seconds, bool splits) {
    Trial& trial = trials_[trying_];
    double& best = trying_split_ ? trial.split_cost : trial.cost;
    best = std::min(best, seconds);
    ++(trying_split_ ? trial.split_runs : trial.runs);
    trial.splits = splits;
  }

 private:
  static constexpr int kRuns = 6;  // the first runs warm caches; the shortest counts
  static constexpr Index kMost = graph::kMaxLanes;
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  struct Trial {  // times with a number of lanes
    double cost = kUnknown, split_cost = kUnknown;
    int runs = 0, split_runs = 0;
    bool splits = false;
    // A processor that is busy now may be free later, and help that doesn't come costs nothing.
    bool split_pays() const { return split_cost < 1.05 * cost; }
    double best() const { return std::min(cost, split_cost); }
  };

  static Way way(std::size_t size, bool split) { return {Index{1} << size, split}; }

  // Sizes that waste no more than half their lanes on this batch.
  bool try_next(Index waiting) {
    for (std::size_t k = 0; k < num_sizes_; ++k) {
      const Trial& trial = trials_[k];
      const bool alone = trial.runs < kRuns, shared = trial.splits && trial.split_runs < kRuns;
      if ((Index{1} << k) >= 2 * waiting || !(alone || shared)) continue;
      trying_ = k;
      trying_split_ = !alone;
      return true;
    }
    return false;
  }

  // Cheapest way to n points: one run, then the cheapest way to the rest. Sizes that no batch so
  // far was large enough for stay unused.
  void settle() {
    measuring_ = false;
    std::array<double, kMost + 1> cost{};
    for (std::size_t n = 1; n < cost.size(); ++n) {
      cost[n] = kUnknown;
      for (std::size_t k = 0; k < num_sizes_; ++k) {
        const std::size_t lanes = std::size_t{1} << k;
        const double total = trials_[k].best() + cost[n - std::min(n, lanes)];
        if (total >= cost[n]) continue;
        cost[n] = total;
        plan_[n] = k;
      }
    }
  }

  std::size_t num_sizes_ = 0, trying_ = 0;
  bool trying_split_ = false;
  std::array<Trial, 4> trials_{};
  std::array<std::size_t, kMost + 1> plan_{};
  bool measuring_ = true;
};
}  // namespace

// A traced density with this thread's workspace.
struct Runner {
  Runner(std::shared_ptr<const TracedDensity> traced_in, Index max_lanes)
      : traced(std::move(traced_in)), workspace(*traced->program, max_lanes), choice(max_lanes) {}
  std::shared_ptr<const TracedDensity> traced;
  graph::Workspace workspace;
  WayChoice choice;
};

namespace {
// The first statement whose terms aren't finite is the culprit; it goes into the status as a
// negative number.
void refuse_not_finite(const Runner& runner, Index lane, density::Request& request) {
  request.status = {-1, request.log_density, false};
  request.log_density = -kInfinity;
  const auto& statements = runner.traced->summed_statements;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    const double term = runner.workspace.output(runner.traced->first_sum() + k, 0, lane);
    if (std::isfinite(term)) continue;
    request.status = {-std::max(statements[k], 1), term, false};
    break;
  }
}

double dropped_of(const Runner& runner, Index lane) {
  const std::size_t varying = runner.traced->varying;
  const double more = varying > 0 ? runner.workspace.output(varying, 0, lane) : 0.0;
  return runner.traced->dropped + more;
}

// Hands the lane's results over; false when a guard says that the point takes another path.
bool hand_over(density::Want want, const Runner& runner, Index lane, density::Request& request) {
  const graph::LaneStatus& status = runner.workspace.status(lane);
  if (status.check != 0) {
    const lang::Failure& failure =
        runner.traced->failures[static_cast<std::size_t>(status.check - 1)];
    if (failure.kind == lang::FailureKind::guard) return false;
    request.log_density = -kInfinity;
    request.status = {runner.traced->sources[static_cast<std::size_t>(status.check - 1)],
                      status.value, is_fatal(failure.kind)};
    return true;
  }
  request.status = {};
  if (want == density::Want::pointwise) {
    if (ssize(request.pointwise) != runner.traced->num_rows)
      throw Error(ErrorCode::program,
                  fmt::format("the likelihood has {} rows here, {} were requested",
                              runner.traced->num_rows, request.pointwise.size()),
                  "rows", "write the model so that its rows don't depend on parameters");
    runner.workspace.copy_output(0, lane, request.pointwise);
    return true;
  }
  request.log_density = runner.workspace.output(TracedDensity::kLogDensity, 0, lane);
  request.dropped = dropped_of(runner, lane);
  if (want == density::Want::gradient)  // even for a density of zero some callers use it
    runner.workspace.copy_output(TracedDensity::kGradient, lane, request.gradient);
  if (!std::isfinite(request.log_density)) refuse_not_finite(runner, lane, request);
  return true;
}

// Values or gradients on this thread: the paths of decisions that were met, the default one first.
// Points are evaluated several at once on the default path, alone on others.
class Paths {
 public:
  Paths(const Densities& densities, density::Want want)
      : densities_(densities),
        want_(want),
        order_(want == density::Want::value       ? Order::value
               : want == density::Want::pointwise ? Order::pointwise
                                                  : Order::gradient) {}

  void use_threads(Index count) {
    num_threads_ = std::min(count, Team::kMost);
    team_.reset();
  }

  void evaluate(std::span<density::Request* const> batch) {
    if (runners_.empty()) add_runner(densities_.trace(batch[0]->position, order_));
    WayChoice& choice = runners_.front()->choice;
    for (std::size_t begin = 0; begin < batch.size();) {
      const Way way = choice.next(std::ssize(batch) - static_cast<Index>(begin));
      const auto count = std::min(static_cast<std::size_t>(way.lanes), batch.size() - begin);
      run(batch.subspan(begin, count), way);
      begin += count;
    }
    if (default_wins_.is_lost()) replace_default();
  }

 private:
  // Paths of decisions beyond this number are traced anew at every visit.
  static constexpr std::size_t kMaxRunners = 64;

  Runner& add_runner(std::shared_ptr<const TracedDensity> traced) {
    if (runners_.size() >= kMaxRunners) runners_.pop_back();
    runners_.push_back(std::make_unique<Runner>(std::move(traced), densities_.options().max_lanes));
    return *runners_.back();
  }

  // The threads that could share the runner's next run; null: no threads, or it is too small.
  // They are started when a run is large enough for the first time.
  Team* helpers(const Runner& runner) {
    if (num_threads_ == 1 || !runner.workspace.splits()) return nullptr;
    if (team_ == nullptr) team_ = std::make_unique<Team>(num_threads_);
    return team_.get();
  }

  void run(std::span<density::Request* const> batch, const Way& way) {
    Runner& runner = *runners_.front();
    runner.workspace.set_lanes(way.lanes);
    Team* const team = helpers(runner);
    runner.workspace.use_team(way.split || !densities_.options().measure_splits ? team : nullptr);
    for (Index l = 0; l < way.lanes; ++l) {  // lanes without a point repeat the last one
      const auto k = std::min(static_cast<std::size_t>(l), batch.size() - 1);
      runner.workspace.set_input(l, input_of(*batch[k]));
    }
    run_timed(runner, team != nullptr);
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const bool is_default = hand_over(want_, runner, static_cast<Index>(k), *batch[k]);
      default_wins_.count(is_default);
      if (is_default) continue;
      const graph::LaneStatus& status = runner.workspace.status(static_cast<Index>(k));
      ++decided_[runner.traced->failures[static_cast<std::size_t>(status.check - 1)].statement];
      search_path(*batch[k]);
    }
  }

  static void run_timed(Runner& runner, bool splits) {
    if (!runner.choice.measuring()) return runner.workspace.run();
    const auto start = std::chrono::steady_clock::now();
    runner.workspace.run();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    runner.choice.took(time.count(), splits);
  }

  // The point's decisions differ from the default path's: one of the known paths, or a new trace.
  void search_path(density::Request& request) {
    for (std::size_t k = 1; k < runners_.size(); ++k) {
      if (!run_single(*runners_[k], request)) continue;
      std::swap(runners_[1], runners_[k]);  // the last path found is tried first
      return;
    }
    run_single(add_runner(densities_.trace_anew(request.position, order_)), request);
    std::swap(runners_[1], runners_.back());
    if (++num_traced_ == kMaxRunners) densities_.warn_of_paths(most_decided(), num_traced_);
  }

  // The statement whose decision most often took another path than the default one.
  std::int32_t most_decided() const {
    const auto most = std::max_element(decided_.begin(), decided_.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    return most == decided_.end() ? 0 : most->first;
  }

  // Chains may end on another path than they began on: the one that was met last takes its place.
  void replace_default() {
    std::swap(runners_[0], runners_[1]);
    default_wins_.begin_again();
  }

  bool run_single(Runner& runner, density::Request& request) {
    runner.workspace.set_lanes(1);
    runner.workspace.use_team(helpers(runner));
    runner.workspace.set_input(0, input_of(request));
    runner.workspace.run();
    return hand_over(want_, runner, 0, request);
  }

  // The position; for a density of batches the rows and their weight, too.
  std::span<const double> input_of(const density::Request& request) {
    if (densities_.options().query.batch == 0) return request.position;
    CREDO_ASSERT(ssize(request.rows) == densities_.options().query.batch, "a batch has its size");
    input_.assign(request.position.begin(), request.position.end());
    input_.insert(input_.end(), request.rows.begin(), request.rows.end());
    input_.push_back(request.weight);
    return input_;
  }

  const Densities& densities_;
  density::Want want_;
  Order order_;
  Index num_threads_ = 1;
  Majority default_wins_;       // points on the default path, among all
  std::unique_ptr<Team> team_;  // outlives the workspaces that use it
  std::vector<std::unique_ptr<Runner>> runners_;
  std::size_t num_traced_ = 0;  // paths traced beside the default one, with repetitions
  std::map<std::int32_t, std::int64_t> decided_;  // by statement: points off the default path
  std::vector<double> input_;
};

class DensityEvaluator final : public density::Evaluator {
 public:
  explicit DensityEvaluator(const Densities& densities)
      : densities_(densities),
        values_(densities, density::Want::value),
        gradients_(densities, density::Want::gradient),
        rows_(densities, density::Want::pointwise) {}

  void evaluate(density::Want want, std::span<density::Request* const> batch) override {
    if (batch.empty()) return;
    if (want == density::Want::value) return values_.evaluate(batch);
    if (want == density::Want::gradient) return gradients_.evaluate(batch);
    if (want == density::Want::pointwise) return rows_.evaluate(batch);
    if (curvature_ == nullptr) curvature_ = std::make_unique<CurvatureEvaluator>(densities_);
    curvature_->evaluate(want, batch);
  }

  void use_threads(Index count) override {
    values_.use_threads(count);
    gradients_.use_threads(count);
  }

 private:
  const Densities& densities_;
  Paths values_, gradients_, rows_;
  std::unique_ptr<CurvatureEvaluator> curvature_;  // made on first use
};

}  // namespace

std::unique_ptr<density::Evaluator> Densities::make_evaluator() const {
  return std::make_unique<DensityEvaluator>(*this);
}

PointEvaluation Densities::evaluate_in_full(std::span<const double> point) const {
  // On the point's own path.
  std::shared_ptr<const TracedDensity> traced = trace_anew(point, Order::gradient);
  Runner runner(traced, 1);
  runner.workspace.set_input(0, point);
  runner.workspace.run();
  PointEvaluation result;
  result.gradient.resize(point.size());
  density::Request request{
      .position = point, .gradient = result.gradient, .log_density = -kInfinity, .status = {}};
  hand_over(density::Want::gradient, runner, 0, request);
  result.status = request.status;
  result.log_density = request.log_density;
  // A density of zero is a value, not a refusal: the sampler has no use for it, a caller may.
  if (result.status.source < 0 &&
      runner.workspace.output(TracedDensity::kLogDensity, 0, 0) == -kInfinity) {
    result.status = {};
  }
  result.log_density_no_jacobian = runner.workspace.output(TracedDensity::kWithoutJacobian, 0, 0);
  result.dropped = dropped_of(runner, 0);
  return result;
}

void Densities::warn_of_paths(std::int32_t statement, std::size_t count) const {
  if (!options_.warn || has_warned_.exchange(true)) return;
  options_.warn(fmt::format(
      "{}: the branch taken here depends on parameters and can't be a choice of values: {} paths "
      "have been traced, and most points need a new one, so tracing takes most of the time\n"
      "  hint: let sizes, bounds of loops and indices on the left side depend on data only, and "
      "choose values by if or ?:\n",
      parts_.data.source().where(statement), count));
}

density::RefusedBy Densities::refused_by(const density::Status& status) const {
  if (const auto failure = failure_of(status))
    return {.statement = failure->statement, .is_check = true};
  const bool is_term =
      status.source < 0 &&
      -std::int64_t{status.source} < ssize(parts_.data.source().program.statement_ranges);
  return {.statement = is_term ? -status.source : 0};
}

std::string Densities::describe(const density::Status& status) const {
  if (status.ok()) return "no failure";
  if (status.source == kBadCurvature)
    return fmt::format("{}: a second or third derivative is {} here", parts_.data.name(),
                       status.value);
  if (status.source < 0) {
    return fmt::format("{}: the log density's term is {} here",
                       parts_.data.source().where(-status.source), status.value);
  }
  const lang::Failure failure = statuses_.failure_of(status).value();
  return parts_.data.source().where(failure.statement) + ": " +
         lang::message(failure, status.value);
}

}  // namespace credo::model
