/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that libdw unwinds, by registers and memory that the caller gives it: what walks are compared with. */
#ifndef WARD_TESTS_LIBDW_THREAD_H
#define WARD_TESTS_LIBDW_THREAD_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <sys/types.h>

enum { LIBDW_REGISTERS = 17 };

struct libdw_thread {
	pid_t pid;                        /* a process, and its first thread */
	Dwarf_Word regs[LIBDW_REGISTERS]; /* where it begins, in DWARF's order; the last one is the instruction */
	bool (*read)(struct libdw_thread *thread, Dwarf_Addr at, Dwarf_Word *word);
};

/* With what the process has mapped now. Ends this program if libdw can't. End it with dwfl_end. */
Dwfl *libdw_thread_open(struct libdw_thread *thread);

#endif
