// A normal distribution with independent elements, whose means and deviations are functions of features: a layer of
// tanh beside a linear map,
//
//   h = tanh(W u + b),   (m, s) = V h + L u + c,   x_e ~ N(centre_e + scale_e m_e, (scale_e exp(s_e))^2)
//
// with u the standardised features; one that is NaN is unknown, and 0 there.
#pragma once
#include "base/rng.hpp"
#include "base/types.hpp"

namespace credo::numerics {

struct Standard {  // standardised numbers: (x - centre) / scale
  std::vector<double> centre, scale;
};

class ConditionalNormal {
 public:
  // Starts with elements independent of the features and standard normal after scaling; only W is drawn.
  ConditionalNormal(Standard features, Standard elements, Index hidden, Rng& rng);

  struct Moments {
    std::vector<double> mean, log_sd;
    std::vector<double> standardised, hidden;  // u, h
  };
  Moments at(std::span<const double> features) const;
  Index num_elements() const { return ssize(elements_.centre); }

  // Adds to `gradient`, of weights(), the derivative of a number that depends on the distribution by these
  // derivatives; the derivative with respect to the features, 0 of those that are unknown, to `by_features` where it
  // isn't empty.
  void pull_back(const Moments& distribution, std::span<const double> by_mean,
                 std::span<const double> by_log_sd, std::span<double> gradient,
                 std::span<double> by_features = {}) const;

  std::span<double> weights() { return weights_; }
  std::span<const double> weights() const { return weights_; }

 private:
  std::size_t inputs() const { return features_.centre.size(); }
  // Begins of the parts of the weights: W [hidden][input], b, then by output V [output][hidden], L [output][input], c.
  std::size_t bias() const { return hidden_ * inputs(); }
  std::size_t from_hidden() const { return bias() + hidden_; }
  std::size_t from_input() const { return from_hidden() + outputs() * hidden_; }
  std::size_t constant() const { return from_input() + outputs() * inputs(); }
  std::size_t outputs() const { return 2 * elements_.centre.size(); }

  Standard features_, elements_;
  std::size_t hidden_;
  std::vector<double> weights_;
};

// The logarithm of the density at x.
double log_density(const ConditionalNormal::Moments& distribution, std::span<const double> x);

}  // namespace credo::numerics
