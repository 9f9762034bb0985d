// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the callers of functions are found in processes whose stacks probes take. The tracer reads the unwind tables of
 * files, and hands over rows: of each file once, and for each process which of them are mapped where. The kernel
 * believes none of it: what is searched is in order and within bounds, and what a row says is no more than where to
 * look next, in memory that is copied without a fault. A process that nothing was handed over for is walked by frame
 * pointers.
 *
 * A probe finds the rows without a lock, in any context: what it finds lasts as long as it runs, with preemption off.
 * Rows stay until the session's hooks are off. A process's places are replaced as a whole, and the old ones freed when
 * no probe can have them any more.
 *
 * All of it is counted as the tracer's memory, and is bounded for each session.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "user_walk.h"
#include "ward.h"

enum { BUCKETS_BITS = 12, CHAIN_MOST = 16 };

struct ward_process {
	struct hlist_node in;
	struct rcu_head rcu;
	u64 owner[2];
	size_t size;
	u32 n;
	struct ward_k_place places[];
};

struct ward_tables {
	u64 used; /* bytes */
	u32 n_files;
	struct ward_rows files[WARD_K_MAX_FILES];
	struct hlist_head buckets[1 << BUCKETS_BITS];
};

static struct hlist_head *bucket_of(struct ward_tables *t, const u64 owner[2])
{
	return &t->buckets[hash_32((u32)owner[0], BUCKETS_BITS)];
}

/* ---- In a probe ---- */

void notrace ward_find_places(const struct ward_session *s, const u64 owner[2], struct ward_places *places)
{
	struct ward_tables *t = smp_load_acquire(&s->tables);
	const struct ward_process *p;

	*places = (struct ward_places){0};
	if (!t)
		return;
	hlist_for_each_entry_rcu_notrace(
		p, bucket_of(t, owner), in) if (p->owner[0] == owner[0] && p->owner[1] == owner[1])
	{
		*places = (struct ward_places){.v = p->places, .files = t->files, .n = p->n};
		return;
	}
}

/* ---- Handing over ---- */

static struct ward_tables *tables_of(struct ward_session *s)
{
	if (!s->tables) {
		struct ward_tables *t = kvzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);

		if (!t)
			return NULL;
		t->used = sizeof(*t);
		smp_store_release(&s->tables, t); /* what a probe looks at is there */
	}
	return s->tables;
}

static int room_check(const struct ward_session *s, u64 size)
{
	u64 used = s->tables ? s->tables->used : sizeof(*s->tables);

	return size > WARD_K_MAX_TABLES - used ? -ENOSPC : 0;
}

int ward_take_rows(struct ward_session *s, struct ward_k_rows *r)
{
	size_t size = r->n_rows * sizeof(struct ward_k_row);
	struct ward_tables *t;
	struct ward_k_row *v;
	int err;

	if (!s->stacks)
		return -ENODATA;
	if (!r->n_rows || r->n_rows > WARD_K_MAX_ROWS || r->unused)
		return -EINVAL;
	err = room_check(s, size);
	if (err)
		return err;
	t = tables_of(s);
	if (!t)
		return -ENOMEM;
	if (t->n_files == WARD_K_MAX_FILES)
		return -E2BIG;
	v = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	if (!v)
		return -ENOMEM;
	if (copy_from_user(v, u64_to_user_ptr(r->rows), size))
		err = -EFAULT;
	else if (!ward_rows_are_good(v, r->n_rows))
		err = -EINVAL;
	if (err) {
		kvfree(v);
		return err;
	}
	t->files[t->n_files] = (struct ward_rows){.v = v, .n = r->n_rows};
	t->used += size;
	r->file = t->n_files++;
	r->used = t->used;
	return 0;
}

/* The process of that owner, and how many its bucket has. */
static struct ward_process *process_find(struct ward_tables *t, const u64 owner[2], u32 *n)
{
	struct ward_process *p, *found = NULL;

	*n = 0;
	hlist_for_each_entry(p, bucket_of(t, owner), in)
	{
		++*n;
		if (p->owner[0] == owner[0] && p->owner[1] == owner[1])
			found = p;
	}
	return found;
}

static void process_drop(struct ward_tables *t, struct ward_process *p)
{
	t->used -= p->size;
	kvfree_rcu(p, rcu);
}

/* A process as it is handed over; an error's pointer. */
static struct ward_process *process_read(const struct ward_tables *t, const struct ward_k_mapped *m)
{
	struct ward_process *p;
	size_t size = struct_size(p, places, m->n_places);
	int err = 0;

	p = kvzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!p)
		return ERR_PTR(-ENOMEM);
	memcpy(p->owner, m->owner, sizeof(p->owner));
	p->size = size;
	p->n = m->n_places;
	if (copy_from_user(p->places, u64_to_user_ptr(m->places), m->n_places * sizeof(*p->places)))
		err = -EFAULT;
	else if (!ward_places_are_good(p->places, p->n, t->n_files))
		err = -EINVAL;
	if (!err)
		return p;
	kvfree(p);
	return ERR_PTR(err);
}

int ward_take_mapped(struct ward_session *s, struct ward_k_mapped *m)
{
	struct ward_tables *t = s->tables;
	struct ward_process *p, *old;
	u32 n;
	int err;

	if (!t)
		return -ENODATA;
	if (m->n_places > WARD_K_MAX_PLACES || m->unused)
		return -EINVAL;
	old = process_find(t, m->owner, &n);
	if (m->n_places) {
		if (!old && n >= CHAIN_MOST)
			return -E2BIG;
		err = room_check(s, struct_size(p, places, m->n_places));
		if (err)
			return err;
		p = process_read(t, m);
		if (IS_ERR(p))
			return PTR_ERR(p);
		t->used += p->size;
		if (old)
			hlist_replace_rcu(&old->in, &p->in);
		else
			hlist_add_head_rcu(&p->in, bucket_of(t, m->owner));
	} else if (old) {
		hlist_del_rcu(&old->in);
	} else {
		return -ENOENT;
	}
	if (old)
		process_drop(t, old);
	m->used = t->used;
	return 0;
}

void ward_forget_tables(struct ward_session *s)
{
	struct ward_tables *t = s->tables;
	struct ward_process *p;
	struct hlist_node *next;
	u32 i;

	if (!t)
		return;
	s->tables = NULL;
	for (i = 0; i < ARRAY_SIZE(t->buckets); i++)
		hlist_for_each_entry_safe(p, next, &t->buckets[i], in) kvfree(p);
	for (i = 0; i < t->n_files; i++)
		kvfree(t->files[i].v);
	kvfree(t);
}
