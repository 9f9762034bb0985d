/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of addresses. What processes have mapped is kept with its times (map_history.c), so an address has the name
 * that it had there and then. If it can be two places in files, neither is its name, and both are shown. A module's
 * file stays open, and its symbols are read when the first of its addresses is asked for, which may be when the process
 * is long gone. The maps and the files are hostile: a lie makes a wrong name, nothing worse. The kernel names its own
 * functions, if it shows their addresses; it is asked when the first is asked for.
 *
 * Sessions write the history while their callers ask for names. One lock guards the history. Another one guards the
 * files' symbols, because reading these takes its time.
 */
#include "names.h"

#include "alias.h"
#include "debug_file.h"
#include "demangle.h"
#include "jit_map.h"
#include "loader/base/error.h"
#include "loader/kernel/symbols.h"
#include "stack_names.h"
#include "stack_owners.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	MOST_NAMES = 64, /* of one function, that are looked at */
	GLIMPSE_MS = 1,
	OFFSET_BITS = 44,
};

static const uint64_t SEVERAL = (uint64_t)1 << 63;

/* In place of a thread: the owner of that number. */
static const uint32_t OWNER = (uint32_t)1 << 31;

struct ward_names {
	pthread_mutex_t lock; /* of what follows */
	unsigned users;
	struct wl_files files;
	struct wl_history *
		*histories; /* of one process; or one for each place of states, of the processes that used it */
	size_t n_histories;
	struct wl_stack_names stacks;
	struct wl_owners owners; /* of the kernel's: the processes that stacks are of */
	uint32_t *of;            /* by thread: the number of its history */
	size_t n_threads, cap_threads;
	struct wl_mapped mapped; /* of one process: what it had in the last look */
	bool over;               /* what comes now is no probe's any more */
	pthread_mutex_t reading; /* of the files' symbols, and of what follows */
	bool no_memory;          /* for the symbols of one */
	bool is_kernel, asked;
	struct wl_ksyms kernel; /* if asked; none if it doesn't tell */
};

ward_names *wl_names_new(void)
{
	ward_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	pthread_mutex_init(&names->lock, NULL);
	pthread_mutex_init(&names->reading, NULL);
	names->users = 1;
	return names;
}

int ward_names_open(pid_t pid, ward_names **out, struct ward_error *err)
{
	struct wl_process p = {.pid = pid, .pidfd = -1, .mem = -1}; /* only its maps are read */
	struct ward_error local;
	struct ward_error *e = err ? err : &local;
	ward_names *names;
	int rc;

	wl_clear(e);
	if (!out)
		return wl_missing(e, "ward_names_open", "out");
	*out = NULL;
	names = wl_names_new();
	if (!names || wl_names_add(names) < 0) {
		ward_names_close(names);
		return wl_no_memory(e);
	}
	rc = wl_mapped_look(&names->mapped, &p, &names->files, names->histories, 1);
	if (rc == ENOMEM) {
		rc = wl_no_memory(e);
	} else if (rc) { /* a zombie has nothing mapped */
		rc = wl_fail(e, WARD_E_TARGET, "names", "what the process has mapped can't be read");
		wl_hint(e, "the process must be running, and be yours");
	}
	if (rc)
		ward_names_close(names);
	else
		*out = names;
	return rc;
}

int ward_names_open_kernel(ward_names **out, struct ward_error *err)
{
	struct ward_error local;
	struct ward_error *e = err ? err : &local;

	wl_clear(e);
	if (!out)
		return wl_missing(e, "ward_names_open_kernel", "out");
	*out = wl_names_new();
	if (!*out)
		return wl_no_memory(e);
	(*out)->is_kernel = true;
	return 0;
}

ward_names *wl_names_share(ward_names *names)
{
	if (!names)
		return NULL;
	pthread_mutex_lock(&names->lock);
	names->users++;
	pthread_mutex_unlock(&names->lock);
	return names;
}

void ward_names_close(ward_names *names)
{
	bool used;

	if (!names)
		return;
	pthread_mutex_lock(&names->lock);
	used = --names->users;
	pthread_mutex_unlock(&names->lock);
	if (used)
		return;
	wl_ksyms_free(&names->kernel);
	wl_mapped_free(&names->mapped);
	for (size_t i = 0; i < names->n_histories; i++) {
		wl_history_free(names->histories[i]);
		free(names->histories[i]);
	}
	free(names->histories);
	wl_stack_names_free(&names->stacks);
	wl_owners_free(&names->owners);
	free(names->of);
	wl_files_free(&names->files);
	pthread_mutex_destroy(&names->lock);
	pthread_mutex_destroy(&names->reading);
	free(names);
}

static void name_look(ward_names *names, const struct wl_process *p, bool now)
{
	pthread_mutex_lock(&names->lock);
	if (!names->over && (now || wl_mapped_is_due(&names->mapped, p)))
		wl_mapped_look(&names->mapped, p, &names->files, names->histories, 1);
	pthread_mutex_unlock(&names->lock);
}

void wl_names_look(ward_names *names, const struct wl_process *p)
{
	if (names)
		name_look(names, p, true);
}

void wl_names_poll(ward_names *names, const struct wl_process *p)
{
	if (names)
		name_look(names, p, false);
}

void wl_names_over(ward_names *names)
{
	if (!names)
		return;
	pthread_mutex_lock(&names->lock);
	names->over = true;
	pthread_mutex_unlock(&names->lock);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

bool wl_names_wait(ward_names *names, const struct wl_process *p, int timeout_ms)
{
	int64_t end = now_ms() + timeout_ms;
	int got = 0;

	if (!names)
		return wl_process_wait(p, timeout_ms);
	while (got == 0) {
		int64_t left = timeout_ms < 0 ? GLIMPSE_MS : end - now_ms();

		got = wl_process_poll(p, left < 0 ? 0 : left < GLIMPSE_MS ? (int)left : GLIMPSE_MS);
		if (got == 0)
			name_look(names, p, false);
		if (got == 0 && left <= 0)
			return false;
	}
	return got == 1;
}

/* ---- One place in a file ---- */

/* Are both places in one section, as far as the file has any? A symbol without a size doesn't reach beyond its own. */
static bool same_section(const struct wl_elf *elf, uint64_t a, uint64_t b)
{
	for (size_t i = 0; i < elf->n_sections; i++) {
		const Elf64_Shdr *sh = &elf->sections[i];

		if (sh->sh_type != SHT_NOBITS && sh->sh_flags & SHF_EXECINSTR && a >= sh->sh_offset &&
			a - sh->sh_offset < sh->sh_size)
			return b >= sh->sh_offset && b - sh->sh_offset < sh->sh_size;
	}
	return elf->n_sections == 0;
}

static bool reaches(const struct wl_module *m, const struct wl_symbol *s, uint64_t offset)
{
	return s->size ? offset - s->offset < s->size : same_section(&m->elf, s->offset, offset);
}

/* The function that this place in the file belongs to, or NULL. */
static const struct wl_symbol *function_at(const struct wl_module *m, uint64_t offset)
{
	size_t lo = wl_module_symbols_upto(m, offset);
	const struct wl_symbol *best = NULL;

	for (size_t i = lo; i-- > 0 && lo - i <= MOST_NAMES && m->symbols[i].offset == m->symbols[lo - 1].offset;) {
		const struct wl_symbol *s = &m->symbols[i];

		if (reaches(m, s, offset) && (!best || wl_is_plainer(s->name, best->name)))
			best = s;
	}
	return best;
}

/*
 * A name that doesn't fit is cut in its middle, so as to show that, and the function's address in the file takes the
 * place of what is cut off: two that begin alike stay two.
 */
static void name_function(
	const struct wl_module *m, const struct wl_symbol *s, uint64_t offset, char *text, size_t size)
{
	char behind[24] = "", cut[40];
	struct wl_shown shown = wl_name_shown(s);
	size_t used, room;

	if (offset != s->offset)
		snprintf(behind, sizeof(behind), "+%#" PRIx64, offset - s->offset);
	used = strlen(m->name) + 1 + strlen(behind);
	if (used + (size_t)shown.length + strlen(shown.mark) + strlen(shown.which) < size) {
		snprintf(text, size, "%s!%.*s%s%s%s", m->name, shown.length, shown.name, shown.mark, shown.which,
			behind);
		return;
	}
	snprintf(cut, sizeof(cut), "...[%#" PRIx64 "]", wl_module_own_address(m, s->offset));
	used += strlen(cut);
	room = used < size ? size - used - 1 : 0;
	snprintf(text, size, "%s!%.*s%s%s", m->name, (int)room, shown.name, cut, behind);
}

static bool load_symbols(ward_names *names, struct wl_file *f)
{
	if (f->readable && !names->no_memory)
		names->no_memory = wl_module_load_symbols(&f->module) != 0;
	return f->readable && f->module.loaded;
}

/* One that is too long has a number for what is left out. What parts frames isn't in it. */
static void name_inlined(const struct wl_file *f, const char *name, char *text, size_t size)
{
	const char *module = f->module.name;
	uint64_t hash = 14695981039346656037u;
	size_t room = size - 1;
	char cut[sizeof("...[0123456789abcdef]")];

	if (strlen(module) + 1 + strlen(name) + strlen(WL_INLINED) < size) {
		snprintf(text, size, "%s!%s" WL_INLINED, module, name);
	} else {
		for (const char *c = name; *c; c++)
			hash = (hash ^ (unsigned char)*c) * 1099511628211u;
		snprintf(cut, sizeof(cut), "...[%016" PRIx64 "]", hash);
		room -= strlen(module) + 1 + strlen(cut) + strlen(WL_INLINED);
		room = room < size ? room : 0;
		snprintf(text, size, "%s!%.*s%s" WL_INLINED, module, (int)room, name, cut);
	}
	while ((text = strchr(text, ';')))
		*text = ':';
}

/* With the lock for that. False if it is just an address. */
static bool name_spot(ward_names *names, struct wl_file *f, uint64_t offset, char *text, size_t size)
{
	const struct wl_symbol *s = NULL;
	char id[WL_BUILD_ID_TEXT];

	if (f->jit)
		return wl_jit_name(f->jit, offset, text, size);
	if (load_symbols(names, f))
		s = function_at(&f->module, offset);
	if (s)
		name_function(&f->module, s, offset, text, size);
	else if (!f->readable)
		snprintf(text, size, "%s, at %#" PRIx64 " of its bytes", f->module.name, offset);
	else if (wl_build_id_text(&f->module.elf, id))
		snprintf(text, size, "%s+%#" PRIx64 " (build-id %s)", f->module.name,
			wl_module_own_address(&f->module, offset), id);
	else
		snprintf(text, size, "%s+%#" PRIx64, f->module.name, wl_module_own_address(&f->module, offset));
	return true;
}

/* ---- Addresses ---- */

static bool find_kernel(ward_names *names, uint64_t address, char *text, size_t size)
{
	struct ward_error unheard;
	bool found;

	pthread_mutex_lock(&names->reading);
	if (!names->asked)
		wl_ksyms_all(NULL, &names->kernel, &unheard);
	names->asked = true;
	found = wl_kname_find(&names->kernel, address, text, size);
	pthread_mutex_unlock(&names->reading);
	return found;
}

/* "0x7f0011223344 (libone.so!f+0x12 or libtwo.so!g)": each has an equal part of the room. */
static void name_several(ward_names *names, uint64_t address, struct wl_file *const *files, const struct wl_spot *spots,
	size_t n, char *text, size_t size)
{
	size_t at = (size_t)snprintf(text, size, "%#" PRIx64 " (", address);
	size_t share = size > at + 1 ? (size - at - 1) / n : 0;

	for (size_t i = 0; i < n && share > sizeof(" or "); i++) {
		at += (size_t)snprintf(text + at, size - at, "%s", i ? " or " : "");
		if (!name_spot(names, files[i], spots[i].offset, text + at, share - (sizeof(" or ") - 1)))
			snprintf(text + at, size - at, "code made as it ran");
		at += strlen(text + at);
	}
	snprintf(text + at, size - at, ")");
}

static bool is_owner(uint32_t thread)
{
	return thread & OWNER && thread != WARD_ANY_THREAD;
}

/* In the history of a thread's processes; of a thread that isn't known, in all. With the lock. */
static size_t find_spots(
	const ward_names *names, uint64_t address, uint32_t thread, uint64_t time, struct wl_spot spots[WL_SPOTS_MOST])
{
	size_t n = 0;

	if (is_owner(thread))
		return (thread & ~OWNER) < names->owners.n ? wl_history_find(&names->owners.v[thread & ~OWNER].history,
								     address, time, spots, 0, WL_SPOTS_MOST)
							   : 0;
	if (thread < names->n_threads)
		return wl_history_find(names->histories[names->of[thread]], address, time, spots, 0, WL_SPOTS_MOST);
	for (size_t i = 0; i < names->n_histories; i++)
		n = wl_history_find(names->histories[i], address, time, spots, n, WL_SPOTS_MOST);
	return n;
}

/* ---- Stacks ---- */

bool wl_names_stacks(ward_names *names, uint32_t number, int fd, uint64_t offset)
{
	bool well;

	if (!names || !offset)
		return true;
	pthread_mutex_lock(&names->lock);
	well = wl_stack_names_put(&names->stacks, number, fd, offset);
	pthread_mutex_unlock(&names->lock);
	return well;
}

uint64_t ward_names_lost_stacks(ward_names *names)
{
	uint64_t lost;

	if (!names)
		return 0;
	pthread_mutex_lock(&names->lock);
	lost = wl_stack_names_lost(&names->stacks);
	pthread_mutex_unlock(&names->lock);
	return lost;
}

static bool stack_find(ward_names *names, uint64_t handle, struct wl_stack *stack)
{
	bool found;

	pthread_mutex_lock(&names->lock);
	found = wl_stack_names_read(&names->stacks, handle, stack);
	pthread_mutex_unlock(&names->lock);
	return found;
}

/* A place that a frame may be. */
struct frame_spot {
	uint32_t file;
	uint64_t offset;
};

static int by_file(const void *a, const void *b)
{
	const struct frame_spot *x = a, *y = b;

	return (x->file > y->file) - (x->file < y->file);
}

/* Places of one file; `codes` has room for them. */
static void inlines_add(ward_names *names, struct wl_file *f, const struct frame_spot *spots, size_t n, uint64_t *codes)
{
	if (!f->readable || f->jit || names->no_memory)
		return;
	for (size_t i = 0; i < n; i++)
		codes[i] = wl_module_own_address(&f->module, spots[i].offset);
	names->no_memory = wl_inline_frames_add(&f->inlines, &f->module, codes, n) != 0;
}

/* Where frames that have come since may be. Each has room for one. False: none have come. */
static bool fresh_spots(ward_names *names, uint64_t *codes, struct frame_spot *spots, size_t most, size_t *n)
{
	struct wl_spot at[WL_SPOTS_MOST];
	size_t n_codes;

	*n = 0;

	pthread_mutex_lock(&names->lock);
	n_codes = wl_stack_names_fresh(&names->stacks, codes, most);
	for (size_t i = 0; i < n_codes; i++) {
		size_t found = find_spots(names, codes[i], WARD_ANY_THREAD, 0, at);

		for (size_t k = 0; k < found && *n < most; k++)
			spots[(*n)++] = (struct frame_spot){at[k].file, at[k].offset};
	}
	pthread_mutex_unlock(&names->lock);
	return n_codes > 0;
}

/* Some stacks are to be named: look at what is inlined in all that have been taken, at once. */
static void see_fresh_stacks(ward_names *names)
{
	enum { MOST = 1 << 16 };
	struct frame_spot *spots;
	uint64_t *codes;
	bool any;
	size_t n;

	pthread_mutex_lock(&names->lock);
	any = !names->is_kernel && wl_stack_names_any_fresh(&names->stacks);
	pthread_mutex_unlock(&names->lock);
	if (!any)
		return;
	codes = calloc(MOST, sizeof(*codes));
	spots = calloc(MOST, sizeof(*spots));
	while (codes && spots && fresh_spots(names, codes, spots, MOST, &n)) {
		if (n)
			qsort(spots, n, sizeof(*spots), by_file);
		pthread_mutex_lock(&names->reading);
		for (size_t i = 0, same; i < n; i += same) {
			struct wl_file *f;

			for (same = 1; i + same < n && spots[i + same].file == spots[i].file;)
				same++;
			pthread_mutex_lock(&names->lock);
			f = names->files.v[spots[i].file];
			pthread_mutex_unlock(&names->lock);
			inlines_add(names, f, spots + i, same, codes);
		}
		pthread_mutex_unlock(&names->reading);
	}
	free(codes);
	free(spots);
}

/* Does a function begin there? What is inlined in it hasn't begun, even if it has the first instruction. */
static bool is_beginning(ward_names *names, struct wl_file *f, uint64_t offset)
{
	const struct wl_symbol *s = load_symbols(names, f) ? function_at(&f->module, offset) : NULL;

	return s && s->offset == offset;
}

bool wl_names_inlined(
	ward_names *names, uint64_t address, uint32_t thread, uint64_t time, size_t i, char *text, size_t size)
{
	struct wl_spot spots[WL_SPOTS_MOST];
	const struct wl_inline_place *place = NULL;
	struct wl_file *f = NULL;
	struct frame_spot spot;
	uint64_t code;

	if (names->is_kernel)
		return false;
	pthread_mutex_lock(&names->lock);
	if (find_spots(names, address, thread, time, spots) == 1)
		f = names->files.v[spots[0].file];
	pthread_mutex_unlock(&names->lock);
	if (!f || !f->readable || f->jit)
		return false;
	pthread_mutex_lock(&names->reading);
	code = wl_module_own_address(&f->module, spots[0].offset);
	if (is_beginning(names, f, spots[0].offset)) {
		pthread_mutex_unlock(&names->reading);
		return false;
	}
	place = wl_inline_frames_at(&f->inlines, code);
	if (!place) {
		spot = (struct frame_spot){spots[0].file, spots[0].offset};
		inlines_add(names, f, &spot, 1, &code);
		place = wl_inline_frames_at(&f->inlines, code);
	}
	if (place && i < place->n)
		name_inlined(f, f->inlines.name[f->inlines.chain[place->first + place->n - 1 - i]], text, size);
	pthread_mutex_unlock(&names->reading);
	return place && i < place->n;
}

void wl_names_see_owners(ward_names *names)
{
	if (!names || !names->is_kernel) /* a process may have written into its table whatever it wants */
		return;
	pthread_mutex_lock(&names->lock);
	if (names->stacks.n)
		wl_owners_see(&names->owners, names->stacks.v[0], &names->files);
	pthread_mutex_unlock(&names->lock);
}

/* What stands for its owner in place of a thread. Of one that isn't known nothing has a name. */
static uint32_t owner_number(ward_names *names, const struct wl_stack *stack)
{
	const struct wl_owner *owner;
	uint32_t number;

	wl_names_see_owners(names);
	pthread_mutex_lock(&names->lock);
	owner = wl_owner_of(&names->owners, stack);
	number = OWNER | (uint32_t)(owner ? owner - names->owners.v : (ptrdiff_t)names->owners.n);
	pthread_mutex_unlock(&names->lock);
	return number;
}

static bool name_stack(ward_names *names, uint64_t handle, uint32_t thread, uint64_t time, char *text, size_t size)
{
	struct wl_stack stack;

	if (!stack_find(names, handle, &stack))
		return false;
	if (stack.how & WL_STACK_OWNED) {
		thread = owner_number(names, &stack);
		time = 0;
	}
	see_fresh_stacks(names);
	wl_stack_text(&stack, names, thread, time, text, size);
	return true;
}

bool ward_names_find(ward_names *names, uint64_t address, char *text, size_t size)
{
	return ward_names_find_at(names, address, WARD_ANY_THREAD, 0, text, size);
}

bool ward_names_find_at(ward_names *names, uint64_t address, uint32_t thread, uint64_t time, char *text, size_t size)
{
	struct wl_spot spots[WL_SPOTS_MOST];
	struct wl_file *files[WL_SPOTS_MOST];
	bool known = true;
	size_t n;

	if (!names || !text || !size)
		return false;
	if (wl_is_stack(address))
		return name_stack(names, address, thread, time, text, size);
	if (names->is_kernel && !is_owner(thread))
		return find_kernel(names, address, text, size);
	pthread_mutex_lock(&names->lock);
	n = find_spots(names, address, thread, time, spots);
	for (size_t i = 0; i < n; i++)
		files[i] = names->files.v[spots[i].file];
	pthread_mutex_unlock(&names->lock);
	if (n == 0)
		return false;
	pthread_mutex_lock(&names->reading);
	if (n == 1)
		known = name_spot(names, files[0], spots[0].offset, text, size);
	else
		name_several(names, address, files, spots, n, text, size);
	pthread_mutex_unlock(&names->reading);
	return known;
}

/* ---- Of several processes ---- */

int64_t wl_names_add(ward_names *names)
{
	struct wl_history **v, *h = calloc(1, sizeof(*h));
	int64_t number = -1;

	pthread_mutex_lock(&names->lock);
	v = h ? reallocarray(names->histories, names->n_histories + 1, sizeof(struct wl_history *)) : NULL;
	if (v) {
		names->histories = v;
		v[names->n_histories] = h;
		number = (int64_t)names->n_histories++;
	}
	pthread_mutex_unlock(&names->lock);
	if (!v)
		free(h);
	return number;
}

bool wl_names_thread(ward_names *names, uint32_t history)
{
	bool well = true;

	if (!names)
		return true;
	pthread_mutex_lock(&names->lock);
	if (names->n_threads == names->cap_threads) {
		size_t cap = names->cap_threads ? names->cap_threads * 2 : 64;
		uint32_t *v = reallocarray(names->of, cap, sizeof(*v));

		well = v != NULL;
		names->of = v ? v : names->of;
		names->cap_threads = v ? cap : names->cap_threads;
	}
	if (well)
		names->of[names->n_threads++] = history;
	pthread_mutex_unlock(&names->lock);
	return well;
}

bool wl_names_fit(ward_names *names, const struct wl_mapped *m, uint32_t history)
{
	bool fits;

	pthread_mutex_lock(&names->lock);
	fits = !wl_mapped_conflicts(m, names->histories[history]);
	pthread_mutex_unlock(&names->lock);
	return fits;
}

void wl_names_see(ward_names *names, struct wl_mapped *m, const struct wl_process *p, bool now,
	const uint32_t *histories, size_t n)
{
	struct wl_history *at[WL_HISTORIES_MOST];

	pthread_mutex_lock(&names->lock);
	for (size_t i = 0; i < n && i < WL_HISTORIES_MOST; i++)
		at[i] = names->histories[histories[i]];
	if (now || wl_mapped_is_due(m, p))
		wl_mapped_look(m, p, &names->files, at, n < WL_HISTORIES_MOST ? n : WL_HISTORIES_MOST);
	pthread_mutex_unlock(&names->lock);
}

void wl_names_join(ward_names *names, const struct wl_mapped *m, uint32_t history)
{
	pthread_mutex_lock(&names->lock);
	wl_mapped_join(m, names->histories[history]);
	pthread_mutex_unlock(&names->lock);
}

void wl_names_leave(ward_names *names, const struct wl_mapped *m, uint32_t history)
{
	pthread_mutex_lock(&names->lock);
	wl_mapped_leave(m, names->histories[history]);
	pthread_mutex_unlock(&names->lock);
}

/* ---- What an address means, whatever number it has in a process ---- */

bool wl_names_differ(ward_names *names)
{
	bool differ;

	if (!names)
		return false;
	wl_names_see_owners(names);
	pthread_mutex_lock(&names->lock);
	differ = names->n_histories > 1 || names->owners.n > 1;
	pthread_mutex_unlock(&names->lock);
	return differ;
}

/* Of a stack, what all of its addresses mean. */
static uint64_t stack_meaning(ward_names *names, uint32_t thread, uint64_t handle)
{
	uint64_t hash = 14695981039346656037u;
	struct wl_stack stack;

	if (!stack_find(names, handle, &stack))
		return 0;
	if (stack.how & WL_STACK_OWNED)
		thread = owner_number(names, &stack);
	hash = (hash ^ stack.how) * 1099511628211u;
	for (size_t i = 0; i < stack.n; i++) {
		uint64_t at = wl_stack_code(&stack, i), meaning = wl_names_meaning(names, thread, at);

		hash = (hash ^ (meaning ? meaning : at)) * 1099511628211u;
		hash ^= hash >> 29;
	}
	return hash | SEVERAL;
}

uint64_t wl_names_meaning(ward_names *names, uint32_t thread, uint64_t address)
{
	struct wl_spot spots[WL_SPOTS_MOST];
	uint64_t hash = 14695981039346656037u;
	size_t n;

	if (wl_is_stack(address))
		return stack_meaning(names, thread, address);
	pthread_mutex_lock(&names->lock);
	n = find_spots(names, address, thread, 0, spots);
	pthread_mutex_unlock(&names->lock);
	if (n == 1 && spots[0].offset >> OFFSET_BITS == 0)
		return ((uint64_t)spots[0].file + 1) << OFFSET_BITS | spots[0].offset;
	for (size_t i = 0; i < n; i++) {
		hash = (hash ^ spots[i].file) * 1099511628211u;
		hash = (hash ^ spots[i].offset) * 1099511628211u;
	}
	return n ? hash | SEVERAL : 0;
}

bool wl_names_place(ward_names *names, uint64_t address, uint32_t thread, char *text, size_t size)
{
	struct wl_spot spots[WL_SPOTS_MOST];
	const struct wl_file *f = NULL;
	char id[WL_BUILD_ID_TEXT];
	bool found;

	if (names->is_kernel || wl_is_stack(address))
		return false;
	pthread_mutex_lock(&names->lock);
	if (find_spots(names, address, thread, 0, spots) == 1)
		f = names->files.v[spots[0].file];
	pthread_mutex_unlock(&names->lock);
	if (!f || f->jit || !f->readable)
		return false;
	pthread_mutex_lock(&names->reading);
	found = wl_build_id_text(&f->module.elf, id);
	pthread_mutex_unlock(&names->reading);
	if (found)
		snprintf(text, size, "%.32s+%" PRIx64, id, spots[0].offset);
	return found;
}
