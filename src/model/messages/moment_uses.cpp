#include "model/messages/moment_uses.hpp"

namespace credo::model {
using graph::AtomKind;
using graph::Expr;
using graph::MomentFactor;
using graph::MomentTerm;

std::size_t MomentUses::group_at(std::int32_t coordinate) const {
  std::size_t g = 0;
  while (coordinate >= parameters_[g].first + parameters_[g].size) ++g;
  return g;
}

void MomentUses::add(const MomentFactor& factor, const MomentTerm& term, std::size_t num_groups) {
  GroupUses& uses = uses_[static_cast<std::size_t>(factor.group)];
  const std::int32_t source = statement > 0 ? statement : term.statement;
  uses.by_statement.insert({source, factor.atom});
  const auto [place, is_new] = uses.atoms.try_emplace(factor.atom, AtomUse{source, num_groups});
  place->second.num_groups = std::max(place->second.num_groups, num_groups);
  place->second.statement = std::min(place->second.statement, source);
}

void MomentUses::add_pairs(const MomentFactor& factor) {
  for (std::size_t k = 0; k < factor.at->size(); k += 2) {
    const std::int32_t a = (*factor.at)[k], b = (*factor.at)[k + 1];
    const std::size_t g = group_at(a), h = group_at(b);
    if (g == h && a != b) uses_[g].has_cross = true;
    if (g != h) uses_[g].meets.insert(h), uses_[h].meets.insert(g);
  }
}

void MomentUses::add_meeting(const MomentFactor& a, const MomentFactor& b) {
  if (a.group != b.group) {
    if (a.group < 0 || b.group < 0) return;
    uses_[static_cast<std::size_t>(a.group)].meets.insert(static_cast<std::size_t>(b.group));
    uses_[static_cast<std::size_t>(b.group)].meets.insert(static_cast<std::size_t>(a.group));
    return;
  }
  GroupUses& uses = uses_[static_cast<std::size_t>(a.group)];
  uses.has_cross = true;
  if (a.weights != nullptr || b.weights != nullptr) return;
  for (Index i = 0; i < std::max(a.size(), b.size()); ++i) {
    const std::int32_t x = a.coordinate(i), y = b.coordinate(i);
    if (x == y) continue;
    uses.neighbours[x].insert(y), uses.neighbours[y].insert(x);
  }
}

// Real parameters of a product of more than two of their values.
void MomentUses::add_degree(const MomentTerm& term) {
  double degree = 0.0;
  std::set<std::size_t> real;
  const auto add = [&](std::int32_t coordinate, double power) {
    const std::size_t g = group_at(coordinate);
    if (parameters_[g].kind != DeclaredKind::real) return;
    real.insert(g);
    degree += power;
  };
  for (const MomentFactor& f : term.factors)
    if (f.atom.kind == AtomKind::pair)
      add((*f.at)[0], 1.0), add((*f.at)[1], 1.0);
    else if (f.atom.kind == AtomKind::power)
      add(f.at->front(), f.atom.power);
  if (degree <= 2.0) return;
  for (const std::size_t g : real)
    for (const std::size_t h : real)
      if (g != h) uses_[g].apart.insert(h);
}

void MomentUses::add_scales(const MomentTerm& term) {
  std::set<std::size_t> real, scales;
  const auto look = [&](std::size_t g, const graph::Atom& atom) {
    const DeclaredKind kind = parameters_[g].kind;
    if (kind == DeclaredKind::real) real.insert(g);
    const bool is_scale = kind == DeclaredKind::positive || kind == DeclaredKind::matrix;
    if (is_scale && atom == graph::Atom{}) scales.insert(g);
  };
  for (const MomentFactor& f : term.factors)
    if (f.group >= 0)
      look(static_cast<std::size_t>(f.group), f.atom);
    else
      for (const std::int32_t coordinate : *f.at) look(group_at(coordinate), f.atom);
  for (const std::size_t g : real) {
    auto& all = uses_[g].scales;
    if (!all) all = scales;
    std::erase_if(*all, [&](std::size_t s) { return !scales.contains(s); });
  }
}

Expr MomentUses::of(const MomentTerm& term) {
  std::set<std::int32_t> groups;
  for (const MomentFactor& f : term.factors) groups.insert(f.group);
  add_degree(term);
  add_scales(term);
  for (std::size_t k = 0; k < term.factors.size(); ++k) {
    const MomentFactor& f = term.factors[k];
    if (f.atom.kind == AtomKind::pair)
      add_pairs(f);
    else
      add(f, term, groups.size());
    for (std::size_t j = k + 1; j < term.factors.size(); ++j) add_meeting(f, term.factors[j]);
  }
  return term.size() == 1 ? Expr(0.0) : graph::fill(graph::vector_shape(term.size()), 0.0);
}

}  // namespace credo::model
