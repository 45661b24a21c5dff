// Marks the names that the library exports.
#pragma once

#if defined(__GNUC__)
#define CREDO_API __attribute__((visibility("default")))
#else
#define CREDO_API
#endif
