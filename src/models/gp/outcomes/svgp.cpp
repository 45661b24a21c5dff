#include "models/gp/outcomes/svgp.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "models/gp/gp_solver_table.hpp"

namespace credo::models {
namespace {
using numerics::DenseMatrix;
using Slopes = SvgpBound::Slopes;
constexpr std::uint32_t kBatches = stream("gp.svgp.batches"), kChoice = stream("gp.svgp.inducing");
constexpr Index kGrowingSteps = 5, kInputsEach = 4, kMostPasses = 50, kChoiceRows = 5000;
constexpr double kFirstStep = 1e-3, kSvgpRange = 12.0;

// Rows in an order that is drawn anew when all have been used.
class BatchOrder {
 public:
  BatchOrder(Index num_rows, const SvgpOptions& options)
      : batch_(std::min(options.batch, num_rows)), seed_(options.seed) {
    order_.resize(static_cast<std::size_t>(num_rows));
    std::iota(order_.begin(), order_.end(), Index{0});
    if (batch_ < num_rows) shuffle();
  }
  // N / B of them are one pass; rows that don't fill a batch are left for another pass.
  std::span<const Index> next() {
    const auto size = static_cast<std::size_t>(batch_);
    if (at_ + size > order_.size()) {
      at_ = 0;
      if (size < order_.size()) shuffle();
    }
    const std::span<const Index> rows = std::span(order_).subspan(at_, size);
    at_ += size;
    return rows;
  }
  double scale() const { return static_cast<double>(order_.size()) / static_cast<double>(batch_); }

 private:
  void shuffle() {
    Rng rng({.seed = seed_, .purpose = kBatches, .iteration = pass_++});
    for (std::size_t k = order_.size() - 1; k > 0; --k)
      std::swap(order_[k],
                order_[static_cast<std::size_t>(rng.index_below(static_cast<Index>(k) + 1))]);
  }
  Index batch_;
  std::uint64_t seed_;
  std::uint32_t pass_ = 0;
  std::vector<Index> order_;
  std::size_t at_ = 0;
};

// Adam [kingma2015, algorithm 1], uphill.
class AdamClimb {
 public:
  explicit AdamClimb(std::size_t size) : first_(size, 0.0), second_(size, 0.0) {}
  void step(std::span<const double> slopes, double rate, std::span<double> x) {
    ++count_;
    for (std::size_t k = 0; k < x.size(); ++k) {
      first_[k] = 0.9 * first_[k] + 0.1 * slopes[k];
      second_[k] = 0.999 * second_[k] + 0.001 * slopes[k] * slopes[k];
      const double mean = first_[k] / (1.0 - std::pow(0.9, count_)),
                   square = second_[k] / (1.0 - std::pow(0.999, count_));
      x[k] += rate * mean / (std::sqrt(square) + 1e-8);
    }
  }

 private:
  std::vector<double> first_, second_;
  double count_ = 0.0;
};

class SvgpClimb {
 public:
  SvgpClimb(const GpProblem& problem, const GpOutcome& outcome, const InputColumns& columns,
            std::span<const Index> factor_inputs, const SvgpOptions& options)
      : problem_(problem),
        options_(options),
        estimated_(estimated_parameters(problem.covariance)),
        order_(problem.num_rows(), options) {
    moves_ = options.moves_inputs && may_move_inputs(problem.covariance, factor_inputs);
    fit_.bound = std::make_unique<SvgpBound>(problem, outcome, columns);
    fit_.theta = centre_of(problem.covariance);
    choose_inputs(columns);
    if (!fit_.bound->set_place(fit_.theta, fit_.z)) refuse();
  }

  SvgpFit run() {
    const std::size_t num_z = fit_.z.size() * fit_.z[0].size();
    AdamClimb parameters(estimated_.size()), inputs(num_z);
    for (Index step = 0; step < options_.num_steps && (!estimated_.empty() || moves_); ++step) {
      stop_if_asked();
      const bool with_inputs = moves_ && step % kInputsEach == kInputsEach - 1;
      const SvgpSums sums =
          fit_.bound->sums(order_.next(), order_.scale(),
                           with_inputs ? Slopes::parameters_and_inputs : Slopes::parameters);
      note_bound(step, sums.value - fit_.bound->divergence());
      natural_step(sums, growing_step(step));
      move(sums, adam_rate(step), parameters, inputs);
    }
    finish();
    return std::move(fit_);
  }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::evaluation,
                "the covariance of the inducing inputs isn't positive definite to rounding", "",
                "fewer of them: --inducing");
  }
  // Greedy by variance among some rows.
  void choose_inputs(const InputColumns& columns) {
    const Index n = problem_.num_rows();
    std::vector<Index> among = random_rows(n, kChoiceRows, options_.seed + kChoice);
    std::vector<Index> chosen = greedy_rows(subset_of(problem_, among), options_.num_inducing);
    // the hyperparameters' scales may be shorter than those of the prior, at which others add no variance
    for (const Index k : random_rows(ssize(among), options_.num_inducing, options_.seed))
      if (ssize(chosen) < options_.num_inducing && std::ranges::find(chosen, k) == chosen.end())
        chosen.push_back(k);
    for (const std::vector<double>& column : columns) {
      fit_.z.emplace_back();
      for (const Index k : chosen)
        fit_.z.back().push_back(
            column[static_cast<std::size_t>(among[static_cast<std::size_t>(k)])]);
    }
    for (const std::vector<double>& column : fit_.z) {
      const auto [lo, hi] = std::ranges::minmax(column);
      units_.push_back(hi > lo ? (hi - lo) / 10.0 : 1.0);
    }
  }
  double growing_step(Index step) const {
    const double share =
        std::min(1.0, static_cast<double>(step) / static_cast<double>(kGrowingSteps));
    return kFirstStep * std::pow(options_.natural_step / kFirstStep, share);
  }
  double adam_rate(Index step) const {
    const double done = static_cast<double>(step) / static_cast<double>(options_.num_steps);
    return options_.adam_rate * (done < 2.0 / 3.0 ? 1.0 : 1.0 - 2.7 * (done - 2.0 / 3.0));
  }

  // precision <- (1 - rho) precision + rho (1 + sums), and the shift; halved where it isn't a covariance.
  void natural_step(const SvgpSums& sums, double rho) {
    for (int half = 0; half < 20; ++half, rho *= 0.5) {
      DenseMatrix precision = fit_.bound->precision();
      std::vector<double> shift = fit_.bound->shift();
      for (Index j = 0; j < precision.cols; ++j) {
        for (Index i = j; i < precision.rows; ++i)
          precision(i, j) += rho * ((i == j ? 1.0 : 0.0) + sums.precision(i, j) - precision(i, j));
        double& own = shift[static_cast<std::size_t>(j)];
        own += rho * (sums.shift[static_cast<std::size_t>(j)] - own);
      }
      if (fit_.bound->set_q(precision, std::move(shift))) return;
    }
    throw Error(ErrorCode::evaluation, "no natural-gradient step leads to a covariance", "",
                "other starts: --seed; or --outcome sample");
  }
  void move(const SvgpSums& sums, double rate, AdamClimb& parameters, AdamClimb& inputs) {
    std::vector<double> free, slopes, theta = fit_.theta;
    InputColumns z = fit_.z;
    for (const Index p : estimated_) {
      const auto& one = problem_.covariance.parameters()[static_cast<std::size_t>(p)];
      const double natural = theta[static_cast<std::size_t>(p)];
      free.push_back(one.to_free(natural));
      slopes.push_back(sums.slopes[static_cast<std::size_t>(p)] * one.slope(natural));
    }
    parameters.step(slopes, rate, free);
    for (std::size_t k = 0; k < estimated_.size(); ++k) {
      const auto p = static_cast<std::size_t>(estimated_[k]);
      const auto& one = problem_.covariance.parameters()[p];
      const double centre =
          one.kind.transform == KernelTransform::positive ? std::log(one.centre()) : 0.0;
      theta[p] = one.from_free(std::clamp(free[k], centre - kSvgpRange, centre + kSvgpRange));
    }
    if (!sums.input_slopes.empty()) move_inputs(sums, rate, inputs, z);
    if (!fit_.bound->set_place(theta, z)) return;  // the place before stays
    fit_.theta = std::move(theta), fit_.z = std::move(z);
  }
  // In units of a tenth of the range of each input.
  void move_inputs(const SvgpSums& sums, double rate, AdamClimb& inputs, InputColumns& z) const {
    std::vector<double> at, slopes;
    for (std::size_t c = 0; c < z.size(); ++c)
      for (std::size_t k = 0; k < z[c].size(); ++k) {
        at.push_back(z[c][k] / units_[c]);
        slopes.push_back(sums.input_slopes[c][k] * units_[c]);
      }
    inputs.step(slopes, rate, at);
    std::size_t next = 0;
    for (std::size_t c = 0; c < z.size(); ++c)
      for (double& x : z[c]) x = at[next++] * units_[c];
  }
  void note_bound(Index step, double value) {
    const Index late = options_.num_steps - options_.num_steps / 5, half = options_.num_steps / 10;
    if (step >= late) late_[step >= late + half ? 1 : 0].push_back(value);
    if (options_.on_progress && step % 100 == 0) options_.on_progress(step, value);
  }

  // The hyperparameters stay: q by passes over all rows, with steps of 1, halved where the bound falls.
  void finish() {
    std::vector<Index> all(static_cast<std::size_t>(problem_.num_rows()));
    std::iota(all.begin(), all.end(), Index{0});
    SvgpSums sums = fit_.bound->sums(all, 1.0, Slopes::none);
    fit_.value = sums.value - fit_.bound->divergence();
    double rho = 1.0;
    for (Index pass = 0; pass < kMostPasses && !fit_.has_converged && rho > 1e-3; ++pass) {
      stop_if_asked();
      const DenseMatrix precision = fit_.bound->precision();
      const std::vector<double> shift = fit_.bound->shift();
      natural_step(sums, rho);
      SvgpSums next = fit_.bound->sums(all, 1.0, Slopes::none);
      const double value = next.value - fit_.bound->divergence();
      const double rise = value - fit_.value, least = 1e-9 * (1.0 + std::abs(fit_.value));
      if (!(rise > -least)) {
        fit_.bound->set_q(precision, shift);
        rho *= 0.5;
        continue;
      }
      sums = std::move(next), fit_.value = value;
      fit_.has_converged = rise < least;
    }
    const auto mean = [](const std::vector<double>& x) {
      return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
    };
    if (late_[0].size() < 10 || late_[1].size() < 10) return;
    const double before = mean(late_[0]), after = mean(late_[1]);
    fit_.late_rise = after - before;
    for (const std::vector<double>& half : late_) {
      double square = 0.0;
      for (const double x : half) square += (x - mean(half)) * (x - mean(half));
      fit_.late_error += square / static_cast<double>(half.size() * (half.size() - 1));
    }
    fit_.late_error = std::sqrt(fit_.late_error);
  }

  const GpProblem& problem_;
  const SvgpOptions& options_;
  std::vector<Index> estimated_;
  BatchOrder order_;
  SvgpFit fit_;
  std::vector<double> units_;
  std::array<std::vector<double>, 2> late_;
  bool moves_ = false;
};

// The posterior keeps the fit's bound.
class SvgpSolver final : public GpSolver {
 public:
  explicit SvgpSolver(const SvgpFit& fit) : fit_(fit) {}
  GpEvidence evidence(std::span<const double>, bool) override { return {.value = fit_.value}; }
  std::unique_ptr<GpPosterior> posterior(std::span<const double>) override {
    return fit_.bound->posterior();
  }

 private:
  const SvgpFit& fit_;
};
}  // namespace

bool may_move_inputs(const Covariance& covariance, std::span<const Index> factor_inputs) {
  return factor_inputs.empty() &&
         std::ranges::all_of(covariance.atoms(), [](const KernelNode* atom) {
           return atom->row->refusal == nullptr && atom->row->columns == KernelColumns::numbers &&
                  !atom->columns.empty();
         });
}

SvgpFit fit_svgp(const GpProblem& problem, const GpOutcome& outcome, const InputColumns& columns,
                 std::span<const Index> factor_inputs, const SvgpOptions& options) {
  SvgpFit fit = SvgpClimb(problem, outcome, columns, factor_inputs, options).run();
  fit.notes.push_back(fmt::format(
      "A lower bound of the evidence by {} inducing inputs{}; {:.0e} of their variance is added to "
      "it.",
      fit.z[0].size(),
      options.moves_inputs && may_move_inputs(problem.covariance, factor_inputs)
          ? ", which were moved, too"
          : "",
      kInducingJitter));
  if (!fit.has_converged)
    fit.notes.emplace_back("The last passes over all rows did not converge: the bound is loose.");
  if (fit.late_rise > 3.0 * fit.late_error && fit.late_rise > 1.0)
    fit.notes.push_back(fmt::format(
        "The bound still rose by {:.3g} in the last steps: --steps takes more.", fit.late_rise));
  return fit;
}

std::unique_ptr<GpSolver> make_svgp_solver(const SvgpFit& fit) {
  return std::make_unique<SvgpSolver>(fit);
}

}  // namespace credo::models
