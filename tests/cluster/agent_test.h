/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-agent with real processes that count for themselves, in a directory of its own. The test is the link. There is
 * one of each in a process: Criterion runs each test in a process of its own.
 */
#ifndef WARD_TESTS_CLUSTER_AGENT_TEST_H
#define WARD_TESTS_CLUSTER_AGENT_TEST_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "cluster/wire/channel.h"
#include "orders.h"
#include "ward/partial.h"

#define SECOND 1000000000ull
#define MODULE(name) made_file(MODULES "/" name ".ward")
#define SITE "cluster-counter!work"
#define MAY "may = user\nprocesses = exe=/tmp/*\nresults = keys\nmodules = any\n"
enum { LONG_S = 30, COUNTERS = 3 };

extern char folder[], run[64], program[64], means[80];
extern struct cluster_secret alice, bob, carol, mallory;
extern struct ward_error err;
extern struct made_order order;
extern pid_t agent;
extern bool on_small_disk;
extern uint64_t counter; /* of the coordinator's next message */

uint64_t clock_at(clockid_t clock);
void path_of(char *path, size_t size, const char *name);

/* ---- processes that count ---- */

struct counted {
	pid_t pid;
	int in, out;
	uint64_t calls;
};
extern struct counted counters[COUNTERS];

void line_expect(struct counted *c, const char *text);
void child_prepare(void);
void counter_start(struct counted *c);
void counter_call(struct counted *c, unsigned calls);
void counter_end(struct counted *c);
void expect_clean(const struct counted *c);

/* ---- the agent ---- */

extern const char usual[]; /* what alice may */
void config_write(const char *of_alice, const char *more);
void begin(void);
void agent_start(void);
void agent_kill(int signal);
void end(void);
size_t audit_count(const char *one, const char *other);

/* ---- the link ---- */

extern struct channel link_channel;
void link_connect(void);
void link_send(const void *bytes, size_t n);
void order_make(void);
void order_send(const struct cluster_secret *key);
void cancel_send_by(const struct cluster_secret *key, uint64_t count);
void cancel_send(void);
extern uint64_t term; /* of beats and acknowledgements */
void beat_send(uint64_t count, uint64_t lease_ns);
void fetch_send_by(const struct cluster_secret *key, uint64_t count);
void got_send(uint64_t epoch, uint64_t nonce);
/* An agent, a link, and its hello. */
void up(void);

/* What the agent has said last. */
struct said {
	Ward__Cluster__Note__State state;
	char reason[600];
	uint64_t note_epoch, processes, ended, left_out;
	size_t sites, hellos, wants, notes, orders; /* orders: notes that have the order, as it was sent */
	uint64_t term;
	struct {
		struct ward_partial_notes notes;
		uint64_t calls;
	} values[8]; /* the latest of each epoch */
	size_t n;
};
extern struct said said;
void message_take(const struct channel_message *m);

typedef bool until_fn(void);

/* Take what comes until it is so. */
void wait_until(until_fn *is_so, const char *what);
bool has_hello(void);
bool is_refused(void);
bool is_waiting(void);
bool is_ended(void);
bool has_last(void);
/* The sum over all epochs is wanted_calls. */
extern uint64_t wanted_processes, wanted_calls;
bool has_calls(void);
bool has_processes(void);
uint64_t calls_now(void);
void expect_processes(uint64_t n);
void expect_calls(void);

#endif
