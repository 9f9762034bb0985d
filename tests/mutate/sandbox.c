/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "sandbox.h"

#include "host.h"
#include "witness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	PAGE = 4096,
	EVENT_BYTES = 112, /* of which a module may have been compiled for less */
	STACK_PAGES = 8,
	/* of the stack's bytes: below is the probe's, above is the host's; as a call leaves it */
	ENTRY_RSP = 4 * PAGE + 8,
	STATE_ALIGNMENT = 64,
	FLAG_TRAP = 0x100,
	FLAG_DF = 0x400,
	FLAG_AC = 0x40000,    /* with it set, what lies at no multiple of its width ends the run by SIGBUS */
	MOST_STATE = 1 << 20, /* bytes of state that are filled and compared at each end */
};

/* ---- Crossing over ---- */

/* What the crossing loads and stores; the assembly below knows the offsets. */
struct crossing {
	uint64_t in[16];         /* 0: registers in encoding order, rsp included */
	uint64_t out[16];        /* 128 */
	uint64_t in_flags;       /* 256 */
	uint64_t out_flags;      /* 264 */
	uint64_t host_rsp;       /* 272 */
	uint64_t target;         /* 280 */
	uint64_t xmm_in[16][2];  /* 288 */
	uint64_t xmm_out[16][2]; /* 544 */
	uint32_t mxcsr;          /* 800: afterwards */
};
struct crossing crossing __attribute__((visibility("hidden")));

void cross(void) __attribute__((visibility("hidden")));
extern const uint8_t cross_back[] __attribute__((visibility("hidden")));

__asm__(".text\n"
	".globl cross\n.hidden cross\n.type cross, @function\n"
	"cross:\n"
	"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, 272+crossing(%rip)\n"
	"	mov 0+crossing(%rip), %rax\n	mov 8+crossing(%rip), %rcx\n	mov 16+crossing(%rip), %rdx\n"
	"	mov 24+crossing(%rip), %rbx\n	mov 40+crossing(%rip), %rbp\n	mov 48+crossing(%rip), %rsi\n"
	"	mov 56+crossing(%rip), %rdi\n	mov 64+crossing(%rip), %r8\n	mov 72+crossing(%rip), %r9\n"
	"	mov 80+crossing(%rip), %r10\n	mov 88+crossing(%rip), %r11\n	mov 96+crossing(%rip), %r12\n"
	"	mov 104+crossing(%rip), %r13\n	mov 112+crossing(%rip), %r14\n	mov 120+crossing(%rip), %r15\n"
	"	movups 288+crossing(%rip), %xmm0\n	movups 304+crossing(%rip), %xmm1\n"
	"	movups 320+crossing(%rip), %xmm2\n	movups 336+crossing(%rip), %xmm3\n"
	"	movups 352+crossing(%rip), %xmm4\n	movups 368+crossing(%rip), %xmm5\n"
	"	movups 384+crossing(%rip), %xmm6\n	movups 400+crossing(%rip), %xmm7\n"
	"	movups 416+crossing(%rip), %xmm8\n	movups 432+crossing(%rip), %xmm9\n"
	"	movups 448+crossing(%rip), %xmm10\n	movups 464+crossing(%rip), %xmm11\n"
	"	movups 480+crossing(%rip), %xmm12\n	movups 496+crossing(%rip), %xmm13\n"
	"	movups 512+crossing(%rip), %xmm14\n	movups 528+crossing(%rip), %xmm15\n"
	"	push 256+crossing(%rip)\n	popf\n"
	"	mov 32+crossing(%rip), %rsp\n"
	"	jmp *280+crossing(%rip)\n"
	".globl cross_back\n.hidden cross_back\n"
	"cross_back:\n"
	"	mov %rax, 128+crossing(%rip)\n	mov %rcx, 136+crossing(%rip)\n	mov %rdx, 144+crossing(%rip)\n"
	"	mov %rbx, 152+crossing(%rip)\n	mov %rsp, 160+crossing(%rip)\n	mov %rbp, 168+crossing(%rip)\n"
	"	mov %rsi, 176+crossing(%rip)\n	mov %rdi, 184+crossing(%rip)\n	mov %r8, 192+crossing(%rip)\n"
	"	mov %r9, 200+crossing(%rip)\n	mov %r10, 208+crossing(%rip)\n	mov %r11, 216+crossing(%rip)\n"
	"	mov %r12, 224+crossing(%rip)\n	mov %r13, 232+crossing(%rip)\n	mov %r14, 240+crossing(%rip)\n"
	"	mov %r15, 248+crossing(%rip)\n"
	"	movups %xmm0, 544+crossing(%rip)\n	movups %xmm1, 560+crossing(%rip)\n"
	"	movups %xmm2, 576+crossing(%rip)\n	movups %xmm3, 592+crossing(%rip)\n"
	"	movups %xmm4, 608+crossing(%rip)\n	movups %xmm5, 624+crossing(%rip)\n"
	"	movups %xmm6, 640+crossing(%rip)\n	movups %xmm7, 656+crossing(%rip)\n"
	"	movups %xmm8, 672+crossing(%rip)\n	movups %xmm9, 688+crossing(%rip)\n"
	"	movups %xmm10, 704+crossing(%rip)\n	movups %xmm11, 720+crossing(%rip)\n"
	"	movups %xmm12, 736+crossing(%rip)\n	movups %xmm13, 752+crossing(%rip)\n"
	"	movups %xmm14, 768+crossing(%rip)\n	movups %xmm15, 784+crossing(%rip)\n"
	"	stmxcsr 800+crossing(%rip)\n"
	"	mov 272+crossing(%rip), %rsp\n"
	"	pushf\n	pop 264+crossing(%rip)\n"
	"	push $2\n	popf\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbp\n	pop %rbx\n	ret\n"
	".size cross, . - cross\n");

/* ---- Watching ---- */

/* Of the run at hand; the signal handler works on it. */
static struct {
	uint64_t text, text_end;
	uint64_t insns, most;
	uint64_t lowest_rsp, highest_rsp;
	uint64_t imports; /* mask of those that the entry may call */
	struct host host;
	struct witness witness;
} watch;

static _Noreturn void die(const char *why)
{
	fprintf(stderr, "    %s\n", why);
	_exit(SANDBOX_BROKEN);
}

static void serve(unsigned import, greg_t *regs)
{
	if (!(watch.imports >> import & 1))
		die("an import is called of which the verdict doesn't speak");
	uint64_t rsp = (uint64_t)regs[REG_RSP];
	struct host_cost cost;
	const char *why = host_serve(&watch.host, import, regs, &cost);
	if (why)
		die(why);
	watch.insns += cost.insns;
	if (rsp - cost.stack < watch.lowest_rsp)
		die("an import uses more stack than the verdict speaks of");
}

/* The registers as instructions number them. */
static void registers_of(const greg_t *regs, uint64_t reg[16])
{
	static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
	for (unsigned r = 0; r < 16; r++)
		reg[r] = (uint64_t)regs[order[r]];
}

static void left(const greg_t *regs)
{
	uint64_t reg[16];
	registers_of(regs, reg);
	const char *why = witness_end(&watch.witness, reg);
	if (why)
		die(why);
}

static void claims_hold(const greg_t *regs)
{
	uint64_t reg[16];
	registers_of(regs, reg);
	const char *why = witness_step(&watch.witness, (uint64_t)regs[REG_RIP], reg);
	if (why) {
		fprintf(stderr, "    at text+%#lx: ", (unsigned long)((uint64_t)regs[REG_RIP] - watch.text));
		die(why);
	}
}

/* Handlers begin with the flag that was set; the code of this program and of the library isn't made for it. */
static void stop_alignment_checks(void)
{
	__asm__ volatile("pushf\n	andl %0, (%%rsp)\n	popf" ::"i"(~FLAG_AC) : "memory", "cc");
}

/* After each instruction: where control is, and where rsp. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	stop_alignment_checks();
	(void)sig, (void)info;
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t rip = (uint64_t)regs[REG_RIP], rsp = (uint64_t)regs[REG_RSP];
	if (rip == (uint64_t)cross_back) {
		left(regs);
		regs[REG_EFL] &= ~(greg_t)FLAG_TRAP;
		return;
	}
	if (rip >= (uint64_t)cross && rip < (uint64_t)cross_back)
		return; /* still on the way there */
	int import = host_import_at(&watch.host, rip);
	if (import >= 0) {
		serve((unsigned)import, regs);
		rip = (uint64_t)regs[REG_RIP];
		rsp = (uint64_t)regs[REG_RSP];
		if (rip == (uint64_t)cross_back) { /* it was jumped to */
			if (watch.insns > watch.most)
				die("more instructions than the bound");
			left(regs);
			regs[REG_EFL] &= ~(greg_t)FLAG_TRAP;
			return;
		}
	}
	if (rip < watch.text || rip >= watch.text_end)
		die("control left the text");
	if (++watch.insns > watch.most)
		die("more instructions than the bound");
	if (rsp < watch.lowest_rsp || rsp > watch.highest_rsp)
		die("rsp left the bytes that the verdict speaks of");
	claims_hold(regs);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	stop_alignment_checks();
	uint64_t rip = (uint64_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	fprintf(stderr, "    %s at text+%#lx, address %p\n", strsignal(sig), (unsigned long)(rip - watch.text),
		info->si_addr);
	_exit(SANDBOX_BROKEN);
}

static void watch_signals(void)
{
	static uint8_t alternate[64 << 10];
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	sigaltstack(&stack, NULL);
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigaction(faults[i], &action, NULL);
	action.sa_sigaction = on_trap;
	sigaction(SIGTRAP, &action, NULL);
}

/* ---- Memory ---- */

/*
 * Bytes of a region between two pages that can't be touched; the region ends at the second, or as close before it as
 * its alignment lets it. What lies before it in its first page, and behind it, is a canary.
 */
struct area {
	uint8_t *pages, *start;
	size_t size, mapped;
};

static size_t round_up(size_t n)
{
	return (n + PAGE - 1) / PAGE * PAGE;
}

static bool area_map(struct area *a, size_t size, size_t alignment)
{
	a->size = size;
	a->mapped = round_up(size) + PAGE;
	uint8_t *all = mmap(NULL, a->mapped + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED || mprotect(all + PAGE, a->mapped, PROT_READ | PROT_WRITE))
		return false;
	a->pages = all + PAGE;
	a->start = a->pages + ((a->mapped - size) & ~(alignment - 1));
	return true;
}

/* The module at its fixed distances, as a loader maps it. */
struct image {
	uint8_t *base;
	const struct ward_module_facts *facts;
};

static bool map_segment(struct image *im, const uint8_t *file, const struct ward_segment *s, int protection)
{
	if (!s->memsz)
		return true;
	uint8_t *at = im->base + s->addr;
	size_t mapped = round_up(s->memsz);
	if (mprotect(at, mapped, PROT_READ | PROT_WRITE))
		return false;
	memset(at, protection & PROT_EXEC ? 0xcc : 0xa5, mapped); /* the rest of the last page: traps, or a canary */
	memset(at, 0, s->memsz);
	memcpy(at, file + s->offset, s->filesz);
	return mprotect(at, mapped, protection) == 0;
}

static bool image_map(struct image *im, const uint8_t *file, const struct ward_module_facts *f)
{
	uint64_t end = f->text.addr + f->text.memsz;
	if (f->rodata.memsz)
		end = f->rodata.addr + f->rodata.memsz;
	if (f->data.memsz)
		end = f->data.addr + f->data.memsz;
	im->facts = f;
	im->base = mmap(NULL, round_up(end) + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return im->base != MAP_FAILED && map_segment(im, file, &f->text, PROT_READ | PROT_EXEC) &&
	       map_segment(im, file, &f->rodata, PROT_READ) && map_segment(im, file, &f->data, PROT_READ | PROT_WRITE);
}

/* ---- One run ---- */

static uint64_t next_random(uint64_t *s)
{
	uint64_t z = (*s += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Numbers that probes meet: small ones, sizes, and the ends of ranges. */
static uint64_t draw_number(uint64_t *s)
{
	uint64_t r = next_random(s);
	switch (r & 7) {
	case 0: return 0;
	case 1: return (r >> 8) & 7;
	case 2: return (r >> 8) & 0xff;
	case 3: return UINT64_MAX - ((r >> 8) & 3);
	case 4: return (UINT64_C(1) << ((r >> 8) & 63)) - ((r >> 16) & 1);
	case 5: return r >> ((r >> 3) & 63);
	case 6: return (uint64_t)(int64_t)(int32_t)(r >> 16);
	default: return r;
	}
}

/* Bytes between the region's end and the page that can't be touched. */
static size_t behind(const struct area *a)
{
	return (size_t)(a->pages + a->mapped - (a->start + a->size));
}

/* Everything that a run may touch, and what it was before. */
struct box {
	struct image image;
	struct area event, state, stack;
	const struct ward_entry_facts *entry;
	uint8_t *event_was, *stack_was, *rodata_was;
	size_t state_seen;                 /* bytes of state that are filled and compared, at either end */
	uint64_t *worst;                   /* most instructions that a run took; shared with the parent process */
	const struct sandbox_input *input; /* NULL: event and state are drawn */
};

static const uint16_t callee_saved = 1u << 3 | 1u << 5 | 1u << 12 | 1u << 13 | 1u << 14 | 1u << 15;

/*
 * An address in a region or around its ends, as probes keep them in memory: what leads just out of the region is where
 * a proof may be wrong by one.
 */
static uint64_t draw_address(const struct box *b, uint64_t *seed)
{
	const struct ward_module_facts *f = b->image.facts;
	const struct {
		const uint8_t *start;
		uint64_t size;
	} regions[] = {
		{b->state.start, b->state.size},
		{b->state.start, b->state.size},
		{b->event.start + b->event.size - EVENT_BYTES, EVENT_BYTES},
		{b->image.base + f->data.addr, f->data.memsz},
		{b->image.base + f->rodata.addr, f->rodata.memsz},
		{b->stack.pages + ENTRY_RSP, 0},
	};
	uint64_t r = next_random(seed), i = (r >> 8) % (sizeof(regions) / sizeof(regions[0])), size = regions[i].size,
		 around = (r >> 16) % 40;
	uint64_t start = (uint64_t)regions[i].start;
	switch (r & 3) {
	case 0: return start + around - 20;
	case 1: return start + size + around - 20;
	default: return start + (size ? (r >> 24) % size & ~UINT64_C(7) : 0);
	}
}

/* A number, or an address. */
static uint64_t draw_word(const struct box *b, uint64_t *seed)
{
	return next_random(seed) % 4 ? draw_number(seed) : draw_address(b, seed);
}

static void fill(uint8_t *p, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t v = next_random(&seed);
		memcpy(p + i, &v, n - i < 8 ? n - i : 8);
	}
}

static void fill_with_words(const struct box *b, uint8_t *p, size_t n, uint64_t seed)
{
	for (size_t i = 0; i < n; i += 8) {
		uint64_t v = draw_word(b, &seed);
		memcpy(p + i, &v, n - i < 8 ? n - i : 8);
	}
}

/*
 * The same event and state for one `seed`; what is the host's, and event fields that are not read, differ with `host`.
 */
static void prepare(struct box *b, uint64_t seed, uint64_t host)
{
	uint64_t *event = (uint64_t *)(void *)(b->event.start + b->event.size - EVENT_BYTES);
	fill(b->event.pages, b->event.mapped, host);
	for (unsigned f = 0; f < EVENT_BYTES / 8; f++) {
		uint64_t drawn = draw_word(b, &seed), value = b->input ? b->input->field : drawn;
		if (b->entry->event_fields >> f & 1)
			memcpy(&event[f], &value, 8);
	}
	fill(b->stack.pages, b->stack.mapped, host + 1);
	memset(b->state.pages, 0x5a, (size_t)(b->state.start - b->state.pages));
	memset(b->state.start + b->state.size, 0x5a, behind(&b->state));
	fill_with_words(b, b->state.start, b->state_seen, seed);
	fill_with_words(b, b->state.start + b->state.size - b->state_seen, b->state_seen, seed + 1);
	if (b->input)
		memcpy(b->state.start, b->input->state, b->state.size);
	const struct ward_segment *data = &b->image.facts->data;
	if (data->memsz)
		fill_with_words(b, b->image.base + data->addr, data->memsz, seed + 2);
	memcpy(b->event_was, b->event.pages, b->event.mapped);
	memcpy(b->stack_was, b->stack.pages, b->stack.mapped);
	for (unsigned r = 0; r < 16; r++) {
		crossing.in[r] = next_random(&host);
		crossing.xmm_in[r][0] = next_random(&host);
		crossing.xmm_in[r][1] = next_random(&host);
	}
}

/* The slots hold addresses that differ from host to host. */
static void fill_slots(struct box *b, unsigned which, uint64_t seed, uint64_t host)
{
	const struct ward_segment *rodata = &b->image.facts->rodata;
	uint8_t *at = b->image.base + rodata->addr;
	if (rodata->memsz && mprotect(at, round_up(rodata->memsz), PROT_READ | PROT_WRITE))
		_exit(SANDBOX_CANT_RUN);
	host_begin(&watch.host, which, seed, host);
	if (rodata->memsz && mprotect(at, round_up(rodata->memsz), PROT_READ))
		_exit(SANDBOX_CANT_RUN);
	memcpy(b->rodata_was, at, rodata->memsz);
}

/* Where the entry doesn't need a flag clear, it may be set. */
static uint64_t flags_for(uint32_t needs, bool set)
{
	return (uint64_t)FLAG_TRAP | (set && !(needs & WARD_NEED_DF_CLEAR) ? FLAG_DF : 0) |
	       (set && !(needs & WARD_NEED_AC_CLEAR) ? FLAG_AC : 0);
}

/* `set`: the flags that the entry says it doesn't care about are set. */
static void execute(struct box *b, bool set)
{
	uint8_t *rsp = b->stack.pages + ENTRY_RSP;
	const struct ward_module_facts *f = b->image.facts;
	uint64_t back = (uint64_t)cross_back;
	memcpy(rsp, &back, 8);
	memcpy(b->stack_was + ENTRY_RSP, &back, 8);
	crossing.in[4] = (uint64_t)rsp;
	crossing.in[7] = (uint64_t)(b->event.start + b->event.size - EVENT_BYTES);
	crossing.in[6] = (uint64_t)b->state.start;
	crossing.in_flags = 0x202 | flags_for(b->entry->needs, set);
	crossing.target = (uint64_t)(b->image.base + b->entry->addr);
	watch.text = (uint64_t)(b->image.base + f->text.addr);
	watch.text_end = watch.text + f->text.memsz;
	watch.insns = 0;
	watch.imports = b->entry->imports;
	watch.most = b->entry->max_insns;
	watch.highest_rsp = (uint64_t)rsp;
	watch.lowest_rsp = (uint64_t)rsp - b->entry->stack_bytes;
	const uint64_t base[WV_LENT] = {[WV_EVENT] = crossing.in[7],
		[WV_STATE] = crossing.in[6],
		[WV_RODATA] = (uint64_t)b->image.base + f->rodata.addr,
		[WV_DATA] = (uint64_t)b->image.base + f->data.addr};
	witness_begin(&watch.witness, watch.text, base);
	cross();
}

/* ---- What must hold afterwards ---- */

static void check_registers(const struct box *b)
{
	for (unsigned r = 0; r < 16; r++) {
		uint64_t after = r == 4 ? crossing.out[r] - 8 : crossing.out[r];
		bool may = b->entry->clobbers >> r & 1;
		if (may && (callee_saved >> r & 1))
			die("a callee-saved register is said to be clobbered");
		if (!may && after != crossing.in[r])
			die("a register changed that the verdict says is kept");
	}
	for (unsigned r = 0; r < 16; r++)
		if (!(b->entry->clobbers >> (16 + r) & 1) && memcmp(crossing.xmm_in[r], crossing.xmm_out[r], 16))
			die("a vector register changed that the verdict says is kept");
	if (crossing.mxcsr != __builtin_ia32_stmxcsr())
		die("mxcsr changed");
	if ((crossing.out_flags ^ crossing.in_flags) & FLAG_DF)
		die("the direction flag changed");
	if ((crossing.out_flags ^ crossing.in_flags) & FLAG_AC)
		die("alignment checks are switched on or off");
}

static bool all_bytes(const uint8_t *p, size_t n, uint8_t value)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != value)
			return false;
	return true;
}

static void check_memory(const struct box *b, const uint8_t *file)
{
	const struct ward_module_facts *f = b->image.facts;
	if (memcmp(b->event.pages, b->event_was, b->event.mapped))
		die("the event changed");
	size_t below = ENTRY_RSP - b->entry->stack_bytes;
	if (memcmp(b->stack.pages, b->stack_was, below))
		die("the stack changed below the bytes that the verdict speaks of");
	if (memcmp(b->stack.pages + ENTRY_RSP, b->stack_was + ENTRY_RSP, b->stack.mapped - ENTRY_RSP))
		die("the stack changed above the frame");
	if (!all_bytes(b->state.pages, (size_t)(b->state.start - b->state.pages), 0x5a))
		die("the bytes before the state changed");
	if (!all_bytes(b->state.start + b->state.size, behind(&b->state), 0x5a))
		die("the bytes after the state changed");
	if (memcmp(b->image.base + f->text.addr, file + f->text.offset, f->text.filesz))
		die("the code changed");
	if (f->rodata.memsz && memcmp(b->image.base + f->rodata.addr, b->rodata_was, f->rodata.memsz))
		die("the constants changed");
	size_t rest = round_up(f->data.memsz) - f->data.memsz;
	if (f->data.memsz && !all_bytes(b->image.base + f->data.addr + f->data.memsz, rest, 0xa5))
		die("the bytes after the data changed");
}

static uint8_t *must(uint8_t *p)
{
	if (!p)
		_exit(SANDBOX_CANT_RUN);
	return p;
}

/* What a run left behind that others may see: both ends of the state, and the data. */
struct result {
	uint8_t *bytes;
	size_t n;
};

static struct result collect(const struct box *b)
{
	const struct ward_segment *data = &b->image.facts->data;
	size_t shown = data->memsz < MOST_STATE ? data->memsz : MOST_STATE;
	struct result r = {must(malloc(2 * b->state_seen + shown + 1)), 2 * b->state_seen + shown};
	memcpy(r.bytes, b->state.start, b->state_seen);
	memcpy(r.bytes + b->state_seen, b->state.start + b->state.size - b->state_seen, b->state_seen);
	if (shown)
		memcpy(r.bytes + 2 * b->state_seen, b->image.base + data->addr, shown);
	return r;
}

/*
 * One event and state, twice: with different host values, and other flags where the verdict says that they don't
 * matter, the outcome must be the same (P9).
 */
static void round_trip(struct box *b, const uint8_t *file, uint64_t seed)
{
	struct result result[2], before;
	uint64_t insns[2], given[2];
	for (unsigned i = 0; i < 2; i++) {
		prepare(b, seed, seed * 2 + 77 + i);
		fill_slots(b, i, seed + 3, seed * 2 + 177 + i);
		before = collect(b);
		execute(b, i == 1);
		if (watch.insns > *b->worst)
			*b->worst = watch.insns;
		check_registers(b);
		check_memory(b, file);
		insns[i] = watch.insns;
		given[i] = watch.host.digest;
		result[i] = collect(b);
		if (!b->entry->writes_state && memcmp(result[i].bytes, before.bytes, 2 * b->state_seen))
			die("the state changed, and the verdict says that it is not written");
		free(before.bytes);
	}
	if (insns[0] != insns[1] || memcmp(result[0].bytes, result[1].bytes, result[0].n))
		die("the outcome depends on what belongs to the host, or on an event field that is said not to be "
		    "read");
	if (given[0] != given[1])
		die("what an import is given depends on what belongs to the host");
	free(result[0].bytes);
	free(result[1].bytes);
}

/* The one event and state of `input`. */
static void run_input(struct box *b, const uint8_t *file)
{
	prepare(b, 1, 2);
	fill_slots(b, 0, 3, 4);
	execute(b, false);
	*b->worst = watch.insns;
	check_registers(b);
	check_memory(b, file);
}

static void open_host(const struct box *b)
{
	const struct ward_module_facts *f = b->image.facts;
	struct host *h = &watch.host;
	*h = (struct host){.facts = f,
		.image = (uint64_t)b->image.base,
		.entry_rsp = (uint64_t)b->stack.pages + ENTRY_RSP,
		.region = {
			[HOST_EVENT] = {(uint64_t)(b->event.start + b->event.size - EVENT_BYTES), EVENT_BYTES},
			[HOST_STATE] = {(uint64_t)b->state.start, b->state.size},
			[HOST_RODATA] = {(uint64_t)b->image.base + f->rodata.addr, f->rodata.memsz},
			[HOST_DATA] = {(uint64_t)b->image.base + f->data.addr, f->data.memsz},
		}};
	if (!host_init(h))
		_exit(SANDBOX_CANT_RUN);
}

/* What the child process runs, and how often. */
struct task {
	const uint8_t *file;
	size_t size;
	const struct ward_verdict *verdict;
	unsigned rounds;
	uint64_t most_insns, seed;
	const struct sandbox_input *input;
};

static _Noreturn void child(const struct task *t, uint64_t *worst)
{
	const struct ward_verdict *v = t->verdict;
	const uint8_t *file = t->file;
	struct box b = {.input = t->input};
	if (!image_map(&b.image, file, &v->module) || !area_map(&b.event, EVENT_BYTES, 1) ||
		!area_map(&b.state, v->module.state_size, STATE_ALIGNMENT) ||
		!area_map(&b.stack, STACK_PAGES * PAGE, 1))
		_exit(SANDBOX_CANT_RUN);
	b.event_was = must(malloc(b.event.mapped));
	b.stack_was = must(malloc(b.stack.mapped));
	b.rodata_was = must(malloc(v->module.rodata.memsz + 1));
	b.state_seen = b.state.size < MOST_STATE ? b.state.size : MOST_STATE;
	watch_signals();
	open_host(&b);
	if (!witness_open(&watch.witness, file, t->size))
		_exit(SANDBOX_CANT_RUN);
	for (size_t e = 0; e < v->module.n_entries; e++) {
		b.entry = &v->module.entries[e];
		b.worst = &worst[e];
		if (b.entry->max_insns > t->most_insns)
			continue;
		if (b.entry->stack_bytes > ENTRY_RSP)
			die("more stack than any limit allows");
		if (t->input)
			run_input(&b, file);
		for (unsigned i = 0; i < t->rounds; i++)
			round_trip(&b, file, t->seed + i * 1000003 + e);
	}
	_exit(SANDBOX_HELD);
}

static enum sandbox_result run_in_child(const struct task *t, uint64_t *worst)
{
	int status;
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		return SANDBOX_CANT_RUN;
	if (pid == 0)
		child(t, worst);
	if (waitpid(pid, &status, 0) != pid)
		return SANDBOX_CANT_RUN;
	if (WIFEXITED(status))
		return (enum sandbox_result)WEXITSTATUS(status);
	fprintf(stderr, "    the process running it died of signal %d\n", WTERMSIG(status));
	return SANDBOX_BROKEN;
}

static enum sandbox_result run_task(const struct task *t, uint64_t *worst)
{
	size_t n = t->verdict->module.n_entries, bytes = (n + 1) * sizeof(*worst);
	uint64_t *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return SANDBOX_CANT_RUN;
	enum sandbox_result result = run_in_child(t, shared);
	if (worst)
		memcpy(worst, shared, n * sizeof(*worst));
	munmap(shared, bytes);
	return result;
}

enum sandbox_result sandbox_measure(const uint8_t *file, size_t size, const struct ward_verdict *v, unsigned rounds,
	uint64_t most_insns, uint64_t seed, uint64_t *worst)
{
	return run_task(&(struct task){file, size, v, rounds, most_insns, seed, NULL}, worst);
}

enum sandbox_result sandbox_run(const uint8_t *file, size_t size, const struct ward_verdict *v, unsigned rounds,
	uint64_t most_insns, uint64_t seed)
{
	return sandbox_measure(file, size, v, rounds, most_insns, seed, NULL);
}

enum sandbox_result sandbox_count(const uint8_t *file, size_t size, const struct ward_verdict *v,
	const struct sandbox_input *input, uint64_t *insns)
{
	return run_task(&(struct task){file, size, v, 0, UINT64_MAX, 0, input}, insns);
}
