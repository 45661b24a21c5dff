// Something each thread makes for itself, once, for an object that threads share: working memory
// that is neither allocated nor locked from the second use on. Memory of objects that are
// gone is freed when a thread makes its next one, or ends.
#pragma once
#include <atomic>

#include "base/std.hpp"

namespace credo::graph {

template <class T>
class PerThread {
 public:
  // The calling thread's; `make` returns a std::unique_ptr<T>.
  template <class Make>
  T& get(Make make) const {
    auto& all = mine();
    const auto found = all.find(id_);
    if (found != all.end()) return *found->second.thing;
    std::erase_if(all, [](const auto& entry) { return entry.second.owner.expired(); });
    return *all.emplace(id_, Entry{alive_, make()}).first->second.thing;
  }

 private:
  struct Entry {
    std::weak_ptr<const char> owner;
    std::unique_ptr<T> thing;
  };
  static std::unordered_map<std::uint64_t, Entry>& mine() {
    thread_local std::unordered_map<std::uint64_t, Entry> all;
    return all;
  }
  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  std::uint64_t id_ = next_id();
  std::shared_ptr<const char> alive_ = std::make_shared<const char>();
};

}  // namespace credo::graph
