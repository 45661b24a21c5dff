// The draws of a run, wherever they are: in memory, in a run file, in a NetCDF file, in CSV files.
//
//   const auto fit = open_fit({"fit.nc"});              // or fit.nc.run, or fit_1.csv fit_2.csv
//   const Index k = *find_quantity(*fit, "theta.1");    // statistics by name or CmdStan's word
//   fit->quantities(false, k, 1)                        // draws × chains × 1
//   for_each_batch(*fit, {.first = first_output(*fit), .count = …}, [](Index first, draws) {…});
//   fit->origin().settings.at("target_accept");  fit->result().chains[0].step_size
//
// Quantities are numbered: the sampler's reports on each transition first, lp__ before the
// others, then the outputs in the order of their layout. A chain here is a chain of draws: the walkers
// of an ensemble are chains. Reading takes the memory of the requested values (for CSV files that of all).
#pragma once
#include "density/data_variable.hpp"
#include "density/draws.hpp"
#include "density/layout.hpp"
#include "infer/core/sample.hpp"
#include "io/input_files.hpp"

namespace credo::density {
class Model;
}
namespace credo::io {
class JsonWriter;
class WorkApart;
}

namespace credo::results {
using io::WorkApart;

// Names of a value that the sampler reports for each transition: its own word, CmdStan's if that has one, and
// ArviZ' if that isn't the sampler's.
struct StatColumn {
  std::string name, stan_name, arviz_name = {};
  density::Kind kind = density::Kind::real;
  static void saved(auto& self, auto&& field) {  // the others are a fact of their own (docs/files)
    field(self.name);
    field(self.stan_name);
  }
};

// Reports of an algorithm besides draws: rows of numbers for each chain of the run, a group
// of the result.
struct RowTable {
  std::string name, row;  // "ladder", "stage"
  std::vector<StatColumn> columns;
};

// Description of the run that a fit comes from. Parts that its source hasn't are empty.
struct FitOrigin {
  std::string source;                 // the file, for messages
  std::string model_name;             // "eight_schools"
  std::string model_path, data_path;  // names among Fit::files
  std::string data_hash, sampler, seed, version, arithmetic;
  std::string resumed_with;         // other arithmetic, if it was resumed with that
  std::string group = "posterior";  // NetCDF group of the outputs, also "predictions"
  std::string spec;                 // how it was begun: results/files/run_spec.hpp, as JSON
  std::map<std::string, std::string> settings;  // by the fields' names, as "num_warmup"
  std::vector<std::string> free_names;          // names of the unconstrained values of positions
  std::vector<density::DataVariable> data;      // in order of their declarations
  // Facts that the files leave open or that may be unintended: plain sentences for users.
  std::vector<std::string> doubts = {};
  int num_digits = 0;  // significant digits of the draws in the file; 0: not rounded
  // Relative rounding error: half a unit of the last digit of 1.00000.
  double rounding() const { return num_digits == 0 ? 0.0 : 0.5 * std::pow(10.0, 1 - num_digits); }
};

// Draws that miss generated quantities, by the reason.
struct FitNote {
  std::string text;
  Index count = 0;
  static void saved(auto& self, auto&& field) {
    field(self.text);
    field(self.count);
  }
};

void write_notes(io::JsonWriter& writer, std::span<const FitNote> notes);  // [{text, count}]

// Some quantities of some draws; -1: all from the first one on.
struct DrawSlab {
  bool warmup = false;
  Index first = 0, count = 1;  // quantities
  Index first_chain = 0, num_chains = -1;
  Index first_draw = 0, num_draws = -1;
};

class Fit {
 public:
  virtual ~Fit() = default;
  virtual const std::vector<StatColumn>& columns() const = 0;
  virtual const density::Layout& layout() const = 0;  // layout of the outputs
  virtual Index num_chains() const = 0;               // walkers counted
  virtual Index num_walkers() const { return 1; }     // of each chain of the run, one after another
  virtual Index num_draws(bool warmup) const = 0;     // that every chain has

  virtual const FitOrigin& origin() const = 0;
  // Chains of the run (not walkers) with step size, metric, …, divergences, warnings, as far as
  // the source has them: `chains` may be empty, numbers may be 0. `interrupted`: not all draws.
  virtual const infer::RunResult& result() const = 0;
  virtual std::vector<FitNote> notes() const { return {}; }
  // Program, includes, data, initial values, by the name under which they were requested; empty: not kept.
  virtual io::InputFiles::Contents files() const = 0;

  // Draws × chains × count of the slab. Throws Error(io) where the source can't be read.
  virtual density::Draws read(const DrawSlab& slab) const = 0;
  virtual const std::vector<RowTable>& tables() const;  // none
  // Row by row, of a chain of the run (not of walkers). Throws as read() does.
  virtual std::vector<double> table_rows(Index /*table*/, Index /*chain*/) const { return {}; }
  // Begins work that reads this fit in a process of its own (io/apart.hpp).
  virtual std::unique_ptr<WorkApart> apart(const std::function<void()>& work);
  density::Draws quantities(bool warmup, Index first, Index count) const {
    return read({.warmup = warmup, .first = first, .count = count});
  }
};

// Opens what the paths name: one run file, finished or not, one NetCDF file of the layout of
// ArviZ' InferenceData, or CSV files, ours or CmdStan's, one a chain. Throws Error(io) and
// Error(data).
std::unique_ptr<Fit> open_fit(std::span<const std::string> paths);
// True for a path whose first bytes are those of such a file, whatever its name.
bool is_run_file(const std::string& path);
// Throws Error(io) if a file has the name of a run file and other contents, or those of an earlier version.
void require_run_file(const std::string& path);
bool is_netcdf_file(const std::string& path);

inline Index first_output(const Fit& fit) { return ssize(fit.columns()); }
inline Index num_quantities(const Fit& fit) { return first_output(fit) + fit.layout().size(); }
std::string quantity_name(const Fit& fit, Index quantity);  // as in CSV: "lp__", "theta.1"
// Also by the sampler's own word, "divergent", and by "theta[1,2]".
std::optional<Index> find_quantity(const Fit& fit, std::string_view name);

// Takes a part of the quantities at a time: memory doesn't depend on their number.
void for_each_batch(const Fit& fit, const DrawSlab& slab,
                    const std::function<void(Index first, const density::Draws&)>& take);

}  // namespace credo::results
