// Sums of squared residuals by pairs of indices (simplify_crossed.hpp), as expressions.
#pragma once
#include "graph/passes/simplify_crossed.hpp"

namespace credo::graph {

class CrossedTerms {
 public:
  // `kept` gets the classes at whose representatives unknowns are computed; they are known by their addresses.
  CrossedTerms(const Graph& graph, Builder& builder, ClassFinder& classes,
               std::vector<ClassesPtr>& kept)
      : graph_(graph), builder_(builder), classes_(classes), kept_(kept) {}

  Expr sum_of_squares(const CrossedPlan& plan, const CrossedSums& sums);
  // Each column's unknowns times the largest of their known numbers; none if a number isn't finite.
  std::vector<Expr> largest_products(const CrossedPlan& plan);

 private:
  Expr unknowns(const CrossedPlan& plan, const CrossedColumn& column);
  Expr elements(const UnknownFactor& factor, const RowGroups& classes);

  const Graph& graph_;
  Builder& builder_;
  ClassFinder& classes_;
  std::vector<ClassesPtr>& kept_;
  // By the addresses of the plan at hand; the next plan begins anew.
  std::map<std::pair<const std::vector<std::int32_t>*, const RowGroups*>, ClassesPtr> places_;
};

}  // namespace credo::graph
