/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "native.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

/* What the generated code reads and writes, at the arena's second page. */
struct exchange {
	uint64_t in[16], in_flags;
	uint64_t out[16], out_flags;
	uint64_t xmm_in[16][2], xmm_out[16][2];
	uint32_t mxcsr_in, mxcsr_out;
	uint64_t host_rsp;
	uint32_t branched;
};

enum { PAGE = 4096, ARENA_PAGES = 2 + NATIVE_REGIONS * (NATIVE_REGION_BYTES / PAGE + 1) + 1, STATUS_FLAGS = 0x8d5 };

static sigjmp_buf recover;
static volatile sig_atomic_t armed;
static uint8_t alternate_stack[64 << 10];

static void on_signal(int sig)
{
	/* it may be set yet */
	__asm__ volatile("pushf\n	andl %0, (%%rsp)\n	popf" ::"i"(~NATIVE_AC) : "memory", "cc");
	if (!armed) {
		signal(sig, SIG_DFL);
		raise(sig);
		return;
	}
	siglongjmp(recover, sig);
}

static struct exchange *exchange_of(const struct native *n)
{
	return (struct exchange *)(void *)(n->arena + PAGE);
}

bool native_init(struct native *n)
{
	memset(n, 0, sizeof(*n));
	/* Always at one address if that is free, so that a seed means the same run. */
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	n->arena = mmap((void *)0x50000000, ARENA_PAGES * PAGE, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
	if (n->arena == MAP_FAILED)
		n->arena = mmap(NULL, ARENA_PAGES * PAGE, PROT_NONE, flags | MAP_32BIT, -1, 0);
	if (n->arena == MAP_FAILED)
		return false;
	if (mprotect(n->arena, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) ||
		mprotect(n->arena + PAGE, PAGE, PROT_READ | PROT_WRITE))
		return false;
	uint8_t *p = n->arena + 3 * PAGE; /* after a page that can't be touched */
	for (int i = 0; i < NATIVE_REGIONS; i++, p += NATIVE_REGION_BYTES + PAGE) {
		n->region[i] = p;
		if (mprotect(p, NATIVE_REGION_BYTES, PROT_READ | PROT_WRITE))
			return false;
	}
	stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof(alternate_stack)};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
	sigemptyset(&action.sa_mask);
	static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
	if (sigaltstack(&stack, NULL))
		return false;
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		if (sigaction(caught[i], &action, NULL))
			return false;
	return true;
}

void native_free(struct native *n)
{
	munmap(n->arena, ARENA_PAGES * PAGE);
}

/* ---- The code around the instruction ---- */

static uint8_t *emit(uint8_t *p, const void *bytes, size_t size)
{
	memcpy(p, bytes, size);
	return p + size;
}

static uint8_t *emit_address(uint8_t *p, const volatile void *address)
{
	uint32_t low = (uint32_t)(uintptr_t)address;
	return emit(p, &low, 4);
}

/* opcode reg, [address], 64 bits, no base register */
static uint8_t *emit_absolute(uint8_t *p, uint8_t opcode, unsigned reg, const volatile void *address)
{
	uint8_t head[4] = {(uint8_t)(reg >= 8 ? 0x4c : 0x48), opcode, (uint8_t)((reg & 7) << 3 | 4), 0x25};
	return emit_address(emit(p, head, 4), address);
}

/* movups between an xmm register and an address; opcode 10 loads, 11 stores */
static uint8_t *emit_movups(uint8_t *p, uint8_t opcode, unsigned xmm, const volatile void *address)
{
	uint8_t head[5] = {0x40 | (uint8_t)(xmm >= 8 ? 4 : 0), 0x0f, opcode, (uint8_t)((xmm & 7) << 3 | 4), 0x25};
	return emit_address(emit(p, head, 5), address);
}

/* ldmxcsr (2) or stmxcsr (3) */
static uint8_t *emit_mxcsr(uint8_t *p, unsigned reg, const volatile void *address)
{
	uint8_t head[4] = {0x0f, 0xae, (uint8_t)(reg << 3 | 4), 0x25};
	return emit_address(emit(p, head, 4), address);
}

static uint8_t *emit_mov_dword(uint8_t *p, const volatile void *address, uint32_t value)
{
	static const uint8_t head[3] = {0xc7, 0x04, 0x25};
	return emit(emit_address(emit(p, head, 3), address), &value, 4);
}

static const uint8_t save_host[] = {0x53, 0x55, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41, 0x57};
static const uint8_t restore_host[] = {
	0x6a, 0x02, 0x9d /* push $2; popf */, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5d, 0x5b, 0xc3};

/* Where a branch of the instruction under test goes: fixed, so that its encoding is known before it is placed. */
enum { INSN_AT = 1024, TAKEN_AT = 1072 };

void native_place(struct native *n, const uint8_t *insn, size_t size)
{
	struct exchange *x = exchange_of(n);
	uint8_t prologue[1024], *p = emit(prologue, save_host, sizeof(save_host));
	p = emit_absolute(p, 0x89, 4, &x->host_rsp);
	static const uint8_t push_memory[] = {0xff, 0x34, 0x25}, popf = 0x9d;
	p = emit(emit_address(emit(p, push_memory, 3), &x->in_flags), &popf, 1);
	p = emit_mxcsr(p, 2, &x->mxcsr_in);
	for (unsigned r = 0; r < 16; r++)
		p = emit_movups(p, 0x10, r, &x->xmm_in[r]);
	for (unsigned r = 0; r < 16; r++)
		p = emit_absolute(p, 0x8b, r, &x->in[r]);

	/* The prologue ends where the instruction starts; nothing but the instruction changes between calls. */
	size_t length = (size_t)(p - prologue);
	uint8_t *start = n->arena + INSN_AT - length;
	memcpy(start, prologue, length);
	n->insn = n->arena + INSN_AT;
	n->taken = (uint64_t)(n->arena + TAKEN_AT);

	p = emit(n->insn, insn, size);
	uint8_t *taken = n->arena + TAKEN_AT;
	p = emit_mov_dword(p, &x->branched, 0);
	uint8_t jump[2] = {0xeb, (uint8_t)(taken + 11 - (p + 2))};
	emit(p, jump, 2);
	p = emit_mov_dword(taken, &x->branched, 1);
	for (unsigned r = 0; r < 16; r++)
		p = emit_absolute(p, 0x89, r, &x->out[r]);
	for (unsigned r = 0; r < 16; r++)
		p = emit_movups(p, 0x11, r, &x->xmm_out[r]);
	p = emit_mxcsr(p, 3, &x->mxcsr_out);
	p = emit_absolute(p, 0x8b, 4, &x->host_rsp);
	static const uint8_t pushf_pop[] = {0x9c, 0x8f, 0x04, 0x25};
	p = emit_address(emit(p, pushf_pop, 4), &x->out_flags);
	emit(p, restore_host, sizeof(restore_host));
	n->arena[0] = 0xe9; /* the entry jumps to the prologue */
	int32_t distance = (int32_t)(start - (n->arena + 5));
	memcpy(n->arena + 1, &distance, 4);
}

enum native_outcome native_run(struct native *n, const struct native_regs *in, struct native_regs *out)
{
	struct exchange *x = exchange_of(n);
	memcpy(x->in, in->reg, sizeof(x->in));
	memcpy(x->xmm_in, in->xmm, sizeof(x->xmm_in));
	x->mxcsr_in = NATIVE_MXCSR;
	x->in_flags = (in->flags & STATUS_FLAGS) | n->set_flags | 0x202;
	x->branched = 2;
	n->signal = sigsetjmp(recover, 0);
	if (n->signal) {
		armed = 0;
		return NATIVE_FAULTED;
	}
	armed = 1;
	void (*code)(void);
	void *address = n->arena;
	memcpy(&code, &address, sizeof(code));
	code();
	armed = 0;
	memcpy(out->reg, x->out, sizeof(x->out));
	memcpy(out->xmm, x->xmm_out, sizeof(x->xmm_out));
	out->mxcsr = x->mxcsr_out;
	out->flags = x->out_flags & STATUS_FLAGS;
	return x->branched ? NATIVE_BRANCHED : NATIVE_FELL_THROUGH;
}

bool native_condition(uint64_t flags, unsigned cond)
{
	bool cf = flags & NATIVE_CF, zf = flags & NATIVE_ZF, sf = flags & NATIVE_SF, of = flags & NATIVE_OF,
	     pf = flags & NATIVE_PF;
	bool of_pair[8] = {of, cf, zf, cf || zf, sf, pf, sf != of, zf || sf != of};
	return of_pair[cond / 2] != (cond & 1);
}
