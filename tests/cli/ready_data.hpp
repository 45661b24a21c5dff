// Data of a few numbers for each ready-made model, and one of its outputs.
#pragma once
#include <map>
#include <string_view>

namespace credo::testing {

struct ReadyData {
  const char *data, *output;
};
inline const std::map<std::string_view, ReadyData>& ready_data() {
  static const std::map<std::string_view, ReadyData> cases = {
      {"collapsed_mixture", {R"({"points": [-2, -1.8, 1.9, 2.2]})", "num_clusters"}},
      {"gaussian_mixture", {R"({"points": [-2, -1.8, 1.9, 2.2]})", "weights.1"}},
      {"hidden_markov", {R"({"symbols": [0, 0, 1, 1, 0]})", "path.3"}},
      {"known_mixture",
       {R"({"weights": [1], "means": [0, 1], "covariances": [1, 0.5, 0.5, 2]})", "x.2"}},
      {"lattice", {R"({"rows": 3, "cols": 4, "coupling": 0.5, "kernel": "sweep"})", "agreement"}},
      {"normal_precision", {R"({"y": [1, 2, 4]})", "precision"}},
      {"radial_basis",
       {R"({"x": [[-1], [0], [1]], "y": [0.1, 1, 0.2], "at": [0.5]})", "num_centres"}},
      {"selection",
       {R"({"y": [1, 2, 3], "candidates": [[1, 0], [2, 1], [3, 0]]})", "num_included"}},
      {"tank", {R"({"rain": [1, 1, 0, 0], "observed_at": [1, 4], "observed": [0.9, 0.8]})", "x.5"}},
      {"tank_path", {R"({"rain": [1, 1, 0, 0]})", "x.5"}},
      {"topics", {R"({"document": [0, 0, 1], "word": [0, 1, 1]})", "topics_of_documents.2.1"}}};
  return cases;
}

}  // namespace credo::testing
