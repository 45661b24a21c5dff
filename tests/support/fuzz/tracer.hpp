// Any program that the checker takes, with any data: a model is made and evaluated at points, alone
// and in lanes, and a draw is written; or it is refused. The program stands before the line
// "// data", its data (JSON) behind it.
#pragma once
#include "io/json_reader.hpp"
#include "model/model.hpp"
#include "support/fuzz/claims.hpp"

namespace credo::fuzz {

// Small enough for a second of work in an instrumented program.
inline model::ModelOptions small_work() {
  model::ModelOptions options;
  options.limits = {
      .max_steps = 50'000, .max_nodes = 20'000, .max_recursion = 100, .max_elements = 100'000};
  options.print = [](std::string_view) {};
  return options;
}

inline std::vector<double> point_of(Index dimension, double scale) {
  std::vector<double> point(static_cast<std::size_t>(dimension));
  for (std::size_t k = 0; k < point.size(); ++k)
    point[k] = scale * (static_cast<double>(k % 7) - 2.5);
  return point;
}

inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// In four lanes at once, and each alone.
inline void claim_one_arithmetic(const model::Model& model) {
  constexpr std::size_t kPoints = 4;
  std::vector<std::vector<double>> points, gradients;
  std::vector<density::Request> requests(kPoints);
  std::vector<density::Request*> batch;
  for (std::size_t p = 0; p < kPoints; ++p) {
    points.push_back(point_of(model.num_continuous(), 0.1 + 0.4 * static_cast<double>(p)));
    for (const std::int32_t lower : model.discrete_block().lower) points[p].push_back(lower);
    gradients.emplace_back(points[p].size());
  }
  for (std::size_t p = 0; p < kPoints; ++p) {
    requests[p].position = points[p];
    requests[p].gradient = gradients[p];
    batch.push_back(&requests[p]);
  }
  model.make_evaluator()->evaluate(density::Want::gradient, batch);
  for (std::size_t p = 0; p < kPoints; ++p) {
    std::vector<double> gradient(points[p].size());
    density::Request alone;
    alone.position = points[p];
    alone.gradient = gradient;
    density::Request* const one = &alone;
    model.make_evaluator()->evaluate(density::Want::gradient, std::span(&one, 1));
    claim(alone.status.ok() == requests[p].status.ok(), "lanes agree on what is refused");
    claim(same_bits(alone.log_density, requests[p].log_density), "lanes agree in every bit");
    claim(alone.status.ok() == std::isfinite(alone.log_density), "a density is finite or refused");
    if (!alone.status.ok()) claim(!model.describe(alone.status).empty(), "a refusal has words");
  }
}

inline void claim_evaluable(const model::Model& model) {
  const std::vector<double> point = point_of(model.num_continuous(), 0.1);
  Rng rng(StreamKey{.seed = 1});
  may_be_refused([&] { claim_one_arithmetic(model); });
  if (model.discrete().size() == 0) {
    may_be_refused([&] { (void)model.evaluate_in_full(point); });
    may_be_refused([&] {
      std::string note;
      const std::vector<double> row = model.draw_outputs().write(point, rng, &note);
      claim(ssize(row) == model.outputs().size(), "a draw has a value for each column");
      (void)model.draw_outputs().unconstrain_row(row);
    });
  }
  may_be_refused([&] { (void)model.generative().prior_mass(); });
}

inline void run_tracer(std::string_view bytes) {
  const Patience patience(kPatience);
  const auto [text, data] = parts_at(bytes, "\n// data\n");
  lang::Diagnostics diagnostics;
  lang::SourceMap source;
  const auto program = model::compile_text("fuzz.stan", std::string(text), diagnostics, source);
  if (program == nullptr) return;
  may_be_refused([&] {
    const io::DataTable table =
        data.empty() ? io::DataTable("no data") : io::parse_json_data(data, "fuzz.json");
    const model::Model model(program, table, small_work());
    claim_evaluable(model);
  });
}

}  // namespace credo::fuzz
