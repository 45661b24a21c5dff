// Ready-made models from their fields, and the model of a fit of `credo ready`.
#pragma once
#include <set>

#include "cli/results.hpp"
#include "models/ready/ready_table.hpp"

namespace credo::cli {

// The fields of a model, and their given values. The row must live as long.
class ReadyFields {
 public:
  explicit ReadyFields(const models::ReadyRow& row) : row_(row), options_(row.fields()) {}

  // A JSON object with fields, or a table whose columns are named as fields. Throws Error.
  void read(const std::string& path);
  void set(const std::string& text);  // "NAME=VALUE"
  models::Ready make() const;         // throws Error(data) if a field is needed and not given

 private:
  void read_json(const std::string& path);
  void read_table(const std::string& path);

  const models::ReadyRow& row_;
  infer::KernelOptions options_;
  std::set<std::string> given_;
};

// The ready-made model of a fit, made anew from the options that the fit keeps and its data file; null for other fits. Throws
// Error(data) if the file isn't the one that was read.
std::shared_ptr<const density::Model> ready_model_of(const Fit& fit);

}  // namespace credo::cli
