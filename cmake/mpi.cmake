# libcredo_mpi: the optional part that lets a run go over ranks (docs/mpi.md). Only it knows MPI; the program opens it where mpirun
# has started several processes. AUTO: built where an MPI is found. It isn't in the Debian package, which would depend on an MPI then:
# cmake --install BUILD --component mpi puts it beside the program.
set(CREDO_MPI AUTO CACHE STRING "build the part that runs over MPI ranks: AUTO, ON or OFF")
set_property(CACHE CREDO_MPI PROPERTY STRINGS AUTO ON OFF)
if(CREDO_MPI STREQUAL "AUTO")
  find_package(MPI QUIET COMPONENTS CXX)
elseif(CREDO_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()
if(CREDO_MPI AND MPI_CXX_FOUND)
  add_library(credo_mpi MODULE src/mpi/component.cpp)
  target_link_libraries(credo_mpi PRIVATE credo_flags MPI::MPI_CXX)
  # The C interface of MPI alone: the C++ one is gone from the standard, and its headers warn.
  target_compile_definitions(credo_mpi PRIVATE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1)
  set_target_properties(credo_mpi PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  install(TARGETS credo_mpi LIBRARY DESTINATION lib/credo COMPONENT mpi EXCLUDE_FROM_ALL)
elseif(CREDO_MPI)
  message(STATUS "no MPI: libcredo_mpi isn't built, and credo runs in one process (Debian: libopenmpi-dev, openmpi-bin)")
endif()
