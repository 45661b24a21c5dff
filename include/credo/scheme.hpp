// A scheme names the kernels that make a transition and the parameters that each of them moves.
//
//   const credo::Scheme scheme = credo::cycle({
//       credo::on({"mu", "tau"}, credo::kernel("nuts", {{"max-depth", 8}})),
//       credo::on({"theta"}, credo::mixture({{0.7, credo::kernel("slice")},
//                                            {0.3, credo::metropolis(proposal)}}))});
//   const credo::Fit fit = credo::sample(model, {.scheme = scheme});
//
// It is what `credo sample --scheme FILE` reads (docs/algorithms/composition.md), and kernels and
// also your own proposals. Kernels that leave a log density invariant compose to one that
// does. Schemes are immutable and cheap to copy; mistakes are reported by the functions here, and those
// about parameters by `sample`.
#pragma once
#include <map>

#include "credo/kernel.hpp"

namespace credo {

// The value of an option: a number, a word or a truth.
struct OptionValue {
  std::string text;
  OptionValue() = default;
  OptionValue(std::string word) : text(std::move(word)) {}  // NOLINT: implicit, as are these
  OptionValue(const char* word) : text(word) {}
  OptionValue(bool yes) : text(yes ? "true" : "false") {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) OptionValue(T number) : text(std::to_string(number)) {}
  CREDO_API OptionValue(double number);
};

// Makes a transition: a kernel, or a composition of kernels.
class Scheme {
 public:
  struct Impl;
  explicit Scheme(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// A sampler of the library (credo::samplers()) with its own options, by their names on the command
// line. Throws Error(usage) for a name or an option that there isn't, and for a sampler that can't be
// a part: ensembles and tempering, which move many points, exact draws, and those that ask for second
// derivatives.
CREDO_API Scheme kernel(const std::string& sampler,
                        const std::map<std::string, OptionValue>& options = {});

// Your own kernel. The name is for messages and results. Throws Error(usage) for an empty
// maker.
CREDO_API Scheme own(const std::string& name, KernelMaker make);

// Metropolis-Hastings with your own proposal. Throws Error(usage) unless it has both parts.
CREDO_API Scheme metropolis(Proposal proposal);

// Moves these parameters only, by name: "theta", "theta[2]", "theta[1:3]"; within another `on`
// some of those. A scheme must move every continuous parameter of the model.
CREDO_API Scheme on(std::vector<std::string> parameters, const Scheme& part);

struct Weighted {
  double weight;
  Scheme part;
};
struct Block {
  std::vector<std::string> parameters;
  Scheme part;
};
// One part, with probability weight / sum of the weights. Throws Error(usage) for no part, as all of
// these do, and for a weight that isn't finite and > 0.
CREDO_API Scheme mixture(const std::vector<Weighted>& parts);
CREDO_API Scheme cycle(const std::vector<Scheme>& parts);           // one after another
CREDO_API Scheme shuffled_cycle(const std::vector<Scheme>& parts);  // in an order drawn anew
CREDO_API Scheme palindrome(const std::vector<Scheme>& parts);      // there and back
CREDO_API Scheme blocks(const std::vector<Block>& parts);           // a cycle of on(...)

}  // namespace credo
