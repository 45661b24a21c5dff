// A posterior that is known in closed form, as a sentence beside its approximation.
#pragma once
#include <optional>

#include "model/model.hpp"

namespace credo::cli {

// Says so where `credo exact --method conjugate` answers; nothing where it doesn't, and where asking would take long beside a fit.
std::optional<std::string> words_on_closed_form(const model::Model& model, std::uint64_t seed);

}  // namespace credo::cli
