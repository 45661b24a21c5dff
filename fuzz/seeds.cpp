// Writes the first inputs of the targets that read binary or derived files, into folders beside
// each other: fuzz_seeds FOLDER MODEL.stan. Programs and data come from the repository as they are.
#include <sqlite3.h>

#include "cli/run/run_facts.hpp"
#include "support/fuzz/archive.hpp"
#include "support/fuzz/run.hpp"
#include "support/fuzz/state.hpp"

namespace credo::fuzz {
namespace {

void write(const std::string& folder, const std::string& name, std::string_view bytes) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/" + name, std::ios::binary) << bytes;
}

void write_states(const std::string& folder) {
  const std::size_t count = infer::samplers().size();
  for (std::size_t k = 0; k < count; ++k) {
    SilentSink sink;
    may_be_refused([&] { (void)infer::run_chains(small_density(), short_run(k), sink); });
    for (std::size_t s = 0; s < sink.states.size(); ++s)
      write(folder, std::to_string(k) + "_" + std::to_string(s),
            static_cast<char>(k) + sealed(sink.states[s]));
  }
}

void write_archives(const std::string& folder) {
  Everything all;
  all.text = "text";
  all.reals = {1.0, 2.0};
  all.texts = {"a", ""};
  all.flags = {true, false};
  all.nested = {{}, {1.0}};
  write(folder, "all", archived(all));
  all.maybe = 3.0;
  write(folder, "more", archived(std::vector<std::optional<Everything>>{all, std::nullopt}));
  write(folder, "texts", archived(all.texts));
}

// The tables of a run file as the statements that make them.
std::string script_of(const std::string& path) {
  std::string script;
  sqlite3* database = nullptr;
  if (sqlite3_open(path.c_str(), &database) != SQLITE_OK) return script;
  const auto each = [&](const char* query, const std::function<void(sqlite3_stmt*)>& take) {
    sqlite3_stmt* rows = nullptr;
    sqlite3_prepare_v2(database, query, -1, &rows, nullptr);
    while (sqlite3_step(rows) == SQLITE_ROW) take(rows);
    sqlite3_finalize(rows);
  };
  const auto text = [](sqlite3_stmt* row) {
    return std::string(reinterpret_cast<const char*>(sqlite3_column_text(row, 0)));
  };
  each("SELECT sql FROM sqlite_master WHERE sql NOT NULL",
       [&](sqlite3_stmt* row) { script += text(row) + ";\n"; });
  for (const char* query :
       {"SELECT printf('INSERT INTO facts VALUES(%Q,%s);', name, quote(value)) FROM facts",
        "SELECT printf('INSERT INTO blocks VALUES(%d,%d,%d,%d,%s,%s);', chain, part, first_row, "
        "num_rows, quote(columns), quote(sums)) FROM blocks",
        "SELECT printf('INSERT INTO chains VALUES(%d,%d,%s,%d,%s,%s,%d);', chain, iteration, "
        "quote(num_rows), finished, quote(state), quote(result), sum) FROM chains"})
    each(query, [&](sqlite3_stmt* row) { script += text(row) + "\n"; });
  sqlite3_close(database);
  return script;
}

// A run that is stopped in warm-up, or in its draws, as a file and as a script.
void write_runs(const std::string& folder, const std::string& model_path) {
  for (const Index stop_at : {15, 40}) {
    const ScratchFile place("", "fit");
    cli::ModelArguments arguments;
    arguments.model = model_path;
    cli::Output silent;
    const auto model = cli::load_model(arguments, silent, false);
    StopFlag stop{false};
    infer::SampleOptions options{
        .num_chains = 2, .num_warmup = 20, .num_draws = 40, .num_threads = 1, .stop = &stop};
    options.progress_every = 1;
    options.on_progress = [&](const infer::Progress& progress) {
      stop = progress.iteration >= stop_at;
    };
    const std::vector<std::string> words{model_path, "--chains", "2", "--warmup",
                                         "20",       "--draws",  "40"};
    const std::string path = place.folder() + "/fit.run";
    {
      // A run file is made after a tenth of a second: the run waits for it.
      results::RunStore store(
          *model, options,
          {.path = path, .facts = cli::run_facts(arguments, *model, options, {words, words})});
      options.on_progress = [&](const infer::Progress& progress) {
        if (progress.iteration < stop_at)
          std::this_thread::sleep_for(std::chrono::milliseconds(120));
        stop = progress.iteration >= stop_at;
      };
      (void)infer::run_chains(*model, options, store);
      store.close();
    }
    if (!std::filesystem::exists(path)) continue;
    const std::string script = script_of(path);
    write(folder, "script_" + std::to_string(stop_at), script);
    const std::string small = place.folder() + "/small.run";
    make_database(small, "PRAGMA page_size=512;" + script);
    std::ifstream bytes(small, std::ios::binary);
    write(folder, "file_" + std::to_string(stop_at),
          std::string(std::istreambuf_iterator<char>(bytes), {}));
  }
}
}  // namespace
}  // namespace credo::fuzz

int main(int, char** words) {
  const std::string folder = words[1];
  credo::fuzz::write_states(folder + "/state");
  credo::fuzz::write_archives(folder + "/archive");
  credo::fuzz::write_runs(folder + "/run", words[2]);
}
