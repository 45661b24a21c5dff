// Amortised inverse autoregressive flows of local values [kingma2016]: a network of the features of a row, the encoder, makes the first
// values and a context h_n, and T gated steps bend them. The K values of a row have ranks; each is moved by those of lower rank:
//
//   z_0 = g (μ(f_n) + exp(s(f_n)) ε_n)
//   z_t = σ_t ∘ z_{t-1} + (1 - σ_t) ∘ m_t,   m_t and σ_t = inv_logit(2 + a_t) by masked networks of z_{t-1} and the context
//   x_n = c + u ∘ z_T,   log q(x_n) = log N(ε_n; 0, I) - Σ_k [log u_k + log g + s_k + Σ_t log σ_tk]
//
// Ranks are reversed in every second step. The steps begin at m = 0 and a = 0, where each halves by inv_logit(2), which g = inv_logit(2)⁻ᵀ
// takes back: the flow begins at an amortised normal distribution (amortised_normal.hpp), of which it has points and other values, too. Differs
// from the source: the encoder's context is its hidden layer, of which the steps have a hidden layer of their own.
#pragma once
#include "infer/maps/graph_map.hpp"
#include "infer/variational/families/amortised_normal.hpp"

namespace credo::infer {

// The first block of `amortised` is that of the local values; it has no offsets and no auxiliary variables.
std::shared_ptr<const GraphMap> make_amortised_flow(const AmortisedNormal& start,
                                                    const AmortisedSetup& amortised,
                                                    Index num_steps);

}  // namespace credo::infer
