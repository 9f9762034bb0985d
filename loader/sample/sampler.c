/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples of a live process.
 *
 * The kernel interrupts the process's threads, by the clock or by a counter, and writes what it finds into rings. A
 * thread of ours reads the rings a few times a second, in the order of time, and runs the probes, each with an event
 * made of the sample. Nothing in the process is touched, and no thread of it is stopped. All that a sample is about
 * (registers, the upper part of the stack) is in the record; what else a probe asks for, it gets as it is when it runs,
 * a moment later.
 *
 * Besides samples the rings say which threads and programs begin and end, and when code is mapped. Each program has a
 * state. States and tallies lie as those of a process's threads (slots.h), so they are read in the same way; but the
 * process has no part in this memory.
 *
 * The thread takes the process's processors when it wakes, so it sleeps as long as it can. But it looks at the code of
 * a program while that lives, and some live for a moment only. Therefore it wakes when a program is executed; any, as
 * that alone costs nothing where threads come and go. Where the user may not know of others' programs, it sleeps less.
 *
 * Counted as dropped: records that the kernel had no room for; samples of programs for which there is no state;
 * intervals that were over before their probe could run; and, once each, moments at which the kernel took no samples
 * because there were too many (throttling), as nobody knows how many these would have been.
 */
#include "sampler.h"

#include "away.h"
#include "loader/base/error.h"
#include "loader/stub/stub.h"
#include "program.h"
#include "program_reports.h"
#include "run.h"
#include "sample_clock.h"
#include "sites.h"
#include "task_events.h"
#include "walk_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum {
	PAUSE_MS = 200,
	UNTOLD_PAUSE_MS = 50, /* as nothing wakes it when a program is executed */
	NEWS_MS = 30,         /* news that come sooner after others wait for so long */
	LATE_MS = 10,         /* so late may a processor write a record */
	NEWS_RING_BYTES = 1 << 16,
	RING_BYTES = 1 << 19,
	STACK_RING_BYTES = 1 << 21,
	STACK_BYTES = 1 << 13,
	THREAD_STACK = 1 << 20,
};

struct wl_sampler {
	const struct ward_image *image;
	struct wl_attachment a; /* of it, what has to do with states and counts */
	struct wl_running running;
	struct wl_sampled_sites sites;
	struct wl_sample_wants wants;
	struct wl_rings rings;
	bool is_told; /* there are rings that wake when a program is executed */
	bool news;    /* which has just happened */
	struct wl_task_events tasks;
	struct wl_sample_clock clock;
	ward_names *names; /* NULL: nobody wants them */
	struct wl_program **programs;
	size_t n_programs, last; /* `last`: that of the last sample */
	struct wl_program_reports reports;
	uint32_t *stateless; /* processes whose samples are dropped, as there was no state for them */
	size_t n_stateless;
	struct wl_code_files files;
	struct wl_aways aways;
	pid_t pid;
	pthread_t thread;
	bool started;
	int stop; /* can be read when the thread is to end */
	/* of the start, and then of `over`: */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_ready, over;
	int rc;
	struct ward_error *err;
};

/* What imports ask about. */
struct sample {
	struct wl_sampled sampled; /* the first */
	struct wl_sampler *s;
	struct wl_program *program;
	uint64_t ns; /* when it was taken, CLOCK_MONOTONIC_RAW */
	uint32_t tid;
	struct wl_stack_copy copy; /* `bytes` is NULL: there is none */
};

/* ---- Memory ---- */

static bool takes_stacks(const struct ward_module_facts *f)
{
	for (size_t i = 0; i < f->n_imports; i++)
		if (f->imports[i].import == WARD_IMPORT_STACK)
			return true;
	return false;
}

static int states_make(struct wl_sampler *s, uint32_t max_programs, struct ward_error *err)
{
	const struct ward_module_facts *f = wl_image_facts(s->image);
	struct wl_attachment *a = &s->a;
	uint64_t mark = wl_stacks_mark(0);

	wl_slots_plan(&a->slots, max_programs, f->state_size);
	a->states_offset = a->slots.table_size;
	a->data_offset = a->states_offset + a->slots.states_size;
	a->shared_size = a->data_offset + wl_pages(f->data.memsz);
	if (takes_stacks(f)) {
		a->stacks_offset = a->shared_size;
		a->shared_size += WL_STACKS_SIZE;
	}
	a->state_fd = memfd_create("ward-samples", MFD_CLOEXEC);
	if (a->state_fd >= 0 && ftruncate(a->state_fd, (off_t)a->shared_size) == 0 &&
		(!f->data.filesz || pwrite(a->state_fd, wl_image_bytes(s->image, &f->data), f->data.filesz,
					    (off_t)a->data_offset) == (ssize_t)f->data.filesz)) {
		a->shared =
			mmap(NULL, a->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, a->state_fd, 0);
		if (a->shared != MAP_FAILED) {
			if (a->stacks_offset)
				memcpy((char *)a->shared + a->stacks_offset + WL_STACKS_MARK, &mark, sizeof(mark));
			return wl_running_map(&s->running, s->image, a->state_fd, a->data_offset, err);
		}
	}
	a->shared = NULL;
	return wl_fail(err, WARD_E_SYSTEM, "shared memory", "%s", strerror(errno));
}

static struct wl_tally *tally_of(const struct wl_sampler *s, size_t row)
{
	return (struct wl_tally *)(void *)((char *)s->a.shared + row * WL_ROW_SIZE);
}

/* Others read the counts at any time. */
static void counter_raise(uint64_t *to, uint64_t n)
{
	__atomic_store_n(to, *to + n, __ATOMIC_RELAXED);
}

static void samples_drop(const struct wl_sampler *s, uint64_t n)
{
	counter_raise(&tally_of(s, 0)->dropped, n);
}

static void *state_at(const struct wl_sampler *s, uint32_t number)
{
	return (char *)s->a.shared + s->a.states_offset + number * s->a.slots.state_stride;
}

/* ---- Programs ---- */

static struct wl_program *program_find(struct wl_sampler *s, pid_t pid)
{
	if (s->last < s->n_programs && s->programs[s->last]->pid == pid && !s->programs[s->last]->ended)
		return s->programs[s->last];
	for (size_t i = 0; i < s->n_programs; i++)
		if (s->programs[i]->pid == pid && !s->programs[i]->ended) {
			s->last = i;
			return s->programs[i];
		}
	return NULL;
}

static void program_report(struct wl_sampler *s, const struct wl_program *program)
{
	if (s->wants.follow) /* else it is the same process all the while */
		wl_program_reports_add(&s->reports, program, s->a.n_attached);
}

static void program_end(struct wl_sampler *s, struct wl_program *program)
{
	if (!program || program->ended)
		return;
	program->ended = true;
	program_report(s, program);
	if (s->names)
		wl_names_leave(s->names, &program->mapped, program->state);
}

/* A state that nobody has: a new one, or that of a program that has ended. False: there is none. */
static bool state_take(struct wl_sampler *s, uint32_t *number, struct wl_program ***place)
{
	uint64_t *given = &tally_of(s, 0)->states;

	*place = NULL;
	if (*given < s->a.slots.max_threads) {
		if (s->names && (wl_names_add(s->names) < 0 || !wl_names_thread(s->names, (uint32_t)*given)))
			return false;
		*number = (uint32_t)*given;
		counter_raise(given, 1);
		return true;
	}
	for (size_t i = 0; i < s->n_programs; i++)
		if (s->programs[i]->ended) {
			*number = s->programs[i]->state;
			*place = &s->programs[i];
			return true;
		}
	return false;
}

static bool is_stateless(const struct wl_sampler *s, uint32_t pid)
{
	for (size_t i = 0; i < s->n_stateless; i++)
		if (s->stateless[i] == pid)
			return true;
	return false;
}

static void stateless_add(struct wl_sampler *s, uint32_t pid)
{
	uint32_t *v = reallocarray(s->stateless, s->n_stateless + 1, sizeof(*v));

	samples_drop(s, 1); /* it may have no sample that would be counted */
	if (!v)
		return;
	s->stateless = v;
	v[s->n_stateless++] = pid;
}

static void stateless_remove(struct wl_sampler *s, uint32_t pid)
{
	for (size_t i = s->n_stateless; i-- > 0;)
		if (s->stateless[i] == pid)
			s->stateless[i] = s->stateless[--s->n_stateless];
}

/* A process begins, or executes a program. NULL: there is no state, or no memory. */
static struct wl_program *program_begin(struct wl_sampler *s, pid_t pid, const struct wl_program *parent)
{
	struct wl_program *program, **place;
	uint32_t number;

	if (!state_take(s, &number, &place))
		return NULL;
	program = wl_program_new(pid, number, parent, s->names);
	if (!program)
		return NULL;
	if (place) {
		wl_program_free(*place);
		*place = program;
		return program;
	}
	place = reallocarray(s->programs, s->n_programs + 1, sizeof(struct wl_program *));
	if (!place) {
		wl_program_free(program);
		return NULL;
	}
	s->programs = place;
	place[s->n_programs++] = program;
	return program;
}

/*
 * Programs whose process is gone have ended once all records from before were read; others may have mapped something.
 */
static void programs_look(struct wl_sampler *s, uint64_t now, uint64_t read_upto)
{
	bool over = true;

	for (size_t i = 0; i < s->n_programs; i++) {
		struct wl_program *program = s->programs[i];

		if (!program->ended && !program->gone && wl_process_gone(&program->p))
			program->gone = now;
		if (program->gone && read_upto > program->gone)
			program_end(s, program);
		wl_program_look(program, s->names, program->changed);
		program->changed = false;
		if (s->wants.stack_bytes && !program->ended) /* it may be gone when its first sample is read */
			wl_program_look_code(program, &s->files);
		over &= program->ended;
	}
	pthread_mutex_lock(&s->lock);
	s->over = over;
	pthread_mutex_unlock(&s->lock);
}

/* ---- A probe runs ---- */

/* Nanoseconds of a clock when the sample was taken; the processor time of threads and processes is as of now. */
static uint64_t sample_clock(const struct wl_sampled *sampled, unsigned clock)
{
	const struct sample *sample = (const void *)sampled;
	struct timespec ts;
	clockid_t id = (clockid_t)clock;
	uint64_t since = wl_raw_ns() - sample->ns, now;

	if (clock == CLOCK_THREAD_CPUTIME_ID)
		return wl_program_thread_ns(sample->program, sample->tid);
	if (clock == CLOCK_PROCESS_CPUTIME_ID && clock_getcpuclockid(sample->program->pid, &id))
		return 0;
	if (clock_gettime(id, &ts))
		return 0;
	now = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	return clock == CLOCK_PROCESS_CPUTIME_ID || now < since ? now : now - since;
}

static uint64_t sample_stack(const struct wl_sampled *sampled, uint64_t frames)
{
	const struct sample *sample = (const void *)sampled;
	struct wl_sampler *s = sample->s;
	struct wl_program *program = sample->program;
	struct wl_stack stack;

	if (!sample->copy.bytes)
		return 0;
	wl_program_look_code(program, &s->files);
	wl_walk_copy(&sample->copy, &program->code, frames, &stack);
	return wl_stacks_put((void *)((char *)s->a.shared + s->a.stacks_offset), &stack);
}

static void site_run(struct wl_sampler *s, size_t number, struct sample *sample, uint64_t *event)
{
	const struct ward_module_facts *f = wl_image_facts(s->image);
	const struct wl_sampled_site *site = &s->sites.v[number];
	uint32_t state = sample->program->state;

	sample->sampled = (struct wl_sampled){sample->program->pid, sample_clock, sample_stack};
	sample->s = s;
	event[WL_SITE] = number;
	event[WL_TID] = wl_program_tid(sample->program, sample->tid);
	event[WL_TIME] = wl_sample_counts(&s->clock, sample->ns);
	for (size_t i = 0; i < site->n_entries; i++)
		wl_running_call(
			&s->running, &f->entries[site->entries[i]], &sample->sampled, event, state_at(s, state));
	counter_raise(&tally_of(s, 1 + state)->events, site->n_entries);
	sample->program->events += site->n_entries;
}

/* ---- Records ---- */

/* Registers of the user's, behind what each sample has. None, or those of a 32-bit program: abi isn't 2. */
struct registers {
	uint64_t abi, rbp, rsp, rip;
};

/* The copy of the stack is behind the registers: its size, its bytes, and how many of these there are. */
static void find_copy(struct wl_stack_copy *copy, const struct registers *regs, const void *p, size_t n)
{
	uint64_t size, used;

	if (regs->abi != PERF_SAMPLE_REGS_ABI_64 || n < 2 * sizeof(size))
		return;
	memcpy(&size, p, sizeof(size));
	if (!size || size > n - 2 * sizeof(size))
		return;
	memcpy(&used, (const char *)p + sizeof(size) + size, sizeof(used));
	copy->bytes = (const uint8_t *)p + sizeof(size);
	copy->size = used < size ? used : size;
	copy->is_cut = used >= size;
}

static void sample_run(struct wl_sampler *s, const struct wl_perf_sample *r, uint16_t site, struct wl_program *program)
{
	uint64_t event[WL_EVENT_WORDS] = {0};
	struct registers regs = {0};
	struct sample sample = {.ns = r->time, .tid = r->tid, .program = program};
	size_t n = r->head.size - sizeof(*r);

	if (n >= sizeof(regs.abi))
		memcpy(&regs.abi, r + 1, sizeof(regs.abi));
	if (regs.abi != PERF_SAMPLE_REGS_ABI_NONE && n >= sizeof(regs)) {
		memcpy(&regs, r + 1, sizeof(regs));
		sample.copy = (struct wl_stack_copy){.rip = regs.rip, .rsp = regs.rsp, .rbp = regs.rbp};
		find_copy(&sample.copy, &regs, (const char *)(r + 1) + sizeof(regs), n - sizeof(regs));
	}
	if (s->sites.v[site].what.kind == WL_SAMPLE_OFF_CPU) {
		if (!wl_away_begin(&s->aways,
			    &(struct wl_away){
				    .pid = r->pid, .tid = r->tid, .site = site, .ns = r->time, .copy = sample.copy}))
			samples_drop(s, 1);
		return;
	}
	event[WL_CPU] = r->processor;
	event[WL_CALLER] = regs.rip;
	event[WL_SP] = regs.rsp;
	site_run(s, site, &sample, event);
}

/* Other processes' samples aren't looked at. */
static void on_sample(struct wl_sampler *s, const struct wl_perf_sample *r)
{
	const struct wl_opened *opened = wl_task_events_of(&s->tasks, r);
	struct wl_program *program = opened ? program_find(s, (pid_t)r->pid) : NULL;

	if (program)
		sample_run(s, r, opened->site, program);
	else if (opened && (!opened->on_processors || is_stateless(s, r->pid)))
		samples_drop(s, 1);
}

/* A thread is on a processor again: run what wants to know how long it was away. Its stack is as it was. */
static void on_switch_in(struct wl_sampler *s, const struct wl_perf_trailer *r)
{
	for (size_t i = 0; i < s->sites.n; i++) {
		uint64_t event[WL_EVENT_WORDS] = {0};
		struct sample sample = {.ns = r->time, .tid = r->tid};
		struct wl_away *away = s->sites.v[i].what.kind == WL_SAMPLE_OFF_CPU
					       ? wl_away_find(&s->aways, r->tid, (uint16_t)i)
					       : NULL;

		if (!away)
			continue;
		away->is_away = false;
		sample.program = program_find(s, (pid_t)r->pid);
		if (!sample.program || r->time < away->ns || r->time - away->ns < s->sites.v[i].what.period)
			continue;
		sample.copy = away->copy;
		event[WL_CPU] = r->processor;
		event[WL_CALLER] = away->copy.rip;
		event[WL_SP] = away->copy.rsp;
		event[WL_ELAPSED] = wl_sample_counts(&s->clock, r->time) - wl_sample_counts(&s->clock, away->ns);
		site_run(s, i, &sample, event);
	}
}

/* PERF_RECORD_FORK and PERF_RECORD_EXIT. */
struct task_record {
	struct perf_event_header head;
	uint32_t pid, parent, tid, parent_tid;
	uint64_t time;
};

/* PERF_RECORD_COMM. */
struct comm_record {
	struct perf_event_header head;
	uint32_t pid, tid;
	char comm[]; /* it has an end */
};

static void on_fork(struct wl_sampler *s, const struct task_record *r)
{
	struct wl_program *parent = program_find(s, (pid_t)r->parent);

	if (r->pid == r->parent || !s->wants.follow)
		return;
	program_end(s, program_find(s, (pid_t)r->pid)); /* one whose number it has now */
	if (parent && s->wants.stack_bytes)             /* the child may be gone before its first sample is read */
		wl_program_look_code(parent, &s->files);
	stateless_remove(s, r->pid);
	if (!program_begin(s, (pid_t)r->pid, parent))
		stateless_add(s, r->pid);
}

static void on_end(struct wl_sampler *s, const struct task_record *r)
{
	struct wl_program *program = program_find(s, (pid_t)r->pid);

	wl_task_events_ended(&s->tasks, r->tid);
	wl_away_ended(&s->aways, r->tid, (uint16_t)s->sites.n);
	if (r->tid == r->pid)
		stateless_remove(s, r->pid);
	if (program)
		wl_program_tid_ended(program, r->tid);
}

/* A process has executed a program. */
static void on_exec(struct wl_sampler *s, const struct comm_record *r)
{
	struct wl_program *before = program_find(s, (pid_t)r->pid), *now;
	pid_t parent;

	if (!before)
		return;
	parent = before->parent;
	program_end(s, before);
	now = program_begin(s, (pid_t)r->pid, NULL);
	if (!now) {
		stateless_add(s, r->pid);
		return;
	}
	now->parent = parent;
	wl_program_name(now, r->comm, r->head.size - sizeof(*r));
}

static void on_lost(struct wl_sampler *s, uint64_t n)
{
	samples_drop(s, n);
	wl_task_events_lost(&s->tasks);
	wl_away_forget(&s->aways);
	for (size_t i = 0; i < s->n_programs; i++)
		s->programs[i]->changed = s->programs[i]->code_changed = true;
}

static bool has_size(const struct perf_event_header *r, size_t size)
{
	return r->size >= sizeof(*r) + size;
}

static void record_read(struct wl_sampler *s, const struct perf_event_header *r)
{
	const uint32_t *pid = (const void *)(r + 1);
	const uint64_t *words = (const void *)(r + 1);
	struct wl_program *program;

	switch (r->type) {
	case PERF_RECORD_SAMPLE: on_sample(s, (const void *)r); break;
	case PERF_RECORD_FORK:
		if (r->size >= sizeof(struct task_record))
			on_fork(s, (const void *)r);
		break;
	case PERF_RECORD_EXIT:
		if (r->size >= sizeof(struct task_record))
			on_end(s, (const void *)r);
		break;
	case PERF_RECORD_COMM:
		if (r->misc & PERF_RECORD_MISC_COMM_EXEC && has_size(r, 8))
			on_exec(s, (const void *)r);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		program = has_size(r, 8) ? program_find(s, (pid_t)*pid) : NULL;
		if (program)
			program->changed = program->code_changed = true;
		break;
	case PERF_RECORD_SWITCH:
		if (!(r->misc & PERF_RECORD_MISC_SWITCH_OUT))
			on_switch_in(s, (const void *)(r + 1));
		break;
	case PERF_RECORD_LOST: on_lost(s, has_size(r, 16) ? words[1] : 1); break;
	case PERF_RECORD_LOST_SAMPLES: on_lost(s, has_size(r, 8) ? words[0] : 1); break;
	case PERF_RECORD_THROTTLE: samples_drop(s, 1); break;
	default: break;
	}
}

/* ---- The thread ---- */

/* The interval that is over first, or NULL. */
static struct wl_sampled_site *interval_next(const struct wl_sampler *s)
{
	struct wl_sampled_site *next = NULL;

	for (size_t i = 0; i < s->sites.n; i++)
		if (s->sites.v[i].what.kind == WL_SAMPLE_INTERVAL && (!next || s->sites.v[i].due < next->due))
			next = &s->sites.v[i];
	return next;
}

/* Run what is due, after the samples that were taken before. */
static void interval_run(struct wl_sampler *s, struct wl_sampled_site *site, uint64_t now)
{
	uint64_t event[WL_EVENT_WORDS] = {0}, missed = (now - site->due) / site->what.period;
	struct sample sample = {.ns = now, .tid = (uint32_t)s->pid, .program = program_find(s, s->pid)};

	samples_drop(s, missed);
	if (sample.program)
		sample.program->dropped += missed;
	site->due += (missed + 1) * site->what.period;
	if (!sample.program)
		return;
	event[WL_CPU] = (uint64_t)sched_getcpu();
	site_run(s, (size_t)(site - s->sites.v), &sample, event);
}

static void records_read(struct wl_sampler *s, uint64_t upto)
{
	const struct perf_event_header *r;
	uint64_t broken = s->rings.broken;

	while ((r = wl_rings_next(&s->rings, upto)))
		record_read(s, r);
	if (s->rings.broken != broken)
		on_lost(s, s->rings.broken - broken);
}

/* One look at the rings. What is younger than the last look, or than it takes to write, waits: older may still come. */
static void rings_read(struct wl_sampler *s, uint64_t *last, bool all)
{
	uint64_t now = wl_raw_ns(), late = now - LATE_MS * UINT64_C(1000000), upto = *last > late ? *last : late;
	struct wl_sampled_site *interval;

	wl_sample_clock_read(&s->clock);
	wl_rings_look(&s->rings);
	while ((interval = interval_next(s)) && interval->due <= now) {
		records_read(s, interval->due);
		interval_run(s, interval, now);
	}
	records_read(s, all ? UINT64_MAX : upto);
	programs_look(s, now, upto);
	*last = now;
}

/* Until the next interval is over, at most so many milliseconds; without events there is nothing else to wait for. */
static int pause_ms(const struct wl_sampler *s, uint64_t ms)
{
	const struct wl_sampled_site *next = interval_next(s);
	uint64_t now = wl_raw_ns();

	if (wl_rings_are_filling(&s->rings))
		return 0;
	if (next && next->due < now + ms * 1000000)
		ms = next->due > now ? (next->due - now + 999999) / 1000000 : 0;
	return (int)ms;
}

/* After news until they can be read; many of them don't wake us for each. */
static void rings_wait(struct wl_sampler *s)
{
	if (s->news)
		wl_rings_wait(&s->rings, s->stop, pause_ms(s, NEWS_MS), false);
	s->news = wl_rings_wait(&s->rings, s->stop, pause_ms(s, s->is_told ? PAUSE_MS : UNTOLD_PAUSE_MS), true);
	if (s->news)
		wl_rings_wait(&s->rings, s->stop, pause_ms(s, LATE_MS + 1), false);
}

static bool is_stopped(const struct wl_sampler *s)
{
	struct pollfd pfd = {.fd = s->stop, .events = POLLIN};

	return poll(&pfd, 1, 0) == 1;
}

static int sampler_begin(struct wl_sampler *s)
{
	int rc = 0;

	if (s->sites.n_events)
		s->is_told = wl_task_events_tell(s->sites.events, &s->sites.n_events, &s->wants);
	if (s->is_told)
		rc = wl_rings_open(&s->rings, NEWS_RING_BYTES, true, s->err);
	if (rc == 0)
		rc = wl_rings_open(&s->rings, s->wants.stack_bytes ? STACK_RING_BYTES : RING_BYTES, false, s->err);
	if (rc)
		return rc;
	wl_sample_clock_start(&s->clock);
	if (!program_begin(s, s->pid, NULL))
		return wl_no_memory(s->err);
	rc = wl_task_events_open(&s->tasks, s->pid, s->sites.events, s->sites.n_events, &s->rings, s->err);
	for (size_t i = 0; i < s->sites.n; i++)
		s->sites.v[i].due = wl_raw_ns() + s->sites.v[i].what.period;
	return rc;
}

static void *sampler_main(void *arg)
{
	struct wl_sampler *s = arg;
	uint64_t last = 0;
	int rc = sampler_begin(s);

	pthread_mutex_lock(&s->lock);
	s->is_ready = true;
	s->rc = rc;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	while (rc == 0 && !is_stopped(s)) {
		rings_wait(s);
		rings_read(s, &last, false);
	}
	wl_task_events_stop(&s->tasks);
	if (rc == 0)
		rings_read(s, &last, true);
	for (size_t i = 0; i < s->n_programs; i++)
		if (!s->programs[i]->ended)
			program_report(s, s->programs[i]);
	wl_rings_close(&s->rings);
	return NULL;
}

static int thread_start(struct wl_sampler *s, struct ward_error *err)
{
	pthread_attr_t attr;
	sigset_t all, old;
	int rc;

	s->err = err;
	s->stop = eventfd(0, EFD_CLOEXEC);
	if (s->stop < 0)
		return wl_fail(err, WARD_E_SYSTEM, "samples", "%s", strerror(errno));
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, THREAD_STACK);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&s->thread, &attr, sampler_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (rc)
		return wl_fail(err, WARD_E_SYSTEM, "samples", "can't start a thread: %s", strerror(rc));
	s->started = true;
	pthread_mutex_lock(&s->lock);
	while (!s->is_ready)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	s->err = NULL;
	return s->rc;
}

/* ---- From outside ---- */

int wl_sampler_start(struct wl_sampler **out, const struct ward_image *image, pid_t pid,
	const struct ward_attach_options *options, struct ward_error *err)
{
	struct wl_sampler *s = *out = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return wl_no_memory(err);
	s->image = image;
	s->pid = pid;
	s->stop = -1;
	s->wants = (struct wl_sample_wants){
		takes_stacks(wl_image_facts(image)) ? STACK_BYTES : 0, .follow = options->follow};
	wl_attachment_init(&s->a, image);
	wl_program_reports_init(&s->reports);
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	rc = wl_process_open(&s->a.p, pid, err);
	if (rc == 0 && options->pidfd > 0)
		rc = wl_process_check(&s->a.p, options->pidfd, err);
	if (rc == 0)
		rc = wl_sampled_sites_find(&s->sites, image, options, &s->wants, err);
	s->a.n_attached = s->sites.n_attached;
	if (rc == 0)
		rc = states_make(s, options->max_threads, err);
	if (rc == 0 && options->names) {
		s->names = wl_names_new();
		if (!s->names || !wl_names_stacks(s->names, 0, s->a.state_fd, s->a.stacks_offset))
			rc = wl_no_memory(err);
	}
	if (rc == 0)
		rc = thread_start(s, err);
	return rc;
}

void wl_sampler_stop(struct wl_sampler *s)
{
	uint64_t one = 1;

	if (!s->started)
		return;
	while (write(s->stop, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(s->thread, NULL);
	s->started = false;
	if (s->names)
		wl_names_over(s->names);
}

void wl_sampler_free(struct wl_sampler *s)
{
	if (!s)
		return;
	wl_sampler_stop(s);
	wl_task_events_free(&s->tasks);
	wl_running_unmap(&s->running);
	for (size_t i = 0; i < s->n_programs; i++)
		wl_program_free(s->programs[i]);
	free(s->programs);
	free(s->stateless);
	wl_code_files_free(&s->files);
	wl_away_free(&s->aways);
	wl_sampled_sites_free(&s->sites);
	if (s->stop >= 0)
		close(s->stop);
	ward_names_close(s->names);
	wl_attachment_free(&s->a);
	wl_program_reports_free(&s->reports);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->changed);
	free(s);
}

void wl_sampler_report(const struct wl_sampler *s, const struct ward_attach_options *options)
{
	wl_sampled_sites_report(&s->sites, s->image, options);
}

const struct wl_attachment *wl_sampler_states(const struct wl_sampler *s)
{
	return &s->a;
}

void wl_sampler_tell(struct wl_sampler *s, const struct ward_attach_options *options)
{
	wl_program_reports_deliver(&s->reports, options->on_process, options->user);
}

ward_names *wl_sampler_names(const struct wl_sampler *s)
{
	return s->names;
}

bool wl_sampler_over(struct wl_sampler *s)
{
	bool over;

	pthread_mutex_lock(&s->lock);
	over = s->over;
	pthread_mutex_unlock(&s->lock);
	return over;
}
