/* File operations that fail when they are told to, for tools/check_faults: preloaded before a program (LD_PRELOAD), it
 * counts the operations that change files below one folder, whatever library asks for them.
 *
 *   FAULT_UNDER   folder; other files are left alone
 *   FAULT_AT      the operation that fails, from 1; 0: none
 *   FAULT_KIND    once: that one alone; from: it and all later ones that need room; short: a write that takes half;
 *                 kill: the program ends (SIGKILL) before it
 *   FAULT_ERRNO   number of the system's reason
 *   FAULT_LOCKS   none: the file system has no locks of open files (ENOLCK), as some network file systems
 *   FAULT_LOG     file for "<operations> <name of the failed one, or ->" at the fault, and at the end
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Shared with the processes that it starts. */
static struct shared {
  atomic_long count;
  char failed[16];
  pid_t first;
} *shared;
static long at;
static const char *under, *kind;
static int reason;

static void set_up(void) {
  if (shared != NULL) return;
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  strcpy(shared->failed, "-");
  shared->first = getpid();
  under = getenv("FAULT_UNDER");
  kind = getenv("FAULT_KIND") ? getenv("FAULT_KIND") : "once";
  reason = getenv("FAULT_ERRNO") ? atoi(getenv("FAULT_ERRNO")) : ENOSPC;
  at = getenv("FAULT_AT") ? atol(getenv("FAULT_AT")) : 0;
}

static void write_log(void) {
  const char *path = getenv("FAULT_LOG");
  char text[256];
  if (path == NULL) return;
  const int length = snprintf(text, sizeof text, "%ld %s\n", atomic_load(&shared->count), shared->failed);
  const int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  syscall(SYS_write, file, text, length);
  syscall(SYS_close, file);
}

__attribute__((constructor)) static void begin(void) { set_up(); }
__attribute__((destructor)) static void end(void) { write_log(); }

static int is_ours(const char *path) { return under != NULL && strncmp(path, under, strlen(under)) == 0; }

static int is_open_file_ours(int file) {
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_ours(path);
}

/* Whether this operation fails. */
static int fails(int ours, const char *name, int needs_room) {
  set_up();
  if (!ours) return 0;
  const long number = atomic_fetch_add(&shared->count, 1) + 1;
  if (at == 0 || number < at) return 0;
  if (number > at && (strcmp(kind, "from") != 0 || !needs_room)) return 0;
  if (number == at) {
    strncpy(shared->failed, name, sizeof shared->failed - 1);
    write_log();
    if (strcmp(kind, "kill") == 0) {
      kill(shared->first, SIGKILL);
      raise(SIGKILL);
    }
  }
  if (strcmp(kind, "short") == 0) return 0;
  if (strcmp(kind, "from") == 0 && !needs_room) return 0;
  errno = reason;
  return 1;
}

/* A write that takes a part only. */
static size_t taken(size_t size) {
  return at > 0 && strcmp(kind, "short") == 0 && atomic_load(&shared->count) == at && size > 1 ? size / 2 : size;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define OURS(file) (set_up(), is_open_file_ours(file))

ssize_t write(int file, const void *data, size_t size) {
  if (fails(OURS(file), "write", 1)) return -1;
  return NEXT(write)(file, data, OURS(file) ? taken(size) : size);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t place) {
  if (fails(OURS(file), "pwrite", 1)) return -1;
  return NEXT(pwrite)(file, data, OURS(file) ? taken(size) : size, place);
}
ssize_t pwrite64(int file, const void *data, size_t size, off64_t place) {
  if (fails(OURS(file), "pwrite", 1)) return -1;
  return NEXT(pwrite64)(file, data, OURS(file) ? taken(size) : size, place);
}
ssize_t writev(int file, const struct iovec *parts, int number) {
  return fails(OURS(file), "writev", 1) ? -1 : NEXT(writev)(file, parts, number);
}
ssize_t pwritev(int file, const struct iovec *parts, int number, off_t place) {
  return fails(OURS(file), "pwritev", 1) ? -1 : NEXT(pwritev)(file, parts, number, place);
}
int fsync(int file) { return fails(OURS(file), "fsync", 1) ? -1 : NEXT(fsync)(file); }
int fdatasync(int file) { return fails(OURS(file), "fdatasync", 1) ? -1 : NEXT(fdatasync)(file); }
int ftruncate(int file, off_t size) { return fails(OURS(file), "ftruncate", 1) ? -1 : NEXT(ftruncate)(file, size); }
int ftruncate64(int file, off64_t size) {
  return fails(OURS(file), "ftruncate", 1) ? -1 : NEXT(ftruncate64)(file, size);
}
int posix_fallocate(int file, off_t first, off_t size) {
  return fails(OURS(file), "fallocate", 1) ? errno : NEXT(posix_fallocate)(file, first, size);
}
int posix_fallocate64(int file, off64_t first, off64_t size) {
  return fails(OURS(file), "fallocate", 1) ? errno : NEXT(posix_fallocate64)(file, first, size);
}
int fallocate(int file, int mode, off_t first, off_t size) {
  return fails(OURS(file), "fallocate", 1) ? -1 : NEXT(fallocate)(file, mode, first, size);
}
int rename(const char *from, const char *to) {
  set_up();
  return fails(is_ours(from), "rename", 1) ? -1 : NEXT(rename)(from, to);
}
int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
  set_up();
  return fails(is_ours(from), "renameat2", 1) ? -1 : NEXT(renameat2)(from_folder, from, to_folder, to, flags);
}
int link(const char *from, const char *to) {
  set_up();
  return fails(is_ours(from), "link", 1) ? -1 : NEXT(link)(from, to);
}
#define LOCK(name)                                                                             \
  va_list rest;                                                                                \
  va_start(rest, command);                                                                     \
  void *argument = va_arg(rest, void *);                                                       \
  va_end(rest);                                                                                \
  if ((command == F_OFD_SETLK || command == F_OFD_GETLK) && getenv("FAULT_LOCKS") != NULL) {   \
    errno = ENOLCK;                                                                            \
    return -1;                                                                                 \
  }                                                                                            \
  return NEXT(name)(file, command, argument)
int fcntl(int file, int command, ...) { LOCK(fcntl); }
int fcntl64(int file, int command, ...) { LOCK(fcntl64); }
int unlink(const char *path) {
  set_up();
  return fails(is_ours(path), "unlink", 0) ? -1 : NEXT(unlink)(path);
}
int close(int file) {
  const int ours = OURS(file) && (fcntl(file, F_GETFL) & O_ACCMODE) != O_RDONLY;
  const int wrong = fails(ours, "close", 0), kept = errno;
  const int status = NEXT(close)(file);
  if (!wrong) return status;
  errno = kept;
  return -1;
}

#define OPEN(name, ...)                                                            \
  mode_t mode = 0;                                                                 \
  if (flags & (O_CREAT | O_TMPFILE)) {                                             \
    va_list rest;                                                                  \
    va_start(rest, flags);                                                         \
    mode = va_arg(rest, mode_t);                                                   \
    va_end(rest);                                                                  \
  }                                                                                \
  set_up();                                                                        \
  if (fails(is_ours(path) && (flags & O_CREAT), "open", 1)) return -1;             \
  return NEXT(name)(__VA_ARGS__, mode)
int open(const char *path, int flags, ...) { OPEN(open, path, flags); }
int open64(const char *path, int flags, ...) { OPEN(open64, path, flags); }
int openat(int folder, const char *path, int flags, ...) { OPEN(openat, folder, path, flags); }
int openat64(int folder, const char *path, int flags, ...) { OPEN(openat64, folder, path, flags); }
