#include "dist/audit.hpp"

namespace credo::dist {
namespace {
using Found = Standing::Kind;

// Properties that don't exist though the kind of distribution has them.
struct Undefined {
  std::string_view distribution;
  Property property;
  std::string_view reason;
};
constexpr std::array kUndefined{
    Undefined{"cauchy", Property::mean, "the integral diverges at both ends"},
    Undefined{"cauchy", Property::variance, "there is no mean"}};

Standing if_there(bool there) { return there ? Standing{Found::formula, {}} : Standing{}; }
Standing derived_if(bool there, std::string_view how) {
  return there ? Standing{Found::derived, how} : Standing{};
}

bool is_tail(Property p) {
  return p == Property::cdf || p == Property::log_cdf || p == Property::log_ccdf ||
         p == Property::quantile || p == Property::truncation;
}

Standing of_univariate(const Distribution& d, Property p) {
  const bool has_tails = d.cdf != nullptr && d.log_cdf != nullptr && d.log_ccdf != nullptr;
  switch (p) {
    case Property::log_density:
      return if_there(d.log_density != nullptr);
    case Property::cdf:
      return if_there(d.cdf != nullptr);
    case Property::log_cdf:
      return if_there(d.log_cdf != nullptr);
    case Property::log_ccdf:
      return if_there(d.log_ccdf != nullptr);
    case Property::quantile:
      return d.quantile != nullptr ? if_there(true) : derived_if(has_tails, "inversion");
    case Property::draw:
      return d.draw != nullptr ? if_there(true)
                               : derived_if(has_tails || d.quantile != nullptr, "inversion");
    case Property::mean:
      return if_there(d.mean != nullptr);
    case Property::variance:
      return if_there(d.variance != nullptr);
    case Property::entropy:
      return d.entropy != nullptr ? if_there(true)
                                  : derived_if(has_tails, d.discrete ? "sum" : "quadrature");
    case Property::truncation:
      return derived_if(has_tails, "tails");
  }
  return {};
}

Standing of_container(const Distribution& d, Property p) {
  if (p == Property::log_density) return if_there(d.log_density != nullptr);
  if (p == Property::draw && d.draw_all != nullptr) return if_there(true);
  if (d.num_categories != nullptr) return {Found::derived, "masses"};
  if (is_tail(p)) return {Found::undefined, "the outcome has several elements"};
  if (d.parts != nullptr) return {Found::derived, "outcome by outcome"};
  return if_there(p == Property::draw ? d.draw_all != nullptr : d.moments != nullptr);
}
}  // namespace

std::string_view name_of(Property property) {
  constexpr std::array<std::string_view, kProperties.size()> kNames{
      "log density", "cdf",  "log cdf",  "log ccdf", "quantile",
      "draw",        "mean", "variance", "entropy",  "truncation"};
  return kNames[static_cast<std::size_t>(property)];
}

Standing standing(const Distribution& d, Property property) {
  for (const auto& [name, undefined, reason] : kUndefined)
    if (name == d.name && undefined == property) return {Found::undefined, reason};
  return d.kind == dist::Kind::univariate ? of_univariate(d, property) : of_container(d, property);
}

}  // namespace credo::dist
