// Precisions of ard() by type-II maximum likelihood, as a text and as arrays.
#pragma once
#include "models/ard/ard_table.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

struct ArdReport {
  const std::string& formula;
  const models::ArdTable& table;
  const models::ArdMethod& method;
  const models::ArdFit& fit;

  std::string text() const;
  results::ArrayList answer() const;
};

}  // namespace credo::cli
