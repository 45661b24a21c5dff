// Training of a wide network as a text and as arrays.
#pragma once
#include "models/gp/gp_flow.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::cli {

// "0.1,1,inf". Throws Error(usage) for a text that isn't a list of times.
std::vector<double> flow_times(const std::string& list);

struct GpFlowReport {
  models::GpFlow flow = {};

  std::string text() const;
  void add_to(results::ArrayList& answer) const;
};

}  // namespace credo::cli
