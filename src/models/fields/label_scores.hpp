// Predictions of a fitted field, and how well they agree with known labels.
#pragma once
#include "models/fields/label_fit.hpp"

namespace credo::models {

struct LabelPredictions {
  std::vector<double> marginals;  // row after row: a probability for each label of all sets
  std::vector<Index> best;        // row after row: a label for each set
  std::vector<double>
      log_probability;  // by sequence, of the labels of the table; empty without labels
  std::vector<std::vector<Index>> draws = {};  // each as `best`
  std::vector<double> log_z = {};              // by sequence
  std::vector<std::string> words = {};  // by sequence: the best tree of a grammar; else empty
  Index num_unsettled = 0;              // sequences whose approximation didn't settle
  std::string engine_words;
};

struct LabelPredictionOptions {
  Index num_threads = 0, num_draws = 0;
  std::uint64_t seed = 1;
  // With a covariance of the weights, marginals are averages over so many draws of the weights.
  Index num_weight_draws = 100;
};

// Throws Error(usage) for draws of an approximation.
LabelPredictions predict_labels(const LabelModel& model, const LabelFit& fit, const LabelData& data,
                                const LabelPredictionOptions& options);

// Precision, recall and F1 of chunks: runs B-x I-x ... I-x, where begin, end and kind must agree.
struct ChunkScore {
  std::string kind;  // empty: all
  Index num_right = 0, num_predicted = 0, num_true = 0;
  double precision() const;
  double recall() const;
  double f1() const;
};

struct LabelScore {
  std::string column;
  double accuracy = 0.0;           // share of rows whose label is right
  double expected_accuracy = 0.0;  // the same as the marginal probabilities expect it
  double calibration_error =
      0.0;  // mean difference of both in ten bins of the probability, weighted by rows
  double log_score = 0.0;               // mean log marginal probability of the right labels
  std::vector<ChunkScore> chunks = {};  // all, then by kind; empty for labels without B and I
};

struct LabelScores {
  Index num_rows = 0, num_sequences = 0;
  double sequence_accuracy = 0.0;   // share of sequences all labels of which are right
  double sequence_log_score = 0.0;  // mean log probability of the labels of a sequence
  Index num_forbidden =
      0;  // sequences whose labels are forbidden: their log probability is -infinity
  std::vector<LabelScore> sets;
};

LabelScores score_labels(const LabelModel& model, const LabelData& data,
                         const LabelPredictions& made);

// Chunks of labels B-x, I-x, O as (first row, last row, kind). An I-x that continues no chunk of its kind begins one, as in the
// evaluation of the CoNLL tasks.
struct Chunk {
  Index first = 0, last = 0;
  std::string kind;
  auto operator<=>(const Chunk&) const = default;
};
std::vector<Chunk> chunks_of(std::span<const std::string> labels);
bool are_chunk_labels(std::span<const std::string> names);

}  // namespace credo::models
