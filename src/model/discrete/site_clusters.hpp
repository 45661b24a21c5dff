// Cluster updates of discrete parameters that meet in pairs [swendsen1987; higdon1998].
//
// A pair's table is split as exp(table) = bond + rest, where the bond holds where both have the same value (of
// two-valued sites: or both have different ones). Given the state, a pair is bound with the bond's share of
// its weight. Bound sites make clusters, which change their values together: one after the other is drawn
// given all others, from the rests of its pairs and the tables of its single sites. This leaves any distribution of
// pairs unchanged. For Ising and Potts tables the rests are products, and the clusters are independent.
#pragma once
#include "density/log_density.hpp"
#include "numerics/elimination.hpp"

namespace credo::model {

// The strength with which a pair's sites attract: the bond has the share 1 - exp(-strength) in each weight that the
// bond is a part of.
struct Bond {
  double strength = 0.0;  // 0: none
  bool opposite = false;  // it holds two values that differ
};
// `table`: the pair's log weights, the second site's values fastest.
Bond bond_of(std::span<const double> table, std::int32_t first_size, std::int32_t second_size);

// Working memory of one thread.
class SiteClusters {
 public:
  // Tables of one or two variables each. The plan must live as long.
  explicit SiteClusters(const numerics::EliminationPlan& plan);

  // Bonds, then clusters in the order of their first sites. `values` count from 0; a cluster of which no value is
  // possible stays.
  void draw(std::span<const std::vector<double>> tables, std::span<std::int32_t> values,
            const density::ChooseByLogWeight& choose);
  Index num_clusters() const { return num_clusters_; }  // clusters of the last draw

 private:
  struct Pair {
    std::size_t table, first, second;
    Bond bond = {};
    bool bound = false;
  };
  struct Link {
    std::size_t root;
    bool opposite;  // to the root's value
  };

  Link root_of(std::size_t site);
  void bind(std::span<const std::vector<double>> tables, std::span<const std::int32_t> values,
            const density::ChooseByLogWeight& choose);
  void gather_clusters();
  void draw_cluster(std::size_t root, std::span<const std::vector<double>> tables,
                    std::span<std::int32_t> values, const density::ChooseByLogWeight& choose);
  double log_weight(const Pair& pair, std::span<const double> table, std::int32_t first,
                    std::int32_t second) const;

  const numerics::EliminationPlan& plan_;
  std::vector<Pair> pairs_;
  std::vector<std::vector<std::size_t>> pairs_of_, singles_of_;  // by site
  std::vector<Link> up_;                                         // by site: towards the root
  std::vector<std::size_t> next_;                                // by site: next of its cluster
  std::vector<std::size_t> last_;                                // by root
  std::vector<double> weights_;
  Index num_clusters_ = 0;
};

}  // namespace credo::model
