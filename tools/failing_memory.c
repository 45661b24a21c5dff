/* Preloaded: lets the n-th request for memory fail, of whatever library.
 *
 *   CREDO_FAIL_AT=n      which one; 0 or none: none, they are only counted
 *   CREDO_FAIL_KIND      one: only that one; from: it and all that follow that are as large as CREDO_FAIL_SIZE bytes
 *   CREDO_FAIL_LOG=file  where the number of requests is written at the end
 *
 * Requests are counted over all threads from the program's main on, so with one thread the n-th is always the same. What
 * libraries ask for when they are loaded isn't counted: there nobody could say anything. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long count;
static long at, least;
static int lasts, ready;
static const char *log_file;

static long number_of(const char *name) {
  const char *text = getenv(name);
  return text == NULL ? 0 : strtol(text, NULL, 10);
}

static void begin(void) {
  const char *kind = getenv("CREDO_FAIL_KIND");
  at = number_of("CREDO_FAIL_AT");
  least = number_of("CREDO_FAIL_SIZE");
  lasts = kind != NULL && strcmp(kind, "from") == 0;
  log_file = getenv("CREDO_FAIL_LOG");
  ready = 1;
}

typedef int Main(int, char **, char **);
static Main *program_main;
static int counted_main(int argc, char **argv, char **environment) {
  begin();
  const int status = program_main(argc, argv, environment);
  ready = 0;
  return status;
}

int __libc_start_main(Main *main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void *stack_end) {
  typedef int Start(Main *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
  program_main = main;
  Start *const start = (Start *)dlsym(RTLD_NEXT, "__libc_start_main");
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void end(void) {
  ready = 0;
  if (log_file == NULL) return;
  char text[32];
  const int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&count));
  const int file = open(log_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  if (write(file, text, (size_t)length) != length) errno = 0;
  close(file);
}

static int fails(size_t size) {
  if (!ready) return 0;
  const long number = atomic_fetch_add(&count, 1) + 1;
  if (at == 0 || number < at) return 0;
  if (number > at && (!lasts || (long)size < least)) return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t size) { return fails(size) ? NULL : __libc_malloc(size); }
void *calloc(size_t number, size_t size) { return fails(number * size) ? NULL : __libc_calloc(number, size); }
void *realloc(void *old, size_t size) { return fails(size) ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails(size) ? NULL : __libc_memalign(alignment, size); }
