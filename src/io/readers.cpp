#include "io/readers.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "io/number_text.hpp"

namespace credo::io {
namespace {
constexpr std::string_view kGroup = "group ";
}

void Readers::narrow(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) narrow(info);
}

// Rights that say that members of the group may less than others count as the owner's alone.
void Readers::narrow(const struct stat& file) {
  if (!S_ISREG(file.st_mode)) return;  // a pipe or a device says nothing of what came through it
  const bool by_group = (file.st_mode & S_IRGRP) != 0, by_all = (file.st_mode & S_IROTH) != 0;
  Readers its;
  if (!by_group) its.who_ = Who::owner;
  if (by_group && !by_all) its.who_ = Who::group;
  its.group_ = file.st_gid;
  narrow(its);
}

void Readers::narrow(const Readers& others) {
  if (who_ == Who::group && others.who_ == Who::group && group_ != others.group_) who_ = Who::owner;
  if (others.who_ >= who_) return;
  who_ = others.who_;
  group_ = others.group_;
}

unsigned Readers::mode(unsigned group) const {
  constexpr unsigned kOwner = S_IRUSR | S_IWUSR, kGroup = S_IRGRP | S_IWGRP,
                     kAll = S_IROTH | S_IWOTH;
  if (who_ == Who::all) return kOwner | kGroup | kAll;
  return who_ == Who::group && group == group_ ? kOwner | kGroup : kOwner;
}

std::string Readers::text() const {
  if (who_ == Who::group) return fmt::format("{}{}", kGroup, group_);
  return who_ == Who::all ? "all" : "owner";
}

Readers Readers::from_text(std::string_view text) {
  Readers readers;
  if (text == "all") return readers;
  readers.who_ = Who::owner;
  if (!text.starts_with(kGroup)) return readers;
  const auto number = parse_number(text.substr(kGroup.size()));
  if (!number || *number < 0 || *number > 4294967294.0 || *number != std::floor(*number))
    return readers;
  readers.who_ = Who::group;
  readers.group_ = static_cast<unsigned>(*number);
  return readers;
}

}  // namespace credo::io
