// Calls a function again and again from a thread of its own, until it is destroyed.
#pragma once
#include "base/types.hpp"

namespace credo::cli {

class Ticker {
 public:
  Ticker(double seconds, std::function<void()> call);
  ~Ticker();  // waits for a call that is under way
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  struct Thread;  // <thread> belongs into the .cpp
  std::unique_ptr<Thread> thread_;
};

}  // namespace credo::cli
