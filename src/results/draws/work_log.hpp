// Results of numbered pieces of work as they come, in a file that a killed run leaves and the next one goes on from: a
// line for what the work is, then one for each piece, each with its check sum.
#pragma once
#include "io/json_value.hpp"
#include "io/json_writer.hpp"
#include "io/lock_file.hpp"

namespace credo::results {

// Bytes as hexadecimal digits, and back: for results that are kept as archives.
std::string digits_of(std::string_view bytes);
std::string bytes_of(std::string_view digits);

class WorkFile {
 public:
  // `identity`: what the results follow from, as a text: program, data, options. Takes the file that is there where
  // it begins with the same head and identity. Throws Error(io) where another process writes it, Error(usage) where
  // it is of other work.
  WorkFile(std::string path, std::string_view head, const std::string& identity);

  const std::map<Index, io::JsonValue>& done() const { return done_; }  // objects
  void add(Index number, const std::function<void(io::JsonWriter&)>& write_members);
  // When all is in the result, with the lock. What couldn't be removed is said, a line each.
  std::string remove();

 private:
  std::size_t take(const std::string& text, const std::string& first_line);
  void append(std::string_view line);

  std::string path_;
  io::LockFile lock_;
  io::Descriptor descriptor_;
  std::map<Index, io::JsonValue> done_;
};

// Of one kind of results. Result::kLogHead is the head of its files, write(json) writes the members of an object,
// Result::read(object) makes it again.
template <class Result>
class WorkLog {
 public:
  WorkLog(std::string path, const std::string& identity)
      : file_(std::move(path), Result::kLogHead, identity) {
    for (const auto& [number, value] : file_.done()) done_.emplace(number, Result::read(value));
  }
  const std::map<Index, Result>& done() const { return done_; }
  void add(Index number, const Result& result) {
    file_.add(number, [&](io::JsonWriter& json) { result.write(json); });
  }
  std::string remove() { return file_.remove(); }

 private:
  WorkFile file_;
  std::map<Index, Result> done_;
};

}  // namespace credo::results
