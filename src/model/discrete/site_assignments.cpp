#include "model/discrete/site_assignments.hpp"

namespace credo::model {

SiteAssignments::SiteAssignments(std::span<const numerics::Scope> scopes,
                                 std::span<const std::int32_t> sizes)
    : sizes_(sizes.begin(), sizes.end()), colours_(sizes.size(), -1) {
  std::vector<std::vector<std::int32_t>> neighbours(sizes.size());
  for (const numerics::Scope& scope : scopes) {
    for (const std::int32_t a : scope) {
      for (const std::int32_t b : scope) {
        if (a != b) neighbours[static_cast<std::size_t>(a)].push_back(b);
      }
    }
  }
  for (std::size_t m = 0; m < sizes.size(); ++m) {
    std::vector<char> used(neighbours[m].size() + 1, 0);
    for (const std::int32_t other : neighbours[m]) {
      const std::int32_t c = colours_[static_cast<std::size_t>(other)];
      if (c >= 0 && static_cast<std::size_t>(c) < used.size())
        used[static_cast<std::size_t>(c)] = 1;
    }
    colours_[m] = static_cast<std::int32_t>(std::find(used.begin(), used.end(), 0) - used.begin());
    num_colours_ = std::max(num_colours_, colours_[m] + 1);
    most_values_ = std::max(most_values_, sizes_[m]);
  }
  weights_.assign(static_cast<std::size_t>(num_colours_), 1);
  for (std::size_t c = 1;
       c < weights_.size() && weights_[c - 1] <= numerics::kBeyondTables / most_values_; ++c)
    weights_[c] = weights_[c - 1] * most_values_;
}

Index SiteAssignments::number(Index limit) const {
  Index number = 1;
  for (std::int32_t c = 0; c < num_colours_ && number <= limit; ++c) {
    if (number > numerics::kBeyondTables / most_values_) return numerics::kBeyondTables;
    number *= most_values_;
  }
  return number;
}

std::int32_t SiteAssignments::value(Index assignment, std::size_t site) const {
  const Index digit =
      assignment / weights_[static_cast<std::size_t>(colours_[site])] % most_values_;
  return std::min(static_cast<std::int32_t>(digit), sizes_[site] - 1);
}

std::vector<Index> SiteAssignments::holding(const numerics::EliminationPlan& plan,
                                            const numerics::Scope& scope) const {
  std::vector<std::int32_t> at(sizes_.size(), 0);
  std::vector<Index> list;
  numerics::for_each_assignment(plan, scope, at, [&] {
    Index assignment = 0;
    for (const std::int32_t v : scope) {
      const auto m = static_cast<std::size_t>(v);
      assignment += weights_[static_cast<std::size_t>(colours_[m])] * at[m];
    }
    list.push_back(assignment);
  });
  return list;
}

}  // namespace credo::model
