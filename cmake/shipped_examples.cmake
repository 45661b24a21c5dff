# What `credo examples` lists and copies: share/credo/examples; the pages that tell the analyses are among the docs.
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/credo/examples FILES_MATCHING
        PATTERN "*.stan" PATTERN "*.csv" PATTERN "*.json" PATTERN "outside" EXCLUDE PATTERN "support" EXCLUDE)
