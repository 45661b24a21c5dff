// Implementation of the handles of the public headers.
#pragma once
#include <mutex>

#include "api/declaration.hpp"
#include "api/node.hpp"
#include "credo/sample.hpp"
#include "infer/core/sample.hpp"
#include "model/model.hpp"
#include "results/files/facts.hpp"

namespace credo {

struct Model::Impl {
  std::string name;
  std::shared_ptr<const density::Model> model;
  std::shared_ptr<const model::Model> program =
      {};                          // the same model; null for a callable that isn't traced
  results::ModelFiles files = {};  // files of a program
  io::Readers readers = {};        // access to these files
  std::string program_text = {};
  // Run of a ready-made model, which no other sampler can move.
  std::function<infer::RunResult(const infer::SampleOptions& options, infer::DrawSink& sink)>
      own_run = {};
  std::string own_algorithm = {};  // its name in results

  // Evaluators of threads that come and go.
  std::unique_ptr<density::Evaluator> take_evaluator() const;
  void give_back(std::unique_ptr<density::Evaluator> evaluator) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<density::Evaluator>> free_;
};

// One point by one of the model's evaluators; the reason is empty where all is well.
density::Request evaluate_at(const Model::Impl& model, std::span<const double> free,
                             std::span<double> gradient);

// Throws Error(usage) where the sampler is unknown or needs a gradient that the model hasn't.
void require_sampler(const Model::Impl& model, const std::string& sampler);

// Checks a callable that isn't traced: its value depends on its argument alone, its gradient is that of
// its value. At these points first, then random ones. Throws Error(evaluation).
void check_callable(const Model& model, std::span<const std::vector<double>> points,
                    bool with_gradient);

}  // namespace credo
