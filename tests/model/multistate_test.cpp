// Multi-state models of capture and recapture: an array of simplexes for each animal and time, and
// the forward algorithm over states. What is traced grows with the animals, not with their square.
#include "graph/execute/program.hpp"
#include "support/text_model.hpp"

namespace credo::model::multistate_test {
namespace {

const std::string kProgram = R"(
functions {
  int first(array[] int y) {
    for (k in 1 : size(y)) if (y[k] != 3) return k;
    return 1;
  }
}
data { int n; int T; array[n, T] int<lower=1, upper=3> y; }
parameters { real<lower=0, upper=1> phi; real<lower=0, upper=1> psi; real<lower=0, upper=1> p; }
transformed parameters {
  array[5, n, T - 1] simplex[5] ps;
  array[5, n, T - 1] simplex[3] po;
  for (i in 1 : n) {
    for (t in 1 : T - 1) {
      for (j in 1 : 4) {
        for (k in 1 : 4) ps[j, i, t, k] = k == j ? phi * (1 - psi) : k == j % 4 + 1 ? phi * psi : 0;
        ps[j, i, t, 5] = 1 - phi;
        po[j, i, t, 1] = j < 3 ? p * psi : p * (1 - psi);
        po[j, i, t, 2] = j < 3 ? p * (1 - psi) : p * psi;
        po[j, i, t, 3] = 1 - p;
      }
      for (k in 1 : 5) ps[5, i, t, k] = k == 5;
      for (k in 1 : 3) po[5, i, t, k] = k == 3;
    }
  }
}
model {
  array[5] real acc;
  array[T] vector[5] gamma;
  for (i in 1 : n) {
    for (k in 1 : 5) gamma[first(y[i]), k] = k == y[i, first(y[i])];
    for (t in 1 + first(y[i]) : T) {
      for (k in 1 : 5) {
        for (j in 1 : 5) acc[j] = gamma[t - 1, j] * ps[j, i, t - 1, k] * po[k, i, t - 1, y[i, t]];
        gamma[t, k] = sum(acc);
      }
    }
    target += log(sum(gamma[T]));
  }
}
)";

// Histories of captures in state 1 or 2; 3 is not seen.
std::string data_of(Index animals) {
  constexpr Index kTimes = 7;
  std::string rows;
  for (Index i = 0; i < animals; ++i) {
    rows += i > 0 ? ", [" : "[";
    for (Index t = 0; t < kTimes; ++t)
      rows += (t > 0 ? ", " : "") +
              std::to_string(std::min<Index>(3, 1 + (i * i + 5 * t * i) % 11 % 5));
    rows += "]";
  }
  return R"({"n": )" + std::to_string(animals) + R"(, "T": 7, "y": [)" + rows + "]}";
}

std::unique_ptr<Model> model_of(Index animals, const std::string& passes = "all") {
  ModelOptions options;
  options.passes = passes;
  return model_from(kProgram, data_of(animals), std::move(options));
}

// Elements of all nodes, constants included, of the largest graph between passes.
Index size_of(Index animals) {
  Index largest = 0;
  ModelOptions options;
  options.observe = [&](std::string_view, const graph::Traced& traced) {
    Index size = 0;
    for (graph::NodeId id = 0; id < traced.graph->num_nodes(); ++id)
      size += traced.graph->node(id).shape.size();
    largest = std::max(largest, size);
  };
  const auto model = model_from(kProgram, data_of(animals), std::move(options));
  model->trace(std::vector<double>(3, 0.1));
  return largest;
}

TEST(multistate_models, are_traced_in_the_size_of_their_data) {
  const Index small = size_of(100);
  EXPECT_LE(size_of(200), 5 * small / 2);  // it was 4 * small
}

TEST(multistate_models, have_the_density_of_the_passes_off) {
  constexpr double kRounding = 1e-12;  // of some hundred additions
  expect_same_density(*model_of(40), *model_of(40, "none"), std::vector{0.3, -0.8, 0.5},
                      {kRounding, kRounding});
}

}  // namespace
}  // namespace credo::model::multistate_test
