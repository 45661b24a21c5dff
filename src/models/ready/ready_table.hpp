// The ready-made models as rows of a table: their names, and the fields that a file or a command line gives.
#pragma once
#include "infer/core/kernel_options.hpp"
#include "models/ready/ready_model.hpp"

namespace credo::models {

struct ReadyRow {
  std::string_view name, summary, reference;  // a key of docs/references.bib
  std::vector<std::string_view> required;     // fields without a default: the data
  infer::KernelOptions (*fields)();
  Ready (*make)(
      const infer::KernelOptions& fields);  // throws Error(data) for numbers that don't fit
};

std::span<const ReadyRow> ready_table();            // in alphabetical order
const ReadyRow* find_ready(std::string_view name);  // null for other names

}  // namespace credo::models
