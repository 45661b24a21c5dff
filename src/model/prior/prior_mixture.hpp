// Priors that are mixtures of densities of one parameter, with numbers as weights and arguments.
#pragma once
#include "lang/trace/increment_parts.hpp"
#include "lang/trace/machine.hpp"

namespace credo::model {

// True if all components are densities of this parameter, given by its slot.
bool is_mixture_of(const lang::Mixture& mixture, int slot);

struct MixtureValues {
  struct Component {
    const lang::typed::Call* call;
    std::vector<lang::Value> arguments;  // outcome first
    double log_weight;
  };
  std::vector<Component> components;

  MixtureValues(lang::Machine& machine, const lang::Mixture& mixture);
};

}  // namespace credo::model
