// Functions of parameters that a log density has, and the parameters that meet in a product.
#pragma once
#include "graph/moments/moment_walk.hpp"
#include "model/messages/declared_parameters.hpp"

namespace credo::model {

struct AtomUse {
  std::int32_t statement = 0;  // the first one that has it
  std::size_t num_groups = 0;  // most parameters of a term that has it
};

// The uses of one declared parameter.
struct GroupUses {
  std::map<graph::Atom, AtomUse> atoms;
  std::set<std::size_t> meets;  // other parameters in a product with it
  // Parameters with which it can't share a normal factor: products of more than two values.
  std::set<std::size_t> apart;
  // Positive numbers and matrices by which every term with it is multiplied, itself and not by a power; nullopt: no term has it.
  std::optional<std::set<std::size_t>> scales = {};
  bool has_cross = false;  // two of its values meet in a product, or weighted sums of them
  std::map<std::int32_t, std::set<std::int32_t>> neighbours;  // values that meet, by coordinate
  std::set<std::pair<std::int32_t, graph::Atom>> by_statement;
};

class MomentUses final : public graph::Expectations {
 public:
  MomentUses(std::span<const DeclaredParameter> parameters)
      : parameters_(parameters), uses_(parameters.size()) {}
  graph::Expr of(const graph::MomentTerm& term) override;
  const std::vector<GroupUses>& uses() const { return uses_; }
  std::int32_t statement = 0;  // statement of the terms that come next; 0: their own

 private:
  std::size_t group_at(std::int32_t coordinate) const;
  void add(const graph::MomentFactor& factor, const graph::MomentTerm& term,
           std::size_t num_groups);
  void add_pairs(const graph::MomentFactor& factor);
  void add_degree(const graph::MomentTerm& term);
  void add_scales(const graph::MomentTerm& term);
  void add_meeting(const graph::MomentFactor& a, const graph::MomentFactor& b);

  std::span<const DeclaredParameter> parameters_;
  std::vector<GroupUses> uses_;
};

}  // namespace credo::model
