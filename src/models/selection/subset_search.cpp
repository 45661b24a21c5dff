#include "models/selection/subset_search.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/tasks.hpp"
#include "numerics/special.hpp"

namespace credo::models {
void SelectionProblem::settle() {
  total = 0.0;
  for (const double v : y) total += v * v;
}

Index SelectionProblem::num_free() const {
  return std::ranges::count(terms, false, &SelectionTerm::is_kept);
}

double SelectionProblem::log_prior(Index number) const {
  const auto all = static_cast<double>(num_free()), k = static_cast<double>(number);
  if (inclusion > 0.0) return k * std::log(inclusion) + (all - k) * std::log1p(-inclusion);
  return -std::log(all + 1.0) - numerics::lchoose(all, k);
}

SubsetFit fit_of(const SelectionProblem& problem, double residual, double log_determinant,
                 Index num_columns) {
  return {.residual = residual,
          .log_determinant = log_determinant,
          .total = problem.total,
          .num_rows = static_cast<double>(problem.y.size()),
          .num_columns = num_columns};
}

double log_joint(const SelectionProblem& problem, const TermSet& set) {
  SweptProducts swept(problem.columns, problem.y, problem.slab->ridge(problem.options));
  Index number = 0, num_columns = 0;
  for (std::size_t t = 0; t < set.size(); ++t) {
    if (!set[t]) continue;
    if (!problem.terms[t].is_kept) ++number;
    num_columns += ssize(problem.terms[t].columns);
    for (const Index column : problem.terms[t].columns)
      if (!swept.flip(column)) return -kInfinity;
  }
  return problem.slab->log_evidence(
             fit_of(problem, swept.residual(), swept.log_determinant(), num_columns),
             problem.options) +
         problem.log_prior(number);
}

// ---- averages
SetAverages::SetAverages(const SelectionProblem& problem)
    : problem_(problem),
      in_(problem.terms.size()),
      mean_(problem.columns.size()),
      square_(problem.columns.size()) {}

// Sums are kept relative to the largest weight so far.
void SetAverages::rescale(double most) {
  if (!(most > most_)) return;
  const double factor = most_ == -kInfinity ? 0.0 : std::exp(most_ - most);
  sum_ *= factor;
  for (std::vector<double>* sums : {&in_, &mean_, &square_})
    for (double& s : *sums) s *= factor;
  most_ = most;
}

void SetAverages::add(const SweptProducts& swept, const TermSet& set, double log_weight) {
  if (log_weight == -kInfinity) return;
  rescale(log_weight);
  const double weight = std::exp(log_weight - most_);
  sum_ += weight;
  log_total_ = most_ + std::log(sum_);
  Index num_columns = 0;
  for (std::size_t t = 0; t < set.size(); ++t)
    if (set[t]) in_[t] += weight, num_columns += ssize(problem_.terms[t].columns);
  const SlabMoments moments = problem_.slab->moments(
      fit_of(problem_, swept.residual(), swept.log_determinant(), num_columns), problem_.options);
  for (std::size_t t = 0; t < set.size(); ++t)
    if (set[t])
      for (const Index c : problem_.terms[t].columns) {
        const double mean = moments.shrinkage * swept.coefficient(c);
        mean_[static_cast<std::size_t>(c)] += weight * mean;
        square_[static_cast<std::size_t>(c)] +=
            weight * (mean * mean + moments.scale * swept.inverse(c));
      }
}

void SetAverages::merge(const SetAverages& other) {
  if (other.most_ == -kInfinity) return;
  rescale(other.most_);
  const double factor = std::exp(other.most_ - most_);
  sum_ += factor * other.sum_;
  log_total_ = most_ + std::log(sum_);
  for (std::size_t t = 0; t < in_.size(); ++t) in_[t] += factor * other.in_[t];
  for (std::size_t c = 0; c < mean_.size(); ++c) {
    mean_[c] += factor * other.mean_[c];
    square_[c] += factor * other.square_[c];
  }
}

void SetAverages::finish(Selection& result) const {
  result.log_total = log_total_;
  for (const double s : in_) result.inclusion.push_back(s / sum_);
  for (std::size_t c = 0; c < mean_.size(); ++c) {
    const double mean = mean_[c] / sum_;
    result.mean.push_back(mean);
    result.sd.push_back(std::sqrt(std::max(0.0, square_[c] / sum_ - mean * mean)));
  }
}

// ---- best sets
BestSets::BestSets(const SelectionProblem& problem)
    : most_(static_cast<std::size_t>(problem.num_best)),
      by_size_(static_cast<std::size_t>(problem.num_free() + 1)) {}

void BestSets::add(const TermSet& set, double log_joint, double residual, Index number) {
  SizedSet& sized = by_size_[static_cast<std::size_t>(number)];
  if (residual < sized.residual) sized = {set, residual};
  if (!(log_joint > -kInfinity)) return;
  if (best_.size() == most_ && !(log_joint > best_.back().log_joint)) return;
  const auto place =
      std::ranges::find_if(best_, [&](const RatedSet& one) { return one.log_joint < log_joint; });
  for (const RatedSet& one : best_)
    if (one.set == set) return;
  best_.insert(place, {set, log_joint, 0.0});
  if (best_.size() > most_) best_.pop_back();
}

void BestSets::merge(const BestSets& other) {
  for (const RatedSet& one : other.best_) add(one.set, one.log_joint, kInfinity, 0);
  for (std::size_t k = 0; k < by_size_.size(); ++k)
    if (other.by_size_[k].residual < by_size_[k].residual) by_size_[k] = other.by_size_[k];
}

void BestSets::finish(Selection& result) const {
  result.best = best_;
  for (RatedSet& one : result.best) one.weight = std::exp(one.log_joint - result.log_total);
  result.by_size = by_size_;
}

// ---- all sets
namespace {
class Tree {
 public:
  Tree(const SelectionProblem& problem, const SweptProducts& root, const TermSet& kept,
       const std::vector<Index>& free)
      : problem_(problem), free_(free), set_(kept), averages_(problem), best_(problem) {
    levels_.assign(free.size() + 1, root);
    for (std::size_t t = 0; t < kept.size(); ++t)
      if (kept[t]) num_columns_ += ssize(problem.terms[t].columns);
  }

  // The sets whose first `depth` free terms are the bits of `prefix`.
  void visit_prefix(std::uint64_t prefix, std::size_t depth) {
    for (std::size_t k = 0; k < depth; ++k) {
      levels_[k + 1] = levels_[k];
      if ((prefix >> k & 1u) != 0 && !take(k)) {
        num_singular_ += std::exp2(static_cast<double>(free_.size() - depth));
        return;
      }
    }
    visit(depth);
  }

  SetAverages& averages() { return averages_; }
  BestSets& best() { return best_; }
  double num_singular() const { return num_singular_; }

 private:
  const SelectionTerm& term(std::size_t k) const {
    return problem_.terms[static_cast<std::size_t>(free_[k])];
  }
  // Sweeps the k-th free term into the next level.
  bool take(std::size_t k) {
    for (const Index column : term(k).columns)
      if (!levels_[k + 1].flip(column)) return false;
    set_[static_cast<std::size_t>(free_[k])] = 1;
    num_columns_ += ssize(term(k).columns);
    ++number_;
    return true;
  }
  void leave(std::size_t k) {
    set_[static_cast<std::size_t>(free_[k])] = 0;
    num_columns_ -= ssize(term(k).columns);
    --number_;
  }
  void visit(std::size_t k) {
    if (k == free_.size()) return rate(levels_[k]);
    levels_[k + 1] = levels_[k];
    visit(k + 1);
    levels_[k + 1] = levels_[k];
    if (take(k)) {
      visit(k + 1);
      leave(k);
    } else {
      num_singular_ += std::exp2(static_cast<double>(free_.size() - k - 1));
    }
  }
  void rate(const SweptProducts& swept) {
    if ((++num_rated_ & 1023) == 0) stop_if_asked();
    const double evidence = problem_.slab->log_evidence(
        fit_of(problem_, swept.residual(), swept.log_determinant(), num_columns_),
        problem_.options);
    if (!(evidence > -kInfinity)) {
      num_singular_ += 1.0;
      return;
    }
    const double joint = evidence + problem_.log_prior(number_);
    averages_.add(swept, set_, joint);
    best_.add(set_, joint, swept.residual(), number_);
  }

  const SelectionProblem& problem_;
  const std::vector<Index>& free_;
  std::vector<SweptProducts> levels_;  // by the number of free terms that are decided
  TermSet set_;
  Index num_columns_ = 0, number_ = 0, num_rated_ = 0;
  SetAverages averages_;
  BestSets best_;
  double num_singular_ = 0.0;
};

}  // namespace

SearchStart start_of(const SelectionProblem& problem) {
  SearchStart start{SweptProducts(problem.columns, problem.y, problem.slab->ridge(problem.options)),
                    TermSet(problem.terms.size(), 0),
                    {}};
  for (Index t = 0; t < ssize(problem.terms); ++t) {
    const SelectionTerm& term = problem.terms[static_cast<std::size_t>(t)];
    if (!term.is_kept) {
      start.free.push_back(t);
      continue;
    }
    start.set[static_cast<std::size_t>(t)] = 1;
    for (const Index column : term.columns)
      if (!start.swept.flip(column))
        throw Error(ErrorCode::data, "a column of " + term.name + " follows from others", "--keep",
                    "keep fewer terms");
  }
  return start;
}

Selection rate_all_sets(const SelectionProblem& problem) {
  const SearchStart start = start_of(problem);
  // Parts of a fixed number, so that sums don't depend on the threads.
  const std::size_t depth = std::min<std::size_t>(start.free.size(), 4);
  std::vector<std::unique_ptr<Tree>> trees;
  std::vector<std::function<void()>> tasks;
  for (std::uint64_t part = 0; part < std::uint64_t{1} << depth; ++part) {
    trees.push_back(std::make_unique<Tree>(problem, start.swept, start.set, start.free));
    tasks.emplace_back(
        [tree = trees.back().get(), part, depth] { tree->visit_prefix(part, depth); });
  }
  do_all(tasks);
  Selection result{.is_complete = true,
                   .num_sets = std::exp2(static_cast<double>(start.free.size()))};
  for (std::size_t k = 1; k < trees.size(); ++k) {
    trees[0]->averages().merge(trees[k]->averages());
    trees[0]->best().merge(trees[k]->best());
  }
  for (const auto& tree : trees) result.num_singular += tree->num_singular();
  if (trees[0]->averages().log_total() == -kInfinity)
    throw Error(ErrorCode::data, "no set of columns has an evidence", "", "use --prior normal");
  trees[0]->averages().finish(result);
  trees[0]->best().finish(result);
  return result;
}

}  // namespace credo::models
