#include "results/draws/work_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/error.hpp"
#include "base/seal.hpp"
#include "io/file.hpp"

namespace credo::results {
namespace {
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

}  // namespace

std::string digits_of(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string bytes_of(std::string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(16 * value(digits[i]) + value(digits[i + 1]));
  return bytes;
}

WorkFile::WorkFile(std::string path, std::string_view head, const std::string& identity)
    : path_(std::move(path)), lock_(path_) {
  const std::string first_line = with_sum(fmt::format("{}{:016x}", head, check_sum(identity, 0)));
  descriptor_ = io::Descriptor(
      ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (descriptor_.number() < 0)
    throw Error(ErrorCode::io, fmt::format("can't be written: {}", std::strerror(errno)), path_);
  const std::size_t kept = take(io::read_file(path_), first_line);
  if (::ftruncate(descriptor_.number(), static_cast<off_t>(kept)) != 0)
    throw Error(ErrorCode::io, fmt::format("can't be written: {}", std::strerror(errno)), path_);
  if (kept == 0) append(first_line);
}

// How much of the text is whole lines; a line that was broken off is done again.
std::size_t WorkFile::take(const std::string& text, const std::string& first_line) {
  if (text.empty() || first_line.starts_with(text)) return 0;
  if (!text.starts_with(first_line))
    throw Error(ErrorCode::usage,
                "these are results of another program, other data or other options", path_,
                "remove the file, or name another --output");
  std::size_t kept = first_line.size();
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
    io::JsonValue value = io::parse_json_value(*line, path_);
    const auto number = static_cast<Index>(value.find("number")->as_number("number"));
    done_.insert_or_assign(number, std::move(value));
    kept = end + 1;
  }
}

void WorkFile::append(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor_.number(), line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw Error(ErrorCode::io, fmt::format("can't be written: {}", std::strerror(errno)), path_);
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

void WorkFile::add(Index number, const std::function<void(io::JsonWriter&)>& write_members) {
  io::JsonWriter json;
  json.begin_object().key("number").integer(number);
  write_members(json);
  append(with_sum(json.end_object().text()));
}

std::string WorkFile::remove() {
  std::string said;
  const auto tell = [&](const std::string& path) {
    said += fmt::format("{}: the result is complete, but this file can't be removed: {}\n", path,
                        std::strerror(errno));
  };
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) tell(path_);
  if (!lock_.release()) tell(lock_.path());
  return said;
}

}  // namespace credo::results
