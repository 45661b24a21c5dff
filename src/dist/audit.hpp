// Properties of each row of the table: by a formula of its own, derived from its other
// functions, or not, with the reason. docs/distributions.md is made from it.
#pragma once
#include "dist/distribution.hpp"

namespace credo::dist {

enum class Property {
  log_density,
  cdf,
  log_cdf,
  log_ccdf,
  quantile,
  draw,
  mean,
  variance,
  entropy,
  truncation
};
inline constexpr std::array kProperties{
    Property::log_density, Property::cdf,       Property::log_cdf, Property::log_ccdf,
    Property::quantile,    Property::draw,      Property::mean,    Property::variance,
    Property::entropy,     Property::truncation};
std::string_view name_of(Property property);

struct Standing {
  enum class Kind {
    formula,    // the row has a function for it
    derived,    // it follows from the row's other functions: `how`
    undefined,  // it doesn't exist: `how` says why
    missing
  };
  Kind kind = Kind::missing;
  std::string_view how;
};
Standing standing(const Distribution& d, Property property);

}  // namespace credo::dist
