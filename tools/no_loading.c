/* In the static program of the archive (cmake/static_program.cmake) in place of the C library's: nothing is loaded into it. HDF5 looks
   for filters of other makers in folders of the machine; they would bring that machine's C library, and the program would end. Now
   HDF5 says that the filter isn't there. */
#include <dlfcn.h>
#include <stddef.h>

void* dlopen(const char* file, int mode) {
  (void)file;
  (void)mode;
  return NULL;
}

char* dlerror(void) {
  static char reason[] = "this program is static and loads no libraries";
  return reason;
}
