#include "results/sbc_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/seal.hpp"
#include "io/file.hpp"
#include "io/json_value.hpp"
#include "io/json_writer.hpp"

namespace credo::results {
namespace {
constexpr std::string_view kFirstWords = "credo sbc 1 ";
constexpr std::size_t kSumDigits = 16;

std::string with_sum(const std::string& text) {
  return fmt::format("{} {:016x}\n", text, check_sum(text, 0));
}

// Nothing where the line isn't what was written.
std::optional<std::string> without_sum(std::string_view line) {
  if (line.size() < kSumDigits + 1) return std::nullopt;
  const std::string text(line.substr(0, line.size() - kSumDigits - 1));
  return with_sum(text) == std::string(line) + "\n" ? std::optional(text) : std::nullopt;
}

std::string line_of(Index number, const SbcReplicate& replicate) {
  io::JsonWriter json;
  json.begin_object().key("number").integer(number);
  write_replicate(json, replicate);
  return with_sum(json.end_object().text());
}

std::pair<Index, SbcReplicate> replicate_of(const std::string& text, const std::string& path) {
  const io::JsonValue value = io::parse_json_value(text, path);
  const auto whole = [&](const char* name) {
    return static_cast<Index>(value.find(name)->as_number(name));
  };
  SbcReplicate replicate;
  replicate.places = value.find("places")->as_numbers("places");
  replicate.num_draws = whole("num_draws");
  replicate.num_divergent = whole("num_divergent");
  replicate.failure = value.find("failure")->as_string("failure");
  return {whole("number"), std::move(replicate)};
}
}  // namespace

void write_replicate(io::JsonWriter& json, const SbcReplicate& replicate) {
  json.key("places").numbers(replicate.places).key("num_draws").integer(replicate.num_draws);
  json.key("num_divergent")
      .integer(replicate.num_divergent)
      .key("failure")
      .string(replicate.failure);
}

SbcLog::SbcLog(std::string path, const std::string& identity)
    : path_(std::move(path)), lock_(path_) {
  const std::string head = with_sum(fmt::format("{}{:016x}", kFirstWords, check_sum(identity, 0)));
  descriptor_ = io::Descriptor(
      ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (descriptor_.number() < 0)
    throw Error(ErrorCode::io, fmt::format("can't be written: {}", std::strerror(errno)), path_);
  const std::size_t kept = take(io::read_file(path_), head);
  if (::ftruncate(descriptor_.number(), static_cast<off_t>(kept)) != 0)
    throw Error(ErrorCode::io, fmt::format("can't be written: {}", std::strerror(errno)), path_);
  if (kept == 0) append(head);
}

// How much of the text is whole lines; a line that was broken off is done again.
std::size_t SbcLog::take(const std::string& text, const std::string& head) {
  if (text.empty() || head.starts_with(text)) return 0;
  if (!text.starts_with(head))
    throw Error(ErrorCode::usage,
                "these are replicates of another program, other data or other options", path_,
                "remove the file, or name another --output");
  std::size_t kept = head.size();
  for (;;) {
    const std::size_t end = text.find('\n', kept);
    if (end == std::string::npos) return kept;
    const std::optional<std::string> line =
        without_sum(std::string_view(text).substr(kept, end - kept));
    if (!line) {
      if (text.find('\n', end + 1) == std::string::npos) return kept;
      throw Error(ErrorCode::io, "a line isn't what was written: its check sum differs", path_,
                  "remove the file to begin again");
    }
    done_.insert(replicate_of(*line, path_));
    kept = end + 1;
  }
}

void SbcLog::append(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor_.number(), line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw Error(ErrorCode::io, fmt::format("can't be written: {}", std::strerror(errno)), path_);
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

void SbcLog::add(Index number, const SbcReplicate& replicate) {
  append(line_of(number, replicate));
}

void SbcLog::remove() { ::unlink(path_.c_str()); }

}  // namespace credo::results
