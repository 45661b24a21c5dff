// Parts that the programs of a series share: data, known matrices, parameters, matrices with parameters.
#pragma once
#include "models/series/series.hpp"

namespace credo::models {

class SeriesWriter {
 public:
  explicit SeriesWriter(const Series& made)
      : made_(made), n_(made.num_states()), kinds_(ssize(made.kind_moves)) {}

  std::string program() const;  // series_program_text() of normal outcomes
  std::string system() const;   // series_system_text()

 protected:
  std::string functions() const;
  std::string data() const;
  std::string columns_and_steps() const;
  std::string mean_lines() const;  // the mean of the first state
  static std::string place(Index first, Index step);
  static std::string entry(const std::string& matrix, const SeriesEntry& e, Index row, Index col);
  // Lines for the elements of A, or of P, that are known, or those that aren't.
  std::string transition(const std::string& matrix, bool is_known, const std::string& indent) const;
  std::string start(const std::string& matrix, bool is_known, const std::string& indent) const;
  bool is_unknown(const SeriesComponent& part, Index state) const;
  std::string known() const;  // matrices without parameters
  std::string state_words() const;
  std::string parameters(const std::string& times = "T") const;
  std::string matrices() const;  // A, q, P with their parameters
  std::string variance() const;
  std::string fixed_parts() const;  // sum of columns times coefficients; empty without columns
  std::string model() const;

  const Series& made_;
  const Index n_, kinds_;
};

}  // namespace credo::models
