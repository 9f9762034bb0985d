/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of interpretation, repeated until the states at loop heads settle. */
#ifndef WARD_INFER_ITERATE_H
#define WARD_INFER_ITERATE_H

#include "interpret.h"

/* What a loop's head remembers. */
struct head {
	bool is_head;
	unsigned changes, apart;         /* how often it has changed, and how often its distances have; */
	unsigned had_changes, had_apart; /* before this round */
	uint64_t version;                /* changes whenever the state at the head may have changed: */
	uint64_t left;                   /* the version with which the block was interpreted last, */
	uint64_t calm;                   /* and the one that a round keeps as long as nothing else comes in; 0: none */
	/* since it was interpreted, only what comes in from outside was joined, and that added nothing */
	bool untouched;
	bool entered;                /* something comes in from outside: */
	struct location_set changed; /* the loop changes their identity */
	struct packed_state entry;   /* that, in the last round in which something did */
	struct packed_state back; /* what came back in the last round: of those that narrow, or in which heads grew */
	struct packed_state next_back; /* what has come back in this round */
	struct ranked *rank;           /* of the loop */
};

/* What a block has sent to one of its exits. */
struct sent {
	struct packed_state st; /* the whole of it */
	bool there;             /* it is sent; */
	bool was_there;         /* in the interpretation before it was, */
	bool fresh;             /* and since that round it has been something else */
	uint64_t joined;        /* the version of the exit's head to which it adds nothing; 0: none */
};

struct iteration {
	struct analysis *a;
	struct effort *effort;
	struct sent *sent; /* by exit */
	/* the forward edges into block b, in the order of their blocks: ways[first_way[b]] and on */
	uint32_t *ways, *first_way;
	struct packed_state *seen; /* by block: with what it was interpreted last, */
	bool *seen_everything;     /* and how */
	/* by block: the state at its head was made of what `sent` holds, except for what is fresh */
	bool *gathered;
	struct head *heads; /* by loop, but the first for all blocks that are no heads */
	uint32_t n_heads;
	uint32_t *head_of;                                            /* by block: which of these */
	struct wv_state *scratch, *patched, *flown, *at_head, *entry; /* what is worked with */
	bool narrowing, changed;
	bool last;  /* heads remember what comes back in this round */
	bool still; /* nothing was interpreted in this round, and another round would leave the heads the same */
};

/* Release with rounds_free whatever it returns. False: no memory. */
bool rounds_init(struct iteration *r, struct analysis *a);
void rounds_free(struct iteration *r);
/* Grow until nothing changes, then narrow. */
bool settle(struct machine *k, struct iteration *r);
static inline struct head *head_at(const struct iteration *r, uint32_t block)
{
	return &r->heads[r->head_of[block]];
}
/* Where the counted locations of a head's loop start: what they hold when the loop is entered. */
void note_starts(struct iteration *r, struct head *h);

#endif
