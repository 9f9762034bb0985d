/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What does a program send and receive through OpenSSL, before it is encrypted?
 *
 *	ward trace -p PID --records probes/tools/sslsnoop.c
 *
 * Of each call the first 64 bytes, up to a zero byte.
 */
#include <ward/imports.h>
#include <ward/probe.h>

enum way { SENT, RECEIVED };

struct piece {
	unsigned long time;
	ward_elapsed took;
	int tid;
	enum way way;
	long bytes;
	char text[64];
};

struct ward_state {
	ward_count sent, received;
	WARD_QUEUE(struct piece, 256) pieces;
};

static void record(const struct ward_event *ev, struct ward_state *st, enum way way, long bytes)
{
	struct piece p = {.time = ev->time, .took = ev->elapsed, .tid = (int)ev->tid, .way = way, .bytes = bytes};

	if (p.bytes <= 0)
		return;
	ward_read_str(p.text, sizeof(p.text), ev->arg[1]);
	ward_queue_push(&st->pieces, p);
	*(way == SENT ? &st->sent : &st->received) += (unsigned long)p.bytes;
}

WARD_ENTRY("libssl.so.3!SSL_write:return")
void on_write(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, SENT, (int)ev->ret);
}

WARD_ENTRY("libssl.so.3!SSL_read:return")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, RECEIVED, (int)ev->ret);
}

/* These say 1, and where the caller wants it how many bytes it were. */
static long bytes_of(const struct ward_event *ev)
{
	unsigned long bytes = 0;

	return (int)ev->ret == 1 && ward_read(&bytes, sizeof(bytes), ev->arg[3]) ? (long)bytes : 0;
}

WARD_ENTRY("libssl.so.3!SSL_write_ex:return")
void on_write_ex(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, SENT, bytes_of(ev));
}

WARD_ENTRY("libssl.so.3!SSL_read_ex:return")
void on_read_ex(const struct ward_event *ev, struct ward_state *st)
{
	record(ev, st, RECEIVED, bytes_of(ev));
}
