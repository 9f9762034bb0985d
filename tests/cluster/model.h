/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster with combiners, as a model (model.c): its parts, and the world that they share. */
#ifndef WARD_TESTS_CLUSTER_MODEL_H
#define WARD_TESTS_CLUSTER_MODEL_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/combine/told.h"
#include "cluster/merge/names.h"
#include "cluster/merge/subtotal.h"

#define SECOND 1000000000ull
#define QUERY "0123456789abcde"

enum {
	MACHINES = 12,
	COMBINERS = 4,
	SHARDS = 3,
	EPOCHS = 8,
	STEP_MS = 250,
	PERIOD_STEPS = 4,
	FAULTY_STEPS = 120,
	MOST_STEPS = 600,
	LATE_STEPS = 12,
	SILENT_STEPS = 24, /* after which a combiner loses its shards */
};

struct machine {
	char name[24];
	uint64_t epoch, nonce, sequence;
	bool ends, is_got, is_gone;
	uint64_t last[EPOCHS + 1]; /* by epoch: the sequence of its last value; 0: it had none */
};

struct combiner {
	uint64_t nonce;
	bool is_stopped;
	struct {
		cluster_subtotal *subtotal;
		uint64_t term;
	} shard[SHARDS];
};

enum kind { PART, SUM, ANSWER, ASSIGN, GOT };
struct message {
	enum kind kind;
	size_t to, from; /* of combiners or machines */
	uint32_t shard;
	uint64_t nonce, term, epoch;
	void *bytes;
	size_t size;
	uint64_t due;
};

struct entry {
	void *bytes;
	size_t size;
};

extern struct world {
	uint64_t seed, step, now;
	bool calm;
	struct machine machine[MACHINES];
	size_t n_machines, n_combiners;
	uint32_t shards;
	struct combiner combiner[COMBINERS];
	struct message *queue;
	size_t n_queue, queue_room;
	/* the coordinator */
	cluster_settle *settle;
	uint64_t term;
	size_t owner[SHARDS]; /* which combiner, and one */
	uint64_t owner_nonce[SHARDS];
	uint64_t heard[COMBINERS]; /* at which step */
	uint64_t met[COMBINERS];   /* its nonce, as it was heard */
	struct entry *journal;
	size_t n_journal, journal_room;
	/* what was shown: by machine and epoch, the sequence; and what was said to be missing */
	uint64_t shown[MACHINES][EPOCHS + 1], said[MACHINES][EPOCHS + 1], settled[MACHINES][EPOCHS + 1];
} w;

/* What has happened, in all runs. */
extern uint64_t n_messages, n_falls, n_waits, n_stale, n_takeovers;

/* model.c */
uint64_t draw(uint64_t below);
_Noreturn void fail(const char *why, const char *what, uint64_t a, uint64_t b);
void must(bool ok, const char *why, const char *what);
size_t machine_number(const char *name);
uint32_t shard_of(const char *machine, uint32_t shards);

/* model_parts.c: partials, the network, machines and combiners. A message that is sent gives its bytes away. */
extern struct ward_schema model_schema;
ward_partial *partial_make(size_t machine, uint64_t epoch, uint64_t sequence);
void *partial_bytes(ward_partial *p, const struct ward_partial_notes *notes, size_t *size);
struct cluster_children_options children_options(void);
void send_message(struct message m);
void machine_begin(struct machine *m);
void machines_step(void);
void combiner_begin(struct combiner *c);
void combiner_clear(struct combiner *c);
void combiners_step(void);
void part_take(struct message *m);
void assign_take(struct message *m);
void answer_take(struct message *m);

/* model_coordinator.c */
void coordinator_begin(void);
void coordinator_step(void);
void sum_take(struct message *m);

#endif
