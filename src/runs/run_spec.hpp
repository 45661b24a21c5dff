// The run specification: which model, which algorithm with which options, how it is run and where its
// result goes, as one value and as one JSON text. The command line and the C++ interface make it, a
// result holds it; `credo run`, `resume`, `--like` and `diagnose` read it (docs/files.md).
#pragma once
#include "infer/sample.hpp"

namespace credo::runs {

// Which program, and how it is made a density.
struct ModelSpec {
  std::string model = {}, data = {};  // paths
  std::vector<std::string> include_dirs = {};
  std::uint64_t seed = 1;  // of transformed data
  bool jacobian = true;
  std::string terms = "all", discrete = "auto", blocks = "trees", passes = "all", simd = {};
  Index max_lanes = 8, max_trace_steps = 200'000'000;

  static void describe(auto& self, auto&& field) {
    using infer::FieldSpec;
    field(self.model, FieldSpec{.name = "program", .help = "Stan program (.stan)"});
    field(self.data, FieldSpec{.name = "data", .help = "data file in CmdStan's JSON"});
    field(self.seed, FieldSpec{.name = "seed", .help = "seed of transformed data"});
    field(self.terms, FieldSpec{.name = "terms", .help = "all, prior or likelihood"});
    field(self.jacobian, FieldSpec{.name = "jacobian",
                                   .help = "the density of the free values; false: that of the "
                                           "parameters, without Jacobian terms"});
    field(self.discrete, FieldSpec{.name = "discrete", .help = "auto, sum or gibbs"});
    field(self.blocks, FieldSpec{.name = "blocks", .help = "trees or single"});
    field(self.passes, FieldSpec{.name = "passes", .help = "graph passes"});
    field(self.simd, FieldSpec{.name = "simd", .help = "sse4, avx2, avx512; empty: the best"});
    field(self.max_lanes,
          FieldSpec{.name = "max_lanes", .help = "points evaluated at once: 1, 2, 4 or 8"});
    field(self.max_trace_steps, FieldSpec{.name = "max_trace_steps",
                                          .help = "steps of tracing at most",
                                          .range = infer::at_least(1)});
  }
};

struct OutputSpec {
  std::string file = {}, format = {};             // as --output and --format
  std::vector<std::string> keep = {}, drop = {};  // runs/selection.hpp
  bool no_data = false, quiet = false, strict = false;
  Index sig_figs = 0;

  static void describe(auto& self, auto&& field) {
    using infer::FieldSpec;
    field(self.file, FieldSpec{.name = "file", .help = "result; empty: none"});
    field(self.format, FieldSpec{.name = "format", .help = "netcdf or csv; empty: by the file"});
    field(self.no_data, FieldSpec{.name = "no_data", .help = "leave the data out of the result"});
    field(self.quiet, FieldSpec{.name = "quiet", .help = "no progress and no table"});
    field(self.strict, FieldSpec{.name = "strict", .help = "a bad verdict is an exit status"});
    field(self.sig_figs, FieldSpec{.name = "sig_figs",
                                   .help = "digits in CSV files; 0: all",
                                   .range = {.lo = 0.0, .hi = 18.0}});
  }
};

struct RunSpec {
  ModelSpec model = {};
  infer::SampleOptions run = {};  // with the sampler and its options
  std::string init = "prior";     // prior, a radius, or a file; empty: the points of `run`
  std::string inv_metric = {};    // a file; empty: as the sampler begins
  OutputSpec output = {};

  // Without what never changes a draw or an output: threads, lanes, where the result goes.
  RunSpec repeatable() const;
};

std::string to_json(const RunSpec& spec);
// Throws Error(usage) at the place of a member that there isn't, with the names there are, of a value
// of another kind, or out of its range.
RunSpec parse_run_spec(std::string_view text, const std::string& source);

}  // namespace credo::runs
