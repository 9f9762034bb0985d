/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much does each thread read at a time from each of its files?
 *
 *	ward trace -p PID -d 10 probes/threads.c
 *
 * In bpftrace's words:
 *
 *	tracepoint:syscalls:sys_enter_read { @fd[tid] = args->fd; }
 *	tracepoint:syscalls:sys_exit_read /@fd[tid]/ { @[tid, @fd[tid]] = hist(args->ret); }
 *
 * Sizes are what read and pread64 returned, not what was asked for. If there are more than 256 pairs of thread and
 * file, those read from least recently make room. Errors are counted. The end of a file is a read of 0 bytes.
 */
#include <ward/probe.h>

struct who {
	int thread, fd;
};

struct ward_state {
	ward_count errors;
	WARD_RECENT(struct who, ward_log2, 256) bytes;
};

static void count(const struct ward_event *ev, struct ward_state *st)
{
	struct who who = {(int)ev->tid, (int)ev->arg[0]};

	if ((long)ev->ret < 0)
		st->errors++;
	else
		ward_log2_add(ward_recent_at(&st->bytes, who), ev->ret);
}

WARD_ENTRY("libc.so.6!read:return")
void on_read(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}

WARD_ENTRY("libc.so.6!pread64:return")
void on_pread64(const struct ward_event *ev, struct ward_state *st)
{
	count(ev, st);
}
