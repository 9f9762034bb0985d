/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bus: messages by subject between the machines of a cluster. The bus keeps nothing: a message reaches those who
 * have subscribed at that moment, or is lost, or comes twice. So whatever matters is sent again until it isn't true any
 * more.
 *
 * A subject is tokens with dots between them, "ward.beat.7c1e". A subscription's subject may have * for one token, and
 * > at its end for one or more.
 *
 * Two implementations: nats.c, a server by TLS; loop.c, in memory, with virtual time and faults, for tests. Each has an
 * open of its own; all else is the same. One thread uses a bus at a time.
 */
#ifndef WARD_CLUSTER_BUS_H
#define WARD_CLUSTER_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/ward.h"

enum {
	BUS_MOST_BYTES = 1 << 20, /* of one message; the server enforces it, too */
	BUS_MOST_SUBJECT = 256,   /* bytes of a subject, with its terminator */
};

typedef struct bus bus;

struct bus_message {
	const char *subject;
	const void *data;
	size_t size;
};

struct bus_state {
	bool connected;
	int fd;            /* readable while messages wait or the state has changed; -1: there is none */
	uint64_t connects; /* how often a connection came about; after each, say hello again */
	uint64_t sent, taken;
	uint64_t dropped; /* messages that came when the queue was full */
	uint64_t refused; /* publishes and subscriptions that the server didn't permit */
	size_t waiting;   /* messages in the queue */
	char server[128]; /* the URL of the server in use, or empty */
	char reason[256]; /* why it isn't connected, or what was refused last; or empty */
};

/* ---- nats.c ---- */

struct bus_nats_options {
	const char *const *urls; /* "tls://HOST:PORT"; one that answers is taken */
	size_t n_urls;
	const char *creds; /* a file: certificate, its private key, the authority's certificates, as PEM */
	const char *ca;    /* a file of certificates of authorities to trust instead; or NULL */
	const char *name;  /* for the server's log */
	int64_t wait_ms; /* how long open tries to connect before it fails; 0: it returns at once, and goes on trying */
	int64_t jitter_ms;    /* reconnects are spread over this time; 0: 30 s */
	size_t waiting;       /* messages that may wait for bus_take; 0: 65,536 */
	size_t waiting_bytes; /* and their bytes; 0: 256 MiB */
};
int bus_nats_open(const struct bus_nats_options *options, bus **out, struct ward_error *err);

/* ---- info.c ---- */

/* What a server says of itself before it knows who asks. */
struct bus_server_info {
	char version[32];
	bool tls_required, tls_verify, auth_required, jetstream;
	uint64_t max_payload;
};
/* Ask the server at this URL, over TCP and without credentials. */
int bus_nats_info(const char *url, int64_t timeout_ms, struct bus_server_info *out, struct ward_error *err);

/* ---- loop.c ---- */

/* A bus in memory that several ends share. Time is virtual: nothing arrives but by bus_loop_advance. */
typedef struct bus_loop bus_loop;
struct bus_loop_faults {
	uint64_t seed;
	unsigned lost, doubled, reordered; /* of 1,000 deliveries */
	int64_t delay_ms;                  /* of each delivery; a reordered one takes up to ten times as long */
};
int bus_loop_create(const struct bus_loop_faults *faults, bus_loop **out, struct ward_error *err);
void bus_loop_set_faults(bus_loop *loop, const struct bus_loop_faults *faults);
/* Time goes on. Messages whose time has come are in the queues of their subscribers then. */
void bus_loop_advance(bus_loop *loop, int64_t ms);
int64_t bus_loop_now(const bus_loop *loop);
/* An end. Close all ends before the loop is freed. */
int bus_loop_open(bus_loop *loop, const char *name, bus **out, struct ward_error *err);
/* Cut an end off, or connect it again. What is on its way to it is lost, and it can't publish. */
void bus_loop_cut(bus *end, bool cut);
void bus_loop_free(bus_loop *loop);

/* ---- of any ---- */

/* WARD_E_TARGET while there is no connection: nothing is kept for later. WARD_E_USAGE of a wrong subject or size. */
int bus_publish(bus *b, const char *subject, const void *data, size_t size, struct ward_error *err);

/* Goes on after each reconnect. Whether the server permits it shows in the state later. */
int bus_subscribe(bus *b, const char *subject, struct ward_error *err);

/* What was subscribed to by this subject doesn't come any more; what waits in the queue still does. */
void bus_unsubscribe(bus *b, const char *subject);

/*
 * Take the next message of all subscriptions; wait up to this time for one (0: don't; a loop never waits). Returns 1 if
 * there is one, which lasts until the next call or the close; 0 if not. Fails only without memory.
 */
int bus_take(bus *b, int64_t timeout_ms, struct bus_message *out, struct ward_error *err);

/*
 * Wait until the server has read all that was sent to it. WARD_E_TARGET if it doesn't answer in time, or has refused a
 * publish or a subscription since the connection began: the reason says which.
 */
int bus_flush(bus *b, int64_t timeout_ms, struct ward_error *err);

void bus_get_state(bus *b, struct bus_state *out);

/* Sends what was published, ends subscriptions, frees. NULL is allowed. */
void bus_close(bus *b);

/* ---- names ---- */

/* WARD_E_USAGE if it isn't tls://…: nothing is said in the clear. */
int bus_url_check(const char *url, struct ward_error *err);

/* Is it a subject: no empty token, printable, and wildcards only in a subscription's? */
bool bus_subject_valid(const char *subject, bool subscription);
/* Does a subscription's subject mean this one? */
bool bus_subject_matches(const char *subscription, const char *subject);

#endif
