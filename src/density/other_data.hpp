// The same model with other data.
#pragma once
#include "density/data_values.hpp"

namespace credo::density {

class Model;

class OtherData {
 public:
  virtual ~OtherData() = default;
  // `text`: all data as a JSON text. Throws Error(data) if the model doesn't take them.
  virtual std::unique_ptr<Model> with_data(const std::string& text) const = 0;
  // With other values of DataValues::observed(), in its order. Throws Error(data) if the model doesn't take them.
  virtual std::unique_ptr<Model> with_observed(std::span<const ObservedVariable> data) const = 0;
};

}  // namespace credo::density
