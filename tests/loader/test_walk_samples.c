/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of real programs, beside libdw's unwinding of the same thread at the same moment.
 *
 *	test_walk_samples SAMPLES PERMILLE COMMAND [ARGUMENT...]
 *
 * The command runs until it is stopped, at moments that it doesn't know: in prologues, in system calls, in the table of
 * jumps. The registers of its first thread and the memory of its stack are taken over, to the same addresses, and the
 * walk itself runs there. libdw reads the process. At least so many of a thousand stacks must be the same, address by
 * address, to the end.
 *
 * libdw doesn't know the handlers of Go's signals: it goes on by the frame pointer, and leaves out what was
 * interrupted. So where it comes to code that makes the system call rt_sigreturn and isn't described, it is told the
 * registers that the kernel has saved, and begins again with them.
 */
#define _GNU_SOURCE 1

#include "libdw_thread.h"
#include "walk_bench.h"

#include "loader/process/maps.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_STACK = 1 << 20, SHOWN = 5 };

enum { STACKS = 3, CACHED = 64 };

struct frames {
	uint64_t at[WL_STACK_MOST + 1];
	size_t n;
};

/* ---- libdw ---- */

/* Of the stopped thread. */
struct theirs {
	struct libdw_thread thread;
	uint64_t stack[STACKS]; /* an address of each stack that it has come to */
	unsigned n_stacks;
	uint64_t last;  /* the frame before, */
	uint64_t frame; /* and where it begins again: the kernel's frame of a signal; 0: nowhere */
	struct frames *frames;
	struct {
		uint64_t page;
		uint8_t bytes[PAGE];
	} cache[CACHED];
	size_t n_cached, hand;
};

static bool remote_read(pid_t pid, uint64_t at, void *to, size_t n)
{
	struct iovec here = {to, n}, there = {(void *)at, n};

	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)n;
}

static const uint8_t *page_of(struct theirs *t, uint64_t page)
{
	size_t i;

	for (i = 0; i < t->n_cached; i++)
		if (t->cache[i].page == page)
			return t->cache[i].bytes;
	i = t->n_cached < CACHED ? t->n_cached++ : t->hand++ % CACHED;
	t->cache[i].page = page;
	if (remote_read(t->thread.pid, page, t->cache[i].bytes, PAGE))
		return t->cache[i].bytes;
	t->cache[i].page = 1; /* none */
	return NULL;
}

static bool memory_read(struct libdw_thread *thread, Dwarf_Addr at, Dwarf_Word *word)
{
	const uint8_t *page = at % 8 ? NULL : page_of((struct theirs *)thread, at & ~(uint64_t)(PAGE - 1));

	if (!page)
		return at % 8 && remote_read(thread->pid, at, word, sizeof(*word));
	memcpy(word, page + at % PAGE, sizeof(*word));
	return true;
}

/* Stacks are far from each other. */
static void stack_note(struct theirs *t, uint64_t rsp)
{
	if (rsp - t->last < MOST_STACK)
		return;
	if (t->n_stacks < STACKS)
		t->stack[t->n_stacks++] = rsp;
}

/* mov $15, %rax; syscall: where a handler returns to. */
static bool is_sigreturn(struct theirs *t, uint64_t pc)
{
	static const uint8_t code[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
	uint8_t there[sizeof(code)];

	return remote_read(t->thread.pid, pc, there, sizeof(there)) && memcmp(there, code, sizeof(code)) == 0;
}

static bool is_described_signal(Dwfl_Frame *frame, uint64_t pc)
{
	Dwfl_Module *module = dwfl_addrmodule(dwfl_thread_dwfl(dwfl_frame_thread(frame)), pc);
	Dwarf_Addr bias = 0;
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	Dwarf_Frame *rules = NULL;
	bool is_signal = false;

	if (cfi && dwarf_cfi_addrframe(cfi, pc - bias, &rules) == 0) {
		dwarf_frame_info(rules, NULL, NULL, &is_signal);
		free(rules);
	}
	return is_signal;
}

static int frame_note(Dwfl_Frame *frame, void *arg)
{
	struct theirs *t = arg;
	struct frames *f = t->frames;
	Dwarf_Addr pc, rsp = 0;
	bool exact;

	if (f->n > WL_STACK_MOST || !dwfl_frame_pc(frame, &pc, &exact) || !pc)
		return DWARF_CB_ABORT;
	if (dwfl_frame_reg(frame, 7, &rsp) == 0) {
		stack_note(t, rsp);
		t->last = rsp;
	}
	f->at[f->n++] = pc;
	if (!exact && is_sigreturn(t, pc) && !is_described_signal(frame, pc)) {
		t->frame = rsp;
		return DWARF_CB_ABORT;
	}
	return DWARF_CB_OK;
}

/* The registers as the kernel saves them for a handler, in DWARF's order. */
static bool saved_registers(struct theirs *t)
{
	static const int order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	ucontext_t context;

	/* without its end, which is of the library */
	if (!remote_read(t->thread.pid, t->frame, &context, offsetof(ucontext_t, uc_sigmask)))
		return false;
	for (size_t i = 0; i < 17; i++)
		t->thread.regs[i] = (Dwarf_Word)context.uc_mcontext.gregs[order[i]];
	return true;
}

static void read_theirs(struct theirs *t, Dwfl *dwfl, const struct user_regs_struct *r, struct frames *f)
{
	const Dwarf_Word regs[] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi, r->rbp, r->rsp, r->r8, r->r9, r->r10,
		r->r11, r->r12, r->r13, r->r14, r->r15, r->rip};

	memcpy(t->thread.regs, regs, sizeof(regs));
	t->n_stacks = 0;
	t->last = 0;
	t->n_cached = t->hand = 0;
	t->frames = f;
	do {
		t->frame = 0;
		dwfl_getthread_frames(dwfl, t->thread.pid, frame_note, t);
	} while (t->frame && saved_registers(t));
	if (f->n > WL_STACK_MOST)
		f->n = WL_STACK_MOST;
}

/* ---- ours ---- */

struct copy {
	void *p;
	size_t size;
};

/* The memory from there to the end of the stack, at the same place. */
static bool stack_copy(pid_t pid, const struct wl_maps *maps, uint64_t rsp, struct copy *c)
{
	uint64_t from = rsp & ~(uint64_t)(PAGE - 1), to;
	const struct wl_map *m = wl_maps_find(maps, rsp);

	if (!m)
		return false;
	to = m->end - from > MOST_STACK ? from + MOST_STACK : m->end;
	c->size = to - from;
	c->p = mmap((void *)from, c->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		-1, 0);
	if (c->p != (void *)from) {
		if (c->p != MAP_FAILED)
			munmap(c->p, c->size);
		c->size = 0;
		return false;
	}
	return remote_read(pid, from, c->p, c->size);
}

/* Of all stacks that libdw has come to. */
static bool ours(struct walk_bench *b, const struct theirs *t, const struct user_regs_struct *regs, struct frames *f,
	unsigned *how)
{
	const struct walk_from from = {.rsp = regs->rsp,
		.owner = regs->fs_base,
		.rbp = regs->rbp,
		.at = regs->rsp,
		.ip = regs->rip | (uint64_t)1 << WL_STACK_EXACT_BIT};
	struct copy copy[STACKS] = {0};
	struct walk_taken taken = {0};
	struct wl_maps maps;
	bool ok = true;

	if (wl_maps_read(t->thread.pid, &maps))
		return false;
	for (unsigned i = 0; i < t->n_stacks; i++)
		ok = stack_copy(t->thread.pid, &maps, t->stack[i], &copy[i]) && ok;
	wl_maps_free(&maps);
	if (ok)
		taken = walk_take(b, &from, WL_STACK_MOST);
	for (unsigned i = 0; i < t->n_stacks; i++)
		munmap(copy[i].p, copy[i].size);
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
	static struct theirs libdw;
	struct walk_bench bench;
	Dwfl *dwfl = NULL;
	pid_t pid;

	if (argc < 4)
		return 2;
	wanted = strtoul(argv[1], NULL, 10);
	permille = strtoul(argv[2], NULL, 10);
	pid = start(argv + 3);
	usleep(300000); /* it has loaded its libraries, mostly; else there are fewer samples */
	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_EXITKILL)) { /* should the test be killed */
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
			libdw.thread = (struct libdw_thread){.pid = pid, .read = memory_read};
			dwfl = libdw_thread_open(&libdw.thread);
			walk_begin(&bench, 0);
			walk_add_process(&bench, pid);
		}
		ptrace(PTRACE_GETREGS, pid, 0, &regs);
		read_theirs(&libdw, dwfl, &regs, &theirs);
		if (ours(&bench, &libdw, &regs, &mine, &how)) {
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
