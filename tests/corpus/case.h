/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A corpus file: assembly whose first lines say what it is.
 *
 *	# attack: what a hostile one tries             # shows: what a good one shows
 *	# property: P1                                 # rules: V-31 V-60     (whose accepting side it tests)
 *	# class: prefix-games                         kinds of attack known from the literature, by their names in
 *	                                              classes.h
 *	# expect: V-31 store-outside-region bad        one line for each violation, in the verifier's order: rule,
 *	                                               reason, and a label of the assembly (or label+N) that the
 *	                                               violation's address must equal; - for 0; and if there are many
 *	                                               such, how many, of which the first is there
 *	# says: may wrap                               words that the first violation's detail must hold
 *	# ends: a claim                                words that it must end with
 *	# state: 64                                    bytes of state; also profile: kernel, max-insns:, max-stack:,
 *	                                               allow: (names)
 *	# needs: df-clear ac-clear                    of a good one: what the first entry needs of its caller, all of
 *	                                              it; "nothing"
 *	# exit: return done 5                          of a good one for the kernel: where control leaves the text, in
 *	                                               order: a return, call or jump, a label, how many bytes may be
 *	                                               replaced
 *	# proof: …                                     a proof in the words of prooftext.h instead of an inferred one
 */
#ifndef WARD_TESTS_CASE_H
#define WARD_TESTS_CASE_H

#include "edit.h"
#include "ward/verify.h"

enum { CASE_MAX_EXPECT = 16, CASE_MAX_ALLOW = 16, CASE_TEXT = 200 };

struct expectation {
	char rule[8], reason[64], label[64];
	unsigned times;
};

struct corpus_exit {
	char kind[8], label[64];
	uint32_t room;
};

struct corpus_case {
	char name[128];
	char attack[CASE_TEXT], property[8], shows[CASE_TEXT], rules[CASE_TEXT], says[CASE_TEXT], ends[CASE_TEXT],
		classes[CASE_TEXT], allow[CASE_TEXT], needs[CASE_TEXT];
	struct expectation expect[CASE_MAX_EXPECT];
	size_t n_expect;
	struct corpus_exit exit[CASE_MAX_EXPECT];
	size_t n_exits;
	unsigned long state, max_insns, max_stack;
	bool kernel;
	char *proof; /* malloc'd, or NULL */
	struct ward_buf object, module;
};

/* Read a case's header. False with a message on stderr if a line has no meaning or a needed one is missing. */
bool case_read(const char *path, bool hostile, struct corpus_case *c);
/* Assemble it in `dir`, link it, and give it its proof: c->object and c->module. False with a message. */
bool case_build(const char *path, const char *dir, struct corpus_case *c);
/* The address in the module of a label (label+N) of the assembly's text; false if there is no such label. */
bool case_address(const struct corpus_case *c, const char *label, uint64_t *address);
/* The case's limits; the names that it allows go into `allow`, their bytes into `words`. */
void case_options(const struct corpus_case *c, struct ward_verify_options *options, const char *allow[CASE_MAX_ALLOW],
	char words[CASE_TEXT]);
/* Verify a module with them. */
struct ward_verdict *case_verify(const struct corpus_case *c, const struct ward_buf *module);
/*
 * Is it refused with exactly the violations that the file lists, or accepted if it lists none? Tells on stderr what is
 * otherwise.
 */
bool case_holds(const struct corpus_case *c, const struct ward_verdict *v);
void case_free(struct corpus_case *c);

#endif
