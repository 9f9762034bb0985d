/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack's addresses mean something only together with the process. A probe of the kernel takes stacks of whichever
 * process runs, and the stack says which: its number, when it was started, and where its first stack begins. The last
 * one is another place when the process has executed another program, and so are its addresses.
 *
 * So a process's maps are believed only if all three are the same before they are read and afterwards. Of a process
 * that is gone before, or is another program by now, addresses stay numbers: they never get the names of another one.
 * What has been read is kept, and names are found when the process is gone.
 */
#include "stack_owners.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OWNERS_MOST = 1 << 14, START_TIME = 22, START_STACK = 28 }; /* fields of /proc/PID/stat */

static pid_t pid_of(const uint64_t id[2])
{
	return (pid_t)(uint32_t)id[0];
}

bool wl_owner_read(pid_t pid, uint64_t id[2])
{
	char path[64], text[1024], *at;
	uint64_t field[START_STACK + 1] = {0};
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	at = strrchr(text, ')'); /* the name may have anything in it */
	if (!at || !at[1] || !at[2])
		return false;
	at += 3; /* the state is one letter */
	for (int i = 4; i <= START_STACK; i++)
		field[i] = strtoull(at, &at, 10);
	id[0] = (uint32_t)pid | field[START_TIME] << 32;
	id[1] = field[START_STACK];
	return true;
}

/* Is that still the program that it was? */
static bool is_the_same(const uint64_t id[2])
{
	uint64_t now[2];

	return wl_owner_read(pid_of(id), now) && now[0] == id[0] && now[1] == id[1];
}

/* ---- Finding them ---- */

static size_t place_of(const struct wl_owners *o, const uint64_t id[2])
{
	uint64_t hash = (id[0] ^ id[1] * 0x9e3779b97f4a7c15) * 0x9e3779b97f4a7c15;
	size_t i = (size_t)(hash >> 32);

	for (;; i++) {
		const struct wl_owner *is;

		i &= o->places - 1;
		if (!o->of[i])
			return i;
		is = &o->v[o->of[i] - 1];
		if (is->id[0] == id[0] && is->id[1] == id[1])
			return i;
	}
}

/* Room for one more in both tables. */
static bool make_room(struct wl_owners *o)
{
	size_t cap = o->cap ? o->cap * 2 : 32;
	struct wl_owner *v;
	uint32_t *of;

	if (o->n < o->cap)
		return true;
	if (cap > OWNERS_MOST)
		return false;
	v = reallocarray(o->v, cap, sizeof(*v));
	if (!v)
		return false;
	o->v = v;
	of = calloc(cap * 2, sizeof(*of));
	if (!of)
		return false;
	free(o->of);
	o->of = of;
	o->cap = cap;
	o->places = cap * 2;
	for (size_t i = 0; i < o->n; i++)
		of[place_of(o, o->v[i].id)] = (uint32_t)i + 1;
	return true;
}

static struct wl_owner *owner_at(struct wl_owners *o, const uint64_t id[2])
{
	size_t place = o->places ? place_of(o, id) : 0;

	if (o->places && o->of[place])
		return &o->v[o->of[place] - 1];
	if (!make_room(o))
		return NULL;
	o->v[o->n] = (struct wl_owner){.id = {id[0], id[1]}};
	o->of[place_of(o, id)] = (uint32_t)o->n + 1;
	return &o->v[o->n++];
}

/* ---- Looking at them ---- */

static void owner_see(struct wl_owner *owner, struct wl_files *files)
{
	const struct wl_process p = {.pid = pid_of(owner->id), .pidfd = -1, .mem = -1}; /* only its maps are read */
	struct wl_history *history = &owner->history;

	if (owner->other || (owner->mapped.looked && !wl_mapped_is_due(&owner->mapped, &p)))
		return;
	owner->other = !is_the_same(owner->id);
	if (owner->other)
		return;
	wl_mapped_look(&owner->mapped, &p, files, &history, 1);
	owner->other = !is_the_same(owner->id);
	if (owner->other) { /* nobody knows whose maps these were */
		wl_history_free(&owner->history);
		wl_mapped_free(&owner->mapped);
	}
}

void wl_owners_see(struct wl_owners *o, const struct wl_stacks *stacks, struct wl_files *files)
{
	struct wl_stack stack;

	o->scanned = o->scanned ? o->scanned : 1;
	while (wl_stack_next(stacks, &o->scanned, &stack)) {
		struct wl_owner *owner = stack.how & WL_STACK_OWNED ? owner_at(o, stack.owner) : NULL;

		if (owner)
			owner_see(owner, files);
	}
}

const struct wl_owner *wl_owner_of(const struct wl_owners *o, const struct wl_stack *stack)
{
	size_t place;

	if (!o->places || !(stack->how & WL_STACK_OWNED))
		return NULL;
	place = place_of(o, stack->owner);
	return o->of[place] ? &o->v[o->of[place] - 1] : NULL;
}

void wl_owners_free(struct wl_owners *o)
{
	for (size_t i = 0; i < o->n; i++) {
		wl_history_free(&o->v[i].history);
		wl_mapped_free(&o->v[i].mapped);
	}
	free(o->v);
	free(o->of);
	*o = (struct wl_owners){0};
}
