// The model block run with numbers, in which each density of data draws its outcome instead of being evaluated
// (docs/design/replicates.md).
#pragma once
#include "density/replicates.hpp"
#include "lang/trace/machine.hpp"
#include "model/replicates/censoring.hpp"
#include "model/replicates/outcome_draw.hpp"
#include "model/replicates/provenance.hpp"

namespace credo::model {

struct ProgramParts;

// A variable of which statements are densities.
struct Outcome {
  int slot = 0;
  lang::Value places = {};       // each element's place in storage, as a value of its shape
  std::vector<char> drawn = {};  // by places
  std::vector<char> ahead = {};  // drawn before its statement, because it was read
  std::vector<Censored> censored = {};
  Index num_censored() const;
};

class ReplicateRun {
 public:
  // Both must live as long.
  explicit ReplicateRun(const ProgramParts& parts);

  // Draws once, at the parameters of a position. Throws NotDrawn, and lang::Rejection as the program does.
  void draw(std::span<const double> position, std::uint64_t seed);

  // Outcomes of the last draw.
  const std::vector<Outcome>& outcomes() const {
    return outcomes_;
  }  // in the order of declarations
  const std::set<std::int32_t>& statements() const { return statements_; }
  const lang::Value& value(int slot) { return machine_.global(slot); }
  lang::Machine& machine() { return machine_; }

 private:
  // Arguments of a statement that draws.
  struct Reading {
    const lang::typed::Call* call;
    std::vector<double> arguments;
    bool operator==(const Reading& other) const;
  };

  // The statement that last drew an element of an outcome, with the values of the loop variables.
  struct Planned {
    DrawPlace at;
    std::vector<std::pair<lang::typed::Slot, lang::Value>> rounds = {};
  };
  void draw_all(std::span<const double> position, std::uint64_t seed);
  void look(const lang::SeenDensity& seen);
  void look_at_tail(const lang::SeenDensity& seen);
  void look_at_own(const lang::SeenDensity& seen);
  // Draws of a distribution function are cut at the number in the data.
  void cut_at_data(const lang::SeenDensity& tail, Outcome& outcome,
                   std::span<const std::int32_t> places, std::span<double> values);
  void look_at_filled(const lang::SeenDensity& seen);
  void plan(const lang::SeenDensity& seen, const Outcome& outcome,
            std::span<const std::int32_t> places);
  void draw_ahead(int slot, const lang::typed::Expression& read);
  std::optional<double> drawn_ahead(const Planned& planned);
  void cut_like_the_data();
  void keep_reading(const lang::SeenDensity& seen);
  void run_once();
  Outcome& outcome_of(int slot);
  std::vector<std::int32_t> places_of(const lang::typed::Expression& e, Outcome& outcome);
  void write(Outcome& outcome, std::span<const std::int32_t> places,
             std::span<const double> values);
  void set(Outcome& outcome, std::span<const std::int32_t> places, std::span<const double> values);
  void mark_drawn(Outcome& outcome, std::int32_t place, double value);
  bool reads_outcomes();

  const ProgramParts& parts_;
  lang::Machine machine_;
  std::uint64_t seed_ = 0;
  std::vector<Outcome> outcomes_;
  std::set<std::int32_t> statements_;
  std::vector<Reading> readings_;
  std::map<int, std::vector<std::optional<Planned>>> plans_;   // for each outcome, by places
  std::set<const lang::typed::Call*> not_ahead_;               // statements whose draws differed
  std::set<int> loop_slots_;                                   // loop variables of the model block
  std::unique_ptr<Provenance> provenance_;                     // made on first use
  std::map<const lang::typed::Call*, std::size_t> times_run_;  // for each statement of this run
  std::span<const double> position_;
  bool is_settled_ = true, is_ahead_ = false, is_in_model_ = false;
  bool keeps_readings_ = true;  // for a program whose statements read outcomes
  std::set<int> asked_slots_;   // of reads_outcomes()
  bool answer_ = false;
};

}  // namespace credo::model
