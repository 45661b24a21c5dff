// Streams of the random numbers of a program.
//
// Each execution of a call that draws has streams of its own, named by the seed of the draw that is
// being written and by the path that leads to it: the sites of calls of user functions, the rounds
// of loops, the call's own site, the element. So a number depends neither on other draws nor
// on the order: the interpreter, a traced program and loops by columns give the same bits.
#pragma once
#include "base/rng.hpp"
#include "graph/core/expr.hpp"

namespace credo::lang {

// The seed of one draw as two whole numbers below 2^32: known, or elements of a graph's input.
struct DrawSeed {
  static constexpr Index kWords = 2;
  graph::Expr high, low;

  static DrawSeed of(std::uint64_t seed) {
    return {double(seed >> 32), double(seed & 0xffffffffu)};
  }
  static std::uint64_t joined(double high, double low) {
    return (static_cast<std::uint64_t>(high) << 32) | static_cast<std::uint64_t>(low);
  }
};

// A path through the program as a number: different paths have different numbers, except by chance
// (2^-64 a pair).
using DrawPath = std::uint64_t;

// The path and one more step: the finaliser of SplitMix64 [steele2014] over both.
inline DrawPath deeper(DrawPath path, std::uint64_t step) {
  const auto mixed = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  return mixed(path + 0x9e3779b97f4a7c15u + mixed(step + 0x9e3779b97f4a7c15u));
}

inline Rng stream_at(std::uint64_t seed, DrawPath path) {
  return Rng({.seed = seed,
              .purpose = purpose::kCall,
              .chain = static_cast<std::uint32_t>(path >> 32),
              .iteration = static_cast<std::uint32_t>(path)});
}

}  // namespace credo::lang
