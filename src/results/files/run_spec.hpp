// The run specification: which model, which algorithm with which options, how it is run and where its
// result goes, as one value and as one JSON text. The command line and the C++ interface make it, a
// result holds it; `credo run`, `resume`, `--like` and `diagnose` read it (docs/files.md).
#pragma once
#include "infer/core/sample.hpp"
#include "results/files/selection.hpp"

namespace credo::results {

// The program, and options of its compilation to a density.
struct ModelSpec {
  std::string model = {}, data = {};  // paths
  std::vector<std::string> include_dirs = {};
  std::uint64_t seed = 1;  // seed of transformed data
  bool jacobian = true;
  std::string terms = "all", discrete = "auto", blocks = "trees", discrete_update = "gibbs",
              passes = "all", simd = {};
  Index max_lanes = 8, max_trace_steps = 200'000'000;
  double temperature = 1.0;
  std::string after = {};  // a result, by its path
  std::vector<std::string> forget = {};
  bool equal_data = false;
  double beta = 1.0;

  static void describe(auto& self, auto&& field) {
    using infer::FieldSpec;
    field(self.model, FieldSpec{.name = "program", .help = "Stan program (.stan)"});
    field(self.data, FieldSpec{.name = "data",
                               .help = "a data file, or how data are put together from files "
                                       "(docs/data.md); none: no data"});
    field(self.seed, FieldSpec{.name = "seed",
                               .help = "seed of all random numbers",
                               .option = "--seed"});  // here of transformed data
    field(self.terms,
          FieldSpec{.name = "terms",
                    .help = "terms of the log density: all of them, or those of one part",
                    .option = "--terms",
                    .values = "all|prior|likelihood"});
    field(self.jacobian,
          FieldSpec{.name = "jacobian",
                    .help = "the density of the unconstrained values; false: that of the "
                            "parameters, without Jacobian terms"});
    field(self.discrete,
          FieldSpec{
              .name = "discrete",
              .help = "discrete parameters: sum them out, draw them by gibbs updates, or auto: sum "
                      "where there aren't too many states",
              .option = "--discrete",
              .values = "auto|sum|gibbs"});
    field(
        self.blocks,
        FieldSpec{
            .name = "blocks",
            .help = "gibbs updates of discrete parameters: trees of them jointly, single ones, or "
                    "clusters that pairs hold together",
            .option = "--blocks",
            .values = "trees|single|clusters"});
    field(self.discrete_update,
          FieldSpec{.name = "discrete_update",
                    .help = "gibbs updates of discrete parameters in order, or of blocks that are "
                            "picked at random; or, with --blocks single, Metropolis steps to a "
                            "random other value, or ordered over-relaxation",
                    .option = "--discrete-update",
                    .values = "gibbs|random|metropolis|over_relaxed"});
    field(self.temperature,
          FieldSpec{.name = "temperature",
                    .help = "sample the density to the power 1 / T, not the posterior",
                    .range = infer::positive()});
    field(self.after,
          FieldSpec{.name = "after", .help = "normal approximation of earlier data, as the prior"});
    field(self.forget,
          FieldSpec{.name = "forget", .help = "parameters to integrate out of the earlier result"});
    field(self.equal_data, FieldSpec{.name = "equal_data",
                                     .help = "equal data are new observations, not the same ones"});
    field(self.beta, FieldSpec{.name = "beta",
                               .help = "the likelihood counts 1 / B times",
                               .range = infer::positive()});
    field(self.passes,
          FieldSpec{.name = "passes",
                    .help = "graph passes: all, none, names joined by commas, or all,-name",
                    .option = "--passes"});
    field(self.simd,
          FieldSpec{.name = "simd",
                    .help = "sse4, avx2 or avx512; the default is the best of this machine",
                    .option = "--simd",
                    .values = "sse4|avx2|avx512"});
    field(self.max_lanes,
          FieldSpec{.name = "max_lanes",
                    .help = "points evaluated at once: 1, 2, 4 or 8; never changes a result",
                    .range = {.lo = 1.0, .hi = 8.0},
                    .option = "--max-lanes"});
    field(self.max_trace_steps,
          FieldSpec{.name = "max_trace_steps",
                    .help = "give up on a program that takes more steps to trace",
                    .range = infer::at_least(1),
                    .option = "--max-trace-steps"});
    field(self.include_dirs, FieldSpec{.name = "include", .help = "directories for #include"});
  }
};

struct OutputSpec {
  std::string file = {}, format = {};  // values of --output and --format
  Selection selection = {};
  bool no_data = false, quiet = false, strict = false;
  Index sig_figs = 0;

  static void describe(auto& self, auto&& field) {
    using infer::FieldSpec;
    field(self.file,
          FieldSpec{.name = "file",
                    .help = "result: FILE.nc (NetCDF-4), or OUTPUT_1.csv, OUTPUT_2.csv, "
                            "..., in the place of files with these names; none: no files",
                    .option = "-o,--output",
                    .values = ">*"});
    field(self.format,
          FieldSpec{.name = "format",
                    .help = "netcdf or csv; the default is by the ending of the output",
                    .option = "--format",
                    .values = "netcdf|csv"});
    field(self.no_data,
          FieldSpec{
              .name = "no_data",
              .help = "leave the data out of the result; diagnose and --like need them again then",
              .option = "--no-data"});
    field(self.quiet, FieldSpec{.name = "quiet",
                                .help = "no progress and no table: only the verdict, and warnings",
                                .option = "--quiet"});
    field(self.strict,
          FieldSpec{
              .name = "strict",
              .help = "exit status 8 if the verdict on the run is bad, or no sound mode was found",
              .option = "--strict"});
    field(self.sig_figs, FieldSpec{.name = "sig_figs",
                                   .help = "significant digits in CSV files; 0: all",
                                   .range = {.lo = 0.0, .hi = 18.0},
                                   .option = "--sig-figs"});
    field(self.selection.keep, FieldSpec{.name = "keep", .help = "outputs that are kept"});
    field(self.selection.drop, FieldSpec{.name = "drop", .help = "outputs that are left out"});
  }
};

// A second run by a different algorithm, behind the first, with which the results are compared (results/draws/cross_run.hpp).
struct CrossCheckSpec {
  std::string algorithm = {};  // a row of the table; empty: none
  double budget = 10.0;
  std::string from = "auto";

  bool is_asked() const { return !algorithm.empty(); }
  static void describe(auto& self, auto&& field) {
    using infer::FieldSpec;
    field(self.algorithm, FieldSpec{.name = "algorithm", .help = "the second algorithm"});
    field(self.budget, FieldSpec{.name = "budget",
                                 .help = "evaluations that the cross-check may take, as a multiple "
                                         "of those of the run",
                                 .range = {.lo = 0.0, .hi = 1e6, .lo_open = true},
                                 .option = "--cross-check-budget"});
    field(self.from,
          FieldSpec{.name = "from",
                    .help = "start of a cross-check by particles: the prior, "
                            "a normal distribution, or auto: the prior if it can be drawn from; "
                            "from a normal distribution agreement counts only if you choose it",
                    .option = "--cross-check-from",
                    .values = "auto|prior|normal"});
  }
};

struct RunSpec {
  ModelSpec model = {};
  infer::SampleOptions run = {};  // with the sampler and its options
  std::string init = "prior";     // prior, mode, a radius, or a file; empty: the points of `run`
  std::string inv_metric = {};    // a file; empty: as the sampler begins
  OutputSpec output = {};
  CrossCheckSpec cross_check = {};

  // Without what never changes a draw or an output: threads, lanes, where the result goes.
  RunSpec repeatable() const;
};

std::string to_json(const RunSpec& spec);
// Throws Error(usage) at the place of a member that there isn't, with the names there are, of a value
// of another kind, or out of its range.
RunSpec parse_run_spec(std::string_view text, const std::string& source);

}  // namespace credo::results
