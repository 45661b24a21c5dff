# credo_static: the program of the archive that tools/release makes. The objects of the program credo, linked with static
# libraries only, those of C and C++ among them: it needs a kernel, and nothing else of the machine. Not part of `all`.
#   CREDO_STATIC_LIBRARIES: a folder with what Debian has no static library of, made by tools/release from Debian's sources:
#   libfmt.a, libsimdjson.a, libhwy.a, and a libnetcdf.a that knows files only, not servers.
set(CREDO_STATIC_LIBRARIES "" CACHE PATH "a folder of static libraries; with it there is the target credo_static")
if(CREDO_STATIC_LIBRARIES)
  set(libraries "")
  foreach(name netcdf fmt simdjson hwy)
    list(APPEND libraries ${CREDO_STATIC_LIBRARIES}/lib${name}.a)
  endforeach()
  # Debian's own. Its HDF5 has a driver for servers, too, in an object that nothing asks for.
  foreach(name hdf5_hl hdf5 sz aec z sqlite3)
    find_library(CREDO_STATIC_${name} lib${name}.a PATH_SUFFIXES hdf5/serial REQUIRED)
    list(APPEND libraries ${CREDO_STATIC_${name}})
  endforeach()
  get_target_property(layers credo_cli LINK_LIBRARIES)
  list(FILTER layers INCLUDE REGEX "^credo_")
  list(REMOVE_ITEM layers credo_flags)
  list(PREPEND layers credo_cli)
  add_executable(credo_static EXCLUDE_FROM_ALL $<TARGET_OBJECTS:credo> tools/no_loading.c)
  add_dependencies(credo_static ${layers})
  list(TRANSFORM layers REPLACE "^(.+)$" "$<TARGET_FILE:\\1>")
  set_property(TARGET credo_static PROPERTY POSITION_INDEPENDENT_CODE)  # else -pie follows, which takes -static-pie back
  target_link_options(credo_static PRIVATE -static-pie -Wl,-z,relro,-z,now,-z,noexecstack)
  target_link_libraries(credo_static PRIVATE -Wl,--start-group ${layers} ${libraries} -Wl,--end-group)
  set_target_properties(credo_static PROPERTIES LINKER_LANGUAGE CXX LINK_DEPENDS "${layers};${libraries}"
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/static OUTPUT_NAME credo)
endif()
