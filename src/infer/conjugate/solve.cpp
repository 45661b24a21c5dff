// Blocks of parameters that meet, their posteriors, and the proof that the answer is exact.
#include <fmt/format.h>

#include "infer/conjugate/diagnose.hpp"

namespace credo::infer::conjugate {
namespace {

class Solver {
 public:
  Solver(const Problem& problem, std::uint64_t seed) : problem_(problem), rng_({.seed = seed}) {}

  Answer solve() {
    centre_ = find_centre(problem_);
    if (!std::isfinite(centre_.log_density)) {
      answer_.refusal = why_not_finite(problem_, 0, centre_.values);
      return std::move(answer_);
    }
    if (fit_blocks()) prove();
    return std::move(answer_);
  }

 private:
  // ---- blocks

  bool meets_any(Index unit) {
    std::vector<double> others = centre_.values;
    for (Index k = 0; k < ssize(problem_.units); ++k)
      if (k != unit) shuffle(problem_.units[static_cast<std::size_t>(k)], centre_, rng_, others);
    std::vector<double> own = centre_.values, both = others;
    const Unit& which = problem_.units[static_cast<std::size_t>(unit)];
    shuffle(which, centre_, rng_, own);
    for (const Index place : which.places)
      both[static_cast<std::size_t>(place)] = own[static_cast<std::size_t>(place)];
    const double here = centre_.log_density, f_own = problem_.log_density(own);
    const double f_others = problem_.log_density(others), f_both = problem_.log_density(both);
    const double error = 4.0 * std::max({rounding_of(here), rounding_of(f_own),
                                         rounding_of(f_others), rounding_of(f_both)});
    return !(std::abs((f_both - f_others) - (f_own - here)) <= error);
  }

  // Units that meet, directly or through others, have one number.
  std::vector<std::vector<Index>> groups() {
    const Index n = ssize(problem_.units);
    std::vector<Index> group(static_cast<std::size_t>(n)), meeting;
    for (Index k = 0; k < n; ++k) {
      group[static_cast<std::size_t>(k)] = k;
      if (n > 1 && meets_any(k)) meeting.push_back(k);
    }
    for (const Index i : meeting)
      for (const Index j : meeting) {
        const Index from = group[static_cast<std::size_t>(i)],
                    to = group[static_cast<std::size_t>(j)];
        if (j >= i || from == to || !do_meet(problem_, problem_.log_density, centre_, {j, i}))
          continue;
        std::ranges::replace(group, from, to);
      }
    std::map<Index, std::vector<Index>> by_number;
    for (Index k = 0; k < n; ++k) by_number[group[static_cast<std::size_t>(k)]].push_back(k);
    std::vector<std::vector<Index>> all;
    for (auto& [number, units] : by_number) all.push_back(std::move(units));
    return all;
  }

  bool fit_blocks() {
    for (std::vector<Index>& units : groups()) {
      meetings_.push_back({problem_, centre_, std::move(units)});
      if (!fit(meetings_.back())) return false;
    }
    return true;
  }

  bool fit(const Meeting& meeting) {
    const auto kinds = block_kinds();
    const auto kind =
        std::ranges::find_if(kinds, [&](const BlockKind* row) { return row->holds(meeting); });
    if (kind == kinds.end()) {
      answer_.refusal = why_they_meet(meeting);
      return false;
    }
    Fitted fitted = (*kind)->fit(meeting);
    if (fitted.block == nullptr) {
      answer_.refusal = why_not_conjugate(meeting);
      if (fitted.is_improper && answer_.refusal->statement < 0)
        answer_.refusal = why_improper(meeting);
      refuse_bounds(meeting);
      return false;
    }
    answer_.blocks.push_back(std::move(fitted.block));
    return true;
  }

  // A point of zero density near the centre is a better reason.
  void refuse_bounds(const Meeting& meeting) {
    for (const Index unit : meeting.units)
      for (int k = -6; k <= 6; ++k) {
        const Unit& which = problem_.units[static_cast<std::size_t>(unit)];
        if (which.domain == Domain::simplex || which.domain == Domain::covariance) continue;
        const double u =
            to_free(which.domain, centre_.values[static_cast<std::size_t>(which.places.front())]);
        const std::vector<double> values = moved(problem_, centre_, unit, u + 0.5 * k);
        if (std::isfinite(problem_.log_density(values))) continue;
        answer_.refusal = why_not_finite(problem_, unit, values);
        return;
      }
  }

  // ---- the proof

  double log_posterior(std::span<const double> values) const {
    double sum = 0.0;
    for (const auto& block : answer_.blocks) sum += block->log_density(values);
    return sum;
  }

  void prove() {
    answer_.log_evidence = centre_.log_density - log_posterior(centre_.values);
    for (std::size_t b = 0; b < answer_.blocks.size(); ++b)
      for (const double spread : {1.0, 1.0, 3.0, 3.0, 1e2, 1e4}) {
        std::vector<double> values = centre_.values;
        answer_.blocks[b]->scatter(rng_, spread, values);
        if (!agrees(values, meetings_[b])) return;
      }
    for (const double spread : {0.5, 1.0, 1.0, 3.0}) {
      std::vector<double> values = centre_.values;
      for (const auto& block : answer_.blocks) block->scatter(rng_, spread, values);
      if (!agrees(values, meetings_.front())) return;
    }
  }

  bool agrees(std::span<const double> values, const Meeting& meeting) {
    const double density = problem_.log_density(values), posterior = log_posterior(values);
    ++answer_.num_checks;
    if (!std::isfinite(density)) {
      answer_.refusal = why_not_finite(problem_, meeting.units.front(), values);
      return false;
    }
    const double size =
        1.0 + std::abs(density) + std::abs(posterior) + std::abs(answer_.log_evidence);
    const double gap = std::abs(density - posterior - answer_.log_evidence) / size;
    answer_.largest_gap = std::max(answer_.largest_gap, std::isnan(gap) ? kInfinity : gap);
    if (gap <= 4.0 * kRounding) return true;
    answer_.refusal = why_not_conjugate(meeting);
    return false;
  }

  const Problem& problem_;
  Rng rng_;
  Centre centre_;
  std::vector<Meeting> meetings_;  // one for each block, in their order
  Answer answer_;
};
}  // namespace

Answer solve(const Problem& problem, std::uint64_t seed) { return Solver(problem, seed).solve(); }

}  // namespace credo::infer::conjugate
