#include "infer/gibbs/colouring.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "support/test_seed.hpp"

namespace credo::infer::gibbs::gibbs_colouring_test {
namespace {
using namespace credo::testing;

TEST(greedy_colouring, gives_neighbours_of_any_graph_different_colours) {
  Rng rng({.seed = test_seed(3), .purpose = purpose::kTest + 20});
  Adjacency graph(40);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (rng.uniform() < 0.2) graph[i].push_back(j), graph[j].push_back(i);
    }
  }
  Index num_sites = 0;
  for (const auto& sites : greedy_colouring(graph)) {
    num_sites += ssize(sites);
    for (const Index i : sites)
      for (const Index j : graph[i]) EXPECT_EQ(std::count(sites.begin(), sites.end(), j), 0);
  }
  EXPECT_EQ(num_sites, 40);
}

}  // namespace
}  // namespace credo::infer::gibbs::gibbs_colouring_test
