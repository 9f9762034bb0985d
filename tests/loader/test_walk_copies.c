/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of samples of real programs, beside libdw's unwinding of the same registers and the same copy of the stack.
 *
 *	test-loader-walk-copies SAMPLES PERMILLE COMMAND [ARGUMENT...]
 *
 * The command runs, and isn't stopped; the kernel samples it by the clock. libdw reads what the sample has, and no
 * memory of the process. At least so many of a thousand stacks must be the same, address by address, to the end; or to
 * where the copy ends, if ours says that it is cut there. Where a register has been popped already, which compilers
 * don't describe, libdw looks for it below the stack pointer, where the sample has nothing: then it has no answer. That
 * is so for one in a hundred at most.
 */
#define _GNU_SOURCE 1

#include "libdw_thread.h"

#include "loader/sample/task_events.h"
#include "loader/sample/walk_copy.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 13, SHOWN = 5, REGISTERS = LIBDW_REGISTERS };

/* Those that libdw knows, as the kernel numbers them (asm/perf_regs.h), and so in the order of a sample. */
enum { AX, BX, CX, DX, SI, DI, BP, SP, IP, R8, R15 = R8 + 7 };
static const uint64_t SAMPLED = 0x1ff | 0xffull << 16;

struct frames {
	uint64_t at[WL_STACK_MOST + 1];
	size_t n;
};

/* What libdw may know of a sample. */
struct theirs {
	struct libdw_thread thread;
	struct wl_stack_copy copy;
	struct frames frames;
	bool has_no_answer;
};

static bool memory_read(struct libdw_thread *thread, Dwarf_Addr at, Dwarf_Word *word)
{
	struct theirs *t = (struct theirs *)thread;
	const struct wl_stack_copy *c = &t->copy;

	t->has_no_answer |= at < c->rsp;
	if (at < c->rsp || c->size < sizeof(*word) || at - c->rsp > c->size - sizeof(*word))
		return false;
	memcpy(word, c->bytes + (at - c->rsp), sizeof(*word));
	return true;
}

static int frame_note(Dwfl_Frame *frame, void *arg)
{
	struct frames *f = &((struct theirs *)arg)->frames;
	Dwarf_Addr pc;

	if (f->n == WL_STACK_MOST || !dwfl_frame_pc(frame, &pc, NULL) || !pc)
		return DWARF_CB_ABORT;
	f->at[f->n++] = pc;
	return DWARF_CB_OK;
}

/* What follows a sample's head: registers, and the copy. False: it was taken without. */
static bool sample_read(const struct wl_perf_sample *s, struct theirs *t)
{
	static const int order[REGISTERS] = {
		AX, DX, CX, BX, SI, DI, BP, SP, R8, R8 + 1, R8 + 2, R8 + 3, R8 + 4, R8 + 5, R8 + 6, R15, IP};
	const uint64_t *word = (const void *)(s + 1);
	uint64_t size, used;

	if (*word++ != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (size_t i = 0; i < REGISTERS; i++)
		t->thread.regs[i] = word[order[i]];
	t->copy = (struct wl_stack_copy){.rip = word[IP], .rsp = word[SP], .rbp = word[BP]};
	word += REGISTERS;
	size = *word++;
	used = size ? word[size / 8] : 0;
	t->copy.bytes = (const void *)word;
	t->copy.size = used;
	t->copy.is_cut = used == size;
	return used;
}

/* One that ends with the copy may end a frame earlier or later, as libdw reads more of a frame than the walk does. */
static bool is_same(const struct wl_stack *ours, const struct frames *theirs)
{
	size_t n = ours->n < theirs->n ? ours->n : theirs->n;
	size_t apart = ours->n + theirs->n - 2 * n;

	for (size_t i = 0; i < n; i++)
		if ((ours->address[i] & ~((uint64_t)1 << WL_STACK_EXACT_BIT)) != theirs->at[i])
			return false;
	return apart == 0 || (ours->how & WL_STACK_CUT && apart == 1);
}

static void show(const struct wl_stack *ours, const struct frames *theirs)
{
	for (size_t i = 0; i < ours->n || i < theirs->n; i++)
		printf("  %#14" PRIx64 " %#14" PRIx64 "\n",
			i < ours->n ? ours->address[i] & ~((uint64_t)1 << WL_STACK_EXACT_BIT) : 0,
			i < theirs->n ? theirs->at[i] : 0);
	printf("  (ours, libdw's; it ends with %u)\n", ours->how);
}

static pid_t start(char **argv)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* however this test ends, it leaves nothing behind */
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	_exit(127);
}

static void events_open(struct wl_task_events *tasks, const struct wl_rings *rings, pid_t pid)
{
	const struct wl_sample_wants wants = {.stack_bytes = STACK_BYTES};
	struct wl_sample_site site;
	struct wl_task_event event = {0};
	struct ward_error err;
	const char *why;

	if (wl_sample_site_parse("cpu-clock:1000000", &site, &err))
		exit(2);
	why = wl_task_event(&site, &wants, &event);
	event.attr.sample_regs_user = SAMPLED;
	if (why || wl_task_events_open(tasks, pid, &event, 1, rings, &err)) {
		printf("no samples: %s\n", why ? why : err.why);
		exit(1);
	}
}

/* The processors' events have samples of others, too. */
static bool is_of(const struct perf_event_header *r, pid_t pid)
{
	return (pid_t)((const struct wl_perf_sample *)(const void *)r)->pid == pid;
}

int main(int argc, char **argv)
{
	unsigned long wanted, permille, same = 0, all = 0, frames = 0, cut = 0, shown = 0, no = 0;
	static struct theirs t;
	struct wl_task_events tasks = {0};
	struct wl_code_files files = {0};
	struct wl_code_map code = {0};
	struct wl_process p;
	struct wl_rings rings = {0};
	struct ward_error err;
	Dwfl *dwfl;
	struct wl_maps maps = {0};

	if (argc < 4)
		return 2;
	wanted = strtoul(argv[1], NULL, 10);
	permille = strtoul(argv[2], NULL, 10);
	t.thread = (struct libdw_thread){.pid = start(argv + 3), .read = memory_read};
	usleep(700000); /* it has loaded its libraries */
	if (wl_process_open(&p, t.thread.pid, &err) || wl_rings_open(&rings, 1 << 22, false, &err)) {
		printf("%s: %s\n", err.what, err.why);
		return 1;
	}
	events_open(&tasks, &rings, t.thread.pid);
	dwfl = libdw_thread_open(&t.thread);
	if (wl_maps_read(p.pid, &maps) == 0)
		wl_code_map_take(&code, &files, &p, &maps);
	wl_maps_free(&maps);
	while (all < wanted && !wl_process_gone(&p)) {
		const struct perf_event_header *r;

		wl_rings_wait(&rings, p.pidfd, 20, false);
		wl_rings_look(&rings);
		while (all < wanted && (r = wl_rings_next(&rings, UINT64_MAX))) {
			struct wl_stack ours;

			if (r->type != PERF_RECORD_SAMPLE || !is_of(r, t.thread.pid) ||
				!sample_read((const void *)r, &t))
				continue;
			wl_walk_copy(&t.copy, &code, WL_STACK_MOST, &ours);
			t.frames.n = 0;
			t.has_no_answer = false;
			dwfl_getthread_frames(dwfl, t.thread.pid, frame_note, &t);
			if (t.has_no_answer && !is_same(&ours, &t.frames)) {
				no++;
				continue;
			}
			all++;
			frames += ours.n;
			cut += ours.how & WL_STACK_CUT;
			if (is_same(&ours, &t.frames))
				same++;
			else if (shown++ < SHOWN)
				show(&ours, &t.frames);
		}
	}
	kill(t.thread.pid, SIGKILL);
	waitpid(t.thread.pid, NULL, 0);
	dwfl_end(dwfl);
	wl_task_events_free(&tasks);
	wl_rings_close(&rings);
	wl_code_map_free(&code);
	wl_code_files_free(&files);
	wl_process_close(&p);
	printf("%s: %lu of %lu stacks are the same, of %.1f frames; %lu are longer than the copy, %lu libdw can't "
	       "take\n",
		argv[3], same, all, all ? (double)frames / (double)all : 0, cut, no);
	return all < wanted || same * 1000 < all * permille || no * 100 > all;
}
