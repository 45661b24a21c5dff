// Arrays as tables: for the terminal, as CSV files and as JSON. All are made from the descriptions of the arrays.
#pragma once
#include "io/readers.hpp"
#include "results/arrays/arrays.hpp"

namespace credo::results {

// A field with the name of its only dimension.
bool is_coordinate(const Group& group, const Field& field);

// The fields of a group that have the same dimensions. A row is an element of them, the last dimension fastest.
struct ArrayTable {
  const Group* group = nullptr;
  std::vector<std::string> dims;
  std::vector<const Field*> fields;  // not those that are coordinates of the dimensions
  Index num_rows = 1;
};

// Tables of a group, in the order of their first fields.
std::vector<ArrayTable> tables_of(const Group& group);

// Heading, then rows with the place in each dimension (its coordinate where the group has one, else a number from 1) and
// the values; columns without values are left out. Beyond `most_rows` rows, evenly spaced ones and the last are shown;
// `to_see_all` is the line below those.
std::string table_text(const ArrayResult& result, const ArrayTable& table, Index most_rows,
                       std::string_view to_see_all);

// {"attributes": {...}, "groups": {NAME: {"dims": {NAME: size}, "fields": {NAME: {"dims": [...], "values": ...}}}}};
// values are nested arrays, labels stand for the places that they name.
std::string arrays_json(const ArrayResult& result);

// One file for each table with rows, PREFIX.GROUP.csv; further tables of a group have their dimensions in the name, or
// `single` without dimensions. Returns the names. Throws Error(io).
std::vector<std::string> write_array_tables(const ArrayResult& result, const std::string& prefix,
                                            const io::Readers& readers = {});

}  // namespace credo::results
