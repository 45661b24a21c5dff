#include "io/data/record_splitter.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace credo::io {
namespace {
constexpr std::size_t kLongestRecord = std::size_t{16} << 20;  // bytes

std::string_view without_blanks(std::string_view text, char separator) {
  const auto is_blank = [&](char c) { return c == ' ' || (c == '\t' && separator != '\t'); };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}
}  // namespace

RecordSplitter::RecordSplitter(char separator, std::string source)
    : separator_(separator), source_(std::move(source)) {}

void RecordSplitter::fail(Index line, const std::string& message, const std::string& hint) const {
  throw Error(ErrorCode::data, message, fmt::format("{}:{}", source_, line), hint);
}

void RecordSplitter::fail_for_zero() const {
  fail(line_ + lines_inside_, "a byte that is 0", "this is no text: save the table as UTF-8");
}

void RecordSplitter::feed(std::string_view piece, bool is_last,
                          const std::function<void(const Record&)>& take) {
  if (pending_.empty()) {
    const std::size_t done = split(piece, is_last, take);
    pending_.assign(piece.substr(done));
  } else {
    pending_.append(piece);
    const std::size_t done = split(pending_, is_last, take);
    pending_.erase(0, done);
  }
  if (pending_.size() > kLongestRecord)
    fail(line_, fmt::format("a row of more than {} MiB", kLongestRecord >> 20),
         "look for a quote that isn't closed in this line");
}

std::size_t RecordSplitter::split(std::string_view text, bool is_last,
                                  const std::function<void(const Record&)>& take) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t next = record(text, at, is_last);
    if (next == text.npos) break;
    take({.cells = cells_, .line = line_});
    line_ += lines_inside_ + 1;
    num_bytes_taken_ += next - at;
    at = next;
  }
  return at;
}

std::size_t RecordSplitter::record(std::string_view text, std::size_t at, bool is_last) {
  cells_.clear();
  unquoted_.clear();
  lines_inside_ = 0;
  ended_ = false;
  while (!ended_) {
    std::size_t begin = at;
    while (begin < text.size() && text[begin] == ' ') ++begin;
    const bool quoted = begin < text.size() && text[begin] == '"';
    at = quoted ? quoted_cell(text, begin, is_last) : plain_cell(text, at, is_last);
    if (at == text.npos) return at;
  }
  return at;
}

std::size_t RecordSplitter::plain_cell(std::string_view text, std::size_t at, bool is_last) {
  std::size_t end = at;
  for (; end < text.size() && text[end] != separator_ && text[end] != '\n'; ++end)
    if (text[end] == '\0') fail_for_zero();
  if (end == text.size() && !is_last) return text.npos;
  ended_ = end == text.size() || text[end] == '\n';
  std::string_view cell = text.substr(at, end - at);
  if (ended_ && cell.ends_with('\r')) cell.remove_suffix(1);
  if (cell.find('\r') != cell.npos)
    fail(line_ + lines_inside_, "a carriage return within a line",
         "lines end with a line feed, or with both: tr '\\r' '\\n' < OLD > NEW");
  cells_.push_back({without_blanks(cell, separator_), false});
  return std::min(end + 1, text.size());
}

// `at` is the opening quote.
std::size_t RecordSplitter::quoted_cell(std::string_view text, std::size_t at, bool is_last) {
  const Index first_line = line_ + lines_inside_;
  std::size_t end = at + 1;
  bool has_doubled = false;
  for (;; ++end) {
    end = text.find('"', end);
    const bool may_go_on = end == text.npos || end + 1 == text.size();
    if (may_go_on && !is_last) return text.npos;
    if (end == text.npos) fail(first_line, "a quote isn't closed", "put \" at the end of the cell");
    if (end + 1 == text.size() || text[end + 1] != '"') break;
    has_doubled = true;
    ++end;
  }
  std::string_view cell = text.substr(at + 1, end - at - 1);
  if (cell.find('\0') != cell.npos) fail_for_zero();
  lines_inside_ += std::count(cell.begin(), cell.end(), '\n');
  if (has_doubled) {
    std::string& plain = unquoted_.emplace_back();
    for (std::size_t k = 0; k < cell.size(); ++k) {
      plain += cell[k];
      if (cell[k] == '"') ++k;
    }
    cell = plain;
  }
  cells_.push_back({cell, true});
  for (++end; end < text.size() && (text[end] == ' ' || text[end] == '\r'); ++end) continue;
  if (end == text.size() && !is_last) return text.npos;
  ended_ = end == text.size() || text[end] == '\n';
  for (const auto& [sign, word] : {std::pair{';', "semicolon"}, {'\t', "tab"}, {',', "comma"}})
    if (!ended_ && text[end] == sign && sign != separator_)
      fail(line_ + lines_inside_, fmt::format("a {} behind a closing quote", word),
           fmt::format("where {}s separate the cells: --separator {}{}", word, word,
                       sign == ';' ? " (with --decimal comma where numbers are written 1,5)" : ""));
  if (!ended_ && text[end] != separator_)
    fail(line_ + lines_inside_, "text behind a closing quote",
         "a quote within a quoted cell is written twice, \"\"");
  return std::min(end + 1, text.size());
}

}  // namespace credo::io
