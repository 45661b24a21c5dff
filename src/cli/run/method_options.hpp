// The options of a run that each method of a command reads. A command that chooses from several methods states the options of all of
// them; one that isn't read by the chosen method is refused by name (Values::needs).
#pragma once
#include <set>

#include "cli/run/run_arguments.hpp"

namespace credo::cli {

using OptionNames = std::set<std::string, std::less<>>;

struct MethodOptions {
  std::string method;
  OptionNames options;
};

OptionNames options_of(RunArguments& run);  // options of its command line
// Options of answers without draws: how the data are read, threads, output.
OptionNames options_of_answers();

// Each option that some of the methods read needs one of these; options of rows (Values::of_row) are left as they are.
void need_methods(Arguments& arguments, const std::string& chooser,
                  std::span<const MethodOptions> methods);
// The options among `all` but not among `read` have no part beside `other`.
void refuse_beside(Arguments& arguments, const std::string& other, const OptionNames& all,
                   const OptionNames& read);
// Throws Error(usage) for the first given option among `all` that isn't among `read`.
void require_read(std::span<const std::string> given, const OptionNames& all,
                  const OptionNames& read, std::string_view method);

// The given options of a run, for a command that a user can type: " --chains 2 --target 'b'". Left out are those of the data, --seed
// and --output.
std::string run_options_text(std::span<const std::string> given, RunArguments& run);
std::string quoted_word(const std::string& word);  // for a shell

}  // namespace credo::cli
