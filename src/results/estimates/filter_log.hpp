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
  bool is_due() override;
  void keep(Index repeat, const std::string& state) override;
  bool is_there() const { return repeat_ >= 0; }
  std::string remove();  // when all is in the result; what couldn't be removed is said

 private:
  std::string path_, identity_, state_;
  Index repeat_ = -1;  // that `state_` is of
  double last_, cost_ = 0.0;
};

}  // namespace credo::results
