#include "io/foreign_scope.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/error.hpp"

namespace credo::io {
namespace {
constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGABRT, SIGFPE};

// For handlers, which may ask for nothing: what to say while a scope lasts.
constinit std::array<char, 512> words{};
constinit std::size_t num_words = 0;
constinit std::array<struct sigaction, kCrashes.size()> handlers_before{};

void say_and_end() {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, words.data(), num_words);
  ::_exit(static_cast<int>(ErrorCode::io));
}

void on_crash(int) { say_and_end(); }
void on_exit() {
  if (num_words > 0) say_and_end();
}
}  // namespace

ForeignScope::ForeignScope(const std::string& path) {
  [[maybe_unused]] static const int registered = std::atexit(on_exit);
  const auto end = fmt::format_to_n(words.data(), words.size(),
                                    "{}: error: the library that reads NetCDF files broke down\n"
                                    "  hint: is the file damaged, or memory short?\n",
                                    path);
  num_words = std::min(end.size, words.size());
  struct sigaction action {};
  action.sa_handler = on_crash;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they have more to say
  for (std::size_t k = 0; k < kCrashes.size(); ++k)
    ::sigaction(kCrashes[k], &action, &handlers_before[k]);
#endif
}

ForeignScope::~ForeignScope() {
  num_words = 0;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  for (std::size_t k = 0; k < kCrashes.size(); ++k)
    ::sigaction(kCrashes[k], &handlers_before[k], nullptr);
#endif
}

}  // namespace credo::io
