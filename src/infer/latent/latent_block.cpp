#include "infer/latent/latent_block.hpp"

#include <fmt/format.h>

#include "density/model.hpp"
#include "infer/core/kernel_options.hpp"
#include "infer/gibbs/site_sweep.hpp"

namespace credo::infer {
namespace {
constexpr const char* kMarginalOption = "marginal";

std::vector<std::string> names_joined_by_commas(std::string_view text) {
  std::vector<std::string> names{""};
  for (const char c : text) {
    if (c == ',')
      names.emplace_back();
    else if (c != ' ')
      names.back() += c;
  }
  return names;
}

// Densities of effects: an outcome that is normal given other parameters.
bool is_normal_density(std::string_view function) {
  constexpr std::array kNormal{"normal_lpdf", "std_normal_lpdf", "multi_normal_lpdf",
                               "multi_normal_cholesky_lpdf", "multi_normal_prec_lpdf"};
  return std::ranges::find(kNormal, function) != kNormal.end();
}

bool is_unbounded(const density::StatedVariable& variable) {
  return variable.constraint == density::ConstraintKind::none ||
         variable.constraint == density::ConstraintKind::affine;
}

// The parameter that an outcome is, also as to_vector(z); -1: it is another expression.
Index variable_of(const density::StatedArgument& outcome) {
  const bool is_one = outcome.mentions.size() == 1 && outcome.factors.size() == 1;
  return outcome.variable < 0 && is_one ? outcome.factors.front() : outcome.variable;
}

std::vector<std::string> stated_effects(const density::Model& model) {
  const auto facts = model.program_facts();
  std::vector<std::string> names;
  for (std::size_t d = 0; facts && d < facts->densities.size(); ++d) {
    const density::StatedDensity& stated = facts->densities[d];
    const Index place = stated.arguments.empty() ? -1 : variable_of(stated.arguments.front());
    if (!stated.is_of_effects || !is_normal_density(stated.function) || place < 0) continue;
    const density::StatedVariable& variable = facts->variables[static_cast<std::size_t>(place)];
    if (variable.block != density::Block::parameters || !is_unbounded(variable)) continue;
    if (std::ranges::find(names, variable.name) == names.end()) names.push_back(variable.name);
  }
  if (names.empty())
    throw Error(ErrorCode::usage,
                "the program states no parameter without bounds that is normal given other "
                "parameters",
                kMarginalOption, "name the parameters to integrate out: --marginal u,v");
  return names;
}

const density::Variable& find_inner(const density::Layout& layout, const std::string& name) {
  const auto place = layout.find_variable(name);
  if (place) return layout.variables()[static_cast<std::size_t>(*place)];
  std::vector<std::string> names;
  for (const density::Variable& v : layout.variables()) names.push_back(v.name);
  throw Error(ErrorCode::usage, fmt::format("there is no parameter '{}'", name), kMarginalOption,
              hint_for_name(name, names));
}

// Laplace's approximation is on the scale on which the program states the prior, so that it is exact for normal rows.
void require_own_scale(const density::Model& model, const std::string& name) {
  const auto facts = model.program_facts();
  const density::StatedVariable* variable = facts ? facts->find_parameter(name) : nullptr;
  if (variable == nullptr) return;
  if (!is_unbounded(*variable))
    throw Error(ErrorCode::usage,
                fmt::format("{} has bounds or another constraint, and can't be integrated out as "
                            "nearly normal values",
                            name),
                kMarginalOption,
                "name parameters without constraint, as effects that are normal given the others");
  if (variable->constraint == density::ConstraintKind::affine && !model.query().jacobian)
    throw Error(
        ErrorCode::usage,
        fmt::format("{} has an offset or multiplier, whose Jacobian this density lacks", name),
        kMarginalOption, "declare it without them, or add --jacobian");
}
}  // namespace

LatentBlock latent_block(const density::LogDensity& density, std::string_view names) {
  require_continuous(density, "an inner Laplace approximation");
  const density::Model* model = density.as_model();
  if (model == nullptr)
    throw Error(ErrorCode::usage, "the density has no parameters with names", kMarginalOption,
                "inner parameters are those of a program");
  const density::Layout layout = model->continuous();
  LatentBlock block{
      .names = names == kFindInner ? stated_effects(*model) : names_joined_by_commas(names),
      .inner = {},
      .outer = {}};
  std::vector<bool> is_inner(static_cast<std::size_t>(layout.size()), false);
  for (const std::string& name : block.names) {
    const Index size = find_inner(layout, name).size();
    require_own_scale(*model, name);
    const Index first = layout.first(*layout.find_variable(name));
    for (Index k = 0; k < size; ++k) is_inner[static_cast<std::size_t>(first + k)] = true;
  }
  for (Index d = 0; d < layout.size(); ++d)
    (is_inner[static_cast<std::size_t>(d)] ? block.inner : block.outer).push_back(d);
  if (block.inner.empty() || block.outer.empty())
    throw Error(ErrorCode::usage,
                block.inner.empty() ? "the named parameters have no values"
                                    : "every parameter is to be integrated out, so none is left",
                kMarginalOption,
                "name some of the parameters; credo laplace integrates all of them");
  return block;
}

std::vector<double> values_at(std::span<const double> all, std::span<const Index> places) {
  std::vector<double> values;
  for (const Index place : places) values.push_back(all[static_cast<std::size_t>(place)]);
  return values;
}

void take_at(std::span<const double> all, std::span<const Index> places, std::span<double> into) {
  for (std::size_t k = 0; k < places.size(); ++k)
    into[k] = all[static_cast<std::size_t>(places[k])];
}

void put_at(std::span<double> all, std::span<const Index> places, std::span<const double> values) {
  for (std::size_t k = 0; k < places.size(); ++k)
    all[static_cast<std::size_t>(places[k])] = values[k];
}

}  // namespace credo::infer
