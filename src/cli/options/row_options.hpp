// The options of the rows of a table on a command line: samplers, optimisers, methods for the evidence. One option of the
// command chooses a row ("--sampler"); each field that any row has is one option, which needs the rows that have it. The
// fields of a row that an option names in turn are options with a path: "--mover.max-depth" (docs/design/options.md).
#pragma once
#include "cli/options/arguments.hpp"
#include "infer/core/kernel_options.hpp"

namespace credo::cli {

struct OptionRow {
  std::string_view name;
  infer::KernelOptions options;
};

class RowOptions {
 public:
  // Fields of the skipped names have an option elsewhere.
  void describe(Arguments& arguments, const std::string& chooser, std::span<const OptionRow> rows,
                std::span<const std::string_view> skipped = {});
  // Fields that several rows share, stated once.
  void describe_shared(Arguments& arguments, const std::string& chooser,
                       std::span<const std::string_view> rows, infer::KernelOptions fields,
                       std::span<const std::string> skipped);
  // Texts that were given, by the path of the field; a field comes before the fields below it.
  std::map<std::string, std::string, std::less<>> given() const;
  // The options of a row with the given values. Throws Error(usage) with the name of the option, also for options of other rows,
  // with the rows that have them. An option of a row that an option names may be given by its last name if that is enough:
  // "--kappa" for "--proposal.kappa".
  infer::KernelOptions options_of(std::string_view row, const std::string& chooser,
                                  std::span<const OptionRow> rows) const;

 private:
  std::string option_given(std::string_view field) const;

  std::map<std::string, std::string, std::less<>> texts_;  // empty: not given
  std::map<std::string, std::string, std::less<>>
      short_names_;  // short names of fields that have one: "--learn"
};

// "Options of nuts", or of all rows: "Options of samplers (in brackets, whose)".
std::string title_of_rows(const Arguments& arguments, const std::string& chooser,
                          std::string_view rows);

// "--tree-depth" of "tree_depth", "--mover.tree-depth" of "mover.tree_depth"; some have a shorter name, CmdStan's.
std::string option_of_field(std::string_view field);
// Both names: "--max-depth,--max-tree-depth".
std::string option_names_of_field(std::string_view field);

}  // namespace credo::cli
