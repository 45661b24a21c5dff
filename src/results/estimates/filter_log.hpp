// A filter's run in progress: OUTPUT.run has the repeats that are done (results/draws/work_log.hpp), OUTPUT.run.state the state
// of the one that goes on, written anew every second, or less often where that would cost more than a twentieth of the time.
#pragma once
#include "infer/smc/filter_checkpoints.hpp"
#include "infer/smc/switching_filter.hpp"
#include "results/draws/work_log.hpp"

namespace credo::results {

// One repeat as a piece of work.
struct FilterRepeat : infer::SwitchingResult {
  static constexpr std::string_view kLogHead = "credo filter 1 ";
  void write(io::JsonWriter& json) const;
  static FilterRepeat read(const io::JsonValue& object);
};

class FilterStateFile final : public infer::FilterCheckpoints {
 public:
  // `identity`: what the state follows from; one of other work is nothing. Throws Error(io) for a file that isn't what was written.
  FilterStateFile(std::string path, const std::string& identity);

  std::string kept(Index repeat) override;
  bool is_due(Index repeat) override;
  void keep(Index repeat, const std::string& state) override;
  void drop(Index repeat);  // it is done, and kept elsewhere
  bool is_there() const { return !found_.empty(); }
  std::string remove();  // when all is in the result; what couldn't be removed is said

 private:
  std::string path_, identity_;
  std::mutex mutex_;  // repeats ask from threads of their own
  std::map<Index, std::string> found_,
      states_;                    // of repeats: what was there at first; what is written
  std::map<Index, double> last_;  // when their states were written
  double begin_, cost_ = 0.0;
};

}  // namespace credo::results
