// Exceptions of the library.
#pragma once
#include <exception>
#include <string>
#include <utility>

#include "credo/export.hpp"

namespace credo {

// Kind of an error, and the exit status of the command that follows from it (docs/exit-status.md).
enum class ErrorCode {
  internal = 1,     // a fault of the library: please report it
  usage = 2,        // an option or argument is wrong
  program = 3,      // the program, or the traced callable, is wrong or not supported
  data = 4,         // the data don't fit the program
  evaluation = 5,   // no initial point, a wrong gradient, or a callable that failed
  io = 6,           // a file can't be read or written
  interrupted = 7,  // stopped by a signal or a time limit
  verdict = 8,      // --strict: the run is done, the verdict is bad
  resources = 9,    // the system gives no more memory or threads
};

// message: the fault, the value, the rule. where: "file:line:column", an option or a variable;
// may be empty. hint: the way out; may be empty. Texts are lower case without a full stop.
class CREDO_API Error : public std::exception {
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

// Thrown by a callable: this point is refused, as if its log density were -infinity, and the run
// continues. The reason is counted and reported. Anything else that a callable throws ends the run.
class CREDO_API Rejection : public std::exception {
 public:
  explicit Rejection(std::string reason) : reason_(std::move(reason)) {}
  const char* what() const noexcept override { return reason_.c_str(); }

 private:
  std::string reason_;
};

}  // namespace credo
