// The stored reference values of the language's functions (their README states format and
// tolerances): records with arguments as expressions, and the judgement of values and gradients.
// Shared by all layers above graph.
#pragma once
#include <fstream>
#include <iostream>

#include "graph/execute/program.hpp"
#include "graph/ops/checks.hpp"
#include "graph/passes/differentiate.hpp"
#include "support/json_tree.hpp"

namespace credo::testing {

using Numbers = std::vector<double>;

struct ReferenceArgument {
  std::string type;
  graph::Shape shape;
  Numbers
      values;  // in element order: arrays of vectors one after the other, matrices column by column
  bool differentiable = false;
};

struct ReferenceRecord {
  std::string function, place;  // place: "glm.jsonl:12"
  std::vector<ReferenceArgument> args;
  bool error = false;
  double value = 0.0;                            // of a scalar result
  std::vector<std::optional<Numbers>> gradient;  // in element order; none: not stated
  std::vector<int> symmetric, lower_triangular;  // arguments whose gradients mean only that
  std::optional<double> tolerance;
};

inline Index depth_of(const Json& json) {
  return !json.is_array() ? 0 : 1 + (json.items.empty() ? 0 : depth_of(json.items[0]));
}

inline graph::Shape shape_of(const Json& value, std::string_view type) {
  if (!value.is_array()) return {};
  const Index outer = ssize(value.items),
              inner = value.items.empty() ? 0 : ssize(value.items[0].items);
  if (type == "matrix") return graph::matrix_shape(outer, inner);
  if (type == "row_vector") return graph::row_vector_shape(outer);
  if (depth_of(value) < 2) return graph::vector_shape(outer);
  return {static_cast<std::int32_t>(outer), static_cast<std::int32_t>(inner), 1};
}

// Numbers of an argument or of its gradient, in element order.
inline Numbers element_order(const Json& value, std::string_view type) {
  Numbers text_order;
  value.flatten(text_order);
  if (type != "matrix" || value.items.empty()) return text_order;
  Numbers columns;
  for (std::size_t j = 0; j < value.items[0].items.size(); ++j) {
    for (const Json& row : value.items) columns.push_back(row.items[j].value());
  }
  return columns;
}

inline ReferenceArgument read_argument(const Json& json) {
  ReferenceArgument arg;
  arg.type = json.at("type").text;
  const Json& value = json.at("value");
  arg.shape = shape_of(value, arg.type);
  arg.values = element_order(value, arg.type);
  arg.differentiable = arg.type.find("int") == std::string::npos && json.find("data") == nullptr;
  return arg;
}

inline void read_gradient(const Json& json, ReferenceRecord& record) {
  for (std::size_t k = 0; k < json.items.size(); ++k) {
    if (json.items[k].is_null()) {
      record.gradient.emplace_back();
    } else {
      record.gradient.emplace_back(element_order(json.items[k], record.args[k].type));
    }
  }
}

inline ReferenceRecord read_record(const Json& json) {
  ReferenceRecord record;
  record.function = json.at("f").text;
  for (const Json& arg : json.at("args").items) record.args.push_back(read_argument(arg));
  record.error = json.find("error") != nullptr;
  if (const Json* tolerance = json.find("tolerance")) record.tolerance = tolerance->value();
  for (const auto& [key, list] :
       {std::pair("sym", &record.symmetric), {"tril", &record.lower_triangular}}) {
    const Json* found = json.find(key);
    for (std::size_t i = 0; found != nullptr && i < found->items.size(); ++i) {
      list->push_back(static_cast<int>(found->items[i].number));
    }
  }
  if (record.error) return record;
  record.value = json.at("value").value();
  if (const Json* gradient = json.find("grad"); gradient != nullptr && gradient->is_array()) {
    read_gradient(*gradient, record);
  }
  return record;
}

// All records of one file; empty, with a loud word, if the folder isn't there. `wanted` picks by
// function name.
template <class Wanted>
std::vector<ReferenceRecord> load_records(const std::string& file, Wanted wanted) {
  std::ifstream in(std::string(CREDO_REFERENCE_DIR) + "/functions/" + file);
  std::vector<ReferenceRecord> records;
  if (!in) std::cerr << "*** reference values are missing: " << file << " is not judged ***\n";
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const Json json = parse_json(line);
    if (!wanted(json.at("f").text)) continue;
    records.push_back(read_record(json));
    records.back().place = file + ":" + std::to_string(number);
  }
  return records;
}

// Requirements broken by known values throw; those of a program are numbered.
class ThrowingChecks final : public graph::Checks {
 public:
  struct Broken {
    std::string text;
  };

 private:
  std::int32_t number(const graph::Requirement&) override { return ++count_; }
  void failed(const graph::Requirement& r, double value) override {
    throw Broken{std::string(r.function) + ": " + std::string(r.argument) + " is " +
                 std::to_string(value) + ", but must be " + std::string(r.rule)};
  }
  std::int32_t count_ = 0;
};

struct Outcome {
  bool error = false;
  double value = 0.0, known_value = 0.0;  // run as a program; with all arguments known
  std::vector<Numbers> gradient;          // for each argument; empty if it has none
};

// `function(args, checks)` traced over the record's differentiable arguments, run, and run again
// with all of them known.
template <class Function>
Outcome evaluate(const ReferenceRecord& record, Function function) {
  Outcome outcome;
  ThrowingChecks checks;
  graph::Graph graph;
  Numbers point;
  for (const auto& arg : record.args) {
    if (arg.differentiable) point.insert(point.end(), arg.values.begin(), arg.values.end());
  }
  const graph::NodeId input = graph.add_input(graph::vector_shape(ssize(point)));
  const graph::Expr all(graph, {input, -1});
  std::vector<graph::Expr> known, traced;
  Index offset = 0;
  for (const auto& arg : record.args) {
    known.push_back(graph::constant(arg.shape, arg.values));
    traced.push_back(known.back());
    if (!arg.differentiable || arg.values.empty()) continue;
    std::vector<std::int32_t> index(arg.values.size());
    std::iota(index.begin(), index.end(), static_cast<std::int32_t>(offset));
    traced.back() = gather(arg.shape, all, index);
    offset += ssize(arg.values);
  }
  try {
    outcome.known_value = function(std::span<const graph::Expr>(known), checks).value();
  } catch (const ThrowingChecks::Broken&) {
    outcome.error = true;
    if (record.error) return outcome;
  }
  graph::Expr value;
  try {
    value = function(std::span<const graph::Expr>(traced), checks);
  } catch (const ThrowingChecks::Broken&) {
    outcome.error = true;
    return outcome;
  }
  const std::array inputs{input};
  const std::array outputs{value, graph::gradient(graph, value, inputs)[0]};
  const graph::Program program(graph, input, outputs);
  graph::Workspace workspace(program, 1);
  workspace.set_lanes(1);
  workspace.set_input(0, point);
  workspace.run();
  outcome.error = workspace.status(0).check != 0;
  outcome.value = workspace.output(0, 0, 0);
  offset = 0;
  for (const auto& arg : record.args) {
    outcome.gradient.emplace_back();
    if (!arg.differentiable) continue;
    for (Index e = 0; e < ssize(arg.values); ++e) {
      outcome.gradient.back().push_back(workspace.output(1, offset++, 0));
    }
  }
  return outcome;
}

struct Tolerances {
  double value = 1e-10, gradient = 1e-8;
};

// Equal to a relative error of the scale; infinities and NaN exactly.
inline bool agrees(double found, double expected, double tolerance, double scale) {
  if (found == expected || (std::isnan(found) && std::isnan(expected))) return true;
  if (!std::isfinite(expected)) return false;
  return std::abs(found - expected) <= tolerance * scale + 1e-300;
}

inline void symmetrise(Numbers& gradient, Index n) {
  for (Index j = 0; j < n; ++j) {
    for (Index i = j + 1; i < n; ++i) {
      double &low = gradient[static_cast<std::size_t>(i + j * n)],
             &high = gradient[static_cast<std::size_t>(j + i * n)];
      low = high = 0.5 * (low + high);
    }
  }
}

// What is wrong with the outcome; empty if it is right.
inline std::string judge(const ReferenceRecord& record, Outcome outcome, Tolerances tolerance) {
  const auto text = [](double x) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", x);
    return std::string(buffer);
  };
  const std::string where = record.place + " " + record.function + ": ";
  if (record.error != outcome.error) return where + (record.error ? "no error" : "an error");
  if (record.error) return {};
  const double allowed = record.tolerance.value_or(tolerance.value);
  for (const double value : {outcome.value, outcome.known_value}) {
    if (!agrees(value, record.value, allowed, std::abs(record.value))) {
      return where + "value " + text(value) + ", expected " + text(record.value);
    }
  }
  for (std::size_t k = 0; k < record.gradient.size(); ++k) {
    if (!record.gradient[k] || !record.args[k].differentiable) continue;
    const Numbers& expected = *record.gradient[k];
    Numbers& found = outcome.gradient[k];
    const Index n = record.args[k].shape.rows;
    const auto listed = [&](const std::vector<int>& list) {
      return std::find(list.begin(), list.end(), static_cast<int>(k)) != list.end();
    };
    if (listed(record.symmetric)) symmetrise(found, n);
    double scale = 0.0;
    for (const double g : expected) scale = std::max(scale, std::isfinite(g) ? std::abs(g) : 0.0);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Index row = static_cast<Index>(i) % n, col = static_cast<Index>(i) / n;
      if (listed(record.lower_triangular) && row < col) continue;
      if (std::isnan(expected[i])) continue;  // no derivative is stated by a NaN
      if (agrees(found[i], expected[i], record.tolerance.value_or(tolerance.gradient), scale))
        continue;
      return where + "gradient " + std::to_string(k) + "[" + std::to_string(i) + "] is " +
             text(found[i]) + ", expected " + text(expected[i]) + " (value " + text(record.value) +
             ")";
    }
  }
  return {};
}

}  // namespace credo::testing
