# Run by cpack between installing and packing.
execute_process(COMMAND ${CPACK_CREDO_FINISH} finish ${CPACK_TEMPORARY_INSTALL_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX}
                COMMAND_ERROR_IS_FATAL ANY)
