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
  std::vector<Index> repeats = {};
  std::vector<std::string> states = {};
  static void saved(auto& self, auto&& field) {
    field(self.identity);
    field(self.repeats);
    field(self.states);
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
      begin_(infer::clock_seconds()) {
  if (::access(path_.c_str(), F_OK) != 0) return;
  const std::string text = io::read_file(path_);
  KeptState kept = from_archive<KeptState>(unsealed(text, path_), path_);
  if (kept.identity != identity_) return;
  for (std::size_t k = 0; k < kept.repeats.size(); ++k)
    found_[kept.repeats[k]] = std::move(kept.states[k]);
  states_ = found_;
}

std::string FilterStateFile::kept(Index repeat) {
  const std::lock_guard lock(mutex_);
  const auto place = found_.find(repeat);
  return place == found_.end() ? std::string() : place->second;
}

bool FilterStateFile::is_due(Index repeat) {
  const std::lock_guard lock(mutex_);
  const auto place = last_.find(repeat);
  const double last = place == last_.end() ? begin_ : place->second;
  return infer::clock_seconds() - last >= std::max(kPeriod, cost_ / kMostShare);
}

void FilterStateFile::keep(Index repeat, const std::string& state) {
  const std::lock_guard lock(mutex_);
  const double begin = infer::clock_seconds();
  states_[repeat] = state;
  KeptState all{.identity = identity_};
  for (const auto& [number, bytes] : states_)
    all.repeats.push_back(number), all.states.push_back(bytes);
  io::OutputFile file(path_, io::Readers::from_text("owner"));
  file.write(sealed(archived(all)));
  file.commit();
  last_[repeat] = infer::clock_seconds();
  cost_ = last_[repeat] - begin;
}

void FilterStateFile::drop(Index repeat) {
  const std::lock_guard lock(mutex_);
  states_.erase(repeat);
}

std::string FilterStateFile::remove() {
  io::remove_left_parts(path_);
  if (::unlink(path_.c_str()) == 0 || errno == ENOENT) return {};
  return fmt::format("{}: the result is complete, but this file can't be removed: {}\n", path_,
                     std::strerror(errno));
}

}  // namespace credo::results
