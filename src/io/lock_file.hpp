// A process that writes an output holds a lock on it until it ends, in any way: OUTPUT.run.lock, a file
// with the number of its process.
//
//   LockFile lock("fit.nc.run");    // Error(io) where another process holds it
//   ...
//   lock.release();                 // and the file is gone; so with a destroyed one
//
// The lock is the system's (an open file description's, fcntl(2)), so it is gone with a killed
// process; its file stays then and is taken over. It lasts as long as copies of the process live,
// too. It works across machines where the file system has locks; without locks there is a note.
#pragma once
#include "io/part_file.hpp"

namespace credo::io {

enum class Locked { yes, by_another, not_supported };

// Locks an open file that can be written, until it is closed here and in copies of this process.
Locked lock_descriptor(int descriptor);
bool is_locked_by_another(int descriptor);  // for any open file

// The number of the process of this machine that holds the lock of a run file; 0: none, or it isn't
// known.
int holder_of(const std::string& run_file);

class LockFile {
 public:
  // `note` receives messages: that the file system has no locks, that the lock file can't be removed.
  explicit LockFile(const std::string& run_file, std::function<void(const std::string&)> note = {});
  ~LockFile() { note_ = nullptr, release(); }
  LockFile(LockFile&& other) noexcept = default;
  LockFile& operator=(LockFile&&) = delete;

  const std::string& path() const { return path_; }
  bool is_supported() const { return is_supported_; }
  // Makes the file again where it was removed. False where another process has it then.
  bool keep();
  void require_kept();  // throws Error(io) in this case
  // False if the file can't be removed; errno says why.
  bool release();

 private:
  bool take();
  void require_ours() const;
  bool holder_lives() const;
  [[noreturn]] void refuse() const;

  std::string run_file_, path_;
  std::function<void(const std::string&)> note_;
  Descriptor descriptor_;
  bool is_supported_ = true;
};

}  // namespace credo::io
