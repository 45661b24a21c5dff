#include "base/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace credo {
namespace {
std::string full_text(const std::string& message, const std::string& where,
                      const std::string& hint) {
  std::string text = where.empty() ? message : where + ": " + message;
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}
}  // namespace

Error::Error(ErrorCode code, std::string message, std::string where, std::string hint)
    : code_(code), message_(std::move(message)), where_(std::move(where)), hint_(std::move(hint)) {
  text_ = full_text(message_, where_, hint_);
}

void assertion_failed(const char* condition, const char* words, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal fault: %s (%s does not hold); please report it\n", file,
               line, words, condition);
  std::abort();
}
}  // namespace credo
