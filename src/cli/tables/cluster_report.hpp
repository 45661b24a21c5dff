// Groups of rows from draws of their labels: a text, arrays, and a table with the group of each row.
#pragma once
#include "density/draws.hpp"
#include "io/summary_table.hpp"
#include "models/cluster/cluster_table.hpp"
#include "models/cluster/partition_summary.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

struct GroupFigures {
  Index size = 0;                         // rows of the partition
  double share = 0.0, share_sd = 0.0;     // share of the rows, over draws with matched labels
  double together = 0.0;                  // mean probability that two of its rows are in one group
  std::vector<double> mean, mean_sd, sd;  // by column, in its units; mean_sd: over draws
};

struct ClusterReport {
  const models::ClusterTable& table;
  std::string model;               // prior, in words
  std::vector<double> num_groups;  // probability of 1, 2, ... groups
  models::Labels partition;
  std::vector<double> certainty;  // by row: mean probability of being with the others of its group
  std::vector<GroupFigures> groups;
  io::SummaryRow figures;  // number of groups: R-hat and effective draws
  double expected_variation = 0.0;
  Index num_draws = 0;
  std::vector<double> together = {};  // N x N, of few rows

  std::string text() const;
  results::ArrayList answer() const;
  std::string assignments() const;  // CSV
};

// `labels`: draws x chains x rows.
ClusterReport make_cluster_report(const models::ClusterTable& table, const density::Draws& labels,
                                  std::string model);

}  // namespace credo::cli
