// The replicates of a calibration as they come, in a file that a killed run leaves and the next one goes on from: a
// line for what is calibrated, then one for each replicate, each with its check sum.
#pragma once
#include "io/json_writer.hpp"
#include "io/lock_file.hpp"
#include "results/sbc.hpp"

namespace credo::results {

class SbcLog {
 public:
  // `identity`: what the replicates follow from, as a text: program, data, options. Takes the file that is there where
  // it has the same. Throws Error(io) where another process writes it, Error(usage) where it is of another calibration.
  SbcLog(std::string path, const std::string& identity);

  const std::map<Index, SbcReplicate>& done() const { return done_; }
  void add(Index number, const SbcReplicate& replicate);
  void remove();  // when all is in the result

 private:
  std::size_t take(const std::string& text, const std::string& head);
  void append(std::string_view line);

  std::string path_;
  io::LockFile lock_;
  io::Descriptor descriptor_;
  std::map<Index, SbcReplicate> done_;
};

void write_replicate(io::JsonWriter& json, const SbcReplicate& replicate);  // members of an object

}  // namespace credo::results
