// Tables whose rows lie in files of their own: each row is named once, in the table's file.
//
//   #define CREDO_ROWS(row) row(beta) row(normal)
//   using Row = Distribution;
//   CREDO_ROWS(CREDO_DECLARE_ROW)
//   constexpr std::array kRows{CREDO_ROWS(CREDO_ADDRESS_OF_ROW)};
#pragma once

#define CREDO_DECLARE_ROW(name) extern const Row name;
#define CREDO_ADDRESS_OF_ROW(name) &name,
