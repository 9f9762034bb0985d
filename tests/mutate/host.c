/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "host.h"

#include <string.h>
#include <sys/mman.h>

#include "verifier/step/import.h"

enum { PAGE = 4096, GATE = 16, ARITHMETIC_FLAGS = 0x8d5 };

static const int numbers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI, REG_R8, REG_R9,
	REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static uint64_t next_random(uint64_t *s)
{
	uint64_t z = (*s += UINT64_C(0x9e3779b97f4a7c15));
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void fill(uint64_t at, uint64_t n, uint64_t *seed)
{
	for (uint64_t i = 0; i < n; i++)
		*(volatile uint8_t *)(at + i) = (uint8_t)next_random(seed);
}

bool host_init(struct host *h)
{
	void *gate = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	h->gate = (uint64_t)gate;
	return gate != MAP_FAILED;
}

/* Both hosts' gates are in one page, at different addresses: whoever reads a slot sees that. */
void host_begin(struct host *h, unsigned which, uint64_t answers, uint64_t own)
{
	h->which = which;
	h->answers = answers;
	h->own = own;
	h->digest = 0;
	h->calls = 0;
	for (size_t i = 0; i < h->facts->n_imports; i++) {
		uint64_t address = h->gate + GATE * (2 * i + which);
		memcpy((uint8_t *)(h->image + h->facts->imports[i].slot), &address, sizeof(address));
	}
}

int host_import_at(const struct host *h, uint64_t rip)
{
	uint64_t at = (rip - h->gate) / GATE;
	return rip >= h->gate && (rip - h->gate) % GATE == 0 && at % 2 == h->which && at / 2 < h->facts->n_imports
		       ? (int)(at / 2)
		       : -1;
}

static bool inside(uint64_t start, uint64_t size, uint64_t at, uint64_t n)
{
	return at >= start && at - start <= size && n <= size - (at - start);
}

/*
 * Was the buffer granted, with the right to it? On the stack it is above the return address at rsp and below the
 * entry's.
 */
static bool granted(const struct host *h, uint64_t rsp, uint64_t at, uint64_t n, bool writes)
{
	static const bool writable[HOST_REGIONS] = {[HOST_STATE] = true, [HOST_DATA] = true};
	for (unsigned r = 0; r < HOST_REGIONS; r++)
		if ((writable[r] || !writes) && h->region[r].size &&
			inside(h->region[r].start, h->region[r].size, at, n))
			return true;
	return rsp + 8 <= h->entry_rsp && inside(rsp + 8, h->entry_rsp - rsp - 8, at, n);
}

static void digest(struct host *h, const void *bytes, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		h->digest = (h->digest ^ ((const volatile uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
}

static const char *serve_buffer(
	struct host *h, const struct wv_argument *a, uint64_t rsp, uint64_t at, uint64_t n, uint64_t *answers)
{
	if (!granted(h, rsp, at, n, a->kind == WV_ARG_OUT))
		return a->kind == WV_ARG_OUT ? "an import is to write what was not granted"
					     : "an import is to read what was not granted";
	if (a->kind == WV_ARG_OUT)
		fill(at, n, answers);
	else
		digest(h, (const void *)at, n);
	return NULL;
}

static uint64_t result_of(const struct wv_signature *s, const greg_t *regs, uint64_t *answers)
{
	uint64_t greatest = s->greatest, r = next_random(answers), limit;
	if (s->upto >= 0 && (limit = (uint64_t)regs[numbers[wv_argument_register[s->upto]]]) < greatest)
		greatest = limit;
	switch (r & 3) {
	case 0: return s->least;
	case 1: return greatest;
	default: return greatest - s->least == UINT64_MAX ? r : s->least + (r >> 2) % (greatest - s->least + 1);
	}
}

static void change_registers(struct host *h, const struct wv_signature *s, greg_t *regs)
{
	for (unsigned r = 0; r < 16; r++)
		if (s->clobbers >> r & 1)
			regs[numbers[r]] = (greg_t)next_random(&h->own);
	regs[REG_EFL] ^= (greg_t)(next_random(&h->own) & ARITHMETIC_FLAGS);
}

const char *host_serve(struct host *h, unsigned import, greg_t *regs, struct host_cost *cost)
{
	const struct wv_signature *s = wv_signature(h->facts->imports[import].import);
	uint64_t rsp = (uint64_t)regs[REG_RSP], answers = h->answers + ++h->calls * 7919, result;
	const char *why = NULL;
	*cost = (struct host_cost){s->insns, s->stack};
	digest(h, &import, sizeof(import));
	for (unsigned i = 0; !why && i < WV_MAX_ARGUMENTS && s->argument[i].kind != WV_ARG_NONE; i++) {
		const struct wv_argument *a = &s->argument[i];
		uint64_t value = (uint64_t)regs[numbers[wv_argument_register[i]]];
		digest(h, &value, sizeof(value));
		if (a->kind == WV_ARG_ID && value >= a->detail)
			why = "an id is beyond its limit";
		if (a->kind == WV_ARG_IN || a->kind == WV_ARG_OUT) {
			uint64_t n = (uint64_t)regs[numbers[wv_argument_register[a->detail]]];
			why = serve_buffer(h, a, rsp, value, n, &answers);
			cost->insns += s->per_byte * n;
		}
	}
	if (why)
		return why;
	result = result_of(s, regs, &answers);
	fill(rsp - s->stack, s->stack, &h->own);
	change_registers(h, s, regs);
	regs[REG_RAX] = (greg_t)result;
	memcpy(&regs[REG_RIP], (const void *)rsp, 8);
	regs[REG_RSP] = (greg_t)(rsp + 8);
	return NULL;
}
