// Any run file: refused, or read whole, exported, and gone on with. The bytes are those of the
// file, or else a script of SQL that makes one: what is said there wrongly still is a sound
// database.
#pragma once
#include <sqlite3.h>

#include "cli/sample_run.hpp"
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

inline bool is_database(std::string_view bytes) { return bytes.starts_with("SQLite format 3"); }

inline void run_run(std::string_view bytes) {
  const Patience patience(kPatience);
  const ScratchFile file(is_database(bytes) ? bytes : "", "fit.run");
  if (!is_database(bytes)) make_database(file.path(), bytes);
  if (!runs::is_run_file(file.path())) return;
  may_be_refused(
      [&] { use_fit(*runs::open_fit(std::span(&file.path(), 1)), file.folder() + "/out"); });
  may_be_refused([&] {
    cli::Output silent;
    cli::SampleRun run;  // uses the output to its end
    silent.note_sink = [](std::string_view) {};
    run.quiet = true;
    run.num_threads = 1;
    run.other_arithmetic = true;
    (void)run.resume(file.path(), silent, false);
  });
}

}  // namespace credo::fuzz
