// The options of all samplers on a command line: one option for each field name that any of them
// has, and --sampler, which says whose they are.
#pragma once
#include "cli/command.hpp"
#include "cli/options/row_options.hpp"
#include "infer/core/sample.hpp"

namespace credo::cli {

class SamplerArguments {
 public:
  void describe(Arguments& arguments);
  // Those that climb to modes (infer::climbs_to_modes) in the place of samplers.
  void describe_climbs(Arguments& arguments);
  // Algorithms that draw from an approximation (infer::is_approximation).
  void describe_approximations(Arguments& arguments);
  // Sets the sampler and its options; those of the same sampler that aren't given stay. Throws
  // Error(usage) that names the option.
  void apply(infer::SampleOptions& options) const;

  bool has_own_options() const { return !rows_.given().empty(); }

  std::string sampler = infer::SampleOptions{}.sampler;

 private:
  std::string chosen() const;
  void take_proposal(infer::SampleOptions& options) const;
  RowOptions warmup_, rows_;
  std::string proposal_;  // a fit through whose map importance and independence draw
};

// infer::validate, with the names of the command line's options in its errors.
void validate_run(const infer::SampleOptions& options);

}  // namespace credo::cli
