# SPDX-License-Identifier: Apache-2.0
# ward_publish(NAME INTERNAL FOLDER SOURCES FILE… LINKS LIBRARY…): what programs outside this tree link with, made of
# the objects of the static library INTERNAL (and of further files):
# NAME-shared, libNAME.so.1, which exports what FOLDER/libNAME.map says, and NAME-static, libNAME.a, one object in
# which everything hidden has become local. So neither has names of
# ours in a program's way, and what is linked with either can use nothing but its headers. FOLDER/NAME.pc.in becomes
# NAME.pc, which finds everything from where it stands itself.
# The number in the libraries' names. It changes with the release in which a program that was linked with an older one
# could no longer run.
set(WARD_ABI 1)

function(ward_publish name internal folder)
	cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "SOURCES;LINKS")
	set(map ${folder}/lib${name}.map)
	set(objects $<TARGET_OBJECTS:${internal}>)
	if(arg_SOURCES)
		add_library(${name}-more OBJECT ${arg_SOURCES})
		set_target_properties(${name}-more PROPERTIES POSITION_INDEPENDENT_CODE ON)
		target_include_directories(${name}-more PRIVATE $<TARGET_PROPERTY:${internal},INCLUDE_DIRECTORIES>)
		list(APPEND objects $<TARGET_OBJECTS:${name}-more>)
	endif()

	add_library(${name}-shared SHARED ${objects})
	set_target_properties(${name}-shared PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C
		SOVERSION ${WARD_ABI} LINK_DEPENDS ${map} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
	target_link_options(${name}-shared PRIVATE -Wl,--version-script=${map} -Wl,-Bsymbolic-functions $<$<NOT:$<BOOL:${WARD_SANITIZE}>>:-Wl,-z,defs> -Wl,-z,now)
	target_link_libraries(${name}-shared PRIVATE ${arg_LINKS})

	set(whole ${CMAKE_CURRENT_BINARY_DIR}/lib${name}.o)
	add_custom_command(OUTPUT ${whole}
		COMMAND ${CMAKE_LINKER} -r -o ${whole} ${objects}
		COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${whole}
		DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM)
	add_library(${name}-static STATIC ${whole})
	set_source_files_properties(${whole} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
	set_target_properties(${name}-static PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
	foreach(kind shared static)
		target_include_directories(${name}-${kind} INTERFACE ${CMAKE_SOURCE_DIR}/loader/include ${CMAKE_SOURCE_DIR}/verifier/include ${CMAKE_SOURCE_DIR}/spec)
	endforeach()
	target_link_libraries(${name}-static INTERFACE ${arg_LINKS})
	install(TARGETS ${name}-shared ${name}-static)

	file(RELATIVE_PATH root /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
	string(REGEX REPLACE "/$" "" root "${root}")
	configure_file(${folder}/${name}.pc.in ${name}.pc @ONLY)
	install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
