// The densities of a model by query: the same model with other terms, or with some of its rows.
#pragma once
#include <memory>
#include <span>

#include "density/query.hpp"

namespace credo::density {

class Model;

class Queries {
 public:
  virtual ~Queries() = default;
  virtual Query query() const = 0;  // the terms that this density has
  // True if the model has a density of these terms or rows on the path of this point.
  virtual Capability can(const Query& query, std::span<const double> point) const = 0;
  // The same model with other terms; for as long as this one lives. Throws Error(program), here or when it is evaluated, if it
  // doesn't have them.
  virtual std::unique_ptr<Model> asking(const Query& query) const = 0;
};

}  // namespace credo::density
