// Records a branch's writes while it runs for a select, so that they can be undone and compared with
// the other branch's.
#pragma once
#include "lang/trace/machine.hpp"

namespace credo::lang {

class Machine::Journal {
 public:
  // Variables declared in the branch are its own business.
  void own(const Value& variable) { own_.push_back(&variable); }

  // Before the variable is assigned, or elements of it.
  void note(Value& variable);
  void note(Value& variable, std::span<const std::int32_t> elements);

  Writes writes() const;  // current values, once for each variable or element
  void undo();

  // Assignments to temporaries aren't noted.
  class Pause {
   public:
    explicit Pause(Journal*& journal) : journal_(journal), paused_(journal) { journal = nullptr; }
    ~Pause() { journal_ = paused_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Journal*& journal_;
    Journal* paused_;
  };

 private:
  bool is_own(const Value& variable) const {
    return std::find(own_.begin(), own_.end(), &variable) != own_.end();
  }

  Writes before_;  // in the order of the writes
  std::vector<const Value*> own_;
};

}  // namespace credo::lang
