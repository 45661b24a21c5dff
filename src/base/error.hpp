// Errors of use, thrown at public entry points only; numerical failure is a value
// (base/result.hpp), mistakes in a program's text go to lang/diagnostics, programmer mistakes are
// CREDO_ASSERT.
#pragma once
#include "base/std.hpp"

namespace credo {

// What kind of trouble, and with it the exit status of the command (docs/exit-status.md).
enum class ErrorCode {
  internal = 1,     // a fault of ours: please report it
  usage = 2,        // an option or argument is wrong
  program = 3,      // the Stan program is wrong or not supported
  data = 4,         // the data or init file does not fit the program
  evaluation = 5,   // no initial point, or a fatal error while evaluating
  io = 6,           // a file can't be read or written
  interrupted = 7,  // stopped by a signal or a time limit
  verdict = 8,      // --strict: the run is done, the verdict is bad
  resources = 9,    // the system gives no more memory or threads
};

// message: what was wrong, the value, the rule. where: "file:line:column", an option or a variable;
// may be empty. hint: the way out; may be empty. Texts are lower case without a full stop.
class Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message, std::string where = {}, std::string hint = {});
  const char* what() const noexcept override { return text_.c_str(); }  // "where: message (hint)"

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }

 private:
  ErrorCode code_;
  std::string message_, where_, hint_, text_;
};

[[noreturn]] void assertion_failed(const char* condition, const char* words, const char* file,
                                   int line);

#if defined(CREDO_ASSERTIONS)
#define CREDO_ASSERT(condition, words) \
  ((condition) ? void(0) : ::credo::assertion_failed(#condition, words, __FILE__, __LINE__))
#else
#define CREDO_ASSERT(condition, words) ((void)sizeof(!(condition)))
#endif

}  // namespace credo
