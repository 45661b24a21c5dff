// What every body of a fuzz target stands on. A body takes any bytes, runs what a user would run
// with them, and claims what must hold; the targets (fuzz/) and the tests over found cases
// (tests/fuzz_cases/) call the same bodies.
#pragma once
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace credo::fuzz {

// Not an Error, so that nothing takes it for a refusal.
struct Broken : std::logic_error {
  using std::logic_error::logic_error;
};
inline void claim(bool holds, const char* words) {
  if (!holds) throw Broken(words);
}

// Work that ends well, or with an Error that isn't a fault of ours, or because it was told to stop.
template <class Work>
void may_be_refused(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    claim(error.code() != ErrorCode::internal, error.what());
    claim(!error.message().empty(), "an error has words");
  } catch (const Stopped&) {
  }
}

// Sets this thread's stop flag after some seconds, as an impatient user would: input may ask for a
// lot of work, and it must heed the flag.
class Patience {
 public:
  explicit Patience(double seconds)
      : scope_(&flag_), waiter_([this, seconds](const std::stop_token& end) {
          std::unique_lock lock(mutex_);
          const bool ended = wake_.wait_for(lock, end, std::chrono::duration<double>(seconds),
                                            [] { return false; });
          if (!ended && !end.stop_requested()) flag_ = true;
        }) {}

 private:
  StopFlag flag_{false};
  StopScope scope_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread waiter_;
};
inline constexpr double kPatience = 5.0;

// A file of its own for each process, gone at the end of the scope with what lies beside it.
class ScratchFile {
 public:
  ScratchFile(std::string_view bytes, const std::string& name)
      : folder_(std::filesystem::temp_directory_path() /
                ("credo_fuzz_" + std::to_string(getpid()))),
        path_((folder_ / name).string()) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const std::string& path() const { return path_; }
  std::string folder() const { return folder_.string(); }

 private:
  std::filesystem::path folder_;
  std::string path_;
};

// The parts of an input that has several: what stands before the first line `mark`, and behind it.
inline std::pair<std::string_view, std::string_view> parts_at(std::string_view bytes,
                                                              std::string_view mark) {
  const std::size_t at = bytes.find(mark);
  if (at == std::string_view::npos) return {bytes, {}};
  return {bytes.substr(0, at), bytes.substr(at + mark.size())};
}

}  // namespace credo::fuzz
