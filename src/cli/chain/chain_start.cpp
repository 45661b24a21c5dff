#include "cli/chain/chain_start.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "infer/finite/coupling.hpp"

namespace credo::cli {
namespace {
using namespace infer::finite;

std::string name_of_partner(const FiniteChain& chain, const ChainCoupling& coupling) {
  return coupling.partner ? chain.name(*coupling.partner) : "stationary";
}

// 0, 1, 2, 5, 10, 20, 50, ..., and the last one.
std::vector<Index> shown_steps(Index last) {
  std::vector<Index> steps = {0};
  for (Index decade = 1; steps.back() < last; decade *= 10)
    for (const Index digit : {1, 2, 5})
      if (steps.back() < last) steps.push_back(std::min(digit * decade, last));
  return steps;
}
}  // namespace

ChainLimit limit_from(const FiniteChain& chain, const Structure& structure, Index start) {
  return {.start = start,
          .distribution = limiting_distribution(chain, start),
          .ends = absorption_probabilities(chain, structure, start)};
}

ChainCoupling couple(const FiniteChain& chain,
                     std::span<const std::vector<double>> stationary_distributions, Index start,
                     std::optional<Index> partner, Index num_steps) {
  if (!partner && stationary_distributions.size() != 1)
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "the second chain would be stationary, and there are {} stationary distributions",
            stationary_distributions.size()),
        "--coupling", "name the state where it starts: --partner STATE");
  std::vector<double> first = point_distribution(chain.num_states(), start),
                      second = partner ? point_distribution(chain.num_states(), *partner)
                                       : stationary_distributions.front();
  ChainCoupling coupling{.start = start,
                         .partner = partner,
                         .not_met = meeting_tail(chain, first, second, num_steps),
                         .distance = {}};
  for (Index t = 0; t <= num_steps; ++t) {
    coupling.distance.push_back(total_variation(first, second));
    first = distribution_after(chain, first, 1);
    second = distribution_after(chain, second, 1);
  }
  return coupling;
}

std::string limit_text(const FiniteChain& chain, const Structure& structure,
                       const ChainLimit& limit) {
  std::string text = fmt::format("\nin the limit from {}\n", chain.name(limit.start));
  std::size_t k = 0;
  for (const CommunicatingClass& one : structure.classes) {
    if (!one.closed) continue;
    const std::string more =
        one.states.size() > 1 ? fmt::format(" and {} more", one.states.size() - 1) : "";
    text += fmt::format("  ends in the class of {}{} with probability {:.6g}\n",
                        chain.name(one.states[0]), more, limit.ends[k++]);
  }
  if (!limit.distribution)
    text += "  the distribution has no limit: a class where it may end is periodic\n";
  return text;
}

std::string coupling_text(const FiniteChain& chain, const ChainCoupling& coupling) {
  std::string text = fmt::format(
      "\ntwo chains, independent until they meet: one from {}, one {}\n{:>14}{:>14}{:>14}\n",
      chain.name(coupling.start),
      coupling.partner ? "from " + chain.name(*coupling.partner) : "stationary", "steps", "not met",
      "distance");
  for (const Index t : shown_steps(ssize(coupling.not_met) - 1)) {
    const auto place = static_cast<std::size_t>(t);
    text += fmt::format("{:>14}{:>14.6g}{:>14.6g}\n", t, coupling.not_met[place],
                        coupling.distance[place]);
  }
  return text +
         "the distance of their distributions (total variation) is at most the probability of not "
         "having met\n";
}

void add_limit(results::ArrayList& answer, const FiniteChain& chain, const ChainLimit& limit) {
  answer.set("limit.start", chain.name(limit.start));
  if (limit.distribution)
    add_list(answer, "limit.law", "state", *limit.distribution);
  else
    answer.set("limit.law", 0.0, {}, results::Missing::null);
  add_list(answer, "limit.ends", "class", limit.ends);
}

void add_coupling(results::ArrayList& answer, const FiniteChain& chain,
                  const ChainCoupling& coupling) {
  answer.set("coupling.start", chain.name(coupling.start));
  answer.set("coupling.partner", name_of_partner(chain, coupling));
  add_list(answer, "coupling.not_met", "steps", coupling.not_met);
  add_list(answer, "coupling.distance", "steps", coupling.distance);
}

}  // namespace credo::cli
