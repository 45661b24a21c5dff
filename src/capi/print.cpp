#include "capi/print.hpp"

#include <cstdio>
#include <mutex>

namespace credo::capi {
namespace {
struct Printing {
  std::mutex mutex;
  PrintCallback callback = nullptr;
};

// The interface's one piece of global state: its callback is one for all models.
Printing& printing() {
  static Printing state;
  return state;
}
}  // namespace

void set_print_callback(PrintCallback callback) {
  const std::lock_guard lock(printing().mutex);
  printing().callback = callback;
}

void print(std::string_view text) {
  const std::string line = std::string(text) + "\n";
  const std::lock_guard lock(printing().mutex);
  if (printing().callback != nullptr) return printing().callback(line.data(), line.size());
  std::fwrite(line.data(), 1, line.size(), stdout);
}

}  // namespace credo::capi
