/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions with their types. They are made bottom up, and folded while they are made. An expression belongs to one
 * of two stages: to the probe, over what an event has, or to the final stage, over keys and what was kept. Constants
 * belong to both.
 */
#ifndef WARD_QUERY_EXPR_H
#define WARD_QUERY_EXPR_H

#include "ward/types.h"

#include "arena.h"
#include "text.h"

enum type_kind {
	TYPE_NONE,
	TYPE_BOOL,
	TYPE_INT,  /* of bits, signed or not; what is computed has 64 */
	TYPE_WORD, /* 64 bits that take the sign of what they meet: an argument that nobody knows the type of */
	TYPE_ADDRESS,
	TYPE_SITE,  /* ev->site */
	TYPE_STACK, /* a number for a list of addresses, which only its names say */
	TYPE_TEXT,
	TYPE_INSTANT,   /* in the probe counts of the time stamp counter; constants are nanoseconds since the epoch */
	TYPE_DURATION,  /* in the probe counts; constants are nanoseconds */
	TYPE_STRUCTURE, /* in the target's memory: where it is, which is no value */
	TYPE_REAL,      /* final stage only, as are those below */
	TYPE_BUCKETS,
	TYPE_RECORD,
	TYPE_EVENT,
	TYPE_GROUP,
};

struct type {
	enum type_kind kind;
	uint8_t bits;
	bool is_signed;
	bool is_literal; /* a constant of the text, which takes the sign of what it meets */
	/* in a table of types (TYPE_NUMBER): an INT's enumeration, what an ADDRESS leads to, a STRUCTURE; 0: none */
	uint32_t number;
};

enum expr_op {
	OP_NONE,
	OP_OR,
	OP_AND,
	OP_BIT_OR,
	OP_BIT_XOR,
	OP_BIT_AND,
	OP_EQ,
	OP_NE,
	OP_LT,
	OP_GT,
	OP_LE,
	OP_GE,
	OP_SHL,
	OP_SHR,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_NEG,
	OP_NOT,
	OP_BIT_NOT,
	OP_STARTS, /* does a text begin with another one? */
	OP_LOG2,
};

/* What a probe has in registers, or in struct ward_event. */
enum event_field {
	FIELD_ARG,
	FIELD_RET = 6,
	FIELD_CALLER,
	FIELD_TID,
	FIELD_CPU,
	FIELD_TIME,
	FIELD_ELAPSED,
	FIELD_SITE,
	FIELD_SP,
	FIELD_PID, /* in the kernel, as is the next */
	FIELD_PROCESS,
	FIELD_STACK,
	FIELD_USTACK, /* of the kernel's events: the process's own */
	N_FIELDS
};

/* What is the same for all events of one run, or of one window of it, and is no part of the probe. */
enum session_field {
	SESSION_PID,
	SESSION_PROCESS,
	SESSION_MACHINE,
	SESSION_WINDOW,        /* its beginning: an instant */
	SESSION_WINDOW_NUMBER, /* how many periods there were before it since 1970 */
	SESSION_SECONDS,       /* of the window that were observed */
	N_SESSION
};

enum expr_kind {
	EXPR_CONST,   /* value */
	EXPR_REAL,    /* real */
	EXPR_TEXT,    /* text */
	EXPR_FIELD,   /* value: enum event_field */
	EXPR_STRING,  /* at most value bytes, with their zero, at the address a */
	EXPR_LENGTH,  /* bytes of the text a, without its zero */
	EXPR_READ,    /* a number of the type at the address a */
	EXPR_GATE,    /* value: which gate of the plan; true if the event passes it; a: the key it is by, or NULL */
	EXPR_STEP,    /* value: which history of the plan takes in the number a; always true */
	EXPR_RECALL,  /* the record is kept, for events that come later; always true */
	EXPR_NOW,     /* value: which history; the number that it took in */
	EXPR_BEFORE,  /* what it knew before that */
	EXPR_CAPTURE, /* which: what of an event is kept until another one comes; value: bytes of a text */
	EXPR_SESSION, /* value: enum session_field */
	EXPR_UNARY,
	EXPR_BINARY,
	EXPR_COND,
	EXPR_CAST,   /* of a number, to a's bits and sign */
	EXPR_EVENT,  /* value: of a pair which one (pair.h) */
	EXPR_RECORD, /* members */
	EXPR_GROUP,
	EXPR_KEY,      /* value: which part of the key */
	EXPR_KEEP,     /* value: which one of what is kept; part: which of its results */
	EXPR_CELL,     /* value: which column of a finished table */
	EXPR_FUNCTION, /* value: enum final_function, of texts (functions.h) */
};

/* Results of what is kept. */
enum keep_part {
	PART_COUNT,
	PART_SUM,
	PART_MIN,
	PART_MAX,
	PART_MEAN,
	PART_BUCKETS,
	PART_ESTIMATE,
	PART_QUANTILE, /* the expression's real: which */
	PART_BITS,     /* those that any of the numbers has */
	PART_ODD_BITS, /* those that an odd number of them have */
	PART_ERROR,    /* of a count: at most so much of it is of other keys */
};

struct member {
	const char *name;
	struct expr *value;
	struct member *next;
};

struct expr {
	enum expr_kind kind;
	enum expr_op op;
	enum keep_part part;
	struct type type;
	struct query_span span;
	struct expr *a, *b, *c;
	uint64_t value;
	/* READ: 1 + the block that it is a part of; KEEP: 1 + where negative numbers are kept; 0: none */
	uint32_t which;
	double real;
	const char *text;
	struct member *members;
	bool in_probe, in_final; /* has something of that stage */
	bool is_pointer;         /* STRING: a pointer to characters, whose value is a itself where a number is wanted */
	bool is_given;           /* CONST: it comes of a parameter, so the probe may have it as a setting */
	/*
	 * Operations of it, written out as a tree. Names that use others twice make it large with few words, so it has
	 * a limit: then everything may walk over it as over a tree.
	 */
	uint32_t size;
};

enum { EXPR_SIZE_MOST = 10000 };

/* A text of the target: as a part of a key or a record it has value bytes. */
static inline bool is_text_part(const struct expr *e)
{
	return e->kind == EXPR_STRING || (e->kind == EXPR_CAPTURE && e->type.kind == TYPE_TEXT);
}

/* Where they are made. Constants are folded: the sign of one decides what it fits. */
struct expr_maker {
	struct query_arena *arena;
	struct query_error *err;
	const struct ward_types *const *types; /* of each site; NULL: none are known */
};

/*
 * All return an expression. If the operands don't fit each other, err is set, and what is returned has no meaning; it
 * may be used to make others.
 */
struct expr *expr_new(struct expr_maker *m, enum expr_kind kind, struct type type, struct query_span span);
struct expr *expr_number(struct expr_maker *m, struct type type, uint64_t value, struct query_span span);
struct expr *expr_unary(struct expr_maker *m, enum expr_op op, struct expr *a, struct query_span span);
struct expr *expr_binary(struct expr_maker *m, enum expr_op op, struct expr *a, struct expr *b, struct query_span span);
struct expr *expr_cond(struct expr_maker *m, struct expr *cond, struct expr *a, struct expr *b, struct query_span span);
/* `type`: as query_is_type has them. */
struct expr *expr_cast(struct expr_maker *m, const char *type, struct expr *a, struct query_span span);
/* Bytes of a text. */
struct expr *expr_length(struct expr_maker *m, struct expr *text, struct query_span span);
/* ==, !=, StartsWith */
bool text_compares(enum expr_op op, const char *a, const char *b);
/* a + b, of which one is a text. */
struct expr *expr_join_texts(struct expr_maker *m, struct expr *a, struct expr *b, struct query_span span);
/* As a condition: a number is true unless it is 0. */
struct expr *expr_bool(struct expr_maker *m, struct expr *a);

/* A text that a pointer leads to, as that pointer; all else as it is. */
struct expr *pointer_of(struct expr *e);

bool expr_equal(const struct expr *a, const struct expr *b);
bool type_is_number(struct type t);
/* "a text", "a number": for messages. */
const char *type_name(struct type t);
struct type type_of_name(const char *name);
enum expr_op expr_op_of(const char *op);
const char *expr_op_text(enum expr_op op);

/* What an operator makes of two numbers of 64 bits. False: a division by zero. */
bool expr_compute(enum expr_op op, bool is_signed, uint64_t a, uint64_t b, uint64_t *result);
/* A number with so many bits, as one of 64. */
uint64_t expr_extend(struct type type, uint64_t value);

/* For people, as it might be written: `arg2 / 1024`. */
void expr_print(const struct expr *e, FILE *file);

/* Number n in the table of a site. */
#define TYPE_NUMBER(site, n) ((uint32_t)(site) << 24 | (uint32_t)(n))

#define TYPE_OF(...) ((struct type){__VA_ARGS__})
#define TYPE_LONG TYPE_OF(.kind = TYPE_INT, .bits = 64, .is_signed = true)
#define TYPE_ULONG TYPE_OF(.kind = TYPE_INT, .bits = 64)
#define TYPE_LITERAL TYPE_OF(.kind = TYPE_INT, .bits = 64, .is_signed = true, .is_literal = true)
#define TYPE_A(k) TYPE_OF(.kind = TYPE_##k, .bits = 64)

#endif
