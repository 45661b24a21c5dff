// Rows of the table of exponential families with one planted mistake each, which a suite must reject.
#pragma once
#include <array>
#include <string_view>

#include "dist/families/family.hpp"

namespace credo::dist::family_mutants {

// The row that mutants_of() was last asked for; the mutants' functions call it.
inline const ExponentialFamily* right_family = nullptr;

struct FamilyMutant {
  std::string_view name;
  ExponentialFamily family;
};

// The mutants of a row, valid until the next call.
inline std::array<FamilyMutant, 5> mutants_of(const ExponentialFamily& family) {
  right_family = &family;
  std::array<FamilyMutant, 5> all{{{"a constant more in the log partition", family},
                                   {"a constant more in the carrier", family},
                                   {"a wrong mean", family},
                                   {"wrong Fisher information", family},
                                   {"wrong arguments", family}}};
  all[0].family.log_partition = [](Params natural, Params known) {
    return right_family->log_partition(natural, known) + 0.5;
  };
  all[1].family.log_carrier = [](Params x, Params known) {
    return right_family->log_carrier(x, known) + 0.25;
  };
  all[2].family.mean = [](Params natural, Params known) {
    auto mean = right_family->mean(natural, known);
    mean.back() *= 1.01;
    return mean;
  };
  all[3].family.fisher = [](Params natural, Params known) {
    auto fisher = right_family->fisher(natural, known);
    fisher.back() *= 1.01;
    return fisher;
  };
  all[4].family.to_args = [](Params natural, Params known) {
    auto args = right_family->to_args(natural, known);
    for (double& arg : args) arg *= 1.01;
    return args;
  };
  return all;
}

}  // namespace credo::dist::family_mutants
