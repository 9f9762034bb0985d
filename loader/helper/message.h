/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libward and ward-helper send each other. message.c describes how it is sent and checked.
 *
 *   libward                                ward-helper
 *        ←────────────────────────── HELLO   its version
 *   ATTACH ────────────────────────────→     what to attach, and where; with the image's file and a pidfd
 *        ←───────────────────────── REPORT   for each site
 *        ←───────────────────────── ANSWER   the result; where the state is, with its file
 *   DETACH ────────────────────────────→
 *        ←───────────────────────── ANSWER
 *
 * or, instead of ATTACH, to another helper when the first one has died:
 *
 *   CLEAN  ────────────────────────────→     take off what it has left
 *        ←───────────────────────── ANSWER
 */
#ifndef WARD_LOADER_MESSAGE_H
#define WARD_LOADER_MESSAGE_H

#include "ward/ward.h"

enum {
	WL_PROTOCOL = 2,          /* changes with these structures */
	WL_MESSAGE_MAX = 200000,  /* bytes of one message; a socket takes a little more at a time */
	WL_MESSAGE_TEXT = 24000,  /* a longer text is cut */
	WL_MESSAGE_FILES = 2,     /* that come with one message */
	WL_MESSAGE_TEXTS = 65536, /* bytes of the texts of an ATTACH */
};

enum wl_message_kind { WL_HELLO = 1, WL_ATTACH, WL_REPORT, WL_ANSWER, WL_DETACH, WL_CLEAN };

/* Each message begins so; behind its structure follow its texts, each with a zero at its end. */
struct wl_message_head {
	uint32_t kind;
	uint32_t size; /* of the whole message */
};

struct wl_hello {
	struct wl_message_head head;
	uint32_t protocol;
	char version[36]; /* ends with a zero */
};

/* Texts: the site, more sites, then what is allowed. Files: the image, sealed; a pidfd of the sender. */
struct wl_attach_message {
	struct wl_message_head head;
	uint64_t max_insns;
	uint32_t max_stack, max_state, max_threads;
	uint32_t has_site; /* 0: the module's own */
	uint32_t n_more_sites, n_allow;
	uint32_t reports; /* 1: sites are reported */
	uint32_t both_ends, ordered_times;
};

/* Texts of a report, in this order; those that need not be there are empty then. */
enum {
	WL_TEXT_SITE,
	WL_TEXT_PROBE,
	WL_TEXT_METHOD,
	WL_TEXT_REASON,
	WL_TEXT_CHOSEN,
	WL_TEXT_ARGUMENTS,
	WL_TEXT_SYMBOL,
	WL_TEXT_MODULE,
	WL_REPORT_TEXTS
};

struct wl_report_message {
	struct wl_message_head head;
	uint64_t address, inlined;
	uint32_t number, exits;
	uint32_t present; /* bit i: text i isn't NULL */
	uint32_t zero;
};

/* Texts: of the error. File: the state's, after an ATTACH that succeeded. */
struct wl_answer_message {
	struct wl_message_head head;
	int32_t rc;
	uint32_t n_attached;
	uint64_t states_offset, shared_size;
	uint64_t stacks_offset;    /* 0: no stacks are taken */
	struct ward_pauses pauses; /* so far */
};
enum { WL_ERROR_TEXTS = 3 };

/* DETACH and CLEAN. */
struct wl_order_message {
	struct wl_message_head head;
};

/* One that was received. Files that are taken from it are set to -1. */
struct wl_message {
	_Alignas(8) uint8_t bytes[WL_MESSAGE_MAX];
	size_t size;
	int file[WL_MESSAGE_FILES];
	unsigned n_files;
};

enum wl_received { WL_RECEIVED, WL_CLOSED, WL_MALFORMED };

/*
 * Send the message of `size` bytes, whose head needs only its kind, with texts (NULL: an empty one) and files. False if
 * the other side is gone, or it is too long.
 */
bool wl_message_send(int to, void *message, size_t size, const char *const *texts, size_t n_texts, const int *files,
	unsigned n_files);

/* Receive the next one. It is received again after wl_message_done, which closes the files that were not taken. */
enum wl_received wl_message_receive(int from, struct wl_message *m);
void wl_message_done(struct wl_message *m);

/* The message, if it is one of that kind with so many files, and its structure is whole; else NULL. */
const void *wl_message_as(const struct wl_message *m, enum wl_message_kind kind, size_t size, unsigned n_files);

/* The texts behind a structure of `size` bytes. False unless there are exactly n. */
bool wl_message_texts(const struct wl_message *m, size_t size, const char **texts, size_t n);

/* Make a HELLO, and check one: NULL, or the version of the other side, which isn't ours. */
void wl_hello_make(struct wl_hello *hello);
const char *wl_hello_other(const struct wl_hello *hello);

#endif
