/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bus by a NATS server: its core only, by TLS, with a client certificate. No other file includes nats.h.
 *
 * libnats calls back in threads of its own. Callbacks do no more than note a change, or put a message into one bounded
 * queue, from which bus_take gives it out. So users have one thread and one order. An end is freed when nobody can call
 * back any more: its owner, its connection and each subscription hold it.
 *
 * The library keeps nothing while there is no connection (a buffer of one byte; 0 would mean 8 MB): values are sent
 * anew after a reconnect, never a queue of old ones. It reconnects by itself, but gives up after two refusals in a row;
 * then bus_take opens a new connection. libnats ignores SIGPIPE for the process; its threads have all signals blocked.
 */
#include "ops.h"

#include <errno.h>
#include <nats/nats.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "cluster/base/error.h"
#include "creds.h"

enum {
	CONNECT_MS = 2000,
	PING_MS = 5000,
	AGAIN_MS = 250,   /* between tries to connect in open */
	REVIVE_MS = 2000, /* before a connection that was given up is replaced */
	JITTER_MS = 30000,
	CLOSE_MS = 10000,
	WAITING = 65536,
	WAITING_BYTES = 256 << 20,
};

struct nats_subscription {
	char *subject;
	natsSubscription *handle; /* NULL: to be made anew */
};

struct nats_end {
	struct bus base;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned holders;
	int fd;

	/* below: the owner's thread only */
	natsOptions *options;
	natsConnection *connection;
	struct nats_subscription *subscription;
	size_t n_subscriptions;
	struct bus_held *current;
	int64_t revive_at;
	uint64_t sent, taken;

	/* below: under the lock */
	struct bus_queue queue;
	bool connected, closed; /* closed: for good, this connection */
	uint64_t connects, refused;
	char server[128], reason[256];
};

/* ---- the library's life ---- */

static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned library_users;

static int64_t nats_now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Threads inherit the mask. */
static void signals_block(sigset_t *before)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

static void signals_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static natsStatus library_enter(void)
{
	natsStatus s = NATS_OK;

	pthread_mutex_lock(&library_lock);
	if (library_users == 0)
		s = nats_Open(-1);
	if (s == NATS_OK)
		library_users++;
	pthread_mutex_unlock(&library_lock);
	return s;
}

/* The last user waits for the library's threads, so that none outlives its caller. */
static void library_leave(void)
{
	pthread_mutex_lock(&library_lock);
	if (--library_users == 0)
		nats_CloseAndWait(CLOSE_MS);
	pthread_mutex_unlock(&library_lock);
}

/* ---- the end's life ---- */

static void end_hold(struct nats_end *e)
{
	pthread_mutex_lock(&e->lock);
	e->holders++;
	pthread_mutex_unlock(&e->lock);
}

static void end_release(struct nats_end *e)
{
	pthread_mutex_lock(&e->lock);
	bool last = --e->holders == 0;
	pthread_mutex_unlock(&e->lock);
	if (!last)
		return;
	bus_queue_free(&e->queue);
	free(e->current);
	for (size_t i = 0; i < e->n_subscriptions; i++)
		free(e->subscription[i].subject);
	free(e->subscription);
	close(e->fd);
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

/* Under the lock: wake the owner, who waits in bus_take or for the descriptor. */
static void end_wake(struct nats_end *e)
{
	eventfd_write(e->fd, 1);
	pthread_cond_signal(&e->changed);
}

/* ---- callbacks, in the library's threads ---- */

static void on_message(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *closure)
{
	struct nats_end *e = closure;
	struct bus_held *held =
		bus_held_make(natsMsg_GetSubject(msg), natsMsg_GetData(msg), (size_t)natsMsg_GetDataLength(msg));

	(void)nc;
	(void)sub;
	natsMsg_Destroy(msg);
	pthread_mutex_lock(&e->lock);
	bus_queue_put(&e->queue, held);
	end_wake(e);
	pthread_mutex_unlock(&e->lock);
}

static void on_subscription_end(void *closure)
{
	end_release(closure);
}

static void end_note_connected(struct nats_end *e, natsConnection *nc)
{
	char server[sizeof(e->server)] = "";

	natsConnection_GetConnectedUrl(nc, server, sizeof(server));
	pthread_mutex_lock(&e->lock);
	e->connected = natsConnection_Status(nc) == NATS_CONN_STATUS_CONNECTED;
	e->connects++;
	e->reason[0] = 0;
	memcpy(e->server, server, sizeof(server));
	end_wake(e);
	pthread_mutex_unlock(&e->lock);
}

static void on_connected(natsConnection *nc, void *closure)
{
	end_note_connected(closure, nc);
}

static void end_note_lost(struct nats_end *e, natsConnection *nc, bool closed)
{
	const char *why = NULL;
	char reason[sizeof(e->reason)];

	natsConnection_GetLastError(nc, &why);
	snprintf(reason, sizeof(reason), "%s", why && *why ? why : "the connection to the server was lost");
	cluster_clean(reason);
	pthread_mutex_lock(&e->lock);
	e->connected = false;
	e->closed = e->closed || closed;
	e->server[0] = 0;
	memcpy(e->reason, reason, sizeof(reason));
	end_wake(e);
	pthread_mutex_unlock(&e->lock);
}

static void on_disconnected(natsConnection *nc, void *closure)
{
	end_note_lost(closure, nc, false);
}

static void on_closed(natsConnection *nc, void *closure)
{
	end_note_lost(closure, nc, true);
	end_release(closure);
}

static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus status, void *closure)
{
	struct nats_end *e = closure;
	const char *why = NULL;

	(void)sub;
	natsConnection_GetLastError(nc, &why);
	pthread_mutex_lock(&e->lock);
	if (status == NATS_NOT_PERMITTED)
		e->refused++;
	snprintf(e->reason, sizeof(e->reason), "%s", why && *why ? why : natsStatus_GetText(status));
	cluster_clean(e->reason);
	end_wake(e);
	pthread_mutex_unlock(&e->lock);
}

/* ---- connecting ---- */

static natsStatus options_set_tls(natsOptions *o, const struct bus_creds *creds)
{
	natsStatus s = natsOptions_SetSecure(o, true);

	if (s == NATS_OK)
		s = natsOptions_SetCATrustedCertificates(o, creds->ca);
	return s == NATS_OK ? natsOptions_SetCertificatesChain(o, creds->certificate, creds->key) : s;
}

static natsStatus options_set_callbacks(natsOptions *o, struct nats_end *e)
{
	natsStatus s = natsOptions_SetClosedCB(o, on_closed, e);

	if (s == NATS_OK)
		s = natsOptions_SetDisconnectedCB(o, on_disconnected, e);
	if (s == NATS_OK)
		s = natsOptions_SetReconnectedCB(o, on_connected, e);
	if (s == NATS_OK)
		s = natsOptions_SetErrorHandler(o, on_error, e);
	return s == NATS_OK ? natsOptions_UseGlobalMessageDelivery(o, true) : s;
}

static natsStatus options_set_times(natsOptions *o, int64_t jitter)
{
	natsStatus s = natsOptions_SetTimeout(o, CONNECT_MS);

	if (s == NATS_OK)
		s = natsOptions_SetPingInterval(o, PING_MS);
	if (s == NATS_OK)
		s = natsOptions_SetMaxPingsOut(o, 2);
	if (s == NATS_OK)
		s = natsOptions_SetMaxReconnect(o, -1);
	if (s == NATS_OK)
		s = natsOptions_SetReconnectWait(o, 500);
	if (s == NATS_OK)
		s = natsOptions_SetReconnectJitter(o, jitter, jitter);
	return s == NATS_OK ? natsOptions_SetReconnectBufSize(o, 1) : s;
}

static natsStatus options_make(struct nats_end *e, const struct bus_nats_options *given, const struct bus_creds *creds)
{
	natsStatus s = natsOptions_Create(&e->options);

	if (s == NATS_OK)
		s = natsOptions_SetServers(e->options, (const char **)given->urls, (int)given->n_urls);
	if (s == NATS_OK)
		s = natsOptions_SetName(e->options, given->name ? given->name : "ward");
	if (s == NATS_OK)
		s = options_set_tls(e->options, creds);
	if (s == NATS_OK)
		s = options_set_times(e->options, given->jitter_ms ? given->jitter_ms : JITTER_MS);
	return s == NATS_OK ? options_set_callbacks(e->options, e) : s;
}

/* Try once. With `later` a server that doesn't answer is tried again in the background, and it is no failure. */
static natsStatus end_connect(struct nats_end *e, bool later)
{
	sigset_t before;
	natsStatus s = natsOptions_SetRetryOnFailedConnect(e->options, later, later ? on_connected : NULL, e);

	if (s != NATS_OK)
		return s;
	end_hold(e); /* on_closed releases */
	signals_block(&before);
	s = natsConnection_Connect(&e->connection, e->options);
	signals_restore(&before);
	if (s == NATS_OK)
		end_note_connected(e, e->connection);
	if (!e->connection)
		end_release(e);
	return s == NATS_NOT_YET_CONNECTED ? NATS_OK : s;
}

/* What a failed connect means. With TLS 1.3 a refused certificate looks like a broken connection. */
static int connect_failure(natsStatus s, const char *url, struct ward_error *err)
{
	natsStatus last;
	const char *text = nats_GetLastError(&last);

	cluster_fail(
		err, WARD_E_TARGET, url, "%s%s%s", natsStatus_GetText(s), text && *text ? ": " : "", text ? text : "");
	if (s == NATS_NO_SERVER || s == NATS_TIMEOUT)
		cluster_hint(err, "does the server run, and does the network let this machine reach it?");
	else if (s == NATS_SSL_ERROR)
		cluster_hint(err,
			"the server's certificate must name its host and come from the authority in the credentials");
	else
		cluster_hint(err,
			"the server refused the connection, perhaps for the certificate: it may have expired, or "
			"the server doesn't know its name yet");
	return WARD_E_TARGET;
}

static int end_connect_until(struct nats_end *e, const struct bus_nats_options *given, struct ward_error *err)
{
	int64_t until = nats_now_ms() + given->wait_ms;

	for (;;) {
		natsStatus s = end_connect(e, given->wait_ms == 0);
		if (s == NATS_OK)
			return 0;
		if (s == NATS_SSL_ERROR || nats_now_ms() + AGAIN_MS > until)
			return connect_failure(s, given->urls[0], err);
		nanosleep(&(struct timespec){.tv_nsec = AGAIN_MS * 1000000L}, NULL);
	}
}

/* ---- subscriptions ---- */

static natsStatus subscription_make(struct nats_end *e, struct nats_subscription *sub)
{
	sigset_t before;
	natsStatus s;

	signals_block(&before);
	s = natsConnection_Subscribe(&sub->handle, e->connection, sub->subject, on_message, e);
	signals_restore(&before);
	if (s != NATS_OK)
		return s;
	end_hold(e);
	s = natsSubscription_SetOnCompleteCB(sub->handle, on_subscription_end, e);
	if (s != NATS_OK)
		end_release(e);
	return s;
}

static int nats_subscribe(bus *b, const char *subject, struct ward_error *err)
{
	struct nats_end *e = (struct nats_end *)b;
	struct nats_subscription *more = realloc(e->subscription, (e->n_subscriptions + 1) * sizeof(*more)), *sub;
	natsStatus s = NATS_OK;

	if (!more)
		return cluster_no_memory(err);
	e->subscription = more;
	sub = &more[e->n_subscriptions];
	*sub = (struct nats_subscription){.subject = strdup(subject)};
	if (!sub->subject)
		return cluster_no_memory(err);
	e->n_subscriptions++;
	if (e->connection)
		s = subscription_make(e, sub);
	if (s == NATS_OK || s == NATS_CONNECTION_CLOSED) /* of a new connection it is made then */
		return 0;
	return cluster_fail(err, WARD_E_SYSTEM, subject, "can't subscribe: %s", natsStatus_GetText(s));
}

/* The library's threads still have it for a moment: its end calls on_subscription_end. */
static void nats_unsubscribe(bus *b, const char *subject)
{
	struct nats_end *e = (struct nats_end *)b;

	for (size_t i = e->n_subscriptions; i-- > 0;) {
		if (strcmp(e->subscription[i].subject, subject) != 0)
			continue;
		natsSubscription_Destroy(e->subscription[i].handle);
		free(e->subscription[i].subject);
		e->subscription[i] = e->subscription[--e->n_subscriptions];
	}
}

/* ---- a connection that was given up ---- */

static void end_drop_connection(struct nats_end *e)
{
	for (size_t i = 0; i < e->n_subscriptions; i++) {
		natsSubscription_Destroy(e->subscription[i].handle);
		e->subscription[i].handle = NULL;
	}
	natsConnection_Destroy(e->connection);
	e->connection = NULL;
}

static void end_revive(struct nats_end *e)
{
	int64_t now = nats_now_ms();

	pthread_mutex_lock(&e->lock);
	bool closed = e->closed;
	pthread_mutex_unlock(&e->lock);
	if (e->connection ? !closed : now < e->revive_at)
		return;
	if (e->connection) {
		end_drop_connection(e);
		e->revive_at = now + REVIVE_MS;
		return;
	}
	pthread_mutex_lock(&e->lock);
	e->closed = false;
	pthread_mutex_unlock(&e->lock);
	e->revive_at = now + REVIVE_MS;
	if (end_connect(e, true) == NATS_OK)
		for (size_t i = 0; i < e->n_subscriptions; i++)
			subscription_make(e, &e->subscription[i]);
}

/* ---- the bus ---- */

static int nats_publish(bus *b, const char *subject, const void *data, size_t size, struct ward_error *err)
{
	struct nats_end *e = (struct nats_end *)b;
	char reason[sizeof(e->reason)];
	natsStatus s;

	pthread_mutex_lock(&e->lock);
	bool connected = e->connected;
	memcpy(reason, e->reason, sizeof(reason));
	pthread_mutex_unlock(&e->lock);
	if (!connected || !e->connection)
		return cluster_fail(err, WARD_E_TARGET, "bus", "not connected%s%s", *reason ? ": " : "", reason);
	s = natsConnection_Publish(e->connection, subject, data, (int)size);
	if (s != NATS_OK)
		return cluster_fail(err, WARD_E_TARGET, "bus", "%s",
			s == NATS_INSUFFICIENT_BUFFER ? "not connected" : natsStatus_GetText(s));
	e->sent++;
	return 0;
}

/* Under the lock: wait for a message, or a connection that was given up. */
static void end_wait(struct nats_end *e, int64_t timeout_ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += timeout_ms / 1000;
	until.tv_nsec += timeout_ms % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (!e->queue.n && !(e->closed && e->connection))
		if (pthread_cond_timedwait(&e->changed, &e->lock, &until) == ETIMEDOUT)
			return;
}

static int nats_take(bus *b, int64_t timeout_ms, struct bus_message *out, struct ward_error *err)
{
	struct nats_end *e = (struct nats_end *)b;
	eventfd_t count;

	(void)err;
	free(e->current);
	end_revive(e);
	pthread_mutex_lock(&e->lock);
	if (timeout_ms > 0)
		end_wait(e, timeout_ms);
	e->current = bus_queue_take(&e->queue);
	if (!e->queue.n)
		eventfd_read(e->fd, &count);
	pthread_mutex_unlock(&e->lock);
	if (!e->current)
		return 0;
	e->taken++;
	bus_held_message(e->current, out);
	return 1;
}

static void nats_get_state(bus *b, struct bus_state *out)
{
	struct nats_end *e = (struct nats_end *)b;
	int64_t dropped;

	for (size_t i = 0; i < e->n_subscriptions; i++)
		if (e->subscription[i].handle &&
			natsSubscription_GetDropped(e->subscription[i].handle, &dropped) == NATS_OK)
			out->dropped += (uint64_t)dropped;
	pthread_mutex_lock(&e->lock);
	out->connected = e->connected;
	out->fd = e->fd;
	out->connects = e->connects;
	out->sent = e->sent;
	out->taken = e->taken;
	out->dropped += e->queue.dropped;
	out->refused = e->refused;
	out->waiting = e->queue.n;
	memcpy(out->server, e->server, sizeof(e->server));
	memcpy(out->reason, e->reason, sizeof(e->reason));
	pthread_mutex_unlock(&e->lock);
}

/* The server answers in order: what it says against something comes before the answer to this. */
static int nats_flush(bus *b, int64_t timeout_ms, struct ward_error *err)
{
	struct nats_end *e = (struct nats_end *)b;
	const char *why = NULL;
	char reason[sizeof(e->reason)];
	natsStatus s = e->connection ? natsConnection_FlushTimeout(e->connection, timeout_ms) : NATS_CONNECTION_CLOSED;

	if (s == NATS_OK)
		s = natsConnection_GetLastError(e->connection, &why);
	if (s == NATS_OK)
		return 0;
	snprintf(reason, sizeof(reason), "%s", why && *why ? why : natsStatus_GetText(s));
	cluster_clean(reason);
	return cluster_fail(err, WARD_E_TARGET, e->server, "%s", reason);
}

static void nats_close(bus *b)
{
	struct nats_end *e = (struct nats_end *)b;

	pthread_mutex_lock(&e->lock);
	bool connected = e->connected;
	pthread_mutex_unlock(&e->lock);
	if (connected && e->connection)
		natsConnection_FlushTimeout(e->connection, CONNECT_MS);
	end_drop_connection(e);
	natsOptions_Destroy(e->options);
	end_release(e);
	library_leave();
}

static const struct bus_ops nats_ops = {
	nats_publish, nats_subscribe, nats_unsubscribe, nats_take, nats_get_state, nats_flush, nats_close};

/* ---- opening ---- */

static struct nats_end *end_make(const struct bus_nats_options *given)
{
	struct nats_end *e = calloc(1, sizeof(*e));
	pthread_condattr_t attr;

	if (!e)
		return NULL;
	e->base.ops = &nats_ops;
	e->holders = 1;
	e->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (e->fd < 0) {
		free(e);
		return NULL;
	}
	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&e->changed, &attr);
	pthread_condattr_destroy(&attr);
	bus_queue_init(&e->queue, given->waiting ? given->waiting : WAITING,
		given->waiting_bytes ? given->waiting_bytes : WAITING_BYTES);
	return e;
}

static int urls_check(const struct bus_nats_options *given, struct ward_error *err)
{
	int rc = given->n_urls ? 0 : cluster_fail(err, WARD_E_USAGE, "bus", "no server's URL");

	for (size_t i = 0; i < given->n_urls && !rc; i++)
		rc = bus_url_check(given->urls[i], err);
	return rc;
}

int bus_nats_open(const struct bus_nats_options *given, bus **out, struct ward_error *err)
{
	struct bus_creds creds;
	struct nats_end *e;
	natsStatus s;
	int rc = urls_check(given, err);

	*out = NULL;
	rc = rc ? rc : bus_creds_read(given->creds, given->ca, &creds, err);
	if (rc)
		return rc;
	e = end_make(given);
	s = e ? library_enter() : NATS_NO_MEMORY;
	if (s != NATS_OK) {
		if (e)
			end_release(e);
		bus_creds_free(&creds);
		return cluster_fail(err, WARD_E_SYSTEM, "bus", "%s", natsStatus_GetText(s));
	}
	s = options_make(e, given, &creds);
	bus_creds_free(&creds);
	if (s != NATS_OK)
		rc = cluster_fail(err, WARD_E_USAGE, given->creds, "can't be used: %s", natsStatus_GetText(s));
	else
		rc = end_connect_until(e, given, err);
	if (rc)
		nats_close(&e->base);
	else
		*out = &e->base;
	return rc;
}
