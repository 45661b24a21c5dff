// Working memory for threads that come and go: each call takes an object of its own and gives it
// back for the next one.
#pragma once
#include <mutex>

#include "base/std.hpp"

namespace credo::capi {

template <class T>
class Pool {
 public:
  // Runs use(T&) with an object that nobody else uses, made by make() where none is free. An
  // object that an exception left is thrown away: its contents may be inconsistent.
  template <class Make, class Use>
  auto with(Make make, Use use) {
    std::unique_ptr<T> object = take();
    if (object == nullptr) object = make();
    struct Return {
      Pool& pool;
      std::unique_ptr<T>& object;
      int exceptions = std::uncaught_exceptions();
      ~Return() {
        if (std::uncaught_exceptions() == exceptions) pool.give(std::move(object));
      }
    } back{*this, object};
    return use(*object);
  }

 private:
  std::unique_ptr<T> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    std::unique_ptr<T> object = std::move(free_.back());
    free_.pop_back();
    return object;
  }

  void give(std::unique_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(object));
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

}  // namespace credo::capi
