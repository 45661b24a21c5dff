// Contents of a Fit: the draws in memory, with the model and the options they came from.
#pragma once
#include "api/impl.hpp"
#include "results/files/run_store.hpp"

namespace credo {

struct Fit::Impl {
  Impl(Model model_in, infer::SampleOptions options_in)
      : model(std::move(model_in)), options(std::move(options_in)) {}
  Model model;
  infer::SampleOptions options;            // the store refers to it
  std::optional<results::RunStore> store;  // refers to the model's program
};

}  // namespace credo
