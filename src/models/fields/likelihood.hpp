// Log probability of all labels of a table as a function of the weights, and its derivatives: observed minus expected features
// [murphy2023, eq. 19.13]. Threads share sequences and features; sums have one order, so that the number of threads changes no bit.
#pragma once
#include "models/fields/label_model.hpp"
#include "models/gp/worker_team.hpp"

namespace credo::models {

// An engine for each sequence, as the structure and the sizes of its graphs ask for.
struct ChosenEngines {
  std::vector<std::unique_ptr<FieldEngine>> made;
  std::vector<const FieldEngine*> of;  // by sequence
  Index num_approximate = 0;
  std::string words;  // "exact sums over the chain"
};
ChosenEngines choose_engines(const LabelModel& model, const LabelData& data);

class FieldLikelihood {
 public:
  // Both must outlive it. 0 threads: as many as there are processors.
  FieldLikelihood(const LabelModel& model, const LabelData& data, Index num_threads = 0);

  const ChosenEngines& engines() const { return engines_; }
  // The sum over sequences. `gradient` gets the derivatives by all weights; it may be empty. Throws Stopped.
  double evaluate(std::span<const double> weights, std::span<double> gradient);
  // By sequence, of the last evaluation.
  const std::vector<double>& log_probabilities() const { return log_p_; }
  // True if each approximation settled in the last evaluation that needed moments.
  // Scores of the labels of each row: row after row, num_labels() of each.
  std::vector<double> node_scores(std::span<const double> weights);
  // moments(sequence) of these weights, for all sequences; take(sequence, moments, engine, scores) may be called by several threads.
  using Take = std::function<void(std::size_t sequence, const FieldEngine& engine,
                                  const FieldScores& scores)>;
  void for_each_sequence(std::span<const double> weights, const Take& take);

 private:
  void sum_nodes(std::span<double> gradient) const;
  void sum_pairs(std::span<double> gradient) const;
  std::span<const Index> labels_of(std::size_t sequence) const;
  std::size_t first_score(std::size_t sequence) const;

  const LabelModel& model_;
  const LabelData& data_;
  mutable WorkerTeam team_;
  ChosenEngines engines_;
  // Rows and values by feature: the transpose of data.rows.
  std::vector<std::size_t> first_of_feature_;
  std::vector<std::int32_t> rows_of_feature_;
  std::vector<double> values_of_feature_;
  std::vector<Index> blocks_;  // first sequence of each block; one more: the end
  std::vector<double> slopes_, log_p_;
  std::vector<std::vector<std::vector<double>>> pair_slopes_;  // by block and type
};

}  // namespace credo::models
