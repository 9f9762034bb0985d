/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patching and unpatching.
 *
 * All threads are stopped, and Ward looks at each. The five bytes of each site are compared with those that its stub
 * was made from. Threads inside these bytes are moved to the relocated copy, and the jump is written. The gate is
 * opened last, so that all sites begin at the same moment.
 *
 * What needs all threads to be stopped at once is only the writing. What Ward sees of a thread stays true as long as
 * that one is stopped: where it is, what signals have interrupted, its control block, its protection keys. So threads
 * that sleep are stopped and looked at first, while the others run.
 *
 * Unpatching is the reverse. The gate is closed. Each site that still holds our jump gets its bytes back; if another
 * tracer has patched it since, it is left with the gate closed, and its stub stays. Threads in a relocated copy are
 * moved back to the original.
 *
 * Can the code be unmapped then? A thread is in it, or will return to it, only if its instruction pointer is there,
 * or if a signal interrupted it there and the handler still runs. Stubs call nothing outside, and probes are proven
 * not to. The handler's frame contains the interrupted address, and is on the thread's stack above rsp. So there must
 * be no instruction pointer in our code, no stack pointer in our stacks, and no word between a thread's rsp and the
 * end of its stack mapping that points into our code. A thread whose stack pointer isn't in the stack of its control
 * block (a signal's alternate stack, a coroutine) can't be judged by this rule; Go's threads can. If another
 * attachment's code was put over our jumps, it continues in ours, and counts as ours as long as it is there. Threads
 * asleep in the kernel are judged by where they will continue (asleep.h). In doubt the memory stays mapped, which
 * costs the target a few pages and nothing else.
 */
#include "loader/process/go.h"
#include "loader/process/protection_keys.h"
#include "loader/process/words.h"
#include "loader/symbols/moved_code.h"
#include "code_page.h"
#include "recovery_record.h"

#include "loader/base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <time.h>

static const uint8_t OPEN = WL_GATE_OPEN, CLOSED = 0;
const char wl_code_changed[] = "its code changed while it was analysed";

/* about a second in all, on a machine where threads wait long for a processor */
enum { QUIET_TRIES = 16, FIRST_PAUSE_US = 100, LONGEST_PAUSE_US = 100000 };

/* A thread between two displaced instructions continues in their copy. */
static void move_to_copy(struct wl_attachment *a, struct wl_thread *t)
{
	struct user_regs_struct regs;
	const struct wl_patch *s;

	if (!t->stopped || !wl_thread_at(t, &regs))
		return;
	s = wl_patch_at(&a->sites, regs.rip);
	if (!s || !s->patched || s->d.is_call || regs.rip <= s->d.addr || regs.rip >= s->d.addr + s->d.len)
		return;
	for (unsigned i = 1; i < s->d.n_insns; i++)
		if (regs.rip == s->d.addr + s->d.at[i]) {
			regs.rip = s->copy + s->d.moved_to[i];
			wl_thread_set(t, &regs);
			return;
		}
}

/* And back. */
static void move_from_copy(struct wl_attachment *a, struct wl_thread *t)
{
	struct user_regs_struct regs;

	if (!t->stopped || !wl_thread_at(t, &regs))
		return;
	for (size_t i = 0; i < a->n_areas; i++)
		if (regs.rip >= a->areas[i].stubs && regs.rip < a->areas[i].stubs + a->areas[i].stubs_size)
			goto inside;
	return;
inside:
	for (size_t i = 0; i < a->sites.n_patches; i++) {
		const struct wl_patch *s = &a->sites.patches[i];

		if (!wl_patch_wanted(&a->sites, s) || s->patched || s->d.is_call)
			continue;
		for (unsigned k = 0; k < s->d.n_back; k++)
			if (regs.rip == s->copy + s->d.moved_to[k]) {
				regs.rip = s->d.addr + s->d.at[k];
				wl_thread_set(t, &regs);
				return;
			}
	}
}

/* A C library's control block begins with its own address. */
static bool has_word(const struct wl_process *p, uint64_t base)
{
	uint64_t word;

	return wl_process_read(p, base, &word, sizeof(word)) && word;
}

/*
 * In a Go program threads run on stacks of goroutines, which no C code is on; and on one that signals are taken on,
 * with the frame at its top: only there can the address be that a handler returns to. A goroutine that doesn't run was
 * never stopped in code of ours (go.c). The runtime, without cgo, keeps below fs:0 whose stack it is, and that begins
 * with its ends. Where it isn't that one (a handler that has just begun), a signal's stack has 32 KiB.
 */
static uint64_t go_stack_end(const struct wl_process *p, const struct user_regs_struct *regs, const struct wl_map *m)
{
	enum { MOST = 64 << 10 };
	uint64_t g, ends[2];

	if (wl_process_read(p, regs->fs_base - sizeof(g), &g, sizeof(g)) && wl_process_read(p, g, ends, sizeof(ends)) &&
		ends[0] <= regs->rsp && regs->rsp < ends[1] && ends[1] <= m->end)
		return ends[1];
	return m->end - regs->rsp < MOST ? m->end : regs->rsp + MOST;
}

/* Is it near a patch at all? Of all words on a stack few are. */
static bool is_near_patch(const struct wl_attachment *a, uint64_t word)
{
	for (size_t i = 0; i < a->n_areas; i++)
		if (word - a->areas[i].lo <= a->areas[i].hi - a->areas[i].lo + WL_DISPLACED_MAX)
			return true;
	return false;
}

/* Looking at each thread once it has stopped: may the code be changed? */
struct look {
	struct wl_attachment *a;
	const struct wl_maps *maps;
	struct wl_words words;
	size_t pkru_at;
	/* the word at the thread's fs:0, if it is among those of its stack */
	uint64_t base, word;
	bool has_word;
	int rc; /* no, because of a thread: */
	struct ward_error err;
};

static bool avoid_return_to(void *user, uint64_t at, const uint64_t *words, size_t n)
{
	struct look *l = user;
	struct wl_attachment *a = l->a;

	if (l->base >= at && (l->base - at) / 8 < n && l->base % 8 == 0) {
		l->has_word = true;
		l->word = words[(l->base - at) / 8];
	}
	for (size_t i = 0; i < n; i++) {
		const struct wl_patch *s = is_near_patch(a, words[i]) ? wl_patch_at(&a->sites, words[i]) : NULL;

		if (s && !s->d.is_call && words[i] > s->d.addr && words[i] < s->d.addr + wl_patch_size(s) &&
			wl_patch_wanted(&a->sites, s))
			wl_patch_refuse(&a->sites, s, "a signal handler would return into the bytes to be patched");
	}
	return true;
}

/*
 * A signal may have interrupted a thread between displaced instructions, and its handler may still run. When the
 * handler returns, it returns into the middle of the patch. The address is in the signal's frame, on the stack. Such
 * a site is left out. (A pointer to the function itself is no such address.)
 */
static void avoid_suspended(struct look *l, const struct wl_thread *t)
{
	enum { SCAN_MAX = 1 << 20, UNKNOWN = 1 << 16 };
	const struct wl_attachment *a = l->a;
	struct user_regs_struct regs;
	const struct wl_map *m;
	uint64_t end;

	if (!a->sites.n_patches || !wl_thread_at(t, &regs))
		return;
	l->base = regs.fs_base;
	m = wl_maps_find(l->maps, regs.rsp);
	end = !m ? regs.rsp + UNKNOWN
	      : a->slots.by_base && strcmp(m->path, "[stack]") != 0 && !has_word(&a->p, regs.fs_base)
		      ? go_stack_end(&a->p, &regs, m)
		      : m->end;
	if (end - regs.rsp > SCAN_MAX)
		end = regs.rsp + SCAN_MAX;
	wl_words_each(&l->words, regs.rsp, end, avoid_return_to, l);
}

/* A thread that is asleep can't be moved to the copy, since its registers can't be changed. */
static void avoid_asleep(struct wl_attachment *a, const struct wl_thread *t)
{
	const struct wl_patch *s = t->asleep ? wl_patch_at(&a->sites, t->ip) : NULL;

	if (s && t->ip > s->d.addr && t->ip < s->d.addr + s->d.len)
		wl_patch_refuse(&a->sites, s,
			"a thread that can't be stopped will continue between the instructions to be patched");
}

/* What isn't any more what its stub was made from is left out. */
static void refuse_changed(struct wl_attachment *a)
{
	struct wl_code_page code = {.p = &a->p};

	for (size_t i = 0; i < a->sites.n_patches; i++) {
		const struct wl_patch *s = &a->sites.patches[i];
		uint8_t now[WL_DISPLACED_MAX];

		if (wl_patch_wanted(&a->sites, s) &&
			(!wl_code_read(&code, s->d.addr, now, s->d.len) || memcmp(now, s->d.below, s->d.len) != 0))
			wl_patch_refuse(&a->sites, s, wl_code_changed);
	}
}

/*
 * A tracepoint's semaphore counts its tracers; programs compute its arguments only if it isn't 0. Other tracers count
 * there as well, so Ward increments and decrements it, and never sets it. It is incremented before the jump is
 * written, and decremented after the jump was taken off. So wherever a jump is, the semaphore has been incremented,
 * and a cleanup that takes the jump off decrements it.
 */
static void count_semaphore(struct wl_attachment *a, struct wl_point *point, bool up)
{
	uint16_t n;

	if (!point || !point->semaphore || point->raised == up ||
		!wl_process_read(&a->p, point->semaphore, &n, sizeof(n)) || n == (up ? UINT16_MAX : 0))
		return;
	n = (uint16_t)(up ? n + 1 : n - 1);
	if (wl_process_write(&a->p, point->semaphore, &n, sizeof(n)))
		point->raised = up;
}

static bool has_semaphore(const struct wl_attachment *a, const struct wl_patch *s)
{
	const struct wl_point *point = s->is_cave ? NULL : a->sites.v[s->site].point;

	return !s->is_cave && (s->semaphore || (point && point->semaphore));
}

/* The site's semaphore is no longer counted by this attachment, which may be one that was found. */
static void lower_semaphore(struct wl_attachment *a, const struct wl_patch *s)
{
	struct wl_point found = {.semaphore = s->semaphore, .raised = true};

	if (!s->is_cave)
		count_semaphore(a, s->semaphore ? &found : a->sites.v[s->site].point, false);
}

/*
 * Write the jumps, those in padding before those that lead there. So if the tracer is killed in between, and only
 * some are written, the target still runs correctly. Returns the number written, or -1 when the target is gone.
 */
static long write_jumps(struct wl_attachment *a, const struct wl_maps *maps)
{
	struct wl_code_page code = {.p = &a->p, .maps = maps};
	long n = 0;

	refuse_changed(a);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < a->sites.n_patches; i++) {
			struct wl_patch *s = &a->sites.patches[i];

			if (s->is_cave != (pass == 0) || !wl_patch_wanted(&a->sites, s))
				continue;
			if (!s->is_cave)
				count_semaphore(a, a->sites.v[s->site].point, true);
			s->patched = true;
			if (!wl_code_write(&code, s->d.addr, s->jump, wl_patch_size(s)))
				return -1;
			n++;
		}
		if (!wl_code_flush(&code))
			return -1;
	}
	return n;
}

static int none_left(struct wl_attachment *a, struct ward_error *err)
{
	for (size_t i = 0; i < a->sites.n; i++) {
		const struct wl_site *s = &a->sites.v[i];
		const char *why = wl_site_lacks(s);

		if (!why)
			continue;
		wl_fail(err, WARD_E_TARGET, s->label, "%s", why);
		wl_hint(err, "`ward list` shows which functions can be probed");
		return WARD_E_TARGET;
	}
	return wl_process_lost(&a->p, err);
}

static bool patch_is_there(struct wl_code_page *code, const struct wl_patch *s, const uint8_t *bytes)
{
	uint8_t now[WL_JUMP_SIZE];

	return wl_code_read(code, s->d.addr, now, wl_patch_size(s)) && memcmp(now, bytes, wl_patch_size(s)) == 0;
}

/*
 * Only if our jump is still there. Otherwise other memory may be mapped there by now, and where the semaphore was; or
 * a cleanup has been here before, and the site is restored; or the library is no longer loaded, and nothing is there.
 */
static bool patch_restore(struct wl_attachment *a, struct wl_code_page *code, const struct wl_patch *s)
{
	const struct wl_patch *cave = s->d.cave ? wl_cave_of(&a->sites, s) : NULL;
	uint8_t now[WL_JUMP_SIZE];
	size_t n = wl_patch_size(s);

	if (!wl_code_read(code, s->d.addr, now, n))
		return true;
	if (memcmp(now, s->d.below, n) == 0 || memcmp(now, s->d.bytes, n) == 0)
		return true;
	/* Another tracer's short jump may be the same, to the same cave. */
	if (cave && !patch_is_there(code, cave, cave->jump) && !patch_is_there(code, cave, cave->d.below))
		return false;
	if (memcmp(now, s->jump, n) != 0 || !wl_code_write(code, s->d.addr, s->d.below, n))
		return false;
	if (has_semaphore(a, s) && !wl_code_flush(code))
		return false;
	lower_semaphore(a, s);
	return true;
}

/*
 * Take back what write_jumps wrote, caves last, and those not at all that a jump still leads to. True if all sites are
 * as before.
 */
static bool restore_sites(struct wl_attachment *a, const struct wl_maps *maps)
{
	struct wl_code_page code = {.p = &a->p, .maps = maps};
	bool all = true;

	for (size_t i = 0; i < a->sites.n_patches; i++) {
		struct wl_patch *s = &a->sites.patches[i];

		if (!s->is_cave && s->patched)
			s->patched = !patch_restore(a, &code, s);
		all &= s->is_cave || !s->patched;
	}
	all &= wl_code_flush(&code);
	for (size_t i = 0; all && i < a->sites.n_patches; i++) {
		struct wl_patch *s = &a->sites.patches[i];

		if (s->is_cave && s->patched)
			s->patched = !patch_restore(a, &code, s);
		all &= !s->patched;
	}
	return wl_code_flush(&code) && all;
}

static void threads_release(struct wl_threads *threads, const struct wl_threads *held)
{
	if (held)
		return;
	wl_threads_release(threads);
	wl_hurry(false);
}

static void look_at_all(
	struct wl_threads *threads, bool awake, void (*look)(void *user, struct wl_thread *t), void *user)
{
	for (size_t i = 0; i < threads->n; i++) {
		struct wl_thread *t = &threads->v[i];

		if (t->looked || !(t->stopped || t->asleep))
			continue;
		if (awake)
			wl_give_way(i);
		t->looked = true;
		look(user, t);
	}
	wl_threads_stage(threads, WL_LOOK);
}

/*
 * Stop everything, or use what the caller holds, and look at each thread. Looking takes longer than anything else, and
 * most threads of a large process sleep. So the sleepers are stopped and looked at while the others still run, and they
 * stay stopped from then on. A thread that is let go in between is looked at again.
 */
static int threads_stop(struct wl_attachment *a, struct wl_threads *threads, struct wl_threads *held,
	void (*look)(void *user, struct wl_thread *t), void *user, struct ward_error *err)
{
	int rc = 0;

	*threads = held ? *held : (struct wl_threads){0};
	for (size_t i = 0; i < threads->n; i++)
		threads->v[i].looked = false; /* that was for another attachment */
	if (!held) {
		wl_hurry(true);
		wl_threads_stop_sleepers(threads, &a->p);
		look_at_all(threads, true, look, user);
		rc = wl_threads_stop(threads, &a->p, err);
	}
	if (rc)
		wl_hurry(false);
	else
		look_at_all(threads, false, look, user);
	return rc;
}

/*
 * Stubs know a thread by the word at fs:0. A thread with no segment base would fault there; where the word is zero (the
 * Go runtime without cgo) all threads look alike and every event would be dropped. Where they know it by the base
 * itself any will do: without one its events are dropped.
 */
static int check_thread_pointer(const struct look *l, const struct wl_thread *t, struct ward_error *err)
{
	const struct wl_attachment *a = l->a;
	struct user_regs_struct regs;
	uint64_t word = 0;
	char what[64];

	if (a->slots.by_base || a->slots.foreign || !t->stopped || !wl_thread_at(t, &regs))
		return 0; /* or it has just died */
	if (regs.fs_base && l->has_word && l->word)
		return 0;
	if (regs.fs_base && wl_process_read(&a->p, regs.fs_base, &word, sizeof(word)) && word)
		return 0;
	snprintf(what, sizeof(what), "process %d", (int)a->p.pid);
	wl_fail(err, WARD_E_TARGET, what, "thread %d has no thread pointer at fs:0", (int)t->tid);
	wl_hint(err, wl_go_program(a->p.pid) && !wl_can_read_base()
			     ? "Go programs without cgo can be traced where processor and kernel have FSGSBASE"
			     : "it was made without a C library");
	return WARD_E_TARGET;
}

static void look_before_patch(void *user, struct wl_thread *t)
{
	struct look *l = user;

	l->has_word = false;
	avoid_suspended(l, t);
	avoid_asleep(l->a, t);
	if (l->rc == 0)
		l->rc = check_thread_pointer(l, t, &l->err);
	if (l->rc == 0)
		l->rc = wl_check_keys(&l->a->p, t, l->pkru_at, &l->err);
}

bool wl_open_gate(struct wl_attachment *a)
{
	a->live = wl_process_write(&a->p, a->slots.gate, &OPEN, sizeof(OPEN));
	return a->live;
}

bool wl_inherit_flags(struct wl_attachment *a, const struct wl_attachment *parent)
{
	uint8_t flags = 0;

	/* a parent that has ended since has set none */
	wl_process_read(&parent->p, parent->slots.gate + WL_GATE_FLAGS, &flags, sizeof(flags));
	flags &= (uint8_t)~WL_SHUT; /* what the child's own thread may do has been checked */
	return wl_process_write(&a->p, a->slots.gate + WL_GATE_FLAGS, &flags, sizeof(flags));
}

/* Has a thread no control block of its own at fs:0? */
static bool any_without_block(const struct wl_attachment *a, const struct wl_threads *threads)
{
	for (size_t i = 0; i < threads->n; i++) {
		struct user_regs_struct regs;
		uint64_t word;

		if (threads->v[i].stopped && wl_thread_at(&threads->v[i], &regs) &&
			(!regs.fs_base || !wl_process_read(&a->p, regs.fs_base, &word, sizeof(word)) ||
				word != regs.fs_base))
			return true;
	}
	return false;
}

/* The gate's flag, before it is opened. */
static bool set_foreign(struct wl_attachment *a, const struct wl_threads *threads)
{
	static const uint8_t flags = WL_FOREIGN;

	if (!a->slots.foreign || (a->foreign == WL_FOREIGN_AT_FIRST && !any_without_block(a, threads)))
		return true;
	return wl_process_write(&a->p, a->slots.gate + WL_GATE_FLAGS, &flags, sizeof(flags));
}

/* All threads are stopped. */
static int patch_all(
	struct wl_attachment *a, const struct wl_maps *maps, struct wl_threads *threads, struct ward_error *err)
{
	long written = write_jumps(a, maps);

	if (written <= 0 || !set_foreign(a, threads) || !wl_open_gate(a)) {
		restore_sites(a, maps);
		return written == 0 ? none_left(a, err) : wl_process_lost(&a->p, err);
	}
	for (size_t i = 0; i < threads->n; i++)
		move_to_copy(a, &threads->v[i]);
	return 0;
}

static int look_and_patch(struct look *l, struct wl_threads *held, struct ward_error *err)
{
	struct wl_threads threads;
	int rc = threads_stop(l->a, &threads, held, look_before_patch, l, err);

	if (rc)
		return rc;
	rc = l->rc;
	if (rc && err)
		*err = l->err;
	if (rc == 0)
		rc = patch_all(l->a, l->maps, &threads, err);
	wl_threads_stage(&threads, WL_WRITE);
	threads_release(&threads, held);
	return rc;
}

int wl_patch(struct wl_attachment *a, struct wl_threads *held, struct ward_error *err)
{
	struct look l = {.a = a, .pkru_at = wl_pkru_at()};
	struct wl_maps maps;
	int rc;

	if (wl_maps_read(a->p.pid, &maps))
		return wl_process_lost(&a->p, err);
	l.maps = &maps;
	rc = wl_words_open(&l.words, &a->p) ? look_and_patch(&l, held, err) : wl_no_memory(err);
	wl_words_close(&l.words);
	wl_maps_free(&maps);
	return rc;
}

static bool in_ranges(const struct wl_attachment *a, uint64_t word)
{
	for (size_t i = 0; i < a->n_ranges; i++)
		if (a->ranges[i].code && word - a->ranges[i].addr < a->ranges[i].size)
			return true;
	return false;
}

/* Our code, and other attachments' code that continues in ours; and whether all threads seen so far are out of it. */
struct code {
	struct wl_attachment *a;
	struct wl_maps maps;
	struct wl_found *others;
	size_t n;
	bool go; /* it is a Go program */
	struct wl_words words;
	bool out;
};

static bool in_code(const struct code *c, uint64_t word)
{
	bool in = in_ranges(c->a, word);

	for (size_t i = 0; i < c->n && !in; i++)
		in = in_ranges(&c->others[i].a, word);
	return in;
}

/* Another attachment may have been put over this one, and removed except for a thread that is still in it. */
static bool find_others(struct code *c)
{
	size_t codes = 0;

	for (size_t i = 0; i < c->maps.n; i++)
		codes += wl_is_code_path(c->maps.v[i].path) && c->maps.v[i].offset == 0;
	if (codes < 2)
		return true;
	wl_maps_find_moved(c->a->p.pid, &c->maps);
	return wl_found_over(c->a, &c->maps, &c->others, &c->n) == 0;
}

/* Before threads are stopped. */
static void code_find(struct code *c, struct wl_attachment *a)
{
	*c = (struct code){.a = a, .go = wl_go_program(a->p.pid)};
	c->out = wl_words_open(&c->words, &a->p);
	c->out = wl_maps_read(a->p.pid, &c->maps) == 0 && find_others(c) && c->out;
}

static void code_free(struct code *c)
{
	wl_found_free(c->others, c->n);
	wl_maps_free(&c->maps);
	wl_words_close(&c->words);
}

static bool words_are_out(void *user, uint64_t at, const uint64_t *words, size_t n)
{
	const struct code *c = user;

	(void)at;
	for (size_t i = 0; i < n; i++)
		if (in_code(c, words[i]))
			return false;
	return true;
}

/* No word from rsp up to the end of its stack points into our code. */
static bool stack_is_clean(struct code *c, uint64_t sp, uint64_t end)
{
	return wl_words_each(&c->words, sp, end, words_are_out, c);
}

/*
 * A thread's own stack has its control block at the top, except for the first thread's. For a thread that is asleep
 * the kernel doesn't say where the block is, so search for it.
 */
static bool is_own_stack(const struct wl_process *p, const struct wl_thread *t, const struct user_regs_struct *regs,
	const struct wl_map *m)
{
	if (strcmp(m->path, "[stack]") == 0)
		return true;
	if (t->asleep)
		return wl_has_control_block(p, t->tid, regs->rsp, m->end);
	return regs->fs_base >= regs->rsp && regs->fs_base < m->end && has_word(p, regs->fs_base);
}

static bool thread_is_out(struct code *c, const struct wl_thread *t)
{
	struct user_regs_struct regs;
	const struct wl_map *m;

	if (!wl_thread_at(t, &regs))
		return true; /* it has just died */
	m = wl_maps_find(&c->maps, regs.rsp);
	if (in_code(c, regs.rip) || in_code(c, regs.rsp) || !m)
		return false;
	if (is_own_stack(&c->a->p, t, &regs, m))
		return stack_is_clean(c, regs.rsp, m->end);
	return c->go && !t->asleep && stack_is_clean(c, regs.rsp, go_stack_end(&c->a->p, &regs, m));
}

static void look_before_free(void *user, struct wl_thread *t)
{
	struct code *c = user;

	c->out = c->out && thread_is_out(c, t);
}

/* Is a thread inside a probe, even if a signal has interrupted it there? */
static bool anybody_in_probe(const struct wl_attachment *a)
{
	enum { ROWS = 256 };
	struct wl_row rows[ROWS];
	bool in = false;

	for (uint32_t at = 0; a->slots.table && at < a->slots.rows && !in; at += ROWS) {
		size_t n = a->slots.rows - at < ROWS ? a->slots.rows - at : ROWS;

		if (!wl_process_read(&a->p, a->slots.table + (uint64_t)at * WL_ROW_SIZE, rows, n * WL_ROW_SIZE))
			return false;
		for (size_t i = 0; i < n && !in; i++)
			in = rows[i].key && rows[i].key != rows[i].owner && !wl_is_mark(rows[i].key);
	}
	return in;
}

/* The same, or in our code at this moment. */
static bool anybody_in(const struct wl_attachment *a, const struct wl_threads *threads)
{
	bool in = false;

	for (size_t i = 0; i < threads->n && !in; i++) {
		struct user_regs_struct regs;

		in = wl_thread_at(&threads->v[i], &regs) && in_ranges(a, regs.rip);
	}
	return in || anybody_in_probe(a);
}

/* Undo what is left to undo. True if all sites are as before. */
static bool take_back(struct wl_attachment *a, const struct wl_maps *maps, struct wl_threads *threads)
{
	bool all = restore_sites(a, maps);

	a->live = false;
	for (size_t i = 0; i < threads->n; i++)
		move_from_copy(a, &threads->v[i]);
	return all;
}

static bool close_gate(const struct wl_attachment *a)
{
	return !a->slots.gate || wl_process_write(&a->p, a->slots.gate, &CLOSED, sizeof(CLOSED));
}

bool wl_unpatch_held(struct wl_attachment *a, struct wl_threads *held)
{
	struct wl_maps maps = {0};
	bool all;

	wl_maps_read(a->p.pid, &maps); /* without it, each patch is written by itself */
	all = close_gate(a) && take_back(a, &maps, held);
	wl_maps_free(&maps);
	return all;
}

bool wl_is_quiet(struct wl_attachment *a, const struct wl_threads *held)
{
	struct code c;

	code_find(&c, a);
	for (size_t i = 0; i < held->n; i++)
		look_before_free(&c, &held->v[i]);
	code_free(&c);
	return c.out;
}

/* Returns the next pause. */
static long pause_rest(const struct wl_attachment *a, long pause_us)
{
	const long step_us = FIRST_PAUSE_US;

	for (long left = pause_us; left > 0; left -= step_us)
		if (wl_let_go_late(a->p.late)) {
			nanosleep(&(struct timespec){.tv_nsec = step_us * 1000}, NULL);
		} else {
			nanosleep(&(struct timespec){.tv_nsec = left * 1000}, NULL);
			break;
		}
	return pause_us * 3 < LONGEST_PAUSE_US ? pause_us * 3 : LONGEST_PAUSE_US;
}

bool wl_silence(struct wl_attachment *a)
{
	long pause_us = FIRST_PAUSE_US;

	if (!close_gate(a))
		return false;
	a->live = false;
	for (int i = 0; i < QUIET_TRIES && anybody_in_probe(a); i++)
		pause_us = pause_rest(a, pause_us);
	return true;
}

/* One stop: undo, and check. *settled: another check would change nothing. */
static int unpatch_in(struct code *c, bool *quiet, bool *settled, struct ward_error *err)
{
	struct wl_attachment *a = c->a;
	struct wl_threads threads;
	int rc = threads_stop(a, &threads, NULL, look_before_free, c, err);

	if (rc)
		return wl_process_dying(&a->p) ? 0 : rc;
	if (close_gate(a)) {
		*quiet = take_back(a, &c->maps, &threads);
		*settled = !*quiet && !anybody_in(a, &threads);
		*quiet = *quiet && c->out;
	}
	wl_threads_stage(&threads, WL_WRITE);
	threads_release(&threads, NULL);
	return 0;
}

static int unpatch_once(struct wl_attachment *a, bool *quiet, bool *settled, struct ward_error *err)
{
	struct code c;
	int rc;

	*quiet = *settled = false;
	code_find(&c, a);
	rc = unpatch_in(&c, quiet, settled, err);
	code_free(&c);
	return rc;
}

int wl_unpatch(struct wl_attachment *a, bool *quiet, struct ward_error *err)
{
	long pause_us = FIRST_PAUSE_US;
	bool settled;
	int rc;

	/*
	 * The first stop takes the probes off. Later ones only check whether the threads that were inside have left,
	 * which also makes the counts final. Under another tracer's jumps the memory stays in any case, and the
	 * counts are final as soon as no thread is in a probe.
	 */
	for (int i = 0; i < QUIET_TRIES; i++) {
		rc = unpatch_once(a, quiet, &settled, err);
		if (rc && i > 0)
			rc = 0; /* the probes are off; that the memory stays is no failure */
		if (rc || *quiet || settled || wl_process_dying(&a->p))
			return rc;
		pause_us = pause_rest(a, pause_us);
	}
	return 0;
}
