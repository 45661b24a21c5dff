#include "results/files/fit.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <fstream>

#include "base/archive.hpp"
#include "io/json_writer.hpp"
#include "io/apart.hpp"
#include "results/files/csv_fit.hpp"
#include "results/files/draw_cache.hpp"
#include "results/files/fit_layout.hpp"
#include "results/files/netcdf_fit.hpp"
#include "results/files/no_table.hpp"
#include "results/files/run_store.hpp"
#include "results/files/specification.hpp"

namespace credo::results {
namespace {
constexpr Index kBatchValues = (Index{32} << 20) / 8;
constexpr Index kMostWalkers = 1'000'000;

// A run file that is only read.
class RunFileFit final : public Fit {
 public:
  explicit RunFileFit(const std::string& path);
  const std::vector<StatColumn>& columns() const override { return columns_; }
  const density::Layout& layout() const override { return layout_; }
  Index num_chains() const override { return file_.num_chains() * num_walkers_; }
  Index num_walkers() const override { return num_walkers_; }
  Index num_draws(bool warmup) const override { return num_draws_[warmup ? 1 : 0]; }
  const FitOrigin& origin() const override { return origin_; }
  const infer::RunResult& result() const override { return result_; }
  std::vector<FitNote> notes() const override { return notes_of(file_); }
  io::InputFiles::Contents files() const override { return files_of(file_.facts()); }
  density::Draws read(const DrawSlab& slab) const override {
    return cache_.read(*this, within(*this, slab), [this](const DrawSlab& all) {
      return draws_of_rows(file_, num_walkers_, all);
    });
  }
  const std::vector<RowTable>& tables() const override { return tables_; }
  std::vector<double> table_rows(Index table, Index chain) const override {
    return rows_of_table(file_, table, chain);
  }
  std::unique_ptr<WorkApart> apart(const std::function<void()>& work) override {
    return std::make_unique<WorkApart>(work, file_);
  }

 private:
  io::RunFile file_;
  DrawCache cache_;
  FitOrigin origin_;
  std::vector<StatColumn> columns_;
  density::Layout layout_;
  std::vector<RowTable> tables_;
  Index num_walkers_ = 1;
  std::array<Index, 2> num_draws_{};  // when it was opened: the run may still continue
  infer::RunResult result_;
};

io::RunFile opened_with_draws(const std::string& path) {
  io::RunFile file = io::RunFile::open(path);
  if (file.has_rows()) return file;
  throw Error(ErrorCode::usage,
              fmt::format("this is unfinished work of credo {}, which has no draws",
                          specification_of(file.facts(), path).question),
              path, fmt::format("credo resume {0} completes it; credo info {0} shows it", path));
}

RunFileFit::RunFileFit(const std::string& path)
    : file_(opened_with_draws(path)), origin_(origin_of(file_.facts(), path)) {
  columns_ = columns_of(file_.facts(), path);
  layout_ = layout_of(file_.facts(), path);
  tables_ = tables_of(file_.facts(), path);
  num_walkers_ = fact_of<Index>(file_.facts(), "num_walkers", path);
  const bool fits = num_walkers_ >= 1 && num_walkers_ <= kMostWalkers &&
                    ssize(columns_) + layout_.size() == file_.num_columns(io::kDraws) &&
                    fits_tables(tables_, file_);
  if (!fits)
    throw Error(ErrorCode::io, "the run file is damaged: its columns aren't those of its rows",
                path);
  for (const bool warmup : {false, true})
    num_draws_[warmup ? 1 : 0] =
        num_complete_rows(file_, file_.num_chains(), warmup) / num_walkers_;
  result_ = result_of(file_, origin_.sampler, num_walkers_);
}

std::string first_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(16, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

}  // namespace

const std::vector<RowTable>& Fit::tables() const {
  static const std::vector<RowTable> none;
  return none;
}

std::unique_ptr<WorkApart> Fit::apart(const std::function<void()>& work) {
  return std::make_unique<WorkApart>(work);
}

bool is_run_file(const std::string& path) {
  return first_bytes(path).starts_with("SQLite format 3");
}

bool is_netcdf_file(const std::string& path) {
  const std::string bytes = first_bytes(path);
  return bytes.starts_with("\x89HDF\r\n") || bytes.starts_with("CDF");
}

// A file with the name of a run file that has the bytes of another one: read as CSV, it would only get a message on its
// first line.
void require_run_file(const std::string& path) {
  const bool has_name = path.ends_with(".run") && access(path.c_str(), R_OK) == 0;
  if (!has_name || is_run_file(path)) return;
  if (first_bytes(path).starts_with(R"({"spec":1,)"))
    throw Error(
        ErrorCode::io,
        "this is unfinished work of an earlier version, in a format that this one doesn't read",
        path, "resume it with the version that began it, or remove the file to begin again");
  throw Error(ErrorCode::io, "not a run file, or one whose first page is damaged", path,
              "put a sound copy in its place, or begin the run anew");
}

namespace {
// Refuses files whose names show that they aren't draws, before they are read as tables of draws.
void require_draws_by_name(const std::string& path) {
  if (path.ends_with(".stan"))
    throw Error(
        ErrorCode::usage, "this is a Stan program, not a result", path,
        fmt::format("make a result of it first: credo sample {} --data DATA -o fit.nc; then "
                    "name fit.nc",
                    path));
  if (path.ends_with(".json"))
    throw Error(ErrorCode::usage, "this is JSON, not a result", path,
                "name a result (FILE.nc), a run file or CSV files of draws");
  for (const char* ending : {".svg", ".png", ".html"})
    if (path.ends_with(ending))
      throw Error(ErrorCode::usage, "this is a picture or a page, not a result", path,
                  "name the result that it was made of: FILE.nc, a run file or CSV files of draws");
}

std::unique_ptr<Fit> open_any(std::span<const std::string> paths) {
  for (const std::string& path : paths) require_draws_by_name(path);
  if (is_run_file(paths[0])) return std::make_unique<RunFileFit>(paths[0]);
  if (is_netcdf_file(paths[0])) return open_netcdf_fit(paths[0]);
  require_run_file(paths[0]);
  require_no_tables(paths);
  return open_csv_fit(paths);
}
}  // namespace

std::unique_ptr<Fit> open_fit(std::span<const std::string> paths) {
  if (paths.empty()) throw Error(ErrorCode::usage, "no file is named");
  for (const std::string& path : paths) {
    const bool is_whole = is_run_file(path) || is_netcdf_file(path);
    if (is_whole && paths.size() > 1)
      throw Error(ErrorCode::usage, "a run file or a NetCDF file has all chains of its run", path,
                  "name it alone");
  }
  return open_any(paths);
}

std::string quantity_name(const Fit& fit, Index quantity) {
  if (quantity >= first_output(fit)) return fit.layout().element_name(quantity - first_output(fit));
  const StatColumn& column = fit.columns()[static_cast<std::size_t>(quantity)];
  return column.stan_name.empty() ? column.name + "__" : column.stan_name;
}

std::optional<Index> find_quantity(const Fit& fit, std::string_view name) {
  const auto& columns = fit.columns();
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (quantity_name(fit, static_cast<Index>(k)) == name) return static_cast<Index>(k);
  if (const auto place = fit.layout().find(name)) return first_output(fit) + *place;
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (columns[k].name == name) return static_cast<Index>(k);
  return std::nullopt;
}

void for_each_batch(const Fit& fit, const DrawSlab& slab,
                    const std::function<void(Index, const density::Draws&)>& take) {
  const DrawSlab all = within(fit, slab);
  const Index batch =
      std::max<Index>(1, kBatchValues / std::max<Index>(1, all.num_draws * all.num_chains));
  for (Index k = 0; k < all.count; k += batch) {
    DrawSlab part = all;
    part.first += k;
    part.count = std::min(batch, all.count - k);
    take(part.first, fit.read(part));
  }
}

void write_notes(io::JsonWriter& writer, std::span<const FitNote> notes) {
  writer.array(notes, [&](const FitNote& n) { writer.object("text", n.text, "count", n.count); });
}

}  // namespace credo::results
