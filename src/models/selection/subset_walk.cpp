// A walk over sets of terms: Gibbs, and exchanges of two terms.
#include "base/stop.hpp"
#include "base/stream.hpp"
#include "base/tasks.hpp"
#include "density/draws.hpp"
#include "diagnose/summary.hpp"
#include "models/selection/subset_search.hpp"

namespace credo::models {
namespace {
constexpr std::uint32_t kWalk = stream("selection walk");
constexpr Index kSweepsBetweenRestarts =
    20;                            // the products are made anew, so that rounding is forgotten
constexpr double kFirstIn = 10.0;  // expected number of terms that odd chains begin with

class Walk {
 public:
  Walk(const SelectionProblem& problem, const SearchStart& start, Rng rng)
      : problem_(problem),
        start_(start),
        rng_(rng),
        swept_(start.swept),
        set_(start.set),
        order_(start.free),
        averages(problem),
        best(problem) {
    for (std::size_t t = 0; t < set_.size(); ++t)
      if (set_[t]) num_columns_ += ssize(problem.terms[t].columns);
    joint_ = joint_of(swept_.residual(), swept_.log_determinant(), num_columns_, 0);
  }

  void begin_within() {
    for (const Index t : start_.free)
      if (rng_.uniform() < kFirstIn / (kFirstIn + static_cast<double>(start_.free.size())))
        try_flip(t, 0.0);
  }
  // `included`: conditional probabilities of the terms, each given the others.
  void sweep(std::span<double> included) {
    shuffle();
    for (const Index t : order_)
      included[static_cast<std::size_t>(t)] = try_flip(t, rng_.uniform());
    for (std::size_t k = 0; k < order_.size() / 2; ++k) exchange();
    if (++num_sweeps_ % kSweepsBetweenRestarts == 0) restart();
  }
  void record() {
    averages.add(swept_, set_, 0.0);
    best.add(set_, joint_, swept_.residual(), number_);
    ++visits[set_];
  }

 private:
  double joint_of(double residual, double log_determinant, Index num_columns, Index number) const {
    return problem_.slab->log_evidence(fit_of(problem_, residual, log_determinant, num_columns),
                                       problem_.options) +
           problem_.log_prior(number);
  }
  const std::vector<Index>& columns_of(Index t) const {
    return problem_.terms[static_cast<std::size_t>(t)].columns;
  }
  // All columns change sides; undone where one can't.
  bool flip(Index t) {
    const std::vector<Index>& columns = columns_of(t);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (swept_.flip(columns[k])) continue;
      while (k-- > 0) swept_.flip(columns[k]);
      return false;
    }
    auto& side = set_[static_cast<std::size_t>(t)];
    side = side ? 0 : 1;
    num_columns_ += side ? ssize(columns) : -ssize(columns);
    number_ += side ? 1 : -1;
    return true;
  }
  double joint_after(Index t, const SweptProducts::Fit& fit) const {
    const bool is_in = set_[static_cast<std::size_t>(t)] != 0;
    return joint_of(fit.residual, fit.log_determinant,
                    num_columns_ + (is_in ? -1 : 1) * ssize(columns_of(t)),
                    number_ + (is_in ? -1 : 1));
  }
  // Draws the side of a term given the others, by a uniform number; returns the probability that it is in.
  double try_flip(Index t, double u) {
    const bool is_in = set_[static_cast<std::size_t>(t)] != 0;
    const auto fit = swept_.after_flip(columns_of(t));
    const double other = fit ? joint_after(t, *fit) : -kInfinity;
    const double changes = 1.0 / (1.0 + std::exp(joint_ - other));
    if (u < changes && flip(t)) joint_ = other;
    return is_in ? 1.0 - changes : changes;
  }
  void exchange() {
    const auto all = ssize(order_);
    if (number_ == 0 || number_ == all) return;
    const Index out = nth(rng_.index_below(number_), true);
    const Index in = nth(rng_.index_below(all - number_), false);
    const double before = joint_;
    flip(out);
    const auto fit = swept_.after_flip(columns_of(in));
    const double after = fit ? joint_after(in, *fit) : -kInfinity;
    if (std::log(rng_.uniform()) < after - before && flip(in))
      joint_ = after;
    else
      flip(out);
  }
  Index nth(Index n, bool is_in) const {
    for (const Index t : start_.free)
      if ((set_[static_cast<std::size_t>(t)] != 0) == is_in && n-- == 0) return t;
    return start_.free[0];
  }
  void shuffle() {
    for (Index k = ssize(order_) - 1; k > 0; --k)
      std::swap(order_[static_cast<std::size_t>(k)],
                order_[static_cast<std::size_t>(rng_.index_below(k + 1))]);
  }
  void restart() {
    const TermSet wanted = set_;
    swept_ = start_.swept, set_ = start_.set, number_ = 0, num_columns_ = 0;
    for (std::size_t t = 0; t < set_.size(); ++t)
      if (set_[t]) num_columns_ += ssize(problem_.terms[t].columns);
    for (const Index t : start_.free)
      if (wanted[static_cast<std::size_t>(t)]) flip(t);
    joint_ = joint_of(swept_.residual(), swept_.log_determinant(), num_columns_, number_);
  }

  const SelectionProblem& problem_;
  const SearchStart& start_;
  Rng rng_;
  SweptProducts swept_;
  TermSet set_;
  std::vector<Index> order_;
  Index num_columns_ = 0, number_ = 0, num_sweeps_ = 0;
  double joint_ = 0.0;

 public:
  SetAverages averages;
  BestSets best;
  std::map<TermSet, Index> visits;
};

struct ChainOfSets {
  std::unique_ptr<Walk> walk;
  std::vector<double> included;  // sweep by sweep, all terms
};

void run_chain(ChainOfSets& chain, Index number, Index num_terms, const WalkOptions& options) {
  if (number % 2 == 1) chain.walk->begin_within();
  std::vector<double> included(static_cast<std::size_t>(num_terms), 1.0);
  for (Index s = 0; s < options.num_sweeps / 5; ++s) chain.walk->sweep(included);
  for (Index s = 0; s < options.num_sweeps; ++s) {
    stop_if_asked();
    chain.walk->sweep(included);
    chain.walk->record();
    chain.included.insert(chain.included.end(), included.begin(), included.end());
  }
}

void set_inclusion(Selection& result, const std::vector<ChainOfSets>& chains, Index num_terms,
                   Index num_sweeps) {
  result.inclusion.clear();
  for (Index t = 0; t < num_terms; ++t) {
    density::Draws draws(num_sweeps, ssize(chains), 1);
    for (Index c = 0; c < ssize(chains); ++c)
      for (Index s = 0; s < num_sweeps; ++s)
        draws(s, c, 0) = chains[static_cast<std::size_t>(c)]
                             .included[static_cast<std::size_t>(s * num_terms + t)];
    const auto figures = diagnose::summarise(
        diagnose::Chains(draws.quantity(0), draws.num_draws(), draws.num_chains()));
    result.inclusion.push_back(figures.mean);
    result.inclusion_error.push_back(figures.mcse_mean);
    if (figures.r_hat > result.r_hat || std::isnan(result.r_hat)) result.r_hat = figures.r_hat;
  }
}
}  // namespace

Selection walk_over_sets(const SelectionProblem& problem, const WalkOptions& options) {
  const SearchStart start = start_of(problem);
  std::vector<ChainOfSets> chains(static_cast<std::size_t>(options.num_chains));
  std::vector<std::function<void()>> tasks;
  for (Index c = 0; c < options.num_chains; ++c) {
    ChainOfSets& chain = chains[static_cast<std::size_t>(c)];
    chain.walk = std::make_unique<Walk>(
        problem, start,
        Rng({.seed = options.seed, .purpose = kWalk, .chain = static_cast<std::uint32_t>(c)}));
    tasks.emplace_back([&, c] { run_chain(chain, c, ssize(problem.terms), options); });
  }
  do_all(tasks);
  Walk& all = *chains[0].walk;
  for (std::size_t c = 1; c < chains.size(); ++c) {
    all.averages.merge(chains[c].walk->averages);
    all.best.merge(chains[c].walk->best);
    for (const auto& [set, count] : chains[c].walk->visits) all.visits[set] += count;
  }
  Selection result{.num_sets = static_cast<double>(all.visits.size())};
  all.averages.finish(result);
  set_inclusion(result, chains, ssize(problem.terms), options.num_sweeps);
  all.best.finish(result);
  const auto num = static_cast<double>(options.num_chains * options.num_sweeps);
  for (RatedSet& one : result.best) one.weight = static_cast<double>(all.visits[one.set]) / num;
  result.log_total = kNaN;  // the sum over all sets isn't known
  return result;
}

}  // namespace credo::models
