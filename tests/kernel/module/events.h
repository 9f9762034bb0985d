/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of this module, in the form that the kernel's headers require. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ward_points

#if !defined(WARD_POINTS_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define WARD_POINTS_EVENTS_H

#include <linux/tracepoint.h>

/* More arguments than there are registers for. */
TRACE_EVENT(ward_seven, TP_PROTO(u8 a, u64 b, const char *c, long d, int e, u64 f, u64 g), TP_ARGS(a, b, c, d, e, f, g),
	TP_STRUCT__entry(__field(u64, b)), TP_fast_assign(__entry->b = b;), TP_printk("%llu", __entry->b));

/* As many as a probe sees: the last is on the stack. */
TRACE_EVENT(ward_six, TP_PROTO(u64 a, u64 b, u64 c, u64 d, u64 e, u64 f), TP_ARGS(a, b, c, d, e, f),
	TP_STRUCT__entry(__field(u64, a)), TP_fast_assign(__entry->a = a;), TP_printk("%llu", __entry->a));

/* The kernel has one of this name, too. */
TRACE_EVENT(initcall_level, TP_PROTO(int a), TP_ARGS(a), TP_STRUCT__entry(__field(int, a)),
	TP_fast_assign(__entry->a = a;), TP_printk("%d", __entry->a));

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE events
#include <trace/define_trace.h>
