#include "models/hidden_markov/hidden_path.hpp"

#include <fmt/format.h>

#include "models/mixture/gaussian_mixture.hpp"

namespace credo::models {
using infer::Chooser;
using infer::RngChooser;
namespace {
[[noreturn]] void refuse(std::string message, const char* where) {
  throw Error(ErrorCode::data, std::move(message), where);
}

// Divides by the sum, returns its logarithm.
double normalise(std::span<double> weights) {
  double total = 0.0;
  for (const double w : weights) total += w;
  for (double& w : weights) w /= total;
  return std::log(total);
}

// filtered (K) becomes p(state t | observations to t) from the distribution before observation t. States
// that can't be reached don't set the scale: they would push the others below the smallest number.
double weigh(std::span<double> filtered, std::span<const double> log_likelihood) {
  double top = -kInfinity;
  for (Index k = 0; k < ssize(filtered); ++k)
    if (filtered[k] > 0.0) top = std::max(top, log_likelihood[k]);
  if (!std::isfinite(top)) return -kInfinity;
  for (Index k = 0; k < ssize(filtered); ++k)
    if (filtered[k] > 0.0) filtered[k] *= std::exp(log_likelihood[k] - top);
  return top + normalise(filtered);
}

double filter(const HiddenChain& chain, std::span<const double> log_likelihood,
              std::span<double> filtered) {
  const Index k = chain.num_states(), num_times = ssize(filtered) / k;
  double log_evidence = 0.0;
  for (Index t = 0; t < num_times; ++t) {
    const auto now = filtered.subspan(t * k, k);
    for (Index to = 0; to < k; ++to) {
      now[to] = t == 0 ? chain.initial[to] : 0.0;
      for (Index from = 0; t > 0 && from < k; ++from)
        now[to] += filtered[(t - 1) * k + from] * chain.transition[from * k + to];
    }
    const double log_prob = weigh(now, log_likelihood.subspan(t * k, k));
    if (!std::isfinite(log_prob))
      refuse(fmt::format("no state that can be reached explains observation {}", t + 1),
             "log_likelihood");
    log_evidence += log_prob;
  }
  return log_evidence;
}

std::vector<double> dirichlet_rows(std::span<const double> concentrations, Index size, Rng& rng) {
  std::vector<double> rows;
  for (Index first = 0; first < ssize(concentrations); first += size) {
    const auto row = draw_dirichlet(concentrations.subspan(first, size), rng);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}
}  // namespace

double draw_hidden_path(const HiddenChain& chain, std::span<const double> log_likelihood,
                        std::span<Index> path, Chooser& chooser) {
  const Index k = chain.num_states(), num_times = ssize(path);
  if (ssize(chain.transition) != k * k || ssize(log_likelihood) != k * num_times)
    refuse(fmt::format("{} transitions and {} log likelihoods for {} states and {} times",
                       chain.transition.size(), log_likelihood.size(), k, num_times),
           "chain");
  std::vector<double> filtered(log_likelihood.size());
  const double log_evidence = filter(chain, log_likelihood, filtered);
  for (Index t = num_times - 1; t >= 0; --t) {
    const auto now = std::span(filtered).subspan(t * k, k);
    for (Index from = 0; t + 1 < num_times && from < k; ++from)
      now[from] *= chain.transition[from * k + path[t + 1]];
    path[t] = chooser.choose(now);
  }
  return log_evidence;
}

void HiddenMarkovPrior::check() const {
  if (num_states < 1 || num_symbols < 1) refuse("needs a state and a symbol", "prior");
  for (const double a : {initial, transition, emission})
    if (!(a > 0.0)) refuse(fmt::format("concentrations must be > 0, one is {}", a), "prior");
}

HiddenMarkovState draw_prior(const HiddenMarkovPrior& prior, Index num_times, Rng& rng) {
  const auto k = static_cast<std::size_t>(prior.num_states);
  HiddenMarkovState state;
  state.chain.initial = draw_dirichlet(std::vector(k, prior.initial), rng);
  state.chain.transition =
      dirichlet_rows(std::vector(k * k, prior.transition), prior.num_states, rng);
  state.emission =
      dirichlet_rows(std::vector(k * static_cast<std::size_t>(prior.num_symbols), prior.emission),
                     prior.num_symbols, rng);
  RngChooser chooser(rng);
  for (Index t = 0; t < num_times; ++t) {
    const std::span<const double> distribution =
        t == 0 ? std::span<const double>(state.chain.initial)
               : std::span<const double>(state.chain.transition)
                     .subspan(state.path.back() * prior.num_states, prior.num_states);
    state.path.push_back(chooser.choose(distribution));
  }
  return state;
}

std::vector<Index> draw_symbols(const HiddenMarkovState& state, Index num_symbols, Rng& rng) {
  RngChooser chooser(rng);
  std::vector<Index> symbols;
  for (const Index z : state.path)
    symbols.push_back(
        chooser.choose(std::span(state.emission).subspan(z * num_symbols, num_symbols)));
  return symbols;
}

HiddenMarkovGibbs::HiddenMarkovGibbs(std::vector<Index> symbols, const HiddenMarkovPrior& prior)
    : symbols_(std::move(symbols)), prior_(prior) {
  prior_.check();
  for (const Index y : symbols_)
    if (y < 0 || y >= prior_.num_symbols)
      refuse(fmt::format("{} isn't one of {} symbols", y, prior_.num_symbols), "symbols");
}

void HiddenMarkovGibbs::step(HiddenMarkovState& state, Rng& rng) const {
  RngChooser chooser(rng);
  update_path(state, chooser);
  update_parameters(state, rng);
}

double HiddenMarkovGibbs::update_path(HiddenMarkovState& state, Chooser& chooser) const {
  if (state.chain.num_states() != prior_.num_states ||
      ssize(state.emission) != prior_.num_states * prior_.num_symbols ||
      state.path.size() != symbols_.size())
    refuse(fmt::format("{} states, {} emissions and a path of {} for {} states, {} symbols and {} "
                       "observations",
                       state.chain.num_states(), state.emission.size(), state.path.size(),
                       prior_.num_states, prior_.num_symbols, symbols_.size()),
           "state");
  std::vector<double> log_likelihood;
  for (const Index y : symbols_) {
    for (Index k = 0; k < prior_.num_states; ++k)
      log_likelihood.push_back(std::log(state.emission[k * prior_.num_symbols + y]));
  }
  return draw_hidden_path(state.chain, log_likelihood, state.path, chooser);
}

void HiddenMarkovGibbs::update_parameters(HiddenMarkovState& state, Rng& rng) const {
  const Index k = prior_.num_states, w = prior_.num_symbols;
  std::vector<double> initial(static_cast<std::size_t>(k), prior_.initial);
  std::vector<double> transition(static_cast<std::size_t>(k * k), prior_.transition);
  std::vector<double> emission(static_cast<std::size_t>(k * w), prior_.emission);
  for (Index t = 0; t < ssize(symbols_); ++t) {
    const Index z = state.path[t];
    (t == 0 ? initial[z] : transition[state.path[t - 1] * k + z]) += 1.0;
    emission[z * w + symbols_[t]] += 1.0;
  }
  state.chain.initial = draw_dirichlet(initial, rng);
  state.chain.transition = dirichlet_rows(transition, k, rng);
  state.emission = dirichlet_rows(emission, w, rng);
}

}  // namespace credo::models
