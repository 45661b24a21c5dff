// Jumps between the models of a family [green1995].
//
// A jump joins two models `from` and `to`. It has three parts, each stated once:
//   a label        where it acts, a few whole numbers (which component, which slot), or none
//   auxiliaries u  going there, u' coming back, so that dim x_from + dim u = dim x_to + dim u'
//   a map          (x*, u') = f(x, u) and its inverse (infer/jumps/map.hpp)
// and for each of its two directions the probability of trying it in its model and the distributions of
// label and auxiliaries. Going there from x is accepted with probability min(1, R),
//
//   R = p(to, x*) / p(from, x) · c_back / c_there · P(label | x*) / P(label | x)
//       · q(u' | x*, label) / q(u | x, label) · |det df/d(x, u)|,
//
// coming back with the reciprocal. The label belongs to both directions: for each of its values f
// is a bijection, and the label with which the chain can come back is the one with which it went.
#pragma once
#include "base/rng.hpp"
#include "infer/jumps/family.hpp"
#include "infer/jumps/map.hpp"

namespace credo::infer::rj {

using Label = std::array<Index, 2>;

// x: the coordinates of the model that the direction starts from.
class LabelDistribution {
 public:
  virtual ~LabelDistribution() = default;
  virtual Label draw(std::span<const double> x, Rng& rng) const = 0;
  virtual double log_probability(std::span<const double> x, const Label& label) const = 0;
};

class AuxiliaryDistribution {
 public:
  virtual ~AuxiliaryDistribution() = default;
  virtual Index size() const = 0;
  virtual void draw(std::span<const double> x, const Label& label, std::span<double> u,
                    Rng& rng) const = 0;
  virtual double log_density(std::span<const double> x, const Label& label,
                             std::span<const double> u) const = 0;
};

// Coordinates that a label's map touches, in the order in which it takes and gives them; the
// others of `from` become the others of `to`, in order. The label has been drawn by either
// direction.
class Places {
 public:
  virtual ~Places() = default;
  virtual void of_label(const Label& label, std::vector<Index>& from,
                        std::vector<Index>& to) const = 0;
};

struct Direction {
  double probability = 0.0;                                  // probability of trying it, in [0, 1]
  std::shared_ptr<const LabelDistribution> label = nullptr;  // null: one label
  std::shared_ptr<const AuxiliaryDistribution> auxiliary = nullptr;  // null: no auxiliaries
};

struct Jump {
  std::string name, back_name;  // names of its two directions: "birth", "death"
  Index from = 0, to = 0;       // may be the same model
  std::shared_ptr<const SmoothMap> map;
  Direction there, back;
  std::shared_ptr<const Places> places = nullptr;  // null: the map takes all of both models
};

// ---- distributions ----

std::shared_ptr<const AuxiliaryDistribution> normal_auxiliary(Index size, double mean, double sd);

template <class Draw, class LogDensity>
class FunctionAuxiliary final : public AuxiliaryDistribution {
 public:
  FunctionAuxiliary(Index size, Draw draw, LogDensity log_density)
      : size_(size), draw_(std::move(draw)), log_density_(std::move(log_density)) {}

  Index size() const override { return size_; }
  void draw(std::span<const double> x, const Label& label, std::span<double> u,
            Rng& rng) const override {
    draw_(x, label, u, rng);
  }
  double log_density(std::span<const double> x, const Label& label,
                     std::span<const double> u) const override {
    return log_density_(x, label, u);
  }

 private:
  Index size_;
  Draw draw_;
  LogDensity log_density_;
};

// From functions with the arguments above.
template <class Draw, class LogDensity>
std::shared_ptr<const AuxiliaryDistribution> make_auxiliary(Index size, Draw draw,
                                                            LogDensity log_density) {
  return std::make_shared<FunctionAuxiliary<Draw, LogDensity>>(size, std::move(draw),
                                                               std::move(log_density));
}

// ---- all jumps of a family ----

// One direction of one jump, as a move that a model may try.
struct Move {
  Index jump;
  bool there;
};

class Jumps {
 public:
  // Throws Error(usage) for models that don't exist, probabilities out of range or with a sum above
  // 1 in a model, and where dimensions can't match. The family outlives the jumps.
  Jumps(const Family& family, std::vector<Jump> jumps);

  const Family& family() const { return family_; }
  Index size() const { return ssize(jumps_); }
  const Jump& jump(Index j) const { return jumps_[static_cast<std::size_t>(j)]; }
  std::span<const Move> moves_of(Index model) const {
    return moves_[static_cast<std::size_t>(model)];
  }
  double probability(const Move& move) const;
  double update_probability(Index model) const;  // 1 minus the moves' sum
  const std::string& name(const Move& move) const;

  // Tries each jump in both directions from `num_points` points with normal coordinates. Throws
  // Error(usage) where its inverse doesn't lead back, dimensions don't match, or its map is
  // singular.
  void check(Index num_points, std::uint64_t seed) const;

 private:
  const Family& family_;
  std::vector<Jump> jumps_;
  std::vector<std::vector<Move>> moves_;  // by model
};

// The log of the acceptance ratio without p(to, x*) / p(from, x), term by term.
struct JumpTerms {
  double move = 0.0;       // probability of trying to come back over that of going
  double label = 0.0;      // of the label, likewise
  double auxiliary = 0.0;  // q(u') / q(u)
  double jacobian = 0.0;   // log |det d(x*, u') / d(x, u)|
  // The inverse map missed the starting point by more than 1e-6: rounding far out, or a map that isn't one to one
  // there. Such a proposal is refused from both of its ends.
  bool irreversible = false;

  double sum() const { return move + label + auxiliary + jacobian; }
};

// Proposes; one for each thread. It stops allocating after the first proposals.
class Proposer {
 public:
  explicit Proposer(const Jumps& jumps);  // they outlive it

  // Line 1 of Algorithm 17 [murphy2023]: the move, or nothing for an update within the model.
  std::optional<Move> choose(Index model, Rng& rng) const;

  // Fills `to`, a position of the family, from `from`. The sum of the terms is -infinity or NaN
  // where the chain could not come back. Throws Error(usage) if dimensions don't match.
  JumpTerms propose(const Move& move, std::span<const double> from, std::span<double> to, Rng& rng);

  // The terms of a given label and u, which are put in place of drawn ones.
  JumpTerms propose_with(const Move& move, std::span<const double> from, std::span<double> to,
                         const Label& label, std::span<const double> u);
  const Label& label() const { return label_; }                  // label of the last proposal
  std::span<const double> auxiliary() const { return u_; }       // u of the last proposal
  std::span<const double> back_auxiliary() const { return v_; }  // u' of it

 private:
  JumpTerms evaluate(const Move& move, std::span<const double> from, std::span<double> to);
  void place(const Move& move);
  void check_sizes(const Move& move) const;
  double run_map(const Move& move);
  void take(std::span<const double> x);
  void give(std::span<const double> x, std::span<double> y);
  bool leads_back() const;

  const Jumps& jumps_;
  std::vector<MapRunner> runners_;  // by jump
  Label label_{};
  std::vector<double> u_, v_;           // numbers of the direction it goes, and of the one back
  std::vector<Index> source_, target_;  // touched coordinates of the two models
  std::vector<bool> in_source_, in_target_;
  std::vector<double> in_, out_, again_;  // values of the map in its direction; in_ once more
};

}  // namespace credo::infer::rj
