// A time, of members x_i:
//
//   1  x_i ~ p(x_t | x_i);  where there is an outcome, inflated about their mean
//   2  h_i, R_i = mean and covariance of y_t given x_i;  R = their mean
//   3  the update by h, R and y_t, perturbed by e_i ~ N(0, R_i) or by square roots;  log p += log N(y_t; mean h, cov h + R)
#include "infer/smc/ensemble_filter.hpp"

#include "base/team.hpp"
#include "infer/smc/deal_blocks.hpp"
#include "infer/smc/filter_checkpoints.hpp"
#include "numerics/ensemble_update.hpp"

namespace credo::infer {
namespace {
using density::StateMover;
using density::StateSpace;
using numerics::DenseMatrix;
using numerics::NormalMoments;

class EnsembleFilter {
 public:
  EnsembleFilter(const StateSpace& model,
                 const std::function<std::unique_ptr<OutcomeDistributions>()>& make_distributions,
                 const FilterOptions& options, const EnsembleFilterOptions& ensemble, Index repeat)
      : model_(model),
        options_(options),
        ensemble_(ensemble),
        repeat_(repeat),
        members_(model.state().size(), options.num_particles) {
    const Index threads =
        std::clamp<Index>(options.num_threads, 1, std::min(num_blocks(), Team::kMost));
    for (Index k = 0; k < threads; ++k) {
      movers_.push_back(model.make_mover(density::Kernel::bootstrap));
      distributions_.push_back(make_distributions());
    }
    if (threads > 1) team_ = std::make_unique<Team>(threads);
  }

  FilterResult run() {
    run_times(*this, model_.num_times(), repeat_, options_.checkpoints);
    return std::move(result_);
  }
  void step(Index time) {
    FilteredTime& at = result_.times.emplace_back();
    forecast(time);
    if (model_.is_observed(time)) at.log_increment = update(time);
    result_.log_likelihood += at.log_increment;
    report_time(at);
    if (options_.quantiles && options_.outcomes != nullptr && options_.outcomes->is_asked(time))
      at.outcome = forecast_distribution(
          {.draws = *options_.outcomes,
           .time = time,
           .seed = stream(time, true).bits(),
           .num_elements = members_.rows},
          [&](Index i, Index e) { return members_(e, i); },
          std::vector<double>(static_cast<std::size_t>(size()), 1.0), options_.levels);
  }
  Index next_time = 0;

  static void saved(auto& self, auto&& field) {
    field(self.next_time);
    field(self.members_.values);
    field(self.result_);
  }

 private:
  static constexpr Index kBlock = StateSpace::kBlock;
  Index size() const { return members_.cols; }
  Index num_blocks() const { return (size() + kBlock - 1) / kBlock; }
  Index count(Index block) const { return std::min(kBlock, size() - block * kBlock); }
  Rng stream(Index time, bool of_outcome) const {
    return Rng({.seed = options_.seed,
                .purpose = purpose::kFilter,
                .chain = static_cast<std::uint32_t>(repeat_ + 1),
                .iteration = static_cast<std::uint32_t>(2 * time + (of_outcome ? 1 : 0))});
  }

  void forecast(Index time) {
    const std::uint64_t seed = stream(time, false).bits();
    deal_blocks(team_.get(), num_blocks(), [&](Index block, Index member) {
      const auto places = static_cast<std::size_t>(members_.rows * kBlock);
      std::vector<double> before(places), next(places), unused(static_cast<std::size_t>(kBlock));
      for (Index i = 0; i < kBlock; ++i)  // places behind the last member are filled with it
        for (Index e = 0; e < members_.rows; ++e)
          before[static_cast<std::size_t>(e * kBlock + i)] =
              members_(e, std::min(block * kBlock + i, size() - 1));
      movers_[static_cast<std::size_t>(member)]->move(
          {.time = time,
           .first = block * kBlock,
           .count = count(block),
           .seed = seed,
           .previous = time == 0 ? nullptr : before.data(),
           .next = next.data(),
           .log_weights = unused.data()});
      for (Index i = 0; i < count(block); ++i)
        for (Index e = 0; e < members_.rows; ++e)
          members_(e, block * kBlock + i) = next[static_cast<std::size_t>(e * kBlock + i)];
    });
  }

  std::vector<NormalMoments> read_distributions(Index time) {
    std::vector<NormalMoments> all(static_cast<std::size_t>(size()));
    deal_blocks(team_.get(), num_blocks(), [&](Index block, Index member) {
      std::vector<std::vector<double>> states;
      for (Index i = 0; i < count(block); ++i) {
        std::vector<double>& state = states.emplace_back();
        for (Index e = 0; e < members_.rows; ++e) state.push_back(members_(e, block * kBlock + i));
      }
      std::ranges::move(distributions_[static_cast<std::size_t>(member)]->given(time, states),
                        all.begin() + block * kBlock);
    });
    return all;
  }

  double update(Index time) {
    if (ensemble_.inflation != 1.0) numerics::spread_members(members_, ensemble_.inflation);
    const std::vector<NormalMoments> distributions = read_distributions(time);
    numerics::EnsembleOutcome seen{
        .images = {}, .noise = {}, .outcome = distributions_[0]->outcome(time)};
    const Index m = ssize(seen.outcome);
    seen.images = DenseMatrix(m, size());
    seen.noise = DenseMatrix(m, m);
    for (Index i = 0; i < size(); ++i) {
      const NormalMoments& distribution = distributions[static_cast<std::size_t>(i)];
      std::ranges::copy(distribution.mean, seen.images.values.begin() + i * m);
      for (std::size_t k = 0; k < distribution.covariance.size(); ++k)
        seen.noise.values[k] += distribution.covariance[k] / static_cast<double>(size());
    }
    if (ensemble_.update == EnsembleUpdate::square_root)
      return numerics::square_root_update(members_, seen);
    return numerics::perturbed_update(members_, seen, perturbations(time, m, distributions));
  }

  // e_i ~ N(0, R_i)
  DenseMatrix perturbations(Index time, Index m,
                            std::span<const NormalMoments> distributions) const {
    DenseMatrix all(m, size());
    Rng rng = stream(time, true);
    for (Index i = 0; i < size(); ++i) {
      const DenseMatrix root =
          numerics::cholesky_root({m, m, distributions[static_cast<std::size_t>(i)].covariance});
      for (Index k = 0; k < m; ++k) {
        const double z = rng.normal();
        for (Index j = k; j < m; ++j) all(j, i) += root(k, j) * z;
      }
    }
    return all;
  }

  // Members count the same.
  void report_time(FilteredTime& at) const {
    at.ess = static_cast<double>(size());
    at.max_weight = 1.0 / at.ess;
    at.num_roots = size();
    at.mean = numerics::mean_of_members(members_);
    std::vector<std::vector<double>> sorted;
    for (Index e = 0; e < members_.rows; ++e) {
      std::vector<double>& values = sorted.emplace_back();
      double squares = 0.0;
      for (Index i = 0; i < size(); ++i) {
        const double apart = members_(e, i) - at.mean[static_cast<std::size_t>(e)];
        values.push_back(members_(e, i));
        squares += apart * apart;
      }
      at.sd.push_back(std::sqrt(squares / static_cast<double>(size() - 1)));
      if (options_.quantiles) std::ranges::sort(values);
    }
    if (!options_.quantiles) return;
    for (const double level : options_.levels)
      for (const std::vector<double>& values : sorted) {
        const double place = std::ceil(level * static_cast<double>(size()) * (1.0 - 1e-12));
        at.quantiles.push_back(values[static_cast<std::size_t>(std::max(place, 1.0)) - 1]);
      }
  }

  const StateSpace& model_;
  const FilterOptions& options_;
  EnsembleFilterOptions ensemble_;
  Index repeat_;
  std::vector<std::unique_ptr<StateMover>> movers_;                   // one per thread
  std::vector<std::unique_ptr<OutcomeDistributions>> distributions_;  // the same
  std::unique_ptr<Team> team_;
  DenseMatrix members_;
  FilterResult result_;
};
}  // namespace

FilterResult run_ensemble_filter(
    const StateSpace& model,
    const std::function<std::unique_ptr<OutcomeDistributions>()>& make_distributions,
    const FilterOptions& options, const EnsembleFilterOptions& ensemble, Index repeat) {
  validate(options);
  return EnsembleFilter(model, make_distributions, options, ensemble, repeat).run();
}

}  // namespace credo::infer
