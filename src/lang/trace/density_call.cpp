#include "lang/trace/density_call.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::lang {
namespace {

struct RoleSuffix {
  std::string_view suffix;
  DistributionRole role;
};
constexpr std::array<RoleSuffix, 6> kRoleSuffixes{{{"_lpdf", DistributionRole::density},
                                                   {"_lpmf", DistributionRole::density},
                                                   {"_lccdf", DistributionRole::log_ccdf},
                                                   {"_lcdf", DistributionRole::log_cdf},
                                                   {"_cdf", DistributionRole::cdf},
                                                   {"_rng", DistributionRole::draw}}};

bool has_role(const dist::Distribution& d, DistributionRole role) {
  switch (role) {
    case DistributionRole::density:
      return d.log_density != nullptr;
    case DistributionRole::cdf:
      return d.cdf != nullptr;
    case DistributionRole::log_cdf:
      return d.log_cdf != nullptr;
    case DistributionRole::log_ccdf:
      return d.log_ccdf != nullptr;
    case DistributionRole::draw:
      return d.kind == dist::Kind::multivariate
                 ? d.draw_all != nullptr
                 : d.draw != nullptr || d.quantile != nullptr || d.cdf != nullptr;
  }
  return false;
}

}  // namespace

void check_lengths(const Machine& machine, std::string_view name,
                   std::span<const Value> arguments) {
  Index length = -1;
  for (const Value& argument : arguments) {
    if (argument.is_scalar()) continue;
    const Index size = size_of(argument);
    if (length >= 0 && size != length) {
      machine.fail_sizes(fmt::format(
          "{}: arguments have lengths {} and {}, but must have one length", name, length, size));
    }
    length = size;
  }
}

std::vector<Expr> expressions(Machine& machine, std::span<const Value> arguments) {
  std::vector<Expr> result;
  result.reserve(arguments.size());
  for (const Value& argument : arguments) result.push_back(machine.expr(argument));
  return result;
}

dist::Tail tail_of(DistributionRole role) {
  return role == DistributionRole::cdf       ? dist::Tail::cdf
         : role == DistributionRole::log_cdf ? dist::Tail::log_cdf
                                             : dist::Tail::log_ccdf;
}

std::optional<DistributionRole> role_of(const dist::Distribution& d, std::string_view suffix) {
  for (const RoleSuffix& row : kRoleSuffixes) {
    if (suffix != row.suffix || !has_role(d, row.role)) continue;
    if (row.role == DistributionRole::density && d.discrete != (suffix == "_lpmf")) continue;
    return row.role;
  }
  return std::nullopt;
}

std::optional<DistributionFunction> distribution_function(std::string_view name) {
  for (const RoleSuffix& row : kRoleSuffixes) {
    if (!name.ends_with(row.suffix)) continue;
    const dist::Distribution* d = dist::find(name.substr(0, name.size() - row.suffix.size()));
    const auto role = d == nullptr ? std::nullopt : role_of(*d, row.suffix);
    if (!role) return std::nullopt;
    return DistributionFunction{d, *role};
  }
  return std::nullopt;
}

bool is_sum_of_equals(const typed::Call& call) {
  return call.is_operator && call.function.name == "add" && call.arguments.size() == 2 &&
         call.arguments[0].type == call.arguments[1].type;
}

bool is_density(const typed::Call& call) {
  if (call.function.is_user() || call.arguments.empty()) return false;
  const auto function = distribution_function(call.function.name);
  return function && function->role == DistributionRole::density;
}

bool is_any_density(const typed::Call& call) {
  const std::string_view name = call.function.name;
  return !call.arguments.empty() && (name.ends_with("_lpdf") || name.ends_with("_lpmf"));
}

dist::Density density_of(Machine& machine, const typed::Call& call,
                         std::span<const Value> arguments, bool drop) {
  const std::string_view name = call.function.name;
  const auto function = distribution_function(name);
  if (!function) {  // a density that is a row of the built-in functions
    std::vector<Value> values(arguments.begin(), arguments.end());
    return {machine.expr(builtin_function(name)({machine, call, name, values})), 0.0};
  }
  const dist::Distribution& d = *function->distribution;
  if (d.kind == dist::Kind::univariate) check_lengths(machine, name, arguments);
  const std::vector<Expr> in = expressions(machine, arguments);
  dist::DensityRequest request{
      .function = name, .drop_constants = drop, .autodiff = machine.autodiff_bits(call.arguments)};
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (is_open(arguments[k])) request.autodiff |= 1u << k;  // it is no constant
  }
  const dist::Density density =
      dist::log_density(d, in[0], std::span(in).subspan(1), request, machine.checks());
  machine.mark_density(density.value, call.arguments.empty()
                                          ? Machine::Known::all
                                          : machine.known_of(arguments[0], request.autodiff));
  return density;
}

Value run_density(const BuiltinCall& c) {
  const bool drop = c.machine.drops_constants(c.call.drops_constants);
  const Expr value = density_of(c.machine, c.call, c.arguments, drop).value;
  if (c.machine.keeps_inner_rows() && is_density(c.call))
    c.machine.keep_inner_rows(value, rows_of(c.machine, c.call, c.arguments));
  return Scalar(value);
}

Value run_tail(const BuiltinCall& c) {
  const DistributionFunction f = *distribution_function(c.name);
  check_lengths(c.machine, c.name, c.arguments);
  const std::vector<Expr> in = expressions(c.machine, c.arguments);
  const Expr value = dist::tail(*f.distribution, tail_of(f.role), in[0], std::span(in).subspan(1),
                                c.name, c.machine.checks());
  if (!c.call.arguments.empty())
    c.machine.mark_tail(
        value, c.machine.known_of(c.arguments[0], c.machine.autodiff_bits(c.call.arguments)));
  return Scalar(value);
}

}  // namespace credo::lang
