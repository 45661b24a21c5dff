// The samplers. A new one is a file in infer/mcmc/, whose row comes from sampler_row
// (infer/core/chain.hpp), and its name in table.cpp.
#pragma once
#include "infer/core/transition_kernel.hpp"

namespace credo::infer {

// Form of a run's result: chains of draws; populations of them, one each; modes, one each.
enum class Family { chains, particles, optimum };

struct SamplerSpec {
  std::string_view name;
  std::string_view summary;
  bool needs_gradient;
  std::string_view reference;  // a key of docs/references.bib
  bool biased;                 // draws from nearly the target, whatever the number of draws
  // If false, the first draws count, since there is no warm-up. Its requests to the density may be more than
  // evaluations.
  bool has_warmup;
  std::vector<FieldSpec> (*columns)();  // columns of each draw
  std::vector<RowGroup> (*groups)() = [] { return std::vector<RowGroup>(); };  // besides
  KernelOptions (*options)();  // its own, with their defaults
  // Makes a part of a composition or a mover of particles; null if `why_no_part` gives a reason.
  std::unique_ptr<TransitionKernel> (*make)(const KernelOptions&, const PartSetup&);
  RunResult (*run)(const density::LogDensity&, const SampleOptions&, DrawSink&);
  Family family = Family::chains;
  // Why a run that was begun can't be given more draws, the first of which it would have had anyway;
  // empty: it can.
  std::string_view fixed_length = {};
  bool needs_states = false;  // a density with a state-space model (density/state_space.hpp)
  bool needs_rows =
      false;  // a density that gives the rows of its likelihood (density/rows_path.hpp)
  bool needs_simulations = false;  // a density that simulates data (density/simulations.hpp)
  bool needs_program = false;      // a density that is a program's, whose statements it reads
  std::string_view no_part = {};   // why a kernel can't be a part; empty: see why_no_part
};

// Why a row can't be a part of a composition or a mover; empty: it can.
std::string_view why_no_part(const SamplerSpec& row);

std::span<const SamplerSpec* const> samplers();  // in alphabetical order, of all families

// True if it draws from the density; else it climbs to a mode of it.
inline bool is_sampler(const SamplerSpec& row) { return row.family != Family::optimum; }
bool climbs_to_modes(std::string_view name);  // false also of a name that isn't in the table

// True if its draws are simulations near the data, and the density of the program is their prior alone; false also of a
// name that isn't in the table.
bool draws_by_simulation(std::string_view name);

// Also of "composition", which is made of samplers (infer/compose/scheme.hpp) and none of them. Throws
// Error(usage) with the names there are.
const SamplerSpec& find_sampler(std::string_view name);

}  // namespace credo::infer
