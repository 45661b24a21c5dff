# What is compiled and linked in against hostile input, since programs, data and files of others are read: arrays on the stack
# are guarded, copies into buffers of known size are checked, indirect jumps lead to functions only, addresses of functions
# can't be overwritten, and nothing is loaded at a known place. tools/check_hardening looks for it in what is installed.
#
# Not there: _GLIBCXX_ASSERTIONS, which costs a comparison an element. Sanitizers check more, and don't go along with it.
include(CheckPIESupported)
check_pie_supported(LANGUAGES C CXX)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CREDO_SANITIZE AND NOT CREDO_FUZZ)
  # The engine's kernels read no text and no file, and a guard in each would cost.
  set(kernels "$<IN_LIST:$<TARGET_PROPERTY:NAME>,credo_graph$<SEMICOLON>credo_numerics>")
  target_compile_options(credo_flags INTERFACE
    $<$<NOT:${kernels}>:-fstack-protector-strong> -U_FORTIFY_SOURCE)
  # Without optimisation the checks of copies are none, and a warning.
  target_compile_options(credo_flags INTERFACE $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
    target_compile_options(credo_flags INTERFACE -fcf-protection=full)
  endif()
  target_link_options(credo_flags INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()
