#include "cli/term/memory.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace credo::cli {
namespace {
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMargin = std::size_t{8}
                                << 20;  // page tables and the like, of the group, too

// A file's only number; kNone without one ("max").
std::size_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : kNone;
}

// Number in the line "name number"; 0 without such a line.
std::size_t entry_of(const std::string& path, std::string_view name) {
  std::ifstream file(path);
  std::string word;
  for (std::size_t number = 0; file >> word >> number;)
    if (word == name) return number;
  return 0;
}

struct Group {
  std::string folder;       // mount point, and its path there
  const char* limit_file;   // names of version 1 and 2
  const char* held_memory;  // in memory.stat: memory that can't be dropped
};

// A line is "number:controllers:path"; version 2 has number 0 and no controllers.
std::optional<Group> group_of_line(const std::string& line) {
  const std::size_t first = line.find(':'), second = line.find(':', first + 1);
  if (second == std::string::npos) return std::nullopt;
  const std::string controllers = line.substr(first + 1, second - first - 1);
  const std::string path = line.substr(second + 1);
  if (controllers == "memory")
    return Group{"/sys/fs/cgroup/memory" + path, "memory.limit_in_bytes", "total_rss"};
  if (line.starts_with("0::") && access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0)
    return Group{"/sys/fs/cgroup" + path, "memory.max", "anon"};
  return std::nullopt;
}

// Memory that this process may hold in a group or in those above it. In a container the path may be that
// of the world outside: then only the root is there, and it is the container's.
std::size_t room_in(const Group& group, std::size_t own) {
  std::size_t room = kNone;
  for (std::string folder = group.folder; folder.size() > std::string_view("/sys/fs/cgroup").size();
       folder.erase(folder.find_last_of('/'))) {
    const std::size_t limit = number_in(folder + "/" + group.limit_file);
    if (limit >= kNone / 4) continue;  // version 1 writes "none" as a large number
    const std::size_t held = entry_of(folder + "/memory.stat", group.held_memory);
    const std::size_t others = std::max(held, own) - own + kMargin;
    room = std::min(room, limit - std::min(limit - 1, others));
  }
  return room;
}

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t space = 0, resident = 0;
  file >> space >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}
}  // namespace

void keep_to_memory_limit() {
  std::ifstream groups("/proc/self/cgroup");
  const std::size_t own = resident_bytes();
  std::size_t room = kNone;
  for (std::string line; std::getline(groups, line);)
    if (const auto group = group_of_line(line)) room = std::min(room, room_in(*group, own));
  if (room < kNone) bound_memory(room);
}

Error run_memory_error(const std::bad_alloc& failure, const std::string& run_file) {
  const Error error = memory_error(failure);
  if (run_file.empty() || access(run_file.c_str(), F_OK) != 0) return error;
  return Error(
      error.code(), error.message(), run_file,
      fmt::format("{}{}draws that were kept are there: credo resume {} continues where there "
                  "is more memory",
                  error.hint(), error.hint().empty() ? "" : "; ", run_file));
}

}  // namespace credo::cli
