// Effects of the levels of a group, which several predictors may share: (1 + x | g).
#pragma once
#include "models/formula/expression.hpp"
#include "models/regression/coefficient.hpp"

namespace credo::models {

// A column whose levels are among the groups of mm(g1, g2).
struct GroupMember {
  std::string column;       // its codes in the program
  std::string codes;        // numbers of the groups, made of these
  std::string lookup;       // a constant with the number of the group of each level
  std::string weight = {};  // an expression; empty: 1
  bool has_column_weight = false;
};

// Weights of mm(g1, g2, weights = c(w1, w2)), which new tables state again.
struct MemberWeights {
  std::vector<Expression> expressions = {};
  bool are_scaled = true;  // divided by their sum
};

// A standard deviation for each level of a column: gr(g, by = b).
struct GroupStrata {
  std::string column = {}, name = {};  // its codes in the program, its name; empty without strata
  std::vector<std::string> levels = {};
  std::string codes = {};            // a constant: the level of each group
  std::vector<Index> of_level = {};  // its numbers, from 1

  bool are_there() const { return !column.empty(); }
};

struct GroupBlock {
  std::string label;                 // "Subject", "g1:g2", "mm(g1, g2)"
  std::string call = {};             // "gr(g, by = b)"; empty for columns alone
  std::string id = {};               // in (1 | id | g): terms of one name are correlated
  std::vector<std::string> columns;  // codes of the grouping columns, in the program
  std::string codes, size, sd, root, z, effects, correlations;  // names in the program
  std::vector<std::string> levels;
  std::vector<std::int32_t> row_codes = {};  // group of each row; empty for mm()
  std::vector<Coefficient>
      deviations;  // a standard deviation for each column, by the column's name, and each stratum
  std::string correlation_prior = {};  // empty: flat
  bool is_correlated = false;
  // Its part of each linear predictor, by the predictor's number; {} stands for the name of the effects.
  std::map<std::size_t, std::string> parts = {};
  // If the standard deviations are computed from other parameters: declarations, the line that computes them, statements.
  std::vector<std::string> scale_parameters = {}, scale_statements = {};
  std::string scale_line = {};
  std::string lookup = {};  // for combinations: a constant with the code of each pair of levels

  std::vector<GroupMember> members = {};  // columns of mm()
  MemberWeights weights = {};
  GroupStrata strata = {};
  std::string covariance_root =
      {};  // root of the covariance between levels; empty: they are independent
  std::optional<Coefficient> freedom =
      {};  // degrees of freedom of effects of a Student distribution
  std::string mixing = {},
              widths = {};  // inverse chi-squared numbers of levels, factors of their sds

  Index num_columns() const { return ssize(deviations) / std::max<Index>(1, ssize(strata.levels)); }
  // True if the effects are normal with one covariance and independent between levels.
  bool is_plain() const {
    return !strata.are_there() && covariance_root.empty() && !freedom.has_value();
  }
  // Name of a standard deviation in tables.
  std::string name_of(const Coefficient& deviation) const;
};

}  // namespace credo::models
