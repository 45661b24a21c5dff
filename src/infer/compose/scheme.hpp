// A composition of samplers as a value: what `credo sample --scheme` reads, what a run specification
// holds and kernels are made of (infer/compose/compose.hpp).
//
//   Scheme scheme{.kind = Scheme::Kind::cycle,
//                 .parts = {{.sampler = "nuts", .on = {"mu"}}, {.sampler = "slice", .on = {"theta"}}}};
//   SampleOptions{.sampler = "composition", .kernel = SchemeOptions{.scheme = scheme}}
//
// Names become coordinates where a model is known (results/files/scheme_text.hpp: find_coordinates).
#pragma once
#include "infer/core/transition_kernel.hpp"

namespace credo::infer {

inline constexpr const char* kCompositionName = "composition";  // its row, beside the samplers

struct Scheme {
  enum class Kind { sampler, mixture, cycle, shuffled_cycle, palindrome, own };

  Kind kind = Kind::sampler;
  std::string sampler = {};        // for Kind::sampler: a row of the table, and its options
  KernelOptions options = {};      // none: its defaults
  std::vector<Scheme> parts = {};  // of the other kinds
  double weight = 1.0;             // as a part of a mixture: chosen with probability ∝ weight
  std::vector<std::string> on =
      {};  // names of the values it moves; if empty, all that its parent moves
  // Places of `on` among the coordinates that its parent moves; empty: not known, or all.
  std::vector<Index> coordinates = {};
  std::string where = {};  // "file:line:column", if it was read
  // For Kind::own: a kernel of a C++ program, in no table; `sampler` is its name. Text has the name
  // alone: a scheme read from it can't be run.
  KernelMaker make = {};
};

// The words of the kinds, which are the names of members in JSON, too.
constexpr std::array<std::string_view, 6> enum_names(Scheme::Kind) {
  return {"sampler", "mixture", "cycle", "shuffled_cycle", "palindrome", "own"};
}

struct SchemeOptions {
  std::optional<Scheme> scheme = {};  // empty: no scheme was given

  static void describe(auto&, auto&&) {}  // a scheme is a tree, which fields don't describe
};

// Throws Error(usage) for a sampler that can't be a part, a kernel that isn't in this program, no parts,
// and weights that aren't > 0.
KernelMaker kernel(const Scheme& scheme);

// The scheme of such options. Throws Error(usage) if they have none.
const Scheme& scheme_of(const KernelOptions& options);

// Throws Error(usage) for a composition with a kernel that isn't in this program.
void require_kernels(const SampleOptions& options);

// The samplers of its parts, rows of the table, each once, in the order of the scheme.
std::vector<std::string> samplers_of(const Scheme& scheme);

// Sentences about parts whose draws are biased; none of another sampler.
std::vector<std::string> warnings_about_parts(const SampleOptions& options);

}  // namespace credo::infer
