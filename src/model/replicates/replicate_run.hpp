// The model block run with numbers, in which each density of data draws its outcome instead of being evaluated
// (docs/design/replicates.md).
#pragma once
#include "density/replicates.hpp"
#include "lang/trace/machine.hpp"
#include "model/replicates/outcome_draw.hpp"

namespace credo::model {

class Model;

// A variable of which statements are densities.
struct Outcome {
  int slot = 0;
  lang::Value places = {};       // each element's place in storage, as a value of its shape
  std::vector<char> drawn = {};  // by places
};

class ReplicateRun {
 public:
  // Both must live as long.
  explicit ReplicateRun(const Model& model);

  // Draws once, at the parameters of a position. Throws NotDrawn, and lang::Rejection as the program does.
  void draw(std::span<const double> position, std::uint64_t seed);

  // Of the last draw.
  const std::vector<Outcome>& outcomes() const {
    return outcomes_;
  }  // in the order of declarations
  const std::set<std::int32_t>& statements() const { return statements_; }
  const lang::Value& value(int slot) { return machine_.global(slot); }
  lang::Machine& machine() { return machine_; }

 private:
  // What a statement that draws had for its arguments.
  struct Reading {
    const lang::typed::Call* call;
    std::vector<double> arguments;
    bool operator==(const Reading& other) const;
  };

  void draw_all(std::span<const double> position, std::uint64_t seed);
  void look(const lang::SeenDensity& seen);
  void keep_reading(const lang::SeenDensity& seen);
  void run_once();
  Outcome& outcome_of(int slot);
  std::vector<std::int32_t> places_of(const lang::typed::Expression& e, Outcome& outcome);
  void write(Outcome& outcome, std::span<const std::int32_t> places,
             std::span<const double> values);
  bool reads_outcomes();

  const Model& model_;
  lang::Machine machine_;
  std::uint64_t seed_ = 0;
  std::vector<Outcome> outcomes_;
  std::set<std::int32_t> statements_;
  std::vector<Reading> readings_;
  bool keeps_readings_ = true;  // of a program whose statements read outcomes
  std::set<int> asked_slots_;   // of reads_outcomes()
  bool answer_ = false;
};

}  // namespace credo::model
