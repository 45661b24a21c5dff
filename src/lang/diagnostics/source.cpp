// Reads files and puts includes in their places. Comments and strings are skipped, so that an
// #include inside one of them is ignored.
#include "lang/diagnostics/source.hpp"

#include <filesystem>
#include <fstream>

#include "io/text_encoding.hpp"
#include "lang/diagnostics/diagnostics.hpp"

namespace credo::lang {
namespace {
bool same_file(const std::string& a, const std::string& b);
std::string joined(std::span<const std::string> words);
std::filesystem::path real_path(const std::string& path);
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
}  // namespace

SourceRange join(SourceRange first, SourceRange last) {
  if (first.file != last.file) return first;
  return {first.file, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

SourceFile::SourceFile(std::string name_, std::string text_, std::optional<SourceRange> from)
    : name(std::move(name_)), text(std::move(text_)), included_from(from), line_starts{0} {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts.push_back(static_cast<std::uint32_t>(i + 1));
  }
}

Position SourceFile::position(std::uint32_t offset) const {
  const auto after = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
  const auto line = after - line_starts.begin();  // line_starts[0] is 0, so at least 1
  const std::uint32_t start = line_starts[static_cast<std::size_t>(line - 1)];
  return {static_cast<int>(line), static_cast<int>(offset - start) + 1};
}

std::string_view SourceFile::line(int number) const {
  const auto index = static_cast<std::size_t>(number - 1);
  const std::size_t begin = line_starts[index];
  const bool last = index + 1 == line_starts.size();
  std::string_view whole(text);
  whole = whole.substr(begin, last ? whole.npos : line_starts[index + 1] - begin - 1);
  if (whole.ends_with('\r')) whole.remove_suffix(1);
  return whole;
}

std::string_view SourceMap::text(SourceRange range) const {
  return std::string_view(file(range).text).substr(range.begin, range.end - range.begin);
}

std::string SourceMap::where(SourceRange range) const {
  const Position at = position(range);
  return file(range).name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

// Fills a SourceMap: scans each file for #include lines and expands them depth first.
class IncludeExpander {
 public:
  // `beside`: files are also searched for in the folder of the file that has the line.
  IncludeExpander(SourceMap& map, Diagnostics& diagnostics, std::span<const std::string> dirs,
                  const FileReader& read, bool beside)
      : map_(map), diagnostics_(diagnostics), dirs_(dirs), read_(read), beside_(beside) {}

  // Appends the pieces of a new file and, in their places, those of the files it includes.
  void add(std::string name, std::string text, std::optional<SourceRange> from);

 private:
  std::string_view text() const { return map_.files_[file_].text; }
  SourceRange range(std::size_t begin, std::size_t end) const {
    return {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  }
  std::size_t next_directive(std::size_t at) const;  // the # of the next #include, or the end
  std::size_t past_comment(std::size_t at) const;
  std::size_t past_string(std::size_t at) const;
  std::size_t expand(std::size_t hash);  // includes the file; the end of the line
  std::optional<SourceRange> file_name(std::size_t begin, std::size_t end);
  struct Included {
    std::string path, text;
    bool outside = false;  // it is there, but in none of the directories
  };
  std::vector<std::string> searched() const;  // folders, in their order
  std::optional<Included> find(const std::string& name) const;
  static bool is_inside(const std::string& path, std::span<const std::string> dirs);
  void include(SourceRange name, SourceRange directive);
  bool includes_itself(const std::string& path) const;

  SourceMap& map_;
  Diagnostics& diagnostics_;
  std::span<const std::string> dirs_;
  const FileReader& read_;
  bool beside_;
  std::uint32_t file_ = 0;
  std::size_t num_bytes_ = 0;
};

void IncludeExpander::add(std::string name, std::string text_of_file,
                          std::optional<SourceRange> from) {
  const std::uint32_t outer = file_;
  num_bytes_ += text_of_file.size();
  if (num_bytes_ > kMaxProgramBytes) {
    diagnostics_.report(DiagCode::program_too_large, from.value_or(SourceRange{}),
                        {name, std::to_string(kMaxProgramBytes)});
    text_of_file.clear();
  }
  const std::string_view encoding = io::foreign_encoding(text_of_file);
  if (!encoding.empty()) {
    diagnostics_.report(DiagCode::wrong_encoding, from.value_or(SourceRange{}),
                        {name, std::string(encoding)}, io::to_utf8_hint(encoding));
    text_of_file.clear();
  }
  file_ = static_cast<std::uint32_t>(map_.files_.size());
  map_.files_.emplace_back(std::move(name), std::move(text_of_file), from);
  std::size_t begin = 0;
  for (;;) {
    const std::size_t hash = next_directive(begin);
    map_.pieces_.push_back(range(begin, hash));
    if (hash == text().size()) break;
    begin = expand(hash);
  }
  file_ = outer;
}

std::size_t IncludeExpander::next_directive(std::size_t at) const {
  const std::string_view all = text();
  while (at < all.size()) {
    if (all[at] == '/') {
      at = past_comment(at);
    } else if (all[at] == '"') {
      at = past_string(at);
    } else if (all.substr(at).starts_with("#include")) {
      return at;
    } else {
      ++at;
    }
  }
  return all.size();
}

std::size_t IncludeExpander::past_comment(std::size_t at) const {
  const std::string_view rest = text().substr(at);
  std::size_t length = 1;
  if (rest.starts_with("//")) length = rest.find('\n');
  if (rest.starts_with("/*")) length = rest.find("*/", 2);
  return length == rest.npos ? text().size() : at + length;
}

std::size_t IncludeExpander::past_string(std::size_t at) const {
  const std::size_t end = text().find_first_of("\"\n", at + 1);
  return end == std::string_view::npos ? text().size() : end + 1;
}

// directive := "#include" blank+ ( name | '"' name '"' | '<' name '>' ) end-of-line
// The blanks may be line breaks.
std::size_t IncludeExpander::expand(std::size_t hash) {
  const std::size_t at = hash + std::strlen("#include");
  const std::size_t begin = std::min(text().find_first_not_of(" \t\r\n", at), text().size());
  const std::size_t end = std::min(text().find('\n', begin), text().size());
  const std::optional<SourceRange> name = begin == at ? std::nullopt : file_name(begin, end);
  if (name) {
    include(*name, range(hash, name->end));
    return end;
  }
  const std::size_t line_end = std::min(text().find('\n', hash), end);
  diagnostics_.report(DiagCode::include_malformed, range(hash, line_end), {},
                      "write #include file.stan");
  return line_end;
}

// The name within its quotes, or up to the next blank. Warns about what follows it.
std::optional<SourceRange> IncludeExpander::file_name(std::size_t begin, std::size_t end) {
  const std::string_view line = text().substr(0, end);
  if (begin == end || line[begin] == '#') return std::nullopt;  // # begins the next directive
  const char close = line[begin] == '"' ? '"' : line[begin] == '<' ? '>' : ' ';
  const std::size_t first = close == ' ' ? begin : begin + 1;
  const std::size_t last =
      close == ' ' ? std::min(line.find_first_of(" \t\r", first), end) : line.find(close, first);
  if (last == line.npos || last == first) return std::nullopt;
  std::size_t rest = close == ' ' ? last : last + 1;
  while (rest < end && is_blank(line[rest])) ++rest;
  if (rest < end && line.substr(rest, 2) != "//") {
    diagnostics_.report(DiagCode::include_trailing_text, range(rest, end));
  }
  return range(first, last);
}

void IncludeExpander::include(SourceRange name_range, SourceRange directive) {
  const std::string name(map_.text(name_range));
  if (map_.files_.size() > kMaxIncludes) {
    diagnostics_.report(DiagCode::too_many_includes, directive, {std::to_string(kMaxIncludes)});
    return;
  }
  auto found = find(name);
  const std::vector<std::string> dirs = searched();
  const std::string where = dirs.empty() ? "any directory" : joined(dirs);
  if (!found) {
    diagnostics_.report(DiagCode::include_not_found, name_range, {name, where});
  } else if (found->outside) {
    diagnostics_.report(DiagCode::include_outside, name_range,
                        {name, real_path(found->path).string(), where});
  } else if (includes_itself(found->path)) {
    diagnostics_.report(DiagCode::include_recursive, directive, {name});
  } else {
    add(found->path, std::move(found->text), directive);
  }
}

std::vector<std::string> IncludeExpander::searched() const {
  std::vector<std::string> dirs(dirs_.begin(), dirs_.end());
  if (!beside_) return dirs;
  const std::string folder = std::filesystem::path(map_.files_[file_].name).parent_path().string();
  dirs.push_back(folder.empty() ? "." : folder);
  return dirs;
}

// The path and the text of an included file. A name that begins with / is one below a directory,
// too, as the reference compiler has it, or the whole path of a file in one.
std::optional<IncludeExpander::Included> IncludeExpander::find(const std::string& name) const {
  using std::filesystem::path;
  std::optional<Included> outside;
  const std::vector<std::string> dirs = searched();
  for (const std::string& dir : dirs) {
    for (const path& file : {path(dir) / path(name).relative_path(), path(dir) / name}) {
      const std::string at = file.lexically_normal().string();
      std::error_code failed;
      if (!is_inside(at, dirs)) {
        if (!outside && std::filesystem::exists(at, failed))
          outside = Included{.path = at, .text = {}, .outside = true};
      } else if (auto content = read_(at)) {
        return Included{.path = at, .text = *std::move(content)};
      }
    }
  }
  return outside;
}

// Links and .. are resolved first: a program may read only from folders that were named.
bool IncludeExpander::is_inside(const std::string& path, std::span<const std::string> dirs) {
  const std::filesystem::path file = real_path(path);
  return std::any_of(dirs.begin(), dirs.end(), [&](const std::string& dir) {
    std::filesystem::path base = real_path(dir);
    if (!base.has_filename()) base = base.parent_path();
    return std::mismatch(base.begin(), base.end(), file.begin(), file.end()).first == base.end();
  });
}

bool IncludeExpander::includes_itself(const std::string& path) const {
  std::optional<SourceRange> from = range(0, 0);
  for (; from; from = map_.files_[from->file].included_from) {
    if (same_file(map_.files_[from->file].name, path)) return true;
  }
  return false;
}

std::optional<std::string> read_program_file(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::is_directory(path, failed)) return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string content(kMaxProgramBytes + 1, '\0');
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (in.bad()) return std::nullopt;
  content.resize(static_cast<std::size_t>(in.gcount()));
  content.shrink_to_fit();
  return content;
}

SourceMap SourceMap::from_text(std::string name, std::string text, Diagnostics& diagnostics,
                               std::span<const std::string> include_dirs, const FileReader& read) {
  SourceMap map;
  IncludeExpander(map, diagnostics, include_dirs, read, false)
      .add(std::move(name), std::move(text), {});
  return map;
}

namespace {
std::string why_unreadable(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) return "there is no such file";
  return std::filesystem::is_directory(status) ? "it is a directory" : "reading isn't permitted";
}

// A program beside it whose name is nearly the same.
std::string near_program(const std::string& path) {
  const std::filesystem::path wanted(path);
  const auto folder = wanted.has_parent_path() ? wanted.parent_path() : std::filesystem::path(".");
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == ".stan") names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return did_you_mean(wanted.filename().string(), names);
}
}  // namespace

SourceMap SourceMap::from_file(const std::string& path, Diagnostics& diagnostics,
                               std::span<const std::string> include_dirs, const FileReader& read) {
  std::optional<std::string> content = read(path);
  if (!content) {
    diagnostics.report(DiagCode::file_not_readable, {}, {path, why_unreadable(path)},
                       near_program(path));
    content.emplace();
  }
  SourceMap map;
  IncludeExpander(map, diagnostics, include_dirs, read, true).add(path, std::move(*content), {});
  return map;
}

namespace {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code failed;
  return a == b || std::filesystem::equivalent(a, b, failed);
}

// Without links and .., as far as it is there.
std::filesystem::path real_path(const std::string& path) {
  std::error_code failed;
  auto real = std::filesystem::weakly_canonical(path, failed);
  return failed ? std::filesystem::path(path) : std::filesystem::absolute(real, failed);
}

std::string joined(std::span<const std::string> words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ", ") + word;
  return all;
}

}  // namespace
}  // namespace credo::lang
