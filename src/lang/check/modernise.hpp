// Programs of older versions of the language, rewritten by the edits of their diagnostics.
#pragma once
#include "base/types.hpp"
#include "lang/diagnostics/diagnostics.hpp"

namespace credo::lang {

// What was done of one kind: "removed-arrow", 12 times.
struct EditCount {
  std::string code;
  Index count = 0;
};

struct Modernised {
  std::string text;  // of the program's own file; as it was where there was nothing to do
  std::vector<EditCount> done;
  std::vector<std::string>
      in_includes;  // included files that have old syntax, which stay as they are
};

// Comments and layout stay, and so does every value of the program. `name` is its path, by which includes are found.
Modernised modernise(const std::string& name, std::string text,
                     std::span<const std::string> include_dirs = {},
                     const FileReader& read = read_program_file);

}  // namespace credo::lang
