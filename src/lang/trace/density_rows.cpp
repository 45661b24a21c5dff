// Splits a log density by outcomes, which the language adds up: y ~ normal(mu, sigma) with N outcomes
// is N rows. Leave-one-out, batches of rows and pointwise log likelihoods use it.
#include "dist/batch.hpp"
#include "lang/trace/density_call.hpp"

namespace credo::lang {
namespace {
using dist::Distribution;

Expr repeated(const Expr& row, Index count) {
  return row.is_scalar() && count > 1 ? graph::broadcast(graph::vector_shape(count), row) : row;
}

Index longest(std::span<const Expr> in) {
  Index size = 1;
  for (const Expr& x : in) size = std::max(size, x.size());
  return size;
}

// How many outcomes: elements of an array of whole numbers, or vectors of an array of them. A distribution that draws
// all counts together (multinomial) has one.
Index num_outcomes(const Distribution& d, const Value& outcome) {
  const bool draws_all = d.discrete && d.draw_all != nullptr;
  if (draws_all && d.parts == nullptr && d.num_categories == nullptr) return 1;
  const Dims dims = dims_of(outcome);
  return dims.count > inner_dims(base_of(outcome)) ? dims[0] : 1;
}

// True if an argument differs between the outcomes: an array of as many, or a location for each.
bool is_by_outcome(const Distribution& d, const Value& argument, std::size_t k, Index count) {
  const Dims dims = dims_of(argument);
  const bool is_location = k == 1 && (d.name == "ordered_logistic" || d.name == "ordered_probit");
  const bool is_array = dims.count > inner_dims(base_of(argument));
  return (is_array || is_location) && dims.count > 0 && dims[0] == count;
}

// Outcome n and its part of the arguments.
std::vector<Expr> outcome_at(Machine& machine, const Distribution& d,
                             std::span<const Value> arguments, Index n, Index count) {
  std::vector<Expr> in;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Expr all = machine.expr(arguments[k]);
    if (!is_by_outcome(d, arguments[k], k, count))
      in.push_back(all);
    else
      in.push_back(all.size() == count ? all.element(n) : dist::Batch(all).vector(n));
  }
  return in;
}

// The outcomes are independent of each other: element n of the arguments of one distribution.
Expr rows_of_parts(Machine& machine, std::span<const dist::Part> parts, const Expr& outcomes,
                   std::string_view name) {
  const Index count = ssize(parts);
  const Distribution& d = *parts[0].distribution;
  const auto shape = graph::vector_shape(count);
  if (d.kind == dist::Kind::univariate) {
    std::vector<Expr> in;
    for (std::size_t k = 0; k < parts[0].args.size(); ++k) {
      std::vector<Expr> each;
      for (const dist::Part& part : parts) each.push_back(part.args[k]);
      in.push_back(graph::pack(shape, each));
    }
    return repeated(dist::log_density_each(d, outcomes, in, name, machine.checks()), count);
  }
  std::vector<Expr> each;
  for (Index n = 0; n < count; ++n) {
    const Expr y = outcomes.is_scalar() ? outcomes : outcomes.element(n);
    const auto& args = parts[static_cast<std::size_t>(n)].args;
    each.push_back(dist::log_density(d, y, args, {.function = name}, machine.checks()).value);
  }
  return graph::pack(shape, each);
}
}  // namespace

Expr rows_of(Machine& machine, const typed::Call& call, std::span<const Value> arguments) {
  const std::string_view name = call.function.name;
  const auto function = distribution_function(name);
  if (!function) return {};
  const Distribution& d = *function->distribution;
  const std::vector<Expr> in = expressions(machine, arguments);
  const auto args = std::span(in).subspan(1);
  if (d.kind == dist::Kind::univariate) {
    check_lengths(machine, name, arguments);
    return repeated(dist::log_density_each(d, in[0], args, name, machine.checks()), longest(in));
  }
  const Index count = num_outcomes(d, arguments[0]);
  if (d.parts != nullptr) {
    const std::vector<dist::Part> parts = d.parts(args);
    if (!parts.empty() && (ssize(parts) == in[0].size() || in[0].is_scalar()))
      return rows_of_parts(machine, parts, in[0], name);
  }
  if (count < 2) return {};
  std::vector<Expr> each;
  for (Index n = 0; n < count; ++n) {
    const std::vector<Expr> own = outcome_at(machine, d, arguments, n, count);
    each.push_back(dist::log_density(d, own[0], std::span(own).subspan(1), {.function = name},
                                     machine.checks())
                       .value);
  }
  return graph::pack(graph::vector_shape(count), each);
}

}  // namespace credo::lang
