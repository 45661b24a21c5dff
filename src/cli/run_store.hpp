// Takes the draws of a run, with everything the program computes from them, and keeps them: in
// memory, or in a run file beside the result, from which the run can go on.
//
//   RunStore store(model, options, {.path = "fit.nc.run", .facts = …});
//   infer::run_chains(model, options, store);
//   store.quantities(false, 0, 10)
//
// Columns: the sampler's, with lp__ first, then the program's outputs. Rows of a chain with W
// walkers: all walkers of a transition, one after another.
#pragma once
#include "density/draws.hpp"
#include "infer/sample.hpp"
#include "io/run_file.hpp"
#include "model/writer.hpp"

namespace credo::cli {

// What the sampler reports of each transition: its own word, and CmdStan's where that has one.
struct StatColumn {
  std::string name, stan_name;
  static void saved(auto& self, auto&& field) {
    field(self.name);
    field(self.stan_name);
  }
};

// Where a run file comes to be once the run has lasted 0.1 s. Without a path: never.
struct RunPlace {
  std::string path = {};
  io::RunFile::Facts facts = {};
};

class RunStore final : public infer::DrawSink {
 public:
  RunStore(const model::Model& model, const infer::SampleOptions& options, RunPlace place = {});
  // Goes on in a file; the states of its chains are what SampleOptions::states takes.
  RunStore(const model::Model& model, const infer::SampleOptions& options, io::RunFile file);

  void begin(const Sizes& sizes) override;
  void draw(const infer::DrawRecord& record) override;
  bool wants_state(Index chain, Index iteration) override;
  void state(const infer::StateRecord& record) override;

  void lay_out();  // of a file that is only read
  // After the run. Rows that came after the last block are counted where no file holds them back.
  void close();
  bool has_file() const { return file_.has_value(); }
  void remove_file();

  const std::vector<StatColumn>& columns() const { return columns_; }
  Index num_columns() const { return ssize(columns_) + num_outputs_; }
  Index num_walkers() const { return num_walkers_; }
  Index num_chains() const { return num_chains_ * num_walkers_; }  // of draws
  // Of every walker of the chain; of all chains what each has.
  Index num_rows(Index chain, bool warmup) const;
  Index num_complete(bool warmup) const;
  const io::RunRows& rows() const {
    return file_ ? static_cast<const io::RunRows&>(*file_) : memory_;
  }

  // Some columns of all chains of draws, walkers included: S × C × count.
  density::Draws quantities(bool warmup, Index first, Index count) const;

  // The program's outputs after warm-up: as quantities, all of them.
  density::Draws outputs() const { return quantities(false, ssize(columns_), num_outputs_); }

  struct Note {  // rejections in generated quantities, by text
    std::string text;
    Index count;
    static void saved(auto& self, auto&& field) {
      field(self.text);
      field(self.count);
    }
  };
  std::vector<Note> notes() const;

 private:
  struct Open {  // a chain's block in the making
    std::vector<double> rows = {};
    Index num_rows = 0, iteration = 0;
    double since = 0.0;  // of the clock
    double period = 0.0;
    std::vector<Note> notes = {};
  };
  void commit(const io::RunBlock& block);
  void make_file();
  io::RunRows& target() { return file_ ? static_cast<io::RunRows&>(*file_) : memory_; }

  const model::Model& model_;
  const infer::SampleOptions& options_;
  RunPlace place_;
  std::vector<StatColumn> columns_;
  Index num_outputs_, num_chains_ = 0, num_walkers_ = 1;
  double start_ = 0.0, dropped_ = 0.0;
  std::vector<Open> open_;              // by chain
  std::vector<model::Writer> writers_;  // by chain of draws
  std::vector<std::vector<double>> outputs_;
  std::mutex committing_;
  io::RunMemory memory_{0, 0};
  std::optional<io::RunFile> file_;
};

// The states of a file's chains, and what it knows of each.
std::vector<std::string> states_of(const io::RunFile& file);
infer::ChainResult result_of(const io::ChainState& state);

}  // namespace credo::cli
