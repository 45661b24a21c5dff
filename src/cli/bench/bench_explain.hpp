// How each statement was compiled, and how the time is spent: `credo bench --explain`, `--profile`.
#pragma once
#include "graph/execute/inspect.hpp"
#include "graph/passes/passes.hpp"
#include "model/model.hpp"

namespace credo::cli {

// Watches the graph while a model is traced: nodes by statement, as traced and in the end.
class StatementWatch {
 public:
  graph::Passes::Observer observer();

  struct Row {
    Index traced = 0;                // nodes
    Index scalars = 0;               // in the end, gradient included
    Index vectors = 0, largest = 0;  // nodes of more than one element; elements of the largest
    Index regions = 0;               // loops that run step by step
  };
  const std::map<std::int32_t, Row>& rows() const { return rows_; }

 private:
  void count(std::string_view pass, const graph::Traced& traced);
  std::map<std::int32_t, Row> rows_;  // by statement
};

// "vectors of 400", "region", "900 scalars stay", ...
std::string becomes(const StatementWatch::Row& row);

struct Explanation {
  const model::Model* model = nullptr;
  const StatementWatch* watch = nullptr;
  graph::ProgramSummary summary;
  Index lanes = 1;  // the cheapest number
  Index threads = 1;
  double microseconds = 0.0;
};
std::string explanation_text(const Explanation& explanation);
std::string explanation_json(const Explanation& explanation);

std::string profile_text(const model::Model& model, std::span<const graph::ProfileShare> shares);
std::string profile_json(const model::Model& model, std::span<const graph::ProfileShare> shares);

}  // namespace credo::cli
