/* SPDX-License-Identifier: Apache-2.0 */
#include "build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_NOTES = 4096, MOST_SEGMENTS = 128 };

/* Notes follow each other: a head, a name, contents; the latter two are padded to four bytes. */
static size_t notes_read(const unsigned char *notes, size_t n, uint8_t id[CLUSTER_BUILD_ID])
{
	size_t at = 0;

	while (n - at > sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr h;
		memcpy(&h, notes + at, sizeof(h));
		at += sizeof(h);
		size_t name = ((size_t)h.n_namesz + 3) / 4 * 4, size = ((size_t)h.n_descsz + 3) / 4 * 4;
		if (name > n - at || size > n - at - name)
			return 0;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && memcmp(notes + at, "GNU", 4) == 0 &&
			h.n_descsz <= CLUSTER_BUILD_ID) {
			memcpy(id, notes + at + name, h.n_descsz);
			return h.n_descsz;
		}
		at += name + size;
	}
	return 0;
}

size_t cluster_build_id_of_kernel(uint8_t id[CLUSTER_BUILD_ID])
{
	unsigned char notes[MOST_NOTES];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, notes, sizeof(notes)) : -1;

	if (fd >= 0)
		close(fd);
	return n > 0 ? notes_read(notes, (size_t)n, id) : 0;
}

/* Of the file that is executed, whatever has its name now: it may hold anything. */
size_t cluster_build_id_of_program(pid_t pid, uint8_t id[CLUSTER_BUILD_ID])
{
	unsigned char notes[MOST_NOTES];
	Elf64_Ehdr h;
	Elf64_Phdr p;
	char path[64];
	size_t found = 0;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool ok = fd >= 0 && pread(fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h) &&
		  memcmp(h.e_ident, ELFMAG, SELFMAG) == 0 && h.e_ident[EI_CLASS] == ELFCLASS64 &&
		  h.e_phentsize == sizeof(p);
	for (unsigned i = 0; ok && !found && i < h.e_phnum && i < MOST_SEGMENTS; i++) {
		if (pread(fd, &p, sizeof(p), (off_t)(h.e_phoff + i * sizeof(p))) != (ssize_t)sizeof(p))
			break;
		if (p.p_type != PT_NOTE)
			continue;
		ssize_t n =
			pread(fd, notes, p.p_filesz < sizeof(notes) ? p.p_filesz : sizeof(notes), (off_t)p.p_offset);
		if (n > 0)
			found = notes_read(notes, (size_t)n, id);
	}
	if (fd >= 0)
		close(fd);
	return found;
}
