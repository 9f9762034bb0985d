/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a state: its fields, and the names of their numbers. Internal to loader/state. */
#ifndef WARD_LOADER_STATE_SCHEMA_H
#define WARD_LOADER_STATE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ward/ward.h"

enum {
	STATE_MAX_FIELDS = 1024,
	STATE_MAX_NAME = 120,        /* with the terminating zero */
	STATE_LOG2_BUCKETS = 65,     /* zeros, then one bucket for each power of two */
	STATE_MAX_PRECISION = 10,    /* of quantiles */
	STATE_MAX_ENTRIES = 1 << 16, /* that are listed of a map with parts, or records of a ring */
	STATE_MAX_SIZE = 1 << 28,    /* spec/module.md */
	STATE_MAX_ENUMERATIONS = 64,
	STATE_MAX_ENUMERATORS = 4096, /* of all of them together */
	STATE_MAX_ENUMERATOR = 64,    /* of one's name, with the terminating zero */
	STATE_MAX_UNSHOWN = 64,
	STATE_MAX_BUCKET = 16, /* slots for one control word */
	STATE_MAX_FILE = 256,  /* a source's path, with the terminating zero */
};

/* An integer at `offset` bytes from the start of what holds it: the state, or a slot. */
struct state_int {
	uint32_t offset;
	uint8_t size; /* 1, 2, 4 or 8; 0: there is none */
	/* Of a bit-field: how many bits of these bytes, and how many lie below them. `bits` is 0 for all others. */
	uint8_t bits, shift;
	/* No bools: the sandbox may have written anything here. */
	uint8_t is_signed, is_address, is_site, is_module;
	uint8_t is_stack; /* an address that stands for a list of functions */
};

/*
 * The slots of maps and rings. The field's parts say what their members are; of a map from integers to integers `key`
 * and `value` do.
 */
struct state_map {
	struct state_int lost; /* in the state */
	uint32_t slots;        /* offset of slot 0 in the state */
	uint32_t stride, n;
	struct state_int used, key, value; /* in a slot; used: 0 if it is free; else a record's number, or a count */
	struct state_int error;            /* in a slot: TOP */
	struct state_int evicted;          /* in the state: MAP; CHOPSTIX: samples taken; rings: the next number */
	struct state_int taken;            /* in the state: the cursor of the reader of a queue, which it writes */
	struct state_int events;           /* in the state: CHOPSTIX; FLIGHT: the ring in use */
	uint32_t value_offset, value_size; /* of the whole value, in a slot */
	uint32_t other;                    /* offset of one more value in the state; 0: there is none */
	/*
	 * MAP that hands on (ward/spill.h): entries that wait for the reader are such slots as well. How many have
	 * left; in a slot: which one it was; where slot 0 of the queue is, and how many there are, or 0
	 */
	struct state_int left, origin;
	uint32_t queue, queued;
	/* FLIGHT: so many more; `evicted` and `slots` are those of the first one */
	uint32_t rings, ring_stride;
	/*
	 * MAP that threads share (ward/shared.h): the control word of the first bucket, and how many there are. Its
	 * slots have no word `used`.
	 */
	struct state_int control;
	uint32_t buckets;
};

/* Whose part a field is. */
enum state_part { STATE_WHOLE, STATE_KEY, STATE_VALUE };

/*
 * One field. Invariant (state_field_valid): every integer that it names lies within the first state_size bytes of the
 * state. So reading it never leaves the state, whatever the debug information said. The parts of a map or ring follow
 * it, keys first; their offsets are in a slot (state_group_valid). Of what threads share (WARD_SHARED) "the state" is
 * the module's data, which each process has once.
 */
struct state_field {
	char name[STATE_MAX_NAME]; /* C identifiers with . and [n] between them: safe to print */
	uint32_t kind;             /* enum ward_field_kind */
	uint32_t offset, size;     /* in the state */
	uint32_t part;             /* enum state_part */
	uint32_t is_shared;        /* in the module's data */
	uint32_t n_keys, n_values;
	/* The number; the first of n buckets, registers or characters; STAT, MEAN: the sum; GATE: what passed. */
	struct state_int scalar;
	struct state_int count;    /* STAT, MEAN; GATE: what was refused */
	struct state_int min, max; /* STAT; QUANTILES: size 0 in modules of older headers, as the next one's */
	struct state_int high;     /* STAT: the upper half of the sum */
	uint32_t n;                /* see scalar; MEAN: the window's length, 0: EWMA */
	uint32_t precision;        /* QUANTILES, EWMA: bits */
	int64_t lo;                /* LINEAR: where the second bucket starts */
	uint64_t step;             /* LINEAR */
	struct state_map map;
	uint32_t line, reason;                      /* STOP: where, and enum state_reason */
	uint32_t names;                             /* which enumeration names the numbers, from 1; 0: none */
	const struct ward_enumeration *enumeration; /* that one, of the schema's; NULL until it is there */
	uint32_t unit;                              /* enum ward_unit */
	const struct state_clock *clock;            /* the schema's; NULL until it is there */
	const struct state_modules *modules; /* of a module: the schema's. NULL for all others, and until it is there */
};

/* A name of a number in one of the enumerations, as the debug information says. */
struct state_enumerator {
	uint64_t value;
	uint32_t of, order; /* which enumeration, from 1; where it stands among all */
	char name[STATE_MAX_ENUMERATOR];
};

struct state_names {
	size_t n;
	struct state_enumerator at[STATE_MAX_ENUMERATORS];
};

/* Why a member isn't shown; unshown.c has the words. */
enum state_why {
	STATE_WHY_TYPE,
	STATE_WHY_ARRAY,
	STATE_WHY_NESTED,
	STATE_WHY_PARTS,
	STATE_WHY_DEEP,
	STATE_WHY_FULL,
	STATE_WHY_MORE,
	STATE_WHY_MALFORMED,
	STATE_WHY_SHARED,
	STATE_WHY_HOLES, /* it is shown; but keys that are equal may be found twice */
	STATE_WHYS,
};

/* A member that no field shows. */
struct state_unshown {
	char name[STATE_MAX_NAME]; /* as a field's; elements of an array have one name for all: a[].b */
	char file[STATE_MAX_FILE]; /* where it is declared, or "" */
	uint32_t line, column;     /* 0: unknown */
	uint32_t why;              /* enum state_why */
};

/* What there is to say of a state beside its fields. */
struct state_notes {
	uint32_t is_described; /* the debug information has the state's type */
	uint32_t n;
	struct state_unshown unshown[STATE_MAX_UNSHOWN];
	struct state_names names;
};

/* What stops a run; state_reasons has the words. */
enum state_reason { STATE_ACCESS, STATE_LOOP, STATE_ROUNDS, STATE_DIVISOR, STATE_ASSERT, STATE_CALL, STATE_REASONS };
extern const char *const state_reasons[STATE_REASONS];

/* Which module each site is in, and what it is called. */
struct state_modules {
	uint32_t *first; /* by the site's number: that of the first site in its module, and one; 0: not known */
	char **site;     /* by its number: its name; NULL: not known */
	size_t n_sites;
	struct ward_enumerator *v; /* the modules, by their first sites */
	struct ward_enumeration names;
};

/* The time stamp counter. */
struct state_clock {
	double ns_per_count; /* 0: not known */
};

struct ward_schema {
	size_t n;
	struct state_field *fields;
	struct state_notes *notes;
	struct ward_enumerator *enumerators;
	struct ward_enumeration enumerations[STATE_MAX_ENUMERATIONS];
	struct state_modules modules;
	struct state_clock clock;
	const struct ward_schema *of; /* that one, with a key more (partial_by.c); or NULL */
};

/*
 * enumeration.c: make the schema's enumerations of the names, which may be anything, and let its fields point to them.
 * False without memory.
 */
bool state_enumerate(struct ward_schema *schema, struct state_names *names);

/* unshown.c: drop what the sandbox can't have read of a source. */
void state_notes_check(struct state_notes *notes);

/* module_keys.c: the site that stands for the module of this one. NULL: every site stands for itself. */
uint64_t state_module_of(const struct state_modules *modules, uint64_t site);
/* What a site is called, or its number. */
void state_site_name(const struct state_modules *modules, uint64_t site, char *text, size_t size);
void state_modules_free(struct state_modules *modules);

/* describe.c: is it a map whose keys and values are integers, without parts? */
bool state_is_plain_map(const struct state_field *field);

/* merge_time.c: are its numbers counts that are merged into nanoseconds? */
bool state_is_timed(const struct state_field *field);

/* describe.c: the member that records of a ring are ordered by, which follows it in an array; or NULL. */
struct state_field *state_time_field(struct state_field *ring);
const struct state_int *state_time_member(const struct state_field *ring);

/* What callers learn of a field. The name in it is the field's own. */
struct ward_field state_field_public(const struct state_field *field);

/* field_valid.c: is it a name that a field may have? It has STATE_MAX_NAME bytes. */
bool state_name_valid(const char *name);

/* May a field be believed, without its parts? */
bool state_field_valid(const struct state_field *field, uint64_t state_size);

/* The same of the first field with its parts. Returns how many fields these are; 0 if they are not valid. */
size_t state_group_valid(const struct state_field *fields, size_t n, uint64_t state_size);

/*
 * The module's data, in which the variable ward_shared is; or, if `is_part`, a part of the kernel's states, which is
 * what the variable ward_shared_members is a description of. NULL, or of no size: there is none.
 */
struct state_data {
	uint64_t address, size;
	bool is_part;
};

/*
 * fields.c: read the fields of the C type `type` ("struct ward_state", "ward_state"), or of what the second parameter
 * of function `entry` points to, from the debug information of the ELF file at `image`. Fills at most `max` fields and
 * returns how many; none if there is no such type. Names of enumerations, and members that no field shows, go to
 * `notes`, if it isn't NULL. The libraries below may crash or hang on hostile input: only state_describe calls this, in
 * the sandbox.
 */
size_t state_types_read(const void *image, size_t size, const char *type, const char *entry, uint64_t state_size,
	const struct state_data *data, struct state_field *fields, size_t max, struct state_notes *notes);

/*
 * traps.c: read the places at which guards may stop a run from the section .ward.traps (spec/module.md) of the file.
 * Their counters stand behind the author's state. Fills at most `max` fields and returns how many.
 */
size_t state_traps_read(const void *image, size_t size, struct state_field *fields, size_t max);

/*
 * sandboxed_types.c: state_types_read and state_traps_read in a sandbox. Every field that comes back is valid, and its
 * name has nothing that a terminal would act on; so are the notes, but for the names of enumerations. Returns the
 * number of fields, or -1 with errno if no process could be made. One that dies counts as no fields.
 */
long state_describe(const void *image, size_t size, const char *type, const char *entry, uint64_t state_size,
	struct state_field *fields, size_t max, struct state_notes *notes);
/* The same, and behind them the fields of what threads share. */
long state_describe_all(const void *image, size_t size, const char *type, const char *entry, uint64_t state_size,
	const struct state_data *data, struct state_field *fields, size_t max, struct state_notes *notes);

/* Clear whatever addresses the sandbox wrote into fields. */
void state_forget_addresses(struct state_field *fields, size_t n);

#endif
