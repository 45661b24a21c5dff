// The terms of a formula's right side: y ~ a * b + (1 | g) has the terms a, b and a:b, and one group.
// The meaning of the operators is that of R's terms().
#pragma once
#include <functional>
#include <set>

#include "models/formula/expression.hpp"

namespace credo::models {

// Numbers of variables (TermList::variables), ascending; none: the intercept.
using Term = std::vector<Index>;

struct GroupTerm {
  Expression terms;                     // left of the bar
  std::vector<Expression> grouping;     // columns; their combinations are the groups
  std::optional<Expression> call = {};  // gr(g, by = b), mm(g1, g2); empty for columns alone
  bool is_correlated = true;            // false: ||
  std::string id = {};                  // in (1 | id | g): terms of one name are correlated
  FormulaPlace place = {};
};

// Terms whose coefficients have a prior together: horseshoe(x + z).
struct SharedPrior {
  Expression call;
  std::vector<Term> terms;
};

struct TermList {
  bool has_intercept = true;
  std::vector<Expression> variables;  // columns and calls, each once
  std::vector<Term> terms;            // those of fewer variables first, as R orders them
  std::vector<Expression> offsets;    // arguments of offset()
  std::vector<GroupTerm> groups;
  std::vector<Expression> specials;  // s(x), mo(x), ...: each is a part of its own
  std::vector<SharedPrior> shared_priors;
};

// Names of calls that aren't variables.
struct CallNames {
  std::function<bool(const std::string&)> is_special = {}, is_shared_prior = {}, is_grouping = {};
};

// `all_columns`: what a dot stands for. Terms that are parsed but can't be fitted yet are faults. `calls`: names of
// special terms and of priors of several terms; without them no call is one.
TermList read_terms(const Expression& right, std::span<const std::string> all_columns,
                    FormulaFaults& faults, const CallNames& calls = {});

// True if the term codes the variable by contrasts, false if by one column for each level: R's rule, by which terms are marginal
// to others. `is_factor`: by variable. `k`: number of the term.
bool is_coded_by_contrasts(const TermList& list, std::size_t k, Index variable,
                           const std::vector<bool>& is_factor);

}  // namespace credo::models
