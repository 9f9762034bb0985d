/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading ELF files, which are hostile input. Every offset and size is checked against the file, and every string
 * ends inside its table. Files are read, not mapped: if a file is truncated meanwhile, reads are short, and no signal
 * comes.
 */
#ifndef WARD_LOADER_ELF_FILE_H
#define WARD_LOADER_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_elf {
	int fd;
	uint64_t size;
	Elf64_Phdr *segments;
	size_t n_segments;
	Elf64_Shdr *sections; /* none if the file has no section headers, or broken ones */
	size_t n_sections;
	uint32_t names; /* the section with the sections' names; 0: none */
};

/* A string table. Offsets in the file's other tables lead into it. */
struct wl_strings {
	char *p;
	uint64_t size;
};

/* Read the headers of an x86-64 file. The descriptor is the caller's. False if it is none, or without memory. */
bool wl_elf_open(struct wl_elf *elf, int fd);
void wl_elf_close(struct wl_elf *elf);

/* Where the file has the code of that address. False if it has none there. */
bool wl_elf_code_offset(const struct wl_elf *elf, uint64_t address, uint64_t *offset);

/* The bytes of the file, malloc'd; NULL if they aren't all there. At most 1 GiB. */
void *wl_elf_read(const struct wl_elf *elf, uint64_t offset, uint64_t size);

/* The first section of a type, or NULL. */
const Elf64_Shdr *wl_elf_section(const struct wl_elf *elf, uint32_t type);

/* The first section of that name, or NULL. */
const Elf64_Shdr *wl_elf_section_named(const struct wl_elf *elf, const char *name);

/* The string table that a section refers to; empty if there is none. */
struct wl_strings wl_elf_strings(const struct wl_elf *elf, const Elf64_Shdr *section);

/* The one with the names that the file imports or exports. */
struct wl_strings wl_elf_dynamic_strings(const struct wl_elf *elf);

/* Is it one of the strings, whole? */
bool wl_has_string(const struct wl_strings *s, const char *name);

/* A string, or "" for an offset outside. */
const char *wl_string(const struct wl_strings *s, uint64_t offset);

#endif
