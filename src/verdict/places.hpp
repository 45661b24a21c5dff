// Places of a program that a finding is about.
#pragma once
#include "model/source.hpp"

namespace credo::verdict {

const lang::typed::GlobalVariable* find_parameter(const model::ProgramSource& program,
                                                  std::string_view name);

// Of parameters, transformed parameters and generated quantities.
const lang::typed::GlobalVariable* find_output(const model::ProgramSource& program,
                                               std::string_view name);

// Each `~` and each `target +=` of a call of a density in the model block, wherever it is nested.
struct DensityUse {
  const lang::typed::Statement& statement;
  const lang::typed::Call& call;  // outcome first
};
void for_each_density(const model::ProgramSource& program,
                      const std::function<void(const DensityUse&)>& visit);

// Whether the expression reads a variable of all blocks.
bool mentions(const lang::typed::Expression& e, int slot);
// The variable that an expression is, or is an element of; -1: something else.
int variable_in(const lang::typed::Expression& e);

// Those that an expression has the sign of: itself, or factors of a product or quotient, each once.
std::vector<int> factors_in(const lang::typed::Expression& e);

// The statement in which `scale` is an argument of the density of `outcome`; none if there is none.
std::optional<lang::SourceRange> place_of_scale(const model::ProgramSource& program,
                                                std::string_view scale, std::string_view outcome);

// The text without the bounds of a parameter's declaration: "real<lower=0> x" as "real x". None
// where it has no bounds or lies in an included file.
std::optional<std::string> text_without_bounds(const model::ProgramSource& program,
                                               std::string_view parameter);

}  // namespace credo::verdict
