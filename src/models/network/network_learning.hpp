// Tables of a network from rows of data: each row of a table has a Dirichlet prior, which is conjugate [koller2009 sec. 17.4, heckerman1995].
//
//   p(k | row j) has the mean (α_jk + n_jk) / (α_j + n_j)
//   log p(data | structure) = Σ_j [log Γ(α_j) - log Γ(α_j + n_j) + Σ_k log Γ(α_jk + n_jk) - log Γ(α_jk)]
#pragma once
#include "models/network/network.hpp"

namespace credo::models {

// Rows of states, a place in the node's list each; -1: missing.
using NetworkRows = std::vector<std::vector<std::int32_t>>;

enum class TablePrior {
  uniform,  // α_jk = counts for each entry; 1 is K2's prior [cooper1992]
  bdeu,  // α_jk = counts / (rows × states): `counts` rows in all, the same score for equivalent structures [heckerman1995]
};

struct LearningOptions {
  TablePrior prior = TablePrior::uniform;
  double counts = 1.0;       // above 0
  Index most_rounds = 1000;  // rounds of EM, for missing cells
};

struct LearnedNode {
  double log_evidence =
      0.0;  // share of the node in the marginal likelihood; NaN if cells are missing
  std::int64_t num_rows = 0;  // the table's
  // Rows of the table without a row of data, seen or expected: they have the prior's mean.
  std::int64_t num_unseen = 0;
};

struct Learned {
  Network
      network;  // with tables: posterior means; if cells are missing those of the last expected counts
  std::vector<LearnedNode> nodes;
  double log_evidence = 0.0;  // log marginal likelihood of the structure; NaN if cells are missing
  Index num_rows = 0, num_incomplete = 0;
  // With missing cells: expectation maximisation from complete rows' counts [lauritzen1995].
  Index num_rounds = 0;
  double last_change = 0.0;   // the largest change of a probability in the last round
  bool has_converged = true;  // no change was 1e-8 or larger
};

// `structure`: sound, its tables don't count. Rows with missing cells are completed by their expected counts, which are exact sums of
// elimination; cells must be missing at random. Throws Error(data) for a row whose seen states have probability 0 and, if cells are missing,
// for a node of two or more states without a value in any row; Error(program) for sums that are too large.
Learned learn_tables(const Network& structure, const NetworkRows& rows,
                     const LearningOptions& options);

}  // namespace credo::models
