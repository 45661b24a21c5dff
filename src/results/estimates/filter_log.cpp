#include "results/estimates/filter_log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/seal.hpp"
#include "infer/core/recorder.hpp"
#include "io/file.hpp"

namespace credo::results {
namespace {
constexpr double kPeriod = 1.0, kMostShare = 0.05;  // seconds; of the time

struct KeptState {
  std::string identity = {};
  Index repeat = -1;
  std::string state = {};
  static void saved(auto& self, auto&& field) {
    field(self.identity);
    field(self.repeat);
    field(self.state);
  }
};
}  // namespace

void FilterRepeat::write(io::JsonWriter& json) const {
  json.key("result").string(digits_of(archived<infer::SwitchingResult>(*this)));
}

FilterRepeat FilterRepeat::read(const io::JsonValue& object) {
  const std::string bytes = bytes_of(object.find("result")->as_string("result"));
  return {from_archive<infer::SwitchingResult>(bytes, "a repeat of the filter")};
}

FilterStateFile::FilterStateFile(std::string path, const std::string& identity)
    : path_(std::move(path)),
      identity_(fmt::format("{:016x}", check_sum(identity, 0))),
      last_(infer::clock_seconds()) {
  if (::access(path_.c_str(), F_OK) != 0) return;
  const std::string text = io::read_file(path_);
  KeptState kept = from_archive<KeptState>(unsealed(text, path_), path_);
  if (kept.identity != identity_) return;
  repeat_ = kept.repeat;
  state_ = std::move(kept.state);
}

std::string FilterStateFile::kept(Index repeat) {
  return repeat == repeat_ ? std::move(state_) : std::string();
}

bool FilterStateFile::is_due() {
  return infer::clock_seconds() - last_ >= std::max(kPeriod, cost_ / kMostShare);
}

void FilterStateFile::keep(Index repeat, const std::string& state) {
  const double begin = infer::clock_seconds();
  io::OutputFile file(path_, io::Readers::from_text("owner"));
  file.write(sealed(archived(KeptState{.identity = identity_, .repeat = repeat, .state = state})));
  file.commit();
  last_ = infer::clock_seconds();
  cost_ = last_ - begin;
}

std::string FilterStateFile::remove() {
  io::remove_left_parts(path_);
  if (::unlink(path_.c_str()) == 0 || errno == ENOENT) return {};
  return fmt::format("{}: the result is complete, but this file can't be removed: {}\n", path_,
                     std::strerror(errno));
}

}  // namespace credo::results
