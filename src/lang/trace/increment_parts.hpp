// Splits an increment of the target into summands, each with the factors in front of it. In
// `w * (normal_lpdf(y | mu, s) + normal_lpdf(mu | 0, 1))` there are two, each w times a density. Only a part that
// holds a density is taken apart.
#pragma once
#include "lang/typed/loop_facts.hpp"

namespace credo::lang {

struct IncrementFactor {
  const typed::Expression* value = nullptr;
  bool divides = false;
};

struct IncrementPart {
  const typed::Expression* value = nullptr;  // a scalar, or a container that is summed
  std::vector<IncrementFactor> factors = {};
  bool is_negative = false;
};

std::vector<IncrementPart> parts_of(const typed::Expression& increment);

// The built-in density that an increment is, up to summands that no parameter enters; null: it isn't
// one. `target += student_t_lpdf(s | 3, 0, 1) - student_t_lccdf(0 | 3, 0, 1)` is the first.
const typed::Call* sole_density(const typed::Program& program, const typed::Expression& increment);

// An increment that is a mixture of built-in densities: log_mix(theta, a, b), log_mix(theta, {a, b, ...}), or
// log_sum_exp of terms that add log weights to log densities.
struct Mixture {
  std::vector<const typed::Call*> densities;
  const typed::Expression* weights = nullptr;                // only for log_mix
  std::vector<std::vector<IncrementPart>> log_weights = {};  // only for log_sum_exp, by component
};
std::optional<Mixture> mixture_in(const typed::Expression& increment);

// True if the code of these facts may read parameters: a local variable may hold anything.
bool may_read_parameters(const typed::Program& program, const Facts& facts);

}  // namespace credo::lang
