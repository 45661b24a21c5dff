// The majority of two kinds among late events, counted by one number: the first one leads
// until the others have been more by `kLead` (the vote of Boyer and Moore, with a limit so that the
// past is forgotten).
#pragma once
#include "base/types.hpp"

namespace credo::model {

class Majority {
 public:
  static constexpr Index kLead = 16;
  void count(bool is_first) { ahead_ = is_first ? std::min(ahead_ + 1, kLead) : ahead_ - 1; }
  bool is_lost() const { return ahead_ < 0; }
  void begin_again() { ahead_ = 0; }  // with another first kind

 private:
  Index ahead_ = kLead;
};

}  // namespace credo::model
