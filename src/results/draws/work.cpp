#include "results/draws/work.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/seal.hpp"
#include "infer/core/recorder.hpp"
#include "io/file.hpp"

namespace credo::results {
namespace {
constexpr std::size_t kSumDigits = 16;
constexpr double kStatePeriod = 1.0,
                 kMostShare = 0.05;  // seconds between states; share of the time

std::string with_sum(const std::string& text) {
  return fmt::format("{} {:016x}\n", text, check_sum(text, 0));
}

// Nullopt if the line isn't as written.
std::optional<std::string> without_sum(std::string_view line) {
  if (line.size() < kSumDigits + 1) return std::nullopt;
  const std::string text(line.substr(0, line.size() - kSumDigits - 1));
  return with_sum(text) == std::string(line) + "\n" ? std::optional(text) : std::nullopt;
}

// Bytes as hexadecimal digits, and back.
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

std::string bytes_of_digits(std::string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(16 * value(digits[i]) + value(digits[i + 1]));
  return bytes;
}

std::optional<io::JsonValue> spec_of_line(std::string_view line, const std::string& path) {
  const auto text = without_sum(line);
  if (!text || !text->starts_with("{\"spec\":")) return std::nullopt;
  io::JsonValue value = io::parse_json_value(*text, path);
  return value.find("question") == nullptr ? std::nullopt : std::optional(std::move(value));
}

[[noreturn]] void cannot_write(const std::string& path) {
  throw Error(ErrorCode::io, fmt::format("can't be written: {}", std::strerror(errno)), path);
}

std::string value_text(const io::JsonValue* value) {
  return value == nullptr ? "not given" : describe(*value);
}

// The first difference of two specifications: "seed: the number 1 there, the number 2 here".
std::string difference_of(const io::JsonValue& there, const io::JsonValue& here) {
  const auto in = [](const io::JsonValue& spec, const char* group, const std::string& name) {
    const io::JsonValue* members = spec.find(group);
    return value_text(members == nullptr ? nullptr : members->find(name));
  };
  for (const char* name : {"question", "version", "arithmetic"})
    if (value_text(there.find(name)) != value_text(here.find(name)))
      return fmt::format("{}: {} there, {} here", name, value_text(there.find(name)),
                         value_text(here.find(name)));
  for (const char* group : {"options", "inputs"})
    for (const io::JsonValue* spec : {&there, &here})
      for (const auto& [name, value] : spec->find(group)->members)
        if (in(there, group, name) != in(here, group, name))
          return group == std::string_view("inputs")
                     ? fmt::format("the content of {} differs", name)
                     : fmt::format("{}: {} there, {} here", name, in(there, group, name),
                                   in(here, group, name));
  return "they differ";
}

Error other_work(const std::string& line, const std::string& path, const WorkSpec& own) {
  const auto there = spec_of_line(line, path);
  const std::string difference =
      there ? ": " + difference_of(*there, io::parse_json_value(own.text, path)) : "";
  return Error(ErrorCode::usage,
               "these are results of another program, other data or other options" + difference,
               path, "remove the file, or name another --output");
}

constexpr std::string_view kStateForm = " 2";  // states of an earlier form are another identity

struct KeptStates {
  std::string identity = {};
  std::vector<Index> pieces = {};
  std::vector<std::string> states = {};
  static void saved(auto& self, auto&& field) {
    field(self.identity);
    field(self.pieces);
    field(self.states);
  }
};
}  // namespace

std::string work_file_of(const std::string& answer) { return answer + ".run"; }

std::optional<io::JsonValue> read_work_spec(const std::string& path) {
  constexpr std::string_view kBegin = "{\"spec\":";
  {
    const io::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, kBegin.size()> begin{};
    if (::read(file.number(), begin.data(), begin.size()) != static_cast<ssize_t>(begin.size()) ||
        std::string_view(begin.data(), begin.size()) != kBegin)
      return std::nullopt;
  }
  const std::string text = io::read_file(path);
  return spec_of_line(std::string_view(text).substr(0, text.find('\n')), path);
}

// ---- the work file

Work::Work(WorkOptions options) : options_(std::move(options)), begin_(infer::clock_seconds()) {
  if (options_.file.empty()) return;
  const std::string path = work_file_of(options_.file), head = with_sum(options_.spec.text);
  lock_.emplace(path, options_.note);
  const auto open = [&] {
    descriptor_ = io::Descriptor(
        ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!keeps()) cannot_write(path);
  };
  open();
  const std::string text = io::read_file(path);
  const std::size_t kept = take(text);
  if (kept > 0 && !text.starts_with(head)) {  // the same pieces, another number of them
    io::OutputFile file(path, io::Readers::from_text("owner"));
    file.write(head + text.substr(text.find('\n') + 1, kept - text.find('\n') - 1));
    file.commit();
    open();
  } else {
    if (::ftruncate(descriptor_.number(), static_cast<off_t>(kept)) != 0) cannot_write(path);
    if (kept == 0) append(head);
  }
  take_states();
  num_done_ = std::ranges::count_if(done_, [&](const auto& p) { return p.first < options_.count; });
  if (num_done_ > 0 || !found_.empty())
    note(fmt::format("resumes with {} {} of {}\n", num_done_, options_.what, path));
}

Work::~Work() {
  if (keeps() && done_.empty() && num_done_ == 0 && states_.empty()) end();
}

// How much of the text is whole lines; a line that was broken off is done again.
std::size_t Work::take(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (text.empty() || with_sum(options_.spec.text).starts_with(text)) return 0;
  const std::string path = work_file_of(options_.file), line = text.substr(0, end);
  const auto spec = end == text.npos ? std::nullopt : spec_of_line(line, path);
  const io::JsonValue* identity = spec ? spec->find("identity") : nullptr;
  if (identity == nullptr || identity->text != options_.spec.identity)
    throw other_work(line, path, options_.spec);
  return take_pieces(text, end + 1);
}

std::size_t Work::take_pieces(const std::string& text, std::size_t begin) {
  const std::string path = work_file_of(options_.file);
  for (;;) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos) return begin;
    const auto line = without_sum(std::string_view(text).substr(begin, end - begin));
    if (!line) {
      if (text.find('\n', end + 1) == std::string::npos) return begin;
      throw Error(ErrorCode::io, "a line is damaged: its check sum differs", path,
                  "remove the file to begin again");
    }
    const io::JsonValue value = io::parse_json_value(*line, path);
    const auto piece = static_cast<Index>(value.find("number")->as_number("number"));
    done_.insert_or_assign(piece, bytes_of_digits(value.find("result")->as_string("result")));
    begin = end + 1;
  }
}

void Work::append(std::string_view line) const {
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor_.number(), line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) cannot_write(work_file_of(options_.file));
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Work::add(Index piece, const std::string& result) {
  if (keeps()) {
    append(with_sum(fmt::format("{{\"number\":{},\"result\":\"{}\"}}", piece, digits_of(result))));
    const std::lock_guard lock(mutex_);
    states_.erase(piece);
  }
  ++num_done_;
  const Index tenth = 10 * num_done_ / std::max<Index>(options_.count, 1);
  if (!options_.reports_progress || tenth == tenths_noted_) return;
  tenths_noted_ = tenth;
  note(fmt::format("{} of {} {}\n", num_done_, options_.count, options_.what));
}

void Work::note(const std::string& text) const {
  if (options_.note) options_.note(text);
}

// ---- states of pieces in progress

void Work::take_states() {
  const std::string path = state_file();
  if (::access(path.c_str(), F_OK) != 0) return;
  const std::string text = io::read_file(path);
  KeptStates kept = from_archive<KeptStates>(unsealed(text, path), path);
  if (kept.identity != options_.spec.identity + std::string(kStateForm)) return;
  for (std::size_t k = 0; k < kept.pieces.size(); ++k)
    if (!done_.contains(kept.pieces[k])) found_[kept.pieces[k]] = std::move(kept.states[k]);
  states_ = found_;
}

std::string Work::kept(Index piece) {
  const std::lock_guard lock(mutex_);
  const auto place = found_.find(piece);
  return place == found_.end() ? std::string() : place->second;
}

bool Work::is_due(Index piece) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;  // the next question is soon
  const auto place = written_.find(piece);
  const double last = place == written_.end() ? begin_ : place->second;
  return keeps() && infer::clock_seconds() - last >= std::max(kStatePeriod, cost_ / kMostShare);
}

void Work::keep(Index piece, const std::string& state) {
  if (!keeps()) return;
  std::unique_lock lock(mutex_);
  if (state.empty()) {
    states_.erase(piece);
    return;
  }
  states_[piece] = state;
  written_[piece] = infer::clock_seconds();
  has_new_ = true;
  if (std::exchange(is_writing_, true)) return;
  const auto write_all = [&] {
    while (std::exchange(has_new_, false)) {
      const double begin = infer::clock_seconds();
      const std::string text = states_text();
      lock.unlock();
      write_states(text);
      lock.lock();
      cost_ = infer::clock_seconds() - begin;
    }
    is_writing_ = false;
  };
  try {
    write_all();
  } catch (...) {
    if (!lock) lock.lock();
    is_writing_ = false;
    throw;
  }
}

std::string Work::states_text() const {
  KeptStates all{.identity = options_.spec.identity + std::string(kStateForm)};
  for (const auto& [number, bytes] : states_)
    all.pieces.push_back(number), all.states.push_back(bytes);
  return sealed(archived(all));
}

void Work::write_states(const std::string& text) {
  io::OutputFile file(state_file(), io::Readers::from_text("owner"));
  file.write(text);
  file.commit();
}

// ---- the end

void Work::end() {
  if (!keeps()) return;
  descriptor_ = io::Descriptor(-1);
  io::remove_left_parts(state_file());
  remove(state_file());
  remove(work_file_of(options_.file));
  lock_->release();
}

void Work::remove(const std::string& path) const {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return;
  note(fmt::format("{}: the result is complete, but this file can't be removed: {}\n", path,
                   std::strerror(errno)));
}

}  // namespace credo::results
