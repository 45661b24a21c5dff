// Rows of tables whose files have equal names in their unnamed namespaces (`check`, `constrain`, `log_density`): a row `beta` lies
// in a namespace `beta_row`, so that several of the files can be compiled at a time (cmake/layers.cmake). Others know it as `beta`.
#pragma once

// Declares a row that lies in a namespace `file`.
#define CREDO_ROW_OF_FILE(type, file, name) \
  namespace file {                          \
  extern const type name;                   \
  }                                         \
  using file::name;
// Declaration for tables that are lists of rows (base/row_list.hpp), where `Row` is their type.
#define CREDO_DECLARE_ROW_OF_FILE(name) CREDO_ROW_OF_FILE(Row, name##_row, name)
