/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a coordinator must not lose: the order, last values, the machines. An entry is written, synced, and only then
 * acknowledged to anybody. A coordinator that comes back reads the journal. journal.c describes the file.
 */
#ifndef WARD_CLUSTER_COORDINATOR_JOURNAL_H
#define WARD_CLUSTER_COORDINATOR_JOURNAL_H

#include <stddef.h>
#include <stdint.h>

#include "ward/ward.h"

enum { CLUSTER_ENTRY_BYTES = 2 << 20, CLUSTER_ENTRY_NAME = 255 };

enum cluster_entry_kind {
	CLUSTER_ENTRY_ORDER = 1, /* as it was signed */
	CLUSTER_ENTRY_MACHINE,   /* it is meant; number is enum cluster_known */
	CLUSTER_ENTRY_LAST,      /* a partial, as it came; number is its unit */
	CLUSTER_ENTRY_TERM,      /* number is the term */
	CLUSTER_ENTRY_OTHER,     /* what the caller likes */
	CLUSTER_ENTRY_GROUP, /* epochs that are settled: a Sum, of which just `closed` is there; number is its unit */
};

struct cluster_entry {
	uint32_t kind;
	uint64_t number;
	const char *name; /* of a machine; or "" */
	const void *bytes;
	size_t size;
};

/* What it is given lasts until it returns. Anything but 0 stops reading, and is what cluster_journal_open returns. */
typedef int cluster_entry_fn(void *user, const struct cluster_entry *entry, struct ward_error *err);

typedef struct cluster_journal cluster_journal;

/*
 * Open a file, or make it, in an open directory; give out what it has, in the order in which it was written. `fn` may
 * be NULL. An entry that was being written when the machine stopped is dropped. WARD_E_USAGE: it is no journal, or
 * another program has it open. WARD_E_SYSTEM. Close with cluster_journal_close; NULL is allowed there.
 */
int cluster_journal_open(int directory, const char *file, cluster_entry_fn *fn, void *user, cluster_journal **out,
	struct ward_error *err);
void cluster_journal_close(cluster_journal *journal);

/*
 * Write an entry. It is there for good after the next cluster_journal_sync that returns 0, and only then. If either
 * fails (the disk is full), all entries since the last good sync are dropped: write them again later.
 */
int cluster_journal_put(cluster_journal *journal, const struct cluster_entry *entry, struct ward_error *err);
int cluster_journal_sync(cluster_journal *journal, struct ward_error *err);
/* How many entries are there for good. */
uint64_t cluster_journal_count(const cluster_journal *journal);
/* How many bytes at the end were no whole entries when it was opened. */
uint64_t cluster_journal_dropped(const cluster_journal *journal);

#endif
