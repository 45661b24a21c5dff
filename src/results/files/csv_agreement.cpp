// CmdStan writes, and so do we: the settings, the rows, and behind the last row the times. A file
// that is cut at the end of a line lacks rows, or the times only. Files of others may have no
// comments at all: then missing parts can't be noticed.
#include "results/files/csv_agreement.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "io/number_text.hpp"

namespace credo::results {
namespace {
using io::StanCsv;
using Paths = std::span<const std::string>;

// Chains of one run have them in common.
constexpr std::array<const char*, 7> kShared{
    "method", "model", "num_samples", "num_warmup", "save_warmup", "thin", "walkers_per_chain"};
// These may differ on purpose: by CmdStan's word, in words.
constexpr std::array<std::pair<const char*, const char*>, 5> kReported{{{"seed", "seed"},
                                                                        {"file", "data file"},
                                                                        {"algorithm", "algorithm"},
                                                                        {"engine", "engine"},
                                                                        {"metric", "metric"}}};

std::optional<Index> count_in(const StanCsv& file, const char* name) {
  const std::string* text = file.find_setting(name);
  if (text == nullptr) return std::nullopt;
  const auto number = io::parse_number(*text);
  if (!number) return std::nullopt;
  return io::count_said(*number);
}

bool saves_warmup(const StanCsv& file) {
  const std::string* text = file.find_setting("save_warmup");
  return text != nullptr && (*text == "1" || *text == "true");
}

// The rows that so many iterations leave: every n-th, from the first one on.
std::optional<Index> rows_said(const StanCsv& file, const char* iterations) {
  const auto asked = count_in(file, iterations);
  const Index thin = std::max<Index>(1, count_in(file, "thin").value_or(1));
  if (!asked) return std::nullopt;
  return *asked / thin + (*asked % thin == 0 ? 0 : 1);
}

Index num_draws(const StanCsv& file) { return file.num_rows - file.num_warmup_rows; }

// CmdStan's fixed_param has no warm-up, whatever its header says; ours says so of all samplers that
// adapt no step size.
bool skips_warmup(const StanCsv& file) {
  const std::string* algorithm = file.find_setting("algorithm");
  return file.num_warmup_rows == 0 && algorithm != nullptr && *algorithm == "fixed_param" &&
         file.find_setting("credo_version") == nullptr;
}

// Files of an optimum or an approximation have rows, too, which aren't draws.
void require_draws(const StanCsv& file, const std::string& path) {
  const std::string* method = file.find_setting("method");
  if (method == nullptr || (*method != "optimize" && *method != "variational")) return;
  throw Error(ErrorCode::data,
              fmt::format("the header says method = {}: its rows aren't draws of chains", *method),
              path, "name files of method = sample");
}

void require_whole(const StanCsv& file, const std::string& path) {
  const auto draws = rows_said(file, "num_samples");
  if (draws && *draws != num_draws(file))
    throw Error(ErrorCode::data,
                fmt::format("the file has {} draws, its header says {} (num_samples = {}, thin = "
                            "{}): it {}",
                            num_draws(file), *draws, *file.find_setting("num_samples"),
                            count_in(file, "thin").value_or(1),
                            num_draws(file) < *draws ? "was cut, or its run didn't end"
                                                     : "isn't as it was written"),
                path,
                "name files of runs that ended; to read this one all the same, write the number "
                "of iterations that it has into num_samples");
  const auto warmup = rows_said(file, "num_warmup");
  if (saves_warmup(file) && warmup && file.num_warmup_rows != *warmup && !skips_warmup(file))
    throw Error(ErrorCode::data,
                fmt::format("the file has {} draws of warm-up, its header says {} (num_warmup = "
                            "{})",
                            file.num_warmup_rows, *warmup, *file.find_setting("num_warmup")),
                path, "name files as they were written");
}

void require_shared(const StanCsv& file, const std::string& path, const StanCsv& first,
                    const std::string& first_path) {
  for (const char* name : kShared) {
    const std::string *here = file.find_setting(name), *there = first.find_setting(name);
    if (here != nullptr && there != nullptr && *here != *there)
      throw Error(ErrorCode::data,
                  fmt::format("{} = {}, but {} has {} = {}", name, *here, first_path, name, *there),
                  path, "name the chains of one run");
  }
}

std::string differing_column(const StanCsv& file, const StanCsv& first) {
  const std::size_t size = std::max(file.columns.size(), first.columns.size());
  const auto name = [](const StanCsv& csv, std::size_t k) {
    return k < csv.columns.size() ? csv.columns[k] : "none";
  };
  for (std::size_t k = 0; k < size; ++k)
    if (name(file, k) != name(first, k))
      return fmt::format("column {} is {}, there {}", k + 1, name(file, k), name(first, k));
  return {};
}

void require_same_rows(const StanCsv& file, const std::string& path, const StanCsv& first,
                       const std::string& first_path) {
  if (file.columns != first.columns)
    throw Error(ErrorCode::data,
                fmt::format("the columns differ from those of {}: {}", first_path,
                            differing_column(file, first)),
                path, "name the chains of one run");
  if (num_draws(file) == num_draws(first) && file.num_warmup_rows == first.num_warmup_rows) return;
  throw Error(
      ErrorCode::data,
      fmt::format("{} draws and {} of warm-up, but {} has {} and {}", num_draws(file),
                  file.num_warmup_rows, first_path, num_draws(first), first.num_warmup_rows),
      path, "name the chains of one run");
}

// ---- equal draws

std::string_view bytes_of(const StanCsv& file) {
  return {reinterpret_cast<const char*>(file.values.data()), file.values.size() * sizeof(double)};
}

// Draws that never move are the same in every chain, as those of a program without parameters.
bool moves(const StanCsv& file) {
  for (Index k = 0; k < ssize(file.columns); ++k) {
    const auto column = file.column(k);
    for (const double x : column)
      if (x != column.front() && !std::isnan(x)) return true;
  }
  return false;
}

void require_different_draws(std::span<const StanCsv> files, Paths paths) {
  std::map<std::string_view, std::size_t> seen;
  for (std::size_t c = 0; c < files.size(); ++c) {
    const auto [known, is_new] = seen.try_emplace(bytes_of(files[c]), c);
    if (is_new || !moves(files[c])) continue;
    throw Error(ErrorCode::data,
                fmt::format("the draws are those of {}, bit for bit: one chain twice is no second "
                            "chain",
                            paths[known->second]),
                paths[c], "name each chain once, and run chains with seeds or ids of their own");
  }
}

// ---- remarks on the files

// "a.csv", "a.csv and b.csv", "a.csv and 3 others"
std::string named(std::span<const std::string> paths) {
  if (paths.size() == 1) return paths[0];
  if (paths.size() == 2) return paths[0] + " and " + paths[1];
  return fmt::format("{} and {} others", paths[0], paths.size() - 1);
}

template <class Question>
std::vector<std::string> paths_where(std::span<const StanCsv> files, Paths paths,
                                     Question question) {
  std::vector<std::string> found;
  for (std::size_t c = 0; c < files.size(); ++c)
    if (question(files[c])) found.push_back(paths[c]);
  return found;
}

void note_open_ends(std::span<const StanCsv> files, Paths paths, std::vector<std::string>& notes) {
  const auto says_nothing = [](const StanCsv& file) { return !rows_said(file, "num_samples"); };
  const auto open = paths_where(files, paths, says_nothing);
  if (!open.empty())
    notes.push_back(
        fmt::format("{}: no line gives the number of draws (num_samples), "
                    "so missing draws can't be detected",
                    named(open)));
  const auto ends_early = [&](const StanCsv& file) {
    return !says_nothing(file) && std::isnan(file.sampling_seconds);
  };
  const auto cut = paths_where(files, paths, ends_early);
  if (!cut.empty())
    notes.push_back(
        fmt::format("{}: all draws are there, but not the times behind them: cut, or "
                    "the run ended early",
                    named(cut)));
}

void note_differences(std::span<const StanCsv> files, Paths paths,
                      std::vector<std::string>& notes) {
  for (const auto& [name, word] : kReported)
    for (std::size_t c = 1; c < files.size(); ++c) {
      const std::string *here = files[c].find_setting(name), *there = files[0].find_setting(name);
      if (here == nullptr || there == nullptr || *here == *there) continue;
      notes.push_back(
          fmt::format("the chains differ in their {}: {} in {}, {} in {}; they are taken "
                      "as chains of one posterior",
                      word, *there, paths[0], *here, paths[c]));
      break;
    }
}
}  // namespace

void require_different_files(Paths paths) {
  std::map<std::pair<dev_t, ino_t>, std::string> seen;
  for (const std::string& path : paths) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) continue;  // the reader reports the error
    const auto [known, is_new] = seen.try_emplace({info.st_dev, info.st_ino}, path);
    if (is_new) continue;
    throw Error(ErrorCode::usage,
                known->second == path
                    ? "the file is named twice"
                    : fmt::format("{} is the same file under another name", known->second),
                path, "name each chain once");
  }
}

void settle_warmup(StanCsv& file) {
  if (file.step_size || file.num_warmup_rows > 0 || !saves_warmup(file)) return;
  const auto draws = rows_said(file, "num_samples"), warmup = rows_said(file, "num_warmup");
  if (draws && warmup && *warmup <= file.num_rows && *draws == file.num_rows - *warmup)
    file.num_warmup_rows = *warmup;
}

std::vector<std::string> judge_csv_files(std::span<const StanCsv> files, Paths paths) {
  for (std::size_t c = 0; c < files.size(); ++c) {
    require_draws(files[c], paths[c]);
    require_shared(files[c], paths[c], files[0], paths[0]);
    require_whole(files[c], paths[c]);
    require_same_rows(files[c], paths[c], files[0], paths[0]);
  }
  require_different_draws(files, paths);
  std::vector<std::string> notes;
  note_open_ends(files, paths, notes);
  note_differences(files, paths, notes);
  return notes;
}

}  // namespace credo::results
