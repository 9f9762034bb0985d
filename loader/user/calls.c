/*
 * Both ends of a call: code that is shared by the stubs of an area. A stub that stands at a function's entry calls wl_enter's, one at an exit wl_leave's; the slot is the thread's and
 * marked busy then.
 *
 * A call is known by where its return address lies: the stack pointer is the same at both ends. The calls of a thread that are open are kept in an array at the lower end of the slot's
 * own stack, outermost first: private memory, so a forked child has a copy of its own. Stacks grow down, so a call that begins or ends above another's stack pointer tells that the other one
 * is over, even if it was left by longjmp or an exception: it is forgotten. A thread that has changed to another stack, higher up, loses what was open on the first; one that came to an older
 * thread's slot forgets what that one left as it goes.
 *
 * So a return finds its own call, or none: it was one too many (WL_CALLS), it began before the probe was there or while the slot was busy, or it was forgotten. Then
 * the event is dropped and counted. A call that is found can't be an older one of the same stack pointer: the entry of the one at hand would have forgotten that.
 *
 * An exception leaves calls without a word. But whoever catches it calls __cxa_begin_catch, in the frame of the handler: the calls that are open then and lie below, of functions whose every exit is
 * patched, have been left by it, for nothing else could have ended them but longjmp, a switch to another stack that was never come back from, or the end of the thread. wl_catch finds them, innermost first. One
 * that wl_enter or wl_leave finds to be over, in a destructor that runs while the exception is on its way, or because of longjmp, isn't told of, but counted as dropped.
 *
 * In: r10 the row, r11 the call's stack pointer, the site's number in the row's event. All registers are as they were at the end, but r11 and the flags.
 *
 *	        push %rax; push %rcx; push %rdx
 *	        mov  OPEN(%r10), %rax
 *	        cmp  $WL_CALLS, %eax; jbe next; xor %eax, %eax   ; the target may write anything there
 *	next:   test %eax, %eax; je none
 *	        lea  -1(%rax), %ecx; shl $7, %rcx; add CALLS(%r10), %rcx
 *	        cmp  %r11, (%rcx); ja none                       ; open, and further out
 *	        je   found                                       ; at an exit
 *	        dec  %eax; jmp next
 */
#include "stub.h"

#include <stddef.h>

enum { ABOVE = 7, NOT_ABOVE = 6, SAVED_RCX = 8 };

static uint32_t row(const struct wl_slots *s, size_t offset)
{
	return (uint32_t)(s->table + offset);
}

#define ROW(s, member) row((s), offsetof(struct wl_row, member))
#define TALLY(s, member) ((uint32_t)((s)->tallies + offsetof(struct wl_tally, member)))
#define CALL(member) ((uint8_t)offsetof(struct wl_call, member))

static uint32_t event(const struct wl_slots *s, unsigned word)
{
	return ROW(s, event) + 8 * word;
}

/* lea -1(%rax), %ecx, or mov %eax, %ecx: then rcx = the address of that call */
static void point_to_call(struct wl_code *c, const struct wl_slots *s, bool last)
{
	if (last)
		WL_EMIT(c, 0x8d, 0x48, 0xff);
	else
		WL_EMIT(c, 0x89, 0xc1);
	WL_EMIT(c, 0x48, 0xc1, 0xe1, WL_CALL_SHIFT); /* shl $7, %rcx */
	wl_row_op(c, 0x03, RCX, ROW(s, calls));      /* add CALLS(%r10), %rcx */
}

/* rax = how many calls are open. */
static void start(struct wl_code *c, const struct wl_slots *s)
{
	size_t sane;

	wl_push(c, RAX);
	wl_push(c, RCX);
	wl_push(c, RDX);
	wl_load(c, RAX, ROW(s, open));
	wl_u8(c, 0x3d); /* cmp $WL_CALLS, %eax */
	wl_u32(c, WL_CALLS);
	sane = wl_jcc(c, NOT_ABOVE);
	WL_EMIT(c, 0x31, 0xc0); /* xor %eax, %eax */
	wl_bind(c, sane);
}

/* cmpq $0, THROWN(%rcx) */
static void has_thrown(struct wl_code *c)
{
	WL_EMIT(c, 0x48, 0x83, 0x79, CALL(thrown), 0x00);
}

/* Open calls one after another, innermost first: eax is their number, rcx points to one. It is left at the first that is further out than r11. */
struct walk {
	uint64_t next;
	size_t none, further_out;
};

static struct walk walk(struct wl_code *c, const struct wl_slots *s)
{
	struct walk w;

	start(c, s);
	w.next = wl_here(c);
	WL_EMIT(c, 0x85, 0xc0); /* test %eax, %eax */
	w.none = wl_jcc(c, WL_E);
	point_to_call(c, s, true);
	WL_EMIT(c, 0x4c, 0x39, 0x19); /* cmp %r11, (%rcx) */
	w.further_out = wl_jcc(c, ABOVE);
	return w;
}

static void walk_ends(struct wl_code *c, const struct walk *w)
{
	wl_bind(c, w->none);
	wl_bind(c, w->further_out);
}

/*
 * Forget calls that are over. Control goes on here where no call is left to look at; `found` is bound by the caller, who wants it if there is one of the same stack pointer, or else is NULL. `throws`: those that an exception may have left
 * are counted.
 */
static void forget(struct wl_code *c, const struct wl_slots *s, size_t *found, bool throws)
{
	const struct walk w = walk(c, s);

	if (found)
		*found = wl_jcc(c, WL_E);
	WL_EMIT(c, 0xff, 0xc8); /* dec %eax */
	if (throws) {
		has_thrown(c);
		wl_jcc_to(c, WL_E, w.next);
		wl_add_imm8(c, 1, TALLY(s, dropped));
	}
	wl_jmp(c, w.next);
	walk_ends(c, &w);
}

static void leave_routine(struct wl_code *c)
{
	wl_pop(c, RDX);
	wl_pop(c, RCX);
	wl_pop(c, RAX);
	wl_u8(c, 0xc3); /* ret */
}

/* rax = the time stamp counter; rdx is lost */
static void read_time(struct wl_code *c)
{
	WL_EMIT(c, 0x0f, 0x31);             /* rdtsc */
	WL_EMIT(c, 0x48, 0xc1, 0xe2, 0x20); /* shl $32, %rdx */
	WL_EMIT(c, 0x48, 0x09, 0xd0);       /* or %rdx, %rax */
}

/* mov %r, disp(%rcx), or mov disp(%rcx), %r */
static void call_op(struct wl_code *c, uint8_t opcode, unsigned r, uint8_t disp)
{
	WL_EMIT(c, (uint8_t)(0x48 | (r >= R8 ? 4 : 0)), opcode, (uint8_t)(0x41 | (r & 7) << 3), disp);
}

enum { MOV_STORE = 0x89, MOV_LOAD = 0x8b, CMP_WITH = 0x39, SUBTRACT = 0x2b };

void wl_enter(struct wl_code *c, const struct wl_slots *s, unsigned fields, bool throws)
{
	static const uint8_t arg[6] = {RDI, RSI, RDX, R11, R8, R9};
	size_t full;

	forget(c, s, NULL, throws);
	wl_store(c, RAX, ROW(s, open));
	wl_u8(c, 0x3d); /* cmp $WL_CALLS, %eax */
	wl_u32(c, WL_CALLS);
	full = wl_jcc(c, WL_AE);
	point_to_call(c, s, false);
	call_op(c, MOV_STORE, R11, CALL(sp));
	if (throws && fields & 1u << WL_CALLER) {
		WL_EMIT(c, 0x4d, 0x8b, 0x1b); /* mov (%r11), %r11 */
		call_op(c, MOV_STORE, R11, CALL(caller));
	}
	if (throws) {
		wl_load(c, R11, ROW(s, thrown));
		call_op(c, MOV_STORE, R11, CALL(thrown));
	}
	WL_EMIT(c, 0x4c, 0x8b, 0x5c, 0x24, SAVED_RCX); /* mov 8(%rsp), %r11: rcx as it was */
	for (unsigned i = 0; i < 6; i++)
		if (fields & 1u << (WL_ARG + i))
			call_op(c, MOV_STORE, arg[i], (uint8_t)(CALL(arg) + 8 * i));
	wl_load(c, R11, event(s, WL_SITE));
	call_op(c, MOV_STORE, R11, CALL(site));
	WL_EMIT(c, 0x44, 0x8d, 0x58, 0x01); /* lea 1(%rax), %r11d */
	wl_store(c, R11, ROW(s, open));
	if (fields & 1u << WL_ELAPSED) {
		read_time(c);
		call_op(c, MOV_STORE, RAX, CALL(time));
	}
	wl_bind(c, full);
	leave_routine(c);
}

/* One word of the call, into the event. */
static void tell_word(struct wl_code *c, const struct wl_slots *s, uint8_t from, unsigned to)
{
	call_op(c, MOV_LOAD, RDX, from);
	wl_store(c, RDX, event(s, to));
}

/* What was kept of the call, as far as it is wanted, into the event. */
static void tell(struct wl_code *c, const struct wl_slots *s, unsigned fields)
{
	for (unsigned i = 0; i < 6; i++)
		if (fields & 1u << (WL_ARG + i))
			tell_word(c, s, (uint8_t)(CALL(arg) + 8 * i), WL_ARG + i);
	if (fields & 1u << WL_ELAPSED) {
		read_time(c);
		call_op(c, SUBTRACT, RAX, CALL(time));
		wl_store(c, RAX, event(s, WL_ELAPSED));
	}
}

/* ZF is set if the call was found: its arguments, and how long it has been, as far as they are wanted, are in the event then. */
void wl_leave(struct wl_code *c, const struct wl_slots *s, unsigned fields, bool throws)
{
	size_t found;
	uint64_t none;

	forget(c, s, &found, throws);
	wl_store(c, RAX, ROW(s, open));
	none = wl_here(c);
	wl_add_imm8(c, 1, TALLY(s, dropped));
	WL_EMIT(c, 0x83, 0xc8, 0x01); /* or $1, %eax: clears ZF */
	leave_routine(c);

	wl_bind(c, found);
	WL_EMIT(c, 0xff, 0xc8); /* dec %eax */
	wl_store(c, RAX, ROW(s, open));
	wl_load(c, RDX, event(s, WL_SITE));
	call_op(c, CMP_WITH, RDX, CALL(site));
	wl_jcc_to(c, WL_NE, none);
	tell(c, s, fields);
	WL_EMIT(c, 0x4d, 0x39, 0xd2); /* cmp %r10, %r10: sets ZF */
	leave_routine(c);
}

void wl_over(struct wl_code *c, const struct wl_slots *s)
{
	size_t found;

	forget(c, s, &found, true);
	wl_store(c, RAX, ROW(s, open));
	leave_routine(c);
	wl_bind(c, found);
	WL_EMIT(c, 0xff, 0xc8); /* dec %eax */
	wl_store(c, RAX, ROW(s, open));
	leave_routine(c);
}

/*
 * r11 is where the return address of __cxa_begin_catch lies, or a callee's of the same frame did. ZF is set if a call was left: it is forgotten, and r11 what runs its probes.
 *
 *	        push %rax; push %rcx; push %rdx
 *	        mov  OPEN(%r10), %rax
 *	        cmp  $WL_CALLS, %eax; jbe next; xor %eax, %eax
 *	next:   test %eax, %eax; je none
 *	        lea  -1(%rax), %ecx; shl $7, %rcx; add CALLS(%r10), %rcx
 *	        cmp  %r11, (%rcx); ja none
 *	        dec  %eax
 *	        cmpq $0, THROWN(%rcx); je next
 */
void wl_catch(struct wl_code *c, const struct wl_slots *s, unsigned fields)
{
	const struct walk w = walk(c, s);

	WL_EMIT(c, 0xff, 0xc8); /* dec %eax */
	has_thrown(c);
	wl_jcc_to(c, WL_E, w.next);
	wl_store(c, RAX, ROW(s, open));
	call_op(c, MOV_LOAD, R11, CALL(thrown));
	tell_word(c, s, CALL(site), WL_SITE);
	tell_word(c, s, CALL(sp), WL_SP);
	if (fields & 1u << WL_CALLER)
		tell_word(c, s, CALL(caller), WL_CALLER);
	tell(c, s, fields);
	WL_EMIT(c, 0x4d, 0x39, 0xd2); /* cmp %r10, %r10: sets ZF */
	leave_routine(c);
	walk_ends(c, &w);
	wl_store(c, RAX, ROW(s, open));
	WL_EMIT(c, 0x83, 0xc8, 0x01); /* or $1, %eax: clears ZF */
	leave_routine(c);
}
