// How an argument of an outcome depends on the parameters, read from its values.
#pragma once
#include <optional>

#include "infer/conjugate/predictive.hpp"

namespace credo::infer::conjugate {

// a + sum of c_j times the real number at place j.
struct AffineLink {
  double at_zero = 0.0;
  std::vector<std::pair<Index, double>> slopes;  // place and c_j, which isn't 0
};
// factor * x^power for the positive number x at `place`.
struct PowerLink {
  Index place = 0;
  double factor = 1.0, power = 1.0;
};
// The probability at `place`, or 1 less it.
struct ProbabilityLink {
  Index place = 0;
  bool is_complement = false;
};

// Outcomes at a centre, with each parameter moved alone, and at further points, which test the functions that are found.
class OutcomeLinks {
 public:
  OutcomeLinks(const Problem& problem, const Answer& answer, const OutcomesAt& outcomes);

  Index num_outcomes() const { return ssize(found_.front()); }
  const Outcome& outcome(Index k) const { return found_.front()[static_cast<std::size_t>(k)]; }
  // Element e of argument a of outcome k. Empty if the argument isn't such a function.
  std::optional<double> constant(Index k, std::size_t a, std::size_t e = 0) const;
  std::optional<AffineLink> affine(Index k, std::size_t a, std::size_t e = 0) const;
  std::optional<PowerLink> power(Index k, std::size_t a, std::size_t e = 0) const;
  std::optional<ProbabilityLink> probability(Index k, std::size_t a, std::size_t e = 0) const;
  // The place of the real number that the argument is.
  std::optional<Index> number(Index k, std::size_t a, std::size_t e = 0) const;
  // The simplex or matrix that the whole argument is, as a place in Problem::units.
  std::optional<Index> container(Index k, std::size_t a, Domain domain) const;
  bool is_constant(Index k, std::size_t a) const;

 private:
  void add_points(const Answer& answer);
  double at(std::size_t point, Index k, std::size_t a, std::size_t e) const {
    return found_[point][static_cast<std::size_t>(k)].arguments[a][e];
  }
  double value(std::size_t point, Index place) const {
    return points_[point][static_cast<std::size_t>(place)];
  }
  bool is_place(Index place, bool complement, Index k, std::size_t a, std::size_t e) const;
  template <class Predicted>
  bool agrees(Index k, std::size_t a, std::size_t e, Predicted predicted) const;

  const Problem& problem_;
  std::vector<std::vector<double>> points_;  // centre, one for each value, further ones
  std::vector<std::vector<Outcome>> found_;  // by points
};

}  // namespace credo::infer::conjugate
