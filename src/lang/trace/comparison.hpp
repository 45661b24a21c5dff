// Comparisons of numbers, known or in the graph: one row for each operator of the language.
#pragma once
#include "graph/core/expr.hpp"

namespace credo::lang {

struct Comparison {
  std::string_view name;  // name of the operator's function
  bool (*holds)(double a, double b);
  graph::Expr (*result)(const graph::Expr& a, const graph::Expr& b);  // 0 or 1, by element
};

inline constexpr std::array<Comparison, 6> kComparisons{{
    {"logical_eq", [](double a, double b) { return a == b; }, graph::equal},
    {"logical_neq", [](double a, double b) { return a != b; },
     [](const graph::Expr& a, const graph::Expr& b) { return 1.0 - graph::equal(a, b); }},
    {"logical_lt", [](double a, double b) { return a < b; }, graph::less},
    {"logical_lte", [](double a, double b) { return a <= b; }, graph::less_equal},
    {"logical_gt", [](double a, double b) { return a > b; },
     [](const graph::Expr& a, const graph::Expr& b) { return graph::less(b, a); }},
    {"logical_gte", [](double a, double b) { return a >= b; },
     [](const graph::Expr& a, const graph::Expr& b) { return graph::less_equal(b, a); }},
}};

inline const Comparison* comparison_of(std::string_view name) {
  const auto row = std::ranges::find(kComparisons, name, &Comparison::name);
  return row == kComparisons.end() ? nullptr : &*row;
}

}  // namespace credo::lang
