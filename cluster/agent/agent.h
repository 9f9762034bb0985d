/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor: what ward-agent knows, and what it does with what comes. Internal to cluster/agent. */
#ifndef WARD_CLUSTER_AGENT_AGENT_H
#define WARD_CLUSTER_AGENT_AGENT_H

#include <sys/types.h>

#include "audit.h"
#include "epoch.h"
#include "order.h"
#include "worker.h"

#include "cluster/wire/channel.h"
#include "cluster/wire/subject.h"

#define AGENT_CREDS "/etc/ward/bus.creds"
#define AGENT_SECOND 1000000000ull
enum { AGENT_QUERIES = 64, AGENT_EPOCHS = 8, AGENT_RESTARTS = 3, AGENT_SPEAKERS = 8, AGENT_PATH = 512 };

/* What an epoch has sent last: kept until it is acknowledged. */
struct agent_value {
	struct agent_epoch epoch;
	void *bytes;
	size_t size;
	uint64_t kept_ns; /* when it was written to the disk */
	bool is_over;     /* it is the last one */
	bool is_got;      /* the coordinator has it for good */
};

/* Records that aren't acknowledged: a message as the worker made it. */
struct agent_kept {
	struct agent_epoch epoch;
	uint64_t from, to; /* numbers of its records: those before `to` */
	void *bytes;
	size_t size;
	uint64_t sent_ns; /* 0: not yet */
};

/* C-48: what a key has said last, of each kind of Signed. */
struct agent_speaker {
	uint8_t key[CLUSTER_KEY];
	uint64_t counters[8];
};

struct agent_query {
	uint8_t id[CLUSTER_ID];
	struct agent_order *order; /* NULL: refused */
	uint8_t issuer[CLUSTER_KEY];
	pid_t worker; /* 0: none */
	struct channel channel;
	struct agent_epoch epoch;
	struct agent_value values[AGENT_EPOCHS]; /* the oldest first */
	size_t n_values;
	struct agent_kept *kept; /* the oldest first */
	size_t n_kept, kept_room, kept_bytes;
	uint64_t kept_next, kept_said_ns; /* kept_next: the number of this epoch's next record */
	struct agent_speaker speakers[AGENT_SPEAKERS];
	size_t n_speakers;
	uint64_t ends_ns, lease_ns, heard_ns, stop_ns, send_ns, over_ns, beat_ns;
	uint64_t until_ns; /* the query's end, which may come after what this machine's policy allows */
	uint64_t early_ns; /* when it ended here, if that was before the query's end; or 0 */
	uint64_t period_ns;
	uint32_t shards;
	unsigned restarts;
	struct cluster_message note; /* the worker's last one; or none */
	Ward__Cluster__Note__State state;
	char reason[320];
	struct agent_wish wish;
	bool is_new;                /* its state has changed: say so at once */
	uint64_t term, coordinator; /* whose beats are taken */
	uint64_t given_up, fetched_ns;
};

struct agent {
	const char *config_path, *state, *log, *run;
	const char *creds; /* of a link of the agent's own (link_program.c); NULL: somebody else starts one */
	char sessions[AGENT_PATH], orders[AGENT_PATH], values[AGENT_PATH];
	struct agent_config *config;
	struct agent_here here;
	char host[CLUSTER_NAME], name[CLUSTER_NAME]; /* as people and as the bus write it */
	struct agent_seen *seen;
	struct agent_audit *audit;
	struct agent_rate rate;
	struct channel link;
	int listener;
	uid_t link_user; /* whose connection is the link's */
	pid_t link_pid;
	uint64_t link_next_ns;   /* not to be started before */
	char cgroup[AGENT_PATH]; /* whose parts workers get; empty: they get none … */
	char no_cgroup[160];     /* … since it is so */
	bool is_connected, is_stopping;
	uint64_t nonce, sequence, hello_ns, hello_period_ns;
	uint64_t roll, roll_ns; /* the counter of the last roll call, and when it came; 0: none */
	struct agent_speaker speakers[AGENT_SPEAKERS]; /* of what is of no query */
	size_t n_speakers;
	struct agent_query queries[AGENT_QUERIES];
	size_t n;
	struct {
		uint8_t query[CLUSTER_ID];
		uint64_t asked_ns;
	} wants[AGENT_QUERIES];
	uint64_t audited_ns, unaudited; /* refusals of strangers that share a line */
};

uint64_t agent_now(void);          /* of CLOCK_MONOTONIC: all that ends or is sent goes by it */
uint64_t agent_now_at(void);       /* since 1970 */
int agent_exit_status(int status); /* of an enum ward_status */
void agent_log(int level, const char *text, ...) __attribute__((format(printf, 2, 3)));

/* here.c */
bool agent_here_read(struct agent *a, struct ward_error *err);

/* take.c: what the link hands on. */
void agent_take_signed(struct agent *a, const void *bytes, size_t size);
void agent_resume(struct agent *a);

/* query.c */
struct agent_query *agent_query_find(struct agent *a, const uint8_t *id);
struct agent_query *agent_query_new(struct agent *a, const uint8_t *id);
bool agent_query_start(struct agent *a, struct agent_query *q, struct ward_error *err);
/* `early`: the query goes on elsewhere. */
void agent_query_stop(struct agent_query *q, const char *reason, bool early);
void agent_query_worker(struct agent *a, struct agent_query *q);
void agent_query_died(struct agent *a, struct agent_query *q, int status);
void agent_query_tick(struct agent *a, struct agent_query *q);
void agent_query_drop(struct agent *a, struct agent_query *q);
/* A beat of this coordinator came. False: a newer one has the query. */
bool agent_query_follow(struct agent_query *q, uint64_t term, uint64_t coordinator);
void agent_query_got(struct agent_query *q, uint64_t epoch, uint64_t nonce);

/* say.c: what is sent, and what is written to the audit. */
void agent_say_hello(struct agent *a);
void agent_say_note(struct agent *a, struct agent_query *q);
void agent_say_order(struct agent *a, struct agent_query *q); /* in a note */
void agent_say_value(struct agent *a, struct agent_query *q, const struct agent_value *v);
void agent_say_want(struct agent *a, const uint8_t *id);
void agent_say_settings(struct agent *a);
bool agent_settings_text(const struct agent *a, char **text, size_t *size); /* as the link takes them */
bool agent_audit_order(
	struct agent *a, const struct agent_order *o, const struct ward_error *refused, struct ward_error *err);
bool agent_audit_end(struct agent *a, const struct agent_query *q, struct ward_error *err);

/* kept.c: records that aren't acknowledged. */
void agent_kept_take(struct agent *a, struct agent_query *q, const void *bytes, size_t size);
void agent_kept_got(struct agent_query *q, const struct agent_epoch *epoch, uint64_t below);
void agent_kept_again(struct agent_query *q); /* there is a new connection */
void agent_kept_tick(struct agent *a, struct agent_query *q);
void agent_kept_free(struct agent_query *q);

/* values.c: what epochs have sent last, on disk. */
void agent_value_take(struct agent *a, struct agent_query *q, const struct agent_epoch *epoch, const void *bytes,
	size_t size, bool is_over);
void agent_value_keep(struct agent *a, struct agent_query *q, struct agent_value *v);
void agent_value_forget(struct agent *a, struct agent_query *q, size_t i);
void agent_values_load(struct agent *a, struct agent_query *q);
/* Remove those of queries that aren't here. */
void agent_values_clean(struct agent *a);

#endif
