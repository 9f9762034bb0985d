/* SPDX-License-Identifier: Apache-2.0 */
/* libdw asks for a thread's registers and memory by these functions. */
#include "libdw_thread.h"

#include <stdio.h>
#include <stdlib.h>

static bool memory_read(Dwfl *dwfl, Dwarf_Addr at, Dwarf_Word *word, void *arg)
{
	struct libdw_thread *thread = arg;

	(void)dwfl;
	return thread->read(thread, at, word);
}

static bool registers_set(Dwfl_Thread *thread, void *arg)
{
	return dwfl_thread_state_registers(thread, 0, LIBDW_REGISTERS, ((struct libdw_thread *)arg)->regs);
}

static pid_t thread_next(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return ((struct libdw_thread *)arg)->pid;
}

static bool thread_get(Dwfl *dwfl, pid_t tid, void *arg, void **thread_arg)
{
	(void)dwfl;
	*thread_arg = arg;
	return tid == ((struct libdw_thread *)arg)->pid;
}

Dwfl *libdw_thread_open(struct libdw_thread *thread)
{
	static const Dwfl_Thread_Callbacks reading = {.next_thread = thread_next,
		.get_thread = thread_get,
		.memory_read = memory_read,
		.set_initial_registers = registers_set};
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl || dwfl_linux_proc_report(dwfl, thread->pid) || dwfl_report_end(dwfl, NULL, NULL) ||
		!dwfl_attach_state(dwfl, NULL, thread->pid, &reading, thread)) {
		printf("libdw: %s\n", dwfl_errmsg(-1));
		exit(1);
	}
	return dwfl;
}
