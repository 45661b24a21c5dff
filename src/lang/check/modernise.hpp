// Programs of older versions of the language, rewritten by the edits of their diagnostics.
#pragma once
#include "base/types.hpp"
#include "lang/diagnostics/diagnostics.hpp"

namespace credo::lang {

// Number of edited diagnostics of one kind: "removed-arrow", 12 times.
struct EditCount {
  std::string code;
  Index count = 0;
};

struct Modernised {
  std::string text;  // text of the program's own file; unchanged if no edit was needed
  std::vector<EditCount> done;
  std::vector<std::string> in_includes;  // included files with old syntax, which aren't edited
};

// Comments and layout are kept, and so is every value that the program computes. `name` is the path of the program;
// includes are found from it.
Modernised modernise(const std::string& name, std::string text,
                     std::span<const std::string> include_dirs = {},
                     const FileReader& read = read_program_file);

}  // namespace credo::lang
