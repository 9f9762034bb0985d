/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process's code without any patches.
 *
 * The memory of a process may contain another tracer's jump, or a debugger's breakpoint. Taken for the function's own
 * code, it would show exits that don't exist and hide others, and bytes would be displaced that will be removed
 * again. So Ward reads code as its file has it, and then compares memory with that, byte by byte. A difference is one
 * of these:
 *
 * - a jump of another attachment of Ward, which that attachment's record describes: both patches must work together,
 *   see below;
 * - an int3, or a call in place of a long nop: a breakpoint of a debugger, or a uprobe. The code continues behind it.
 *   Only a patch of those bytes is refused, because the debugger will remove it, or the kernel will run the file's
 *   instruction;
 * - anything else: a jump of another tool, or of a program that changes its own code. What the function then does is
 *   unknown, so it isn't probed.
 *
 * Where the dynamic linker writes to a file's code (text relocations), the earlier bytes are unknown. Then memory is
 * taken for the original, and a patch beside another attachment's is refused.
 *
 * Two patches of Ward at one place. The older one, Q, has its jump there. The new one, P, was chosen from the
 * original code:
 *
 *	P:  [ insn 0 | insn 1 | insn 2 | insn 3 ]
 *	Q:           [ insn 1 | insn 2 | insn 3 ]     its jump begins at insn 1
 *
 * P's jump is written over Q's. P's copies are made from the original: they run up to where Q's jump began, and
 * continue in Q's stub. If P has another event of its own before insn 3, its copies run up to that event; then they
 * continue in Q's copies, at insn 3. Q's own event at insn 3 still comes there, because it precedes the instruction
 * in Q's copies too. But then Q must have no event before insn 3: if Q's stub begins with an event, P would skip it,
 * and is refused.
 *
 * Two patches that use the same padding have the same short jump to it, too. Then only the jump in the padding is
 * replaced, and Q leaves its short jump alone as long as that isn't its own (patch.c).
 *
 * When P is taken off, it writes back the bytes that it found. If Q is taken off first, it finds bytes that aren't
 * its own, and stays with its gate closed; the attachment that ends last removes it as well (cleanup.c). If Q's jump
 * begins behind P's five bytes, P's copies end there, and neither affects the other.
 */
#include "original.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INT3 = 0xcc, CALL = 0xe8 };

static const char BREAKPOINT[] =
	"a breakpoint or a uprobe is in the bytes to be patched (a debugger's, or another tracer's)";
static const char CHANGED[] = "its code differs from its file: another tool has changed it, or the program has";
static const char UNKNOWN[] = "another tracer's probe is there, and the original bytes aren't known: "
			      "the dynamic linker has written to the code";
static const char APART[] = "another tracer's probe is there, in code that can't be divided between the two";
static const char BEFORE[] = "another tracer's probe is there, and only its code runs what it displaced";

void wl_original_close(struct wl_original *o)
{
	wl_found_free(o->others, o->n_others);
	wl_modules_free(&o->modules);
}

const struct wl_original *wl_original_of(const struct wl_process *p)
{
	return (const struct wl_original *)p->below; /* its first member */
}

/* The mapping, if it is code that is in a file. */
static const struct wl_module *file_of(const struct wl_original *o, const struct wl_map *m)
{
	const struct wl_module *module = m && m->exec && m->inode ? wl_module_of(&o->modules, m) : NULL;

	return module && !module->relocates_code ? module : NULL;
}

static size_t read_file(const struct wl_module *module, uint64_t offset, uint8_t *buf, size_t size)
{
	size_t n = 0;

	while (n < size) {
		ssize_t got = pread(module->elf.fd, buf + n, size - n, (off_t)(offset + n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return n;
}

static size_t read_original(const struct wl_below *below, uint64_t addr, void *buf, size_t size)
{
	const struct wl_original *o = (const struct wl_original *)below; /* its first member */
	size_t n = 0;

	while (n < size) {
		const struct wl_map *m = wl_maps_find(o->maps, addr + n);
		const struct wl_module *module = file_of(o, m);
		size_t want = m && m->end - (addr + n) < size - n ? (size_t)(m->end - (addr + n)) : size - n, got = 0;

		if (module)
			got = read_file(module, m->offset + (addr + n - m->start), (uint8_t *)buf + n, want);
		/* Behind the file's end a page has zeros. */
		got += wl_process_read_some(o->below.memory, addr + n + got, (uint8_t *)buf + n + got, want - got);
		n += got;
		if (got < want)
			break;
	}
	return n;
}

int wl_original_open(struct wl_original *o, const struct wl_process *p, const struct wl_maps *maps)
{
	*o = (struct wl_original){.below = {p, read_original}, .maps = maps};
	if (wl_modules_read(p->pid, maps, &o->modules))
		return ENOMEM;
	if (wl_found_read(p, maps, &o->others, &o->n_others) == 0)
		return 0;
	wl_modules_free(&o->modules);
	return ENOMEM;
}

/*
 * Linux writes a call to a page of its own over a nop of five bytes with a uprobe. The called code may use the red
 * zone, so over a nop of ten bytes it first writes lea -128(%rsp),%rsp. Returns the nop's bytes if that is there now,
 * or 0.
 */
static size_t uprobe_call(const uint8_t *code, const uint8_t *now, size_t n)
{
	static const uint8_t lea[] = {0x48, 0x8d, 0x64, 0x24, 0x80};
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;
	size_t at = n > sizeof(lea) && memcmp(now, lea, sizeof(lea)) == 0 ? sizeof(lea) : 0;

	if (now[at] != CALL)
		return 0;
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, n, &z)))
		return 0;
	if (z.mnemonic != ZYDIS_MNEMONIC_NOP)
		return 0;
	return z.length >= at + WL_JUMP_SIZE ? z.length : 0;
}

/* What differs there: nothing or jumps of Ward's (NULL), breakpoints, or more. */
static const char *code_difference(
	const struct wl_original *o, uint64_t addr, const uint8_t *code, const uint8_t *now, size_t n)
{
	const char *why = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t call;

		if (now[i] == code[i] || wl_found_has(o->others, o->n_others, NULL, addr + i, now[i]))
			continue;
		call = uprobe_call(code + i, now + i, n - i);
		if (now[i] != INT3 && !call)
			return CHANGED;
		why = BREAKPOINT;
		i += call ? call - 1 : 0;
	}
	return why;
}

const char *wl_original_differs(const struct wl_original *o, uint64_t addr, const uint8_t *code, size_t n)
{
	uint8_t *now = malloc(n + 1);
	const char *why = NULL;

	if (!now)
		return "there is no memory to analyse it";
	if (!wl_process_read(o->below.memory, addr, now, n))
		why = "its code can't be read";
	else if (memcmp(now, code, n) != 0 && code_difference(o, addr, code, now, n) == CHANGED)
		why = CHANGED;
	free(now);
	return why;
}

/* ---- patches of other attachments ---- */

/* Is its jump whole, and that in its cave, and so the last that was put there? */
static bool is_on_top(const struct wl_original *o, const struct wl_sites *s, const struct wl_patch *q)
{
	const struct wl_patch *cave = q->d.cave ? wl_cave_of(s, q) : NULL;
	uint8_t now[WL_JUMP_SIZE];
	size_t n = wl_patch_size(q);

	return wl_process_read(o->below.memory, q->d.addr, now, n) && memcmp(now, q->jump, n) == 0 &&
	       (!q->d.cave || (cave && is_on_top(o, s, cave)));
}

static uint64_t end_of(const struct wl_patch *q)
{
	return q->d.addr + (q->d.is_call ? WL_JUMP_SIZE : q->d.len);
}

/* The first patch on top that has displaced some of these bytes, or NULL. */
static const struct wl_patch *find_other(
	const struct wl_original *o, uint64_t lo, uint64_t hi, const struct wl_found **whose)
{
	const struct wl_patch *first = NULL;

	for (size_t i = 0; i < o->n_others; i++) {
		const struct wl_sites *s = &o->others[i].a.sites;
		const struct wl_patch *q = wl_patch_at(s, hi - 1);

		for (; q && q->d.addr + WL_DISPLACED_MAX > lo; q = q > s->patches ? q - 1 : NULL)
			if (end_of(q) > lo && (!first || q->d.addr < first->d.addr) && is_on_top(o, s, q)) {
				first = q;
				*whose = &o->others[i];
			}
	}
	return first;
}

/* Where its jump leads. 0 if that isn't known. */
static uint64_t stub_of(const struct wl_found *whose, const struct wl_patch *q)
{
	const struct wl_patch *p = q->d.cave ? wl_cave_of(&whose->a.sites, q) : q;

	return p ? wl_jump_target(p->d.addr, p->jump) : 0;
}

void wl_original_look(const struct wl_original *o, struct wl_function *f)
{
	const struct wl_found *whose = NULL;
	const struct wl_patch *q = find_other(o, f->addr, f->addr + WL_JUMP_SIZE, &whose);

	if (!q || q->d.addr < f->addr || q->d.is_call || !q->d.n_insns)
		return;
	/* Where its stub begins with an event nothing of ours can come between that and its copies. */
	if (q->d.addr == f->addr && stub_of(whose, q) != q->copy)
		f->taken = end_of(q) - f->addr;
	else
		f->joined = q->d.addr + q->d.at[q->d.n_insns - 1] + 1 - f->addr;
}

/*
 * The copy of the instruction at the address, with the event before it; 0 if an event of the other attachment comes
 * earlier.
 */
static uint64_t way_into(const struct wl_found *whose, const struct wl_patch *q, uint64_t addr)
{
	if (!q->copy || stub_of(whose, q) != q->copy)
		return 0;
	for (unsigned i = 0; i < q->d.n_insns; i++)
		if (q->d.addr + q->d.at[i] == addr)
			return q->copy + q->d.moved_to[i];
	return 0;
}

/* Is the instruction a conditional jump? Where one is left for good the flags are no longer what they were. */
static bool is_conditional(const struct wl_displaced *d, unsigned i)
{
	ZydisDecodedInstruction z;
	ZydisDecoder decoder;
	size_t left = (size_t)(d->len - d->at[i]);

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, d->bytes + d->at[i], left, &z)))
		return true;
	return z.meta.category == ZYDIS_CATEGORY_COND_BR;
}

/* The other's jump begins at instruction k of what P displaces. */
static const char *lead_on(
	struct wl_displaced *d, size_t size, unsigned k, const struct wl_found *whose, const struct wl_patch *q)
{
	unsigned later = d->exits & ~((1u << k) - 1), last = k;
	bool apart = d->at[k] >= size;

	if (apart) {
		d->len = d->at[k];
		d->n_insns = d->n_back = (uint8_t)k;
		return d->behind || later ? APART : NULL;
	}
	d->onward = stub_of(whose, q);
	if (d->behind) {
		if (k || later)
			return APART;
		last = d->n_insns; /* the displaced instructions only read the stack: they may run twice */
	} else if (later) {
		last = (unsigned)__builtin_ctz(later);
		if (later & (later - 1) || is_conditional(d, last))
			return APART;
		if (last > k)
			d->onward = way_into(whose, q, d->addr + d->at[last]);
	}
	if (!d->onward)
		return BEFORE;
	d->n_insns = (uint8_t)(d->behind ? last : last + 1);
	d->n_back = (uint8_t)(k + 1);
	return NULL;
}

/* P and the other's jump. */
static const char *go_together(
	struct wl_displaced *d, size_t size, bool is_cave, const struct wl_found *whose, const struct wl_patch *q)
{
	size_t end;
	const char *why = APART;

	if (q->d.addr < d->addr)
		return BEFORE;
	if (is_cave || q->is_cave)
		return is_cave && q->is_cave && q->d.addr == d->addr ? NULL : APART;
	if (d->is_call != q->d.is_call)
		return APART;
	if (d->is_call) {
		d->call_target = stub_of(whose, q);
		return q->d.addr == d->addr && d->call_target ? NULL : APART;
	}
	for (unsigned k = 0; k < d->n_insns; k++)
		if (d->addr + d->at[k] == q->d.addr) {
			why = lead_on(d, size, k, whose, q);
			break;
		}
	/* All that the other attachment has displaced now belongs to P: a later one looks at P only. */
	end = end_of(q) - d->addr;
	if (why || q->d.addr - d->addr >= size || end <= d->len)
		return why;
	if (end > WL_DISPLACED_MAX)
		return APART;
	d->len = (uint8_t)end;
	return NULL;
}

static const char *patch_fit(const struct wl_original *o, struct wl_patch *p)
{
	struct wl_displaced *d = &p->d;
	const struct wl_found *whose = NULL;
	const struct wl_patch *q = find_other(o, d->addr, d->addr + d->len, &whose);
	const char *why;

	d->n_back = d->n_insns;
	if (!wl_process_read(o->below.memory, d->addr, d->below, d->len))
		return "its code can't be read";
	why = code_difference(o, d->addr, d->bytes, d->below, d->len);
	if (why || (!q && memcmp(d->bytes, d->below, d->len) == 0))
		return why;
	if (!q)
		return APART;
	if (!file_of(o, wl_maps_find(o->maps, d->addr)))
		return UNKNOWN;
	why = go_together(d, wl_patch_size(p), p->is_cave, whose, q);
	return !why && !wl_process_read(o->below.memory, d->addr, d->below, d->len) ? "its code can't be read" : why;
}

void wl_sites_fit(struct wl_sites *sites, const struct wl_original *o)
{
	for (size_t i = 0; i < sites->n_patches; i++) {
		const char *why = wl_patch_wanted(sites, &sites->patches[i]) ? patch_fit(o, &sites->patches[i]) : NULL;

		if (why)
			wl_patch_refuse(sites, &sites->patches[i], why);
	}
}
