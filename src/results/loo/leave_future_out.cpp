#include "results/loo/leave_future_out.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "diagnose/convergence.hpp"
#include "diagnose/psis.hpp"
#include "results/draws/quiet_run.hpp"
#include "results/draws/row_likelihoods.hpp"
#include "results/draws/weights.hpp"

namespace credo::results {
namespace {

// A fit of the times before one, and the log likelihood of the later ones at its draws.
class PastFit {
 public:
  struct Times {
    Index num_statements, num_times;
  };
  PastFit(const density::Model& model, const Times& times, Index time,
          const infer::SampleOptions& options, infer::FilterCheckpoints* states)
      : time_(time),
        model_(without_future(model, times, time)),
        run_(*model_, options, nullptr, {states, number_of(time)}) {
    const Fit& fit = run_.fit();
    log_weights_ = log_weights_of(fit);
    num_draws_ = fit.num_draws(false) * fit.num_chains();
    RowBlock rows(times.num_statements * (times.num_times - time), num_draws_);
    fill(rows, fit,
         {.log_density = model,
          .num_values = times.num_statements * times.num_times,
          .places = future_rows(times, time)},
         FitPoints(fit, model));
    for (Index t = time; t < times.num_times; ++t) {
      auto& sum = by_time_.emplace_back(static_cast<std::size_t>(num_draws_), 0.0);
      for (Index s = 0; s < times.num_statements; ++s)
        add(sum, rows.row(s * (times.num_times - time) + t - time));
    }
    if (const auto place = find_quantity(fit, "lp__"))
      r_hat_ = diagnose::r_hat(chains(fit.quantities(false, *place, 1).quantity(0)));
  }

  static std::vector<Index> future_rows(const Times& times, Index time) {
    std::vector<Index> rows;
    for (Index s = 0; s < times.num_statements; ++s)
      for (Index t = time; t < times.num_times; ++t) rows.push_back(s * times.num_times + t);
    return rows;
  }

  Index time() const { return time_; }
  static Index number_of(Index time) { return -time; }  // its state; steps: 0, 1, …

  // Prediction of times `time` ... time + ahead - 1, given those before.
  FutureStep step(Index time, Index ahead) const {
    FutureStep step{.time = time, .fitted_at = time_, .r_hat = r_hat_};
    step.num_divergent = run_.num_divergent();
    std::vector<double> log_weights = log_weights_;
    double r_eff = kNaN;
    step.pareto_k = -kInfinity;
    if (time > time_) {
      log_weights.resize(static_cast<std::size_t>(num_draws_), 0.0);
      for (Index t = time_; t < time; ++t) add(log_weights, at(t));
      r_eff = efficiency(log_weights);
      step.pareto_k = diagnose::smooth_weights(log_weights, r_eff);
    }
    std::vector<double> future(static_cast<std::size_t>(num_draws_), 0.0);
    for (Index t = time; t < time + ahead; ++t) add(future, at(t));
    const diagnose::LogMean mean = diagnose::log_mean(chains(future), log_weights, r_eff);
    step.elpd = mean.value, step.mcse = mean.mcse;
    return step;
  }
  double k_limit() const { return diagnose::pareto_k_limit(num_draws_); }

 private:
  static std::unique_ptr<density::Model> without_future(const density::Model& model,
                                                        const Times& times, Index time) {
    density::Query query = model.query();
    query.without = future_rows(times, time);
    return model.asking(query);
  }
  static void add(std::vector<double>& sum, std::span<const double> terms) {
    for (std::size_t s = 0; s < sum.size(); ++s) sum[s] += terms[s];
  }
  std::span<const double> at(Index time) const {
    return by_time_[static_cast<std::size_t>(time - time_)];
  }
  diagnose::Chains chains(std::span<const double> values) const {
    return {values, run_.fit().num_draws(false), run_.fit().num_chains()};
  }
  // Relative efficiency of the weights, by their autocorrelation.
  double efficiency(std::span<const double> log_weights) const {
    if (!log_weights_.empty()) return 1.0;
    const double largest = *std::max_element(log_weights.begin(), log_weights.end());
    std::vector<double> weights;
    for (const double w : log_weights) weights.push_back(std::exp(w - largest));
    const double ess = diagnose::ess_mean(chains(weights));
    return std::isfinite(ess) ? ess / static_cast<double>(num_draws_) : 1.0;
  }

  Index time_;
  std::unique_ptr<density::Model> model_;
  QuietRun run_;
  std::vector<double> log_weights_;
  Index num_draws_ = 0;
  std::vector<std::vector<double>> by_time_;  // from time_ on: log likelihood in each draw
  double r_hat_ = kNaN;
};

void require_times(Index num_times, const FutureOptions& options) {
  const Index last = num_times - options.ahead;
  if (options.first >= 1 && options.first <= last) return;
  throw Error(ErrorCode::usage,
              fmt::format("must be between 1 and {} of the {} times, is {}", last, num_times,
                          options.first),
              "--from", "leave at least one time to be predicted");
}
}  // namespace

std::vector<FutureStep> leave_future_out(const density::Model& model, Index num_statements,
                                         Index num_times, std::span<const double> point,
                                         const FutureOptions& options) {
  require_times(num_times, options);
  const PastFit::Times times{num_statements, num_times};
  require_without(model, PastFit::future_rows(times, options.first), point);
  std::unique_ptr<const PastFit> past;
  std::set<Index> fitted;  // times of fits whose states may be kept
  const auto fit_at = [&](Index time) {
    if (past != nullptr && past->time() == time) return;
    fitted.insert(time);
    infer::SampleOptions run = options.run;
    run.seed = refit_seed(options.seed, time);  // by the time, so that a resumed run is the same
    past = std::make_unique<const PastFit>(model, times, time, run, options.states);
  };
  // A step that is predicted from a new fit needs the states of both fits until it is done.
  const auto drop_others = [&](Index time) {
    fitted.erase(time);
    if (options.states != nullptr)
      for (const Index other : fitted) options.states->keep(PastFit::number_of(other), "");
    fitted = {time};
  };
  std::vector<FutureStep> steps;
  for (Index time = options.first; time + options.ahead <= num_times; ++time) {
    const Index number = time - options.first;
    const auto known = options.done.find(number);
    if (known != options.done.end()) {
      steps.push_back(known->second);
      continue;
    }
    fit_at(steps.empty() ? time : steps.back().fitted_at);
    FutureStep step = past->step(time, options.ahead);
    if (!(step.pareto_k <= past->k_limit())) {
      fit_at(time);
      step = past->step(time, options.ahead);
    }
    if (options.on_done) options.on_done(number, step);
    drop_others(past->time());
    steps.push_back(step);
  }
  return steps;
}

}  // namespace credo::results
