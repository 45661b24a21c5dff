// Answers of information theory as a text and as arrays.
#pragma once
#include "models/information/bottleneck.hpp"
#include "models/information/channel.hpp"
#include "models/information/information_table.hpp"
#include "models/information/words.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

// One number with its error, in nats unless `is_count`.
struct InformationFigure {
  std::string name;       // "H(class)", "I(V4; class)"
  double value = 0.0;     // nats
  double sd = kNaN;       // NaN: no error is known
  std::string note = {};  // "prior: 4.6 (0.3)"
};

struct InformationReport {
  std::string title = {};  // the question and the number of rows
  std::string estimator = {};
  bool in_bits = false;
  std::vector<InformationFigure> figures = {};
  std::vector<std::string> sentences = {};
  // By state: probability and self-information.
  std::vector<std::string> states = {};
  std::vector<double> probabilities = {};
  std::optional<models::WordEntropies> words = {};
  std::optional<models::Decoder> decoder = {};
  std::vector<std::string> inputs = {}, outputs = {};  // names of a channel's
  std::vector<double> input_distribution = {};         // at the capacity, or the given one

  std::string text() const;
  results::ArrayList answer() const;
  double in_unit(double nats) const { return in_bits ? nats / std::log(2.0) : nats; }
  std::string unit() const { return in_bits ? "bits" : "nats"; }
};

struct BottleneckReport {
  std::string title = {}, outcome = {};
  bool in_bits = false;
  double information = 0.0;  // I(X; Y), nats
  std::vector<std::string> states = {}, outcomes = {};
  std::vector<double> shares = {};  // P(x)
  std::vector<double> betas = {};
  std::vector<models::Bottleneck> curve = {};
  std::vector<std::string> remarks = {};

  std::string text() const;
  results::ArrayList answer() const;
};

}  // namespace credo::cli
