// Readers of a file that is made from other files: only users with access to all of those.
//
//   Readers readers;               // everybody
//   readers.narrow("data.json");   // mode 600: the owner alone
//   PartFile part("fit.nc", readers);
//
// By the bits of the modes; lists of access rights (ACLs) aren't read. The umask takes away
// more.
#pragma once
#include "base/types.hpp"

struct stat;

namespace credo::io {

class Readers {
 public:
  void narrow(const std::string& path);  // by who may read this file; one that isn't there: nothing
  void narrow(const struct stat& file);
  void narrow(const Readers& others);

  // The rights of a new file that has this group.
  unsigned mode(unsigned group) const;
  unsigned widest_mode() const { return mode(group_); }

  // "all", "group 100", "owner", and back; what isn't one of them is "owner".
  std::string text() const;
  static Readers from_text(std::string_view text);

 private:
  enum class Who { owner, group, all };
  Who who_ = Who::all;
  unsigned group_ = 0;  // group of Who::group
};

}  // namespace credo::io
