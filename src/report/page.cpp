// The file CREDO_REPORT_PAGE, which cmake/report_page.cmake makes, taken into the program by the assembler.
#include "report/page.hpp"

__asm__(
    ".section .rodata.credo_report_page,\"a\",@progbits\n"
    ".hidden credo_report_page_begin\n"
    ".global credo_report_page_begin\n"
    "credo_report_page_begin:\n"
    ".incbin \"" CREDO_REPORT_PAGE
    "\"\n"
    ".hidden credo_report_page_end\n"
    ".global credo_report_page_end\n"
    "credo_report_page_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char credo_report_page_begin[], credo_report_page_end[];
}

namespace credo::report {

std::string_view page_template() {
  return {credo_report_page_begin,
          static_cast<std::size_t>(credo_report_page_end - credo_report_page_begin)};
}

}  // namespace credo::report
