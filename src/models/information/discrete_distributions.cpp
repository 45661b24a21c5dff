#include "models/information/discrete_distributions.hpp"

#include <numeric>

#include "base/error.hpp"

namespace credo::models {
namespace {
double minus_p_log_p(double p) { return p > 0.0 ? -p * std::log(p) : 0.0; }

void require_same_states(std::span<const double> p, std::span<const double> q) {
  if (p.size() != q.size())
    throw Error(ErrorCode::data, "two distributions have different numbers of states", "",
                "a state that one of them lacks has the probability 0 there");
}

std::vector<Index> joined(std::span<const Index> a, std::span<const Index> b) {
  std::vector<Index> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}
}  // namespace

double self_information(double p) { return -std::log(p); }

double entropy(std::span<const double> p) {
  double sum = 0.0;
  for (const double x : p) sum += minus_p_log_p(x);
  return sum;
}

double relative_entropy(std::span<const double> p, std::span<const double> q) {
  require_same_states(p, q);
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k)
    if (p[k] > 0.0) sum += q[k] > 0.0 ? p[k] * std::log(p[k] / q[k]) : kInfinity;
  return std::max(0.0, sum);  // a sum of rounding errors isn't a negative distance
}

double alpha_divergence(std::span<const double> p, std::span<const double> q, double alpha) {
  require_same_states(p, q);
  if (alpha == 1.0) return relative_entropy(p, q);
  if (alpha == -1.0) return relative_entropy(q, p);
  const double own = (1.0 + alpha) / 2.0, other = (1.0 - alpha) / 2.0;
  double sum = 0.0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (p[k] == 0.0 && q[k] == 0.0) continue;
    sum += std::pow(p[k], own) * std::pow(q[k], other);
  }
  return 4.0 / (1.0 - alpha * alpha) * (1.0 - sum);
}

std::vector<double> entropy_by_questions(std::span<const double> p) {
  std::vector<double> parts;
  double rest = 1.0;
  for (std::size_t k = 0; k + 1 < p.size(); ++k) {
    const double share = rest > 0.0 ? std::min(1.0, p[k] / rest) : 0.0;
    parts.push_back(rest * (minus_p_log_p(share) + minus_p_log_p(1.0 - share)));
    rest = std::max(0.0, rest - p[k]);
  }
  return parts;
}

double JointTable::total() const { return std::accumulate(cells.begin(), cells.end(), 0.0); }

std::vector<double> JointTable::margin(std::span<const Index> variables) const {
  std::vector<std::size_t> strides(sizes.size(), 0);
  std::size_t length = 1;
  for (std::size_t v = variables.size(); v-- > 0;) {
    strides[static_cast<std::size_t>(variables[v])] = length;
    length *= static_cast<std::size_t>(sizes[static_cast<std::size_t>(variables[v])]);
  }
  std::vector<double> sums(length, 0.0);
  std::vector<Index> at(sizes.size(), 0);
  std::size_t place = 0;
  for (const double cell : cells) {
    sums[place] += cell;
    for (std::size_t v = sizes.size(); v-- > 0;) {
      place += strides[v];
      if (++at[v] < sizes[v]) break;
      place -= strides[v] * static_cast<std::size_t>(sizes[v]);
      at[v] = 0;
    }
  }
  return sums;
}

double mutual_information(const JointTable& distribution, std::span<const Index> first,
                          std::span<const Index> second, std::span<const Index> given) {
  const auto h = [&](const std::vector<Index>& of) { return entropy(distribution.margin(of)); };
  const std::vector<Index> with_first = joined(first, given), with_second = joined(second, given);
  return h(with_first) + h(with_second) - h(joined(first, with_second)) -
         (given.empty() ? 0.0 : h({given.begin(), given.end()}));
}

}  // namespace credo::models
