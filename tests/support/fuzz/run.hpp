// Any run file, of draws or of pieces: refused, or read whole, exported, and gone on with. The bytes are those of the
// file, or else a script of SQL that makes one: what is said there wrongly still is a sound
// database.
#pragma once
#include <sqlite3.h>

#include "cli/fit/run_file_info.hpp"
#include "cli/run/runner.hpp"
#include "infer/smc/filter_answer.hpp"
#include "io/run_sums.hpp"
#include "results/draws/work.hpp"
#include "support/fuzz/fits.hpp"

namespace credo::fuzz {

// A script that asks for more than a moment's work, or for other files, is broken off.
inline void make_database(const std::string& path, std::string_view script) {
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) == SQLITE_OK) {
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_exec(database, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", nullptr, nullptr,
                 nullptr);
    int looks = 0;
    sqlite3_progress_handler(
        database, 1000, [](void* count) { return ++*static_cast<int*>(count) > 1000 ? 1 : 0; },
        &looks);
    sqlite3_exec(database, std::string(script).c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3_close(database);
}

// Makes sums that fit whatever the script says: what is behind them is looked at, too.
class SumMender {
 public:
  explicit SumMender(const std::string& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) return;
    mend_facts();
    mend_blocks();
    mend_chains();
  }
  ~SumMender() { sqlite3_close(database_); }
  SumMender(const SumMender&) = delete;
  SumMender& operator=(const SumMender&) = delete;

 private:
  void each(const char* query, const std::function<void(sqlite3_stmt*)>& take) const {
    constexpr int kMost = 1000;
    sqlite3_stmt* row = nullptr;
    if (sqlite3_prepare_v2(database_, query, -1, &row, nullptr) != SQLITE_OK) return;
    for (int k = 0; k < kMost && sqlite3_step(row) == SQLITE_ROW; ++k) take(row);
    sqlite3_finalize(row);
  }
  void set(const char* query, Index place, const std::function<void(sqlite3_stmt*)>& bind) const {
    sqlite3_stmt* change = nullptr;
    if (sqlite3_prepare_v2(database_, query, -1, &change, nullptr) != SQLITE_OK) return;
    bind(change);
    sqlite3_bind_int64(change, 2, place);
    sqlite3_step(change);
    sqlite3_finalize(change);
  }
  void set(const char* query, Index place, const std::string& sum) const {
    set(query, place, [&](sqlite3_stmt* change) {
      sqlite3_bind_blob64(change, 1, sum.data(), sum.size(), SQLITE_TRANSIENT);
    });
  }
  static std::string bytes(sqlite3_stmt* row, int column) {
    const char* data = static_cast<const char*>(sqlite3_column_blob(row, column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(row, column));
    return data == nullptr ? "" : std::string(data, size);
  }
  static Index whole(sqlite3_stmt* row, int column) { return sqlite3_column_int64(row, column); }

  void mend_facts() {
    io::RunFile::Facts facts;
    each("SELECT name, value FROM facts",
         [&](sqlite3_stmt* row) { facts[bytes(row, 0)] = bytes(row, 1); });
    set("UPDATE facts SET value = ?1 WHERE name = 'sum' AND ?2 = 0", 0, io::sum_of(facts));
    num_columns_.clear();
    std::istringstream words(facts["num_columns"]);
    for (Index count = 0; words >> count;)
      num_columns_.insert(num_columns_.end(), num_columns_.empty() ? io::kNumDrawGroups : 1, count);
  }

  void mend_blocks() const {
    std::map<Index, std::string> sums;
    each("SELECT rowid, chain, part, first_row, num_rows, columns FROM blocks",
         [&](sqlite3_stmt* row) {
           const std::string columns = bytes(row, 5);
           std::vector<double> values(columns.size() / sizeof(double));
           std::memcpy(values.data(), columns.data(), values.size() * sizeof(double));
           const Index group = whole(row, 2);
           const Index num_columns = group >= 0 && group < ssize(num_columns_)
                                         ? num_columns_[static_cast<std::size_t>(group)]
                                         : 0;
           const io::Pieces pieces{whole(row, 1), group, whole(row, 3), whole(row, 4), num_columns};
           if (num_columns > 0 && pieces.num_rows > 0 &&
               ssize(values) / pieces.num_rows == num_columns)
             sums[whole(row, 0)] = io::bytes_of(pieces.sums(values));
         });
    for (const auto& [row, sum] : sums)
      set("UPDATE blocks SET sums = ?1 WHERE rowid = ?2", row, sum);
  }

  void mend_chains() const {
    std::map<Index, std::int64_t> sums;
    each("SELECT chain, iteration, num_rows, finished FROM chains", [&](sqlite3_stmt* row) {
      io::ChainState state{.iteration = whole(row, 1), .finished = whole(row, 3) != 0};
      const std::string rows = bytes(row, 2);
      state.num_rows.resize(rows.size() / sizeof(Index));
      std::memcpy(state.num_rows.data(), rows.data(), state.num_rows.size() * sizeof(Index));
      sums[whole(row, 0)] = io::sum_of(whole(row, 0), state);
    });
    for (const auto& [chain, sum] : sums)
      set("UPDATE chains SET sum = ?1 WHERE chain = ?2", chain,
          [&](sqlite3_stmt* change) { sqlite3_bind_int64(change, 1, sum); });
  }

  sqlite3* database_ = nullptr;
  std::vector<Index> num_columns_ = {};
};

inline bool is_database(std::string_view bytes) { return bytes.starts_with("SQLite format 3"); }

// By work that has the specification of the file, and a state and a result more.
inline void take_pieces(const std::string& path) {
  const io::RunFile file = io::RunFile::open(path);
  if (file.has_rows()) return;
  results::Work work({.file = io::result_of_run_file(path),
                      .spec = results::specification_of(file.facts(), path),
                      .count = file.num_chains()});
  (void)work.kept(-1);
  work.keep(1, "a state");
  work.on_done<infer::FilterAnswer>()(1, {});
  (void)work.done<infer::FilterAnswer>();
}

inline void run_run(std::string_view bytes) {
  const Patience patience(kPatience);
  const ScratchFile file(is_database(bytes) ? bytes : "", "fit.run");
  if (!is_database(bytes)) {
    make_database(file.path(), bytes);
    const SumMender mended(file.path());
  }
  if (!results::is_run_file(file.path())) return;
  may_be_refused([&] { (void)cli::run_file_info(file.path(), true); });
  may_be_refused([&] { take_pieces(file.path()); });
  may_be_refused(
      [&] { use_fit(*results::open_fit(std::span(&file.path(), 1)), file.folder() + "/out"); });
  may_be_refused([&] {
    cli::Output silent;
    cli::RunArguments run;
    silent.note_sink = [](std::string_view) {};
    run.out.quiet = true;
    run.options.num_threads = 1;
    run.conduct.other_arithmetic = true;
    (void)cli::resume_run(file.path(), run, silent, false);
  });
}

}  // namespace credo::fuzz
