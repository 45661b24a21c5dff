// The statements that state priors, run with numbers in an order in which their arguments are there
// (model/prior/prior_plan.hpp); each outcome is drawn when its density is reached.
#pragma once
#include "density/log_density.hpp"
#include "lang/trace/constraints.hpp"
#include "model/prior/prior_element.hpp"
#include "model/prior/prior_plan.hpp"

namespace credo::model {

struct ProgramParts;

// Why a program's prior can't be drawn from.
struct NoExactDraws {
  density::Capability why;
};

// Purpose of the draws.
//   start   a place for a chain to begin at: univariate priors between their 5 % and 95 % quantiles,
//           since a Cauchy's tail is no place to begin; parameters without a prior, or with one that
//           hardly says where they are, stay as they were given
//   exact   the prior itself: each element has one density, or a range of finite volume
enum class PriorUse : std::uint8_t { start, exact };

// Numbers in (0, 1) for univariate priors: from a stream, or the coordinates of a unit cube.
class Uniforms {
 public:
  explicit Uniforms(Rng& rng) : rng_(&rng) {}
  explicit Uniforms(std::span<const double> cube) : cube_(cube) {}
  double next();
  double next(double low, double high) { return low + (high - low) * next(); }
  // Null for a cube, from which whole vectors and matrices can't be drawn.
  Rng* rng() const { return rng_; }
  Index num_taken() const { return num_taken_; }

 private:
  Rng* rng_ = nullptr;
  std::span<const double> cube_ = {};
  Index num_taken_ = 0;
};

// One run draws once.
class PriorRun {
 public:
  PriorRun(const ProgramParts& parts, const PriorPlan& plan, PriorUse use, Uniforms& uniforms);

  // A start; `free`: values of parameters without a prior. Empty if no parameter could be drawn.
  std::optional<density::Start> start(std::vector<double> free);

  // A draw; its log density is that of all statements that were drawn from, with the
  // Jacobian terms. Empty if it lies outside of the support. Throws NoExactDraws.
  std::optional<density::Start> draw();
  // Results of draw(), by slots of parameters: the logarithm of the mass that declared bounds leave of the
  // priors, which their densities don't allow for; and that of the volume of those without a prior.
  const std::vector<double>& log_masses() const { return log_masses_; }
  const std::vector<double>& log_volumes() const { return log_volumes_; }
  bool used_whole() const { return used_whole_; }  // a vector or matrix was drawn as a whole

 private:
  struct Drawing {  // loops mostly draw from the same prior again
    ElementPrior prior;
    bool is_usable;
    double log_mass;
  };
  // Arguments of a statement that was drawn from.
  struct Reading {
    const typed::Call* call;
    std::vector<std::int32_t> places;
    std::vector<double> arguments;
    Limits truncated;
    bool is_close_to(const Reading& other) const;
  };
  struct Variable {
    lang::Value positions;  // each element's place in storage
    std::vector<char> drawn;
    std::optional<lang::ConstraintPlan> plan;
    std::optional<Drawing> last;
  };

  static bool is_drawn(const Variable& variable);
  bool any_is_drawn() const;
  void draw_outcome(int slot, const lang::SeenDensity& seen);
  Reading reading_of(int slot, const lang::SeenDensity& seen);
  void compare(int slot, const lang::SeenDensity& seen);
  void require_one_density(int slot, const lang::SeenDensity& seen, Index num_outcomes,
                           Index unit) const;
  bool is_exact() const { return use_ == PriorUse::exact; }
  double run_stages(bool adds_terms);
  void look(const lang::SeenDensity& seen);
  const typed::SizedType& type_of(int slot) const;
  const std::string& name_of(int slot) const;
  [[noreturn]] void refuse(int slot, std::string reason, std::string hint) const;
  Variable& variable_of(int slot);
  std::vector<std::int32_t> places_of(const typed::Expression& outcome, int slot,
                                      const Variable& variable);
  Limits declared(int slot, const Variable& variable, Index i) const;
  Limits truncation(const lang::SeenDensity& seen);
  Drawing& drawing_of(Variable& variable, StatedPrior stated);
  StatedPrior stated_prior(const dist::Distribution& d, const lang::SeenDensity& seen,
                           Limits declared, Index element);
  double log_mass_of(const dist::Distribution& d, const lang::SeenDensity& seen, Variable& variable,
                     std::span<const std::int32_t> places);
  void draw_mixture(int slot, const lang::SeenDensity& seen);
  void draw_in_turn(int slot, const dist::Distribution& d, const lang::SeenDensity& seen);
  // The arguments of the first place are their elements number `first`.
  std::vector<double> draw_each(const dist::Distribution& d, const lang::SeenDensity& seen,
                                Variable& variable, std::span<const std::int32_t> places,
                                Index first = 0);
  std::vector<double> draw_whole(const dist::Distribution& d, const lang::SeenDensity& seen);
  std::vector<double> draw_unit(const dist::Distribution& d, const lang::SeenDensity& seen, Index b,
                                Index size);
  void arrange(int slot, const Variable& variable, const lang::SeenDensity& seen,
               std::span<double> values);
  void centre(int slot, const lang::SeenDensity& seen, std::span<double> unit);
  void write(int slot, Variable& variable, std::span<const std::int32_t> places,
             std::span<const double> values);
  std::optional<double> settle(std::vector<double>& free);
  std::optional<double> settle(const typed::Declaration& d, std::span<double>& rest);
  bool take(const lang::ConstraintPlan& plan, const lang::Value& value, std::span<double> own);
  bool take_exactly(int slot, const lang::ConstraintPlan& plan, const lang::Value& value,
                    std::span<double> own);
  void draw_flats(std::span<double> free);
  void require_complete() const;

  const ProgramParts& parts_;
  const PriorPlan& plan_;
  PriorUse use_;
  Uniforms& uniforms_;
  lang::Machine machine_;
  std::vector<Variable> variables_;  // by slot, as are these
  std::vector<double> log_masses_, log_volumes_;
  std::vector<Reading> readings_;  // in the order in which they were drawn
  std::size_t num_compared_ = 0;
  double log_summed_ = 0.0;  // sum of densities that variables sum up
  bool is_drawing_ = true, used_whole_ = false;
};

}  // namespace credo::model
