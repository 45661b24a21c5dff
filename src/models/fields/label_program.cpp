#include "models/fields/label_program.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "io/json_writer.hpp"

namespace credo::models {
namespace {
constexpr const char* kProgram = R"(data {{
  int<lower=1> N, S, F, K;                // rows, sequences, features, labels
  array[S] int<lower=1> first, last;      // rows of each sequence
  matrix[N, F] x;
  array[N] int<lower=1, upper=K> y;
  array[K, K] int<lower=0, upper=1> may_follow;  // 0: the pair is forbidden
  array[K] int<lower=0, upper=1> may_begin;
}}
parameters {{
  matrix[F, K] w;
  matrix[K, K] pairs;  // label of a row, label of the next one
}}
model {{
  matrix[N, K] node = x * w;
  matrix[K, K] score;
  for (a in 1:K) {{
    for (b in 1:K) score[a, b] = may_follow[a, b] == 1 ? pairs[a, b] : negative_infinity();
  }}
  to_vector(w) ~ {0};
  to_vector(pairs) ~ {0};
  for (s in 1:S) {{
    vector[K] alpha;  // log of the sum over all labels of the rows before
    for (b in 1:K) alpha[b] = may_begin[b] == 1 ? node[first[s], b] : negative_infinity();
    target += node[first[s], y[first[s]]];
    for (n in (first[s] + 1):last[s]) {{
      vector[K] next;
      for (b in 1:K) next[b] = node[n, b] + log_sum_exp(alpha + score[:, b]);
      alpha = next;
      target += node[n, y[n]] + score[y[n - 1], y[n]];
    }}
    target += -log_sum_exp(alpha);
  }}
}}
)";

void require_small_chain(const LabelModel& model) {
  const auto refuse = [](const std::string& message, const char* hint) {
    throw Error(ErrorCode::usage, message, "--write", hint);
  };
  if (!model.structure.is("chain"))
    refuse(fmt::format("{} isn't written as a program", model.structure.text()),
           "--structure chain");
  if (ssize(model.features.names) >= kMostWritten)
    refuse(fmt::format("a field of {} features isn't written as a program",
                       model.features.names.size()),
           "fields with fewer than 200 features are: --min-count, or fewer terms");
  if (!model.request.scores.empty())
    refuse("scores of columns aren't written", "leave --scores out");
  if (model.request.pairs_seen)
    refuse("pairs without a weight aren't written", "--pairs all with --write");
}

std::string data_of(const LabelModel& model, const LabelData& data) {
  const auto k = model.sets[0].names.size(), f = model.features.names.size();
  io::JsonWriter json;
  json.begin_object();
  json.key("N").integer(data.num_rows()).key("S").integer(ssize(data.sequences));
  json.key("F").integer(static_cast<Index>(f)).key("K").integer(static_cast<Index>(k));
  json.key("first").array(data.sequences,
                          [&](const RowRange& one) { json.integer(one.first + 1); });
  json.key("last").array(data.sequences,
                         [&](const RowRange& one) { json.integer(one.first + one.length); });
  json.key("x").begin_array();
  for (std::size_t n = 0; n < static_cast<std::size_t>(data.num_rows()); ++n) {
    std::vector<double> row(f, 0.0);
    for (std::size_t at = data.rows.first[n]; at < data.rows.first[n + 1]; ++at)
      row[static_cast<std::size_t>(data.rows.features[at])] += data.rows.values[at];
    json.numbers(row);
  }
  json.end_array();
  json.key("y").array(data.labels, [&](Index label) { json.integer(label + 1); });
  json.key("may_follow").begin_array();
  for (std::size_t a = 0; a < k; ++a) {
    json.begin_array();
    for (std::size_t b = 0; b < k; ++b) json.integer(model.forbidden[0][a * k + b] != 0 ? 0 : 1);
    json.end_array();
  }
  json.end_array();
  json.key("may_begin").array(model.forbidden_first, [&](char no) {
    json.integer(no != 0 ? 0 : 1);
  });
  json.end_object();
  return json.text();
}

void add_matrix(io::JsonWriter& json, std::span<const double> values, std::size_t cols) {
  json.begin_array();
  for (std::size_t at = 0; at < values.size(); at += cols) json.numbers(values.subspan(at, cols));
  json.end_array();
}
}  // namespace

LabelProgram write_label_program(const LabelModel& model, const LabelData& data,
                                 const WeightPrior& prior, std::span<const double> weights) {
  require_small_chain(model);
  const auto k = model.sets[0].names.size();
  const auto pairs = static_cast<std::size_t>(model.first_pair(0));
  io::JsonWriter json;
  json.begin_object().key("w");
  add_matrix(json, weights.first(pairs), k);
  json.key("pairs");
  add_matrix(json, weights.subspan(pairs), k);
  json.end_object();
  // Unconstrained values are columns of both matrices.
  std::vector<double> point;
  const auto add_columns = [&](std::span<const double> values) {
    for (std::size_t a = 0; a < k; ++a)
      for (std::size_t at = a; at < values.size(); at += k) point.push_back(values[at]);
  };
  add_columns(weights.first(pairs));
  add_columns(weights.subspan(pairs));
  io::JsonWriter points;
  points.begin_array().numbers(point).end_array();
  return {.program =
              fmt::format("// {}   written by credo label\n", model.request.formula) +
              fmt::format(kProgram, fmt::format("{}(0, {})",
                                                prior.is_laplace ? "double_exponential" : "normal",
                                                prior.scale)),
          .data = data_of(model, data),
          .weights = json.text(),
          .point = points.text()};
}

}  // namespace credo::models
