// A file in the making: beside its final name, under an unpredictable one, and renamed when
// it is complete.
//
//   PartFile part("fit.nc");   // fit.nc.part-4711-51f0…, new, empty, open
//   ... write part.descriptor(), or part.name() with a library ...
//   part.replace();            // now it is fit.nc
//
// The name is made with O_EXCL and without following links, so that it is a new file of this
// process whatever others put into the directory. A part that is given up is removed; what a
// killed process left is removed by the next one that makes the same file, if it surely is Credo's:
// the name has a check sum, and the file is a regular one of this user, no process has it locked, and
// the process in its name is gone.
#pragma once
#include "io/readers.hpp"

namespace credo::io {

class Descriptor {  // closes its file
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  int number() const { return number_; }
  int close();    // the system's answer: 0, or -1 and errno
  int release();  // closes nothing any more

 private:
  int number_;
};

class PartFile {
 public:
  // Throws Error(io) with the final name and the system's reason.
  explicit PartFile(const std::string& path, const Readers& readers = {});
  ~PartFile();  // removes it unless it was renamed
  PartFile(PartFile&& other) noexcept;
  PartFile& operator=(PartFile&&) = delete;

  const std::string& name() const { return name_; }
  int descriptor() const { return descriptor_.number(); }
  Descriptor take_descriptor() { return std::move(descriptor_); }
  // Renames it. Throws Error(io) if that fails or another file is in its place.
  void replace();    // any file with the final name
  void take_name();  // an Error(io) if something has the final name
  void remove();

 private:
  void require_own() const;
  std::string path_, name_;
  std::array<std::uint64_t, 2> identity_{};
  Descriptor descriptor_;
};

// Device and number of a file, zeros if it doesn't exist.
std::array<std::uint64_t, 2> identity_of(const std::string& path);
std::array<std::uint64_t, 2> identity_of(int descriptor);

// The name of a part of `path` that process `maker` makes; `token` tells parts apart.
std::string part_name(const std::string& path, int maker, std::uint64_t token);
void remove_left_parts(const std::string& path);

std::string directory_of(const std::string& path);
bool is_alive(int process);  // known only for processes of this machine

}  // namespace credo::io
