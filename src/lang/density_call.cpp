#include "lang/density_call.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "dist/batch.hpp"

namespace credo::lang {
namespace {

struct RoleSuffix {
  std::string_view suffix;
  DistributionRole role;
};
constexpr std::array<RoleSuffix, 6> kSuffixes{{{"_lpdf", DistributionRole::density},
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

// All containers of a univariate call have one length.
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
}  // namespace

std::optional<DistributionFunction> distribution_function(std::string_view name) {
  for (const RoleSuffix& row : kSuffixes) {
    if (!name.ends_with(row.suffix)) continue;
    const dist::Distribution* d = dist::find(name.substr(0, name.size() - row.suffix.size()));
    if (d == nullptr || !has_role(*d, row.role)) return std::nullopt;
    if (row.role == DistributionRole::density && d->discrete != (row.suffix == "_lpmf"))
      return std::nullopt;
    return DistributionFunction{d, row.role};
  }
  return std::nullopt;
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
  const bool observed = call.arguments.empty() || (request.autodiff & 1u) == 0;
  machine.mark_density(density.value, observed);
  return density;
}

Value run_density(const BuiltinCall& c) {
  return Scalar(density_of(c.machine, c.call, c.arguments, false).value);
}

Value run_tail(const BuiltinCall& c) {
  const DistributionFunction f = *distribution_function(c.name);
  check_lengths(c.machine, c.name, c.arguments);
  const std::vector<Expr> in = expressions(c.machine, c.arguments);
  const dist::Tail which = f.role == DistributionRole::cdf       ? dist::Tail::cdf
                           : f.role == DistributionRole::log_cdf ? dist::Tail::log_cdf
                                                                 : dist::Tail::log_ccdf;
  return Scalar(dist::tail(*f.distribution, which, in[0], std::span(in).subspan(1), c.name,
                           c.machine.checks()));
}

namespace {
// Counts of a large mean may be beyond the whole numbers of the language.
std::vector<std::int32_t> whole_draws(const BuiltinCall& c, std::span<const double> draws) {
  std::vector<std::int32_t> ints;
  for (const double draw : draws) {
    if (!(std::abs(draw) <= 2147483647.0))
      c.machine.reject(c.name, "draw", draw, "at most 2147483647");
    ints.push_back(static_cast<std::int32_t>(draw));
  }
  return ints;
}

// What a draw is as a value; of an array of arguments, one after another.
Value drawn_value(const BuiltinCall& c, const dist::Distribution& d, std::span<const double> draw,
                  Index count) {
  const Index n = ssize(draw) / std::max<Index>(count, 1);
  if (d.discrete) {
    std::vector<std::int32_t> ints = whole_draws(c, draw);
    return d.drawn == dist::Drawn::number ? Value(ints[0]) : make_ints({n}, std::move(ints));
  }
  const std::vector<Scalar> elements(draw.begin(), draw.end());
  if (d.drawn == dist::Drawn::square_matrix) {
    const auto k = static_cast<Index>(std::lround(std::sqrt(double(n))));
    return make_reals(BaseType::matrix, {k, k}, elements);
  }
  return count == 0 ? make_reals(BaseType::vector, {n}, elements)
                    : make_reals(BaseType::vector, {count, n}, elements);
}

// How many vectors an argument is an array of; 0 for a single one, and for no array.
Index num_vectors(const Value& argument) {
  const bool is_array =
      inner_dims(base_of(argument)) > 0 && dims_of(argument).count > inner_dims(base_of(argument));
  return is_array ? dims_of(argument)[0] : 0;
}

// A draw of a whole container, one for each of an array of vectors.
Value draw_container(const BuiltinCall& c, const dist::Distribution& d) {
  Index count = 0;
  for (const Value& argument : c.arguments) count = std::max(count, num_vectors(argument));
  std::vector<Expr> all = expressions(c.machine, c.arguments);
  std::vector<double> draws;
  for (Index b = 0; b < std::max<Index>(count, 1); ++b) {
    std::vector<Expr> args = all;
    for (std::size_t k = 0; k < args.size(); ++k) {
      const Index vectors = num_vectors(c.arguments[k]);
      if (vectors > 0) args[k] = dist::Batch(all[k]).vector(vectors == 1 ? 0 : b);
    }
    const std::vector<double> draw =
        dist::draw_all(d, c.machine.rng(c.name), args, c.name, c.machine.checks());
    draws.insert(draws.end(), draw.begin(), draw.end());
  }
  return drawn_value(c, d, draws, count);
}
}  // namespace

Value run_draw(const BuiltinCall& c) {
  const dist::Distribution& d = *distribution_function(c.name)->distribution;
  if (d.kind == dist::Kind::multivariate) return draw_container(c, d);
  check_lengths(c.machine, c.name, c.arguments);
  Rng& rng = c.machine.rng(c.name);
  Index length = 1;
  bool scalar = true;
  for (const Value& argument : c.arguments) {
    if (argument.is_scalar()) continue;
    scalar = false;
    length = size_of(argument);
  }
  std::vector<double> params(c.arguments.size()), draws(static_cast<std::size_t>(length));
  for (Index i = 0; i < length; ++i) {
    for (std::size_t k = 0; k < params.size(); ++k) {
      params[k] = scalar_of(c.arguments[k], c.arguments[k].is_scalar() ? 0 : i).known;
    }
    dist::check_parameters(d, params, c.name, c.machine.checks());
    draws[static_cast<std::size_t>(i)] = dist::draw(d, rng, params);
  }
  if (d.discrete) {
    std::vector<std::int32_t> ints = whole_draws(c, draws);
    return scalar ? Value(ints[0]) : make_ints({length}, std::move(ints));
  }
  if (scalar) return Scalar(draws[0]);
  return make_reals(BaseType::real, {length}, std::vector<Scalar>(draws.begin(), draws.end()));
}

}  // namespace credo::lang
