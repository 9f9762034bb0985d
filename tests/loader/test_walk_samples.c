/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of real programs, beside libdw's unwinding of the same thread at the same moment.
 *
 *	test_walk_samples SAMPLES PERMILLE COMMAND [ARGUMENT...]
 *
 * The command runs until it is stopped, at moments that it doesn't know: in prologues, in system calls, in the table of
 * jumps. Its registers and the memory of its stack are taken over, to the same addresses, and the walk itself runs
 * there. libdw reads the process. At least so many of a thousand stacks must be the same, address by address, to the
 * end.
 */
#define _GNU_SOURCE 1

#include "walk_bench.h"

#include "loader/process/maps.h"

#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_STACK = 1 << 20, SHOWN = 5 };

struct frames {
	uint64_t at[WL_STACK_MOST + 1];
	size_t n;
};

/* ---- libdw ---- */

static int frame_note(Dwfl_Frame *frame, void *arg)
{
	struct frames *f = arg;
	Dwarf_Addr pc;
	bool exact;

	if (f->n > WL_STACK_MOST || !dwfl_frame_pc(frame, &pc, &exact))
		return DWARF_CB_ABORT;
	if (!pc)
		return DWARF_CB_ABORT;
	f->at[f->n++] = pc;
	return DWARF_CB_OK;
}

static Dwfl *dwfl_of(pid_t pid)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl || dwfl_linux_proc_report(dwfl, pid) || dwfl_report_end(dwfl, NULL, NULL) ||
		dwfl_linux_proc_attach(dwfl, pid, true)) {
		printf("libdw: %s\n", dwfl_errmsg(-1));
		exit(1);
	}
	return dwfl;
}

/* ---- ours ---- */

static void *stack_copy(pid_t pid, uint64_t rsp, uint64_t end, size_t *size)
{
	uint64_t from = rsp & ~(uint64_t)(PAGE - 1), to = end - from > MOST_STACK ? from + MOST_STACK : end;
	char path[64];
	void *p;
	int fd;

	*size = to - from;
	p = mmap((void *)from, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (p != (void *)from)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || pread(fd, p, *size, (off_t)from) != (ssize_t)*size)
		*size = 0;
	close(fd);
	return p;
}

static bool ours(struct walk_bench *b, pid_t pid, const struct user_regs_struct *regs, struct frames *f, unsigned *how)
{
	const struct walk_from from = {.rsp = regs->rsp,
		.owner = regs->fs_base,
		.rbp = regs->rbp,
		.at = regs->rsp,
		.ip = regs->rip | (uint64_t)1 << WL_STACK_EXACT_BIT};
	const struct wl_map *m;
	struct walk_taken taken;
	struct wl_maps maps;
	size_t size;
	void *copy;

	if (wl_maps_read(pid, &maps))
		return false;
	m = wl_maps_find(&maps, regs->rsp);
	copy = m ? stack_copy(pid, regs->rsp, m->end, &size) : NULL;
	wl_maps_free(&maps);
	if (!copy)
		return false;
	taken = walk_take(b, &from, WL_STACK_MOST);
	munmap(copy, size);
	f->n = taken.n;
	*how = taken.how;
	for (size_t i = 0; i < taken.n && i <= WL_STACK_MOST; i++)
		f->at[i] = taken.address[i] & ~((uint64_t)1 << WL_STACK_EXACT_BIT);
	return taken.handle != 0;
}

/* ---- samples ---- */

static void show(const struct frames *a, const struct frames *b, unsigned how)
{
	for (size_t i = 0; i < a->n || i < b->n; i++)
		printf("  %#14" PRIx64 " %#14" PRIx64 "%s\n", i < a->n ? a->at[i] : 0, i < b->n ? b->at[i] : 0,
			i < a->n && i < b->n && a->at[i] == b->at[i] ? "" : "  <");
	printf("  (ours, libdw's; it ends with %u)\n", how);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	personality(ADDR_NO_RANDOMIZE); /* its stack is where ours isn't */
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	_exit(127);
}

/* Stop it. False: it has ended. */
static bool stop(pid_t pid)
{
	int status;

	if (ptrace(PTRACE_INTERRUPT, pid, 0, 0))
		return false;
	for (;;) {
		if (waitpid(pid, &status, 0) != pid || WIFEXITED(status) || WIFSIGNALED(status))
			return false;
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		ptrace(PTRACE_CONT, pid, 0, WSTOPSIG(status));
	}
}

int main(int argc, char **argv)
{
	unsigned long wanted, permille, same = 0, all = 0, frames = 0, no = 0;
	struct walk_bench bench;
	Dwfl *dwfl = NULL;
	pid_t pid;

	if (argc < 4)
		return 2;
	wanted = strtoul(argv[1], NULL, 10);
	permille = strtoul(argv[2], NULL, 10);
	pid = start(argv + 3);
	usleep(300000); /* it has loaded its libraries, mostly; else there are fewer samples */
	if (ptrace(PTRACE_SEIZE, pid, 0, 0)) {
		perror("ptrace");
		return 1;
	}
	srandom(1);
	while (all < wanted) {
		struct frames mine = {0}, theirs = {0};
		struct user_regs_struct regs;
		unsigned how = 0;

		usleep((useconds_t)(random() % 700));
		if (!stop(pid))
			break;
		if (!dwfl) {
			dwfl = dwfl_of(pid);
			walk_begin(&bench, 0);
			walk_add_process(&bench, pid);
		}
		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		if (ours(&bench, pid, &regs, &mine, &how)) {
			dwfl_getthread_frames(dwfl, pid, frame_note, &theirs);
			if (theirs.n > WL_STACK_MOST)
				theirs.n = WL_STACK_MOST;
			all++;
			frames += theirs.n;
			if (mine.n == theirs.n && memcmp(mine.at, theirs.at, mine.n * sizeof(mine.at[0])) == 0)
				same++;
			else if (all - same <= SHOWN)
				show(&mine, &theirs, how);
		} else {
			no++;
		}
		ptrace(PTRACE_CONT, pid, 0, 0);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (dwfl) {
		dwfl_end(dwfl);
		walk_end(&bench);
	}
	printf("%s: %lu of %lu stacks are the same, of %.1f frames; %lu couldn't be taken\n", argv[3], same, all,
		all ? (double)frames / (double)all : 0, no);
	return all < wanted || same * 1000 < all * permille || no * 100 > all;
}
