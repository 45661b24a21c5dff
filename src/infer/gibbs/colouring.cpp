#include "infer/gibbs/colouring.hpp"

namespace credo::infer::gibbs {
namespace {
Index first_free(std::span<const Index> neighbours, std::span<const Index> colours) {
  for (Index colour = 0;; ++colour) {
    const auto has_it = [&](Index j) { return colours[j] == colour; };
    if (std::none_of(neighbours.begin(), neighbours.end(), has_it)) return colour;
  }
}
}  // namespace

ColourClasses greedy_colouring(const Adjacency& neighbours) {
  std::vector<Index> colours(neighbours.size(), -1);
  ColourClasses classes;
  for (Index i = 0; i < ssize(neighbours); ++i) {
    colours[i] = first_free(neighbours[i], colours);
    if (colours[i] == ssize(classes)) classes.emplace_back();
    classes[colours[i]].push_back(i);
  }
  return classes;
}

}  // namespace credo::infer::gibbs
