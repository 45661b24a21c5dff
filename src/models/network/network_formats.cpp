#include "models/network/network_formats.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdlib>

#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace credo::models {

extern const NetworkFormat bif_format, hugin_format, json_format, uai_format;
std::span<const NetworkFormat* const> network_formats() {
  static constexpr std::array kAll{&bif_format, &json_format, &hugin_format, &uai_format};
  return kAll;
}

const NetworkFormat* network_format(const std::string& path) {
  for (const NetworkFormat* format : network_formats())
    if (path.ends_with(format->ending)) return format;
  return nullptr;
}

bool is_network_text(const std::string& path, std::string_view text) {
  const NetworkFormat* format = network_format(path);
  return format != nullptr && (format != &json_format || text.find("\"nodes\"") != text.npos);
}

namespace {
std::string endings(bool written) {
  std::vector<std::string_view> all;
  for (const NetworkFormat* format : network_formats())
    if (!written || format->write != nullptr) all.push_back(format->ending);
  return fmt::format("{}", fmt::join(all, ", "));
}
}  // namespace

Network read_network(const std::string& path, std::string_view text, const NetworkRules& rules,
                     std::vector<std::string>& notes) {
  const NetworkFormat* format = network_format(path);
  if (format == nullptr)
    throw Error(ErrorCode::usage, "files of networks end in " + endings(false), path,
                "rename the file, or convert it");
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Network network = format->read(text, path, notes);
  network.source = path;
  require_sound(network, rules, notes);
  return network;
}

std::string network_text(const Network& network, const std::string& path) {
  const NetworkFormat* format = network_format(path);
  if (format == nullptr || format->write == nullptr)
    throw Error(ErrorCode::usage, "networks are written to files that end in " + endings(true),
                path, "give such a name");
  return format->write(network);
}

// ---- words

NetworkWords::NetworkWords(std::string_view text, const std::string& source,
                           const NetworkLexis& lexis)
    : source_(source) {
  Index line = 1;
  const auto is_space = [&](char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' ||
           lexis.skipped.find(c) != lexis.skipped.npos;
  };
  const auto ends_word = [&](char c) {
    return is_space(c) || c == '"' || lexis.punctuation.find(c) != lexis.punctuation.npos;
  };
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with(lexis.line_comment)) {
      i = std::min(text.find('\n', i), text.size());
    } else if (lexis.has_block_comments && rest.starts_with("/*")) {
      const std::size_t end = text.find("*/", i + 2);
      if (end == text.npos)
        throw Error(ErrorCode::data, "a comment /* has no end */",
                    fmt::format("{}:{}", source_, line));
      line += std::count(text.begin() + static_cast<std::ptrdiff_t>(i),
                         text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
      i = end + 2;
    } else if (is_space(text[i])) {
      line += text[i] == '\n' ? 1 : 0;
      ++i;
    } else if (text[i] == '"') {
      const std::size_t end = text.find('"', i + 1);
      if (end == text.npos)
        throw Error(ErrorCode::data, "a text in quotes has no end",
                    fmt::format("{}:{}", source_, line));
      words_.push_back({std::string(text.substr(i + 1, end - i - 1)), true, line});
      line += std::count(words_.back().text.begin(), words_.back().text.end(), '\n');
      i = end + 1;
    } else {
      std::size_t end = i + 1;
      if (!ends_word(text[i]))
        while (end < text.size() && !ends_word(text[end])) ++end;
      words_.push_back({std::string(text.substr(i, end - i)), false, line});
      i = end;
    }
  }
}

void NetworkWords::refuse(const std::string& message, const std::string& hint) const {
  const Index line = words_.empty()          ? 1
                     : next_ < words_.size() ? words_[next_].line
                                             : words_.back().line;
  throw Error(ErrorCode::data, message, fmt::format("{}:{}", source_, line), hint);
}

const NetworkWord& NetworkWords::peek() const {
  static const NetworkWord kNone{};
  return is_at_end() ? kNone : words_[next_];
}

const NetworkWord& NetworkWords::take() {
  if (is_at_end()) refuse("the text ends too early");
  return words_[next_++];
}

bool NetworkWords::take_if(std::string_view mark) {
  if (!peek().is(mark)) return false;
  ++next_;
  return true;
}

void NetworkWords::expect(std::string_view mark, std::string_view within) {
  if (take_if(mark)) return;
  refuse(fmt::format("'{}' is expected in {}, found {}", mark, within,
                     is_at_end() ? "the end of the text" : fmt::format("'{}'", peek().text)));
}

std::string NetworkWords::take_name(std::string_view what) {
  const NetworkWord& word = peek();
  const bool is_mark = !word.is_quoted && word.text.size() == 1 &&
                       std::string_view("{}()[],;|=").find(word.text[0]) != std::string_view::npos;
  if (is_at_end() || is_mark || word.text.empty())
    refuse(fmt::format("{} is expected, found {}", what,
                       is_at_end() ? "the end of the text" : fmt::format("'{}'", word.text)));
  return take().text;
}

std::optional<double> network_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status == std::errc::result_out_of_range && end == text.data() + text.size())
    return std::strtod(std::string(text).c_str(), nullptr);  // 1e-400 is 0, 1e400 infinite
  if (status != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

double NetworkWords::take_number(std::string_view what) {
  const auto value = network_number(peek().text);
  if (!value || is_at_end())
    refuse(fmt::format("{} is expected, found {}", what,
                       is_at_end() ? "the end of the text" : fmt::format("'{}'", peek().text)));
  ++next_;
  return *value;
}

void NetworkWords::skip_behind(std::string_view mark) {
  while (!take_if(mark)) take();
}

std::int32_t known_node(const Network& network, const std::string& name,
                        const NetworkWords& words) {
  for (std::int32_t v = 0; v < network.size(); ++v)
    if (network.node(v).name == name) return v;
  words.refuse(fmt::format("there is no node '{}'", name), did_you_mean(name, network.names()));
}

}  // namespace credo::models
