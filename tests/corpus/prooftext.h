/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Proofs in words, for proofs that lie. Words are separated by blanks:
 *
 *	17  0x11         an unsigned number (LEB128, which for less than 128 is also a byte)
 *	s:-5  b:129      a signed number; one byte
 *	v:2              the proof's version, if it isn't 1
 *	@label  @label+1 the offset of a label in the text
 *	rax … r15        a location that is a register;  slot:2  one that is a stack slot
 *	uninit saved number pointer bytes          kinds of claims
 *	event state stack rodata data              regions
 *
 * Anything that starts with a dot is ignored: ".block", ".depth" make it readable. The header and the seal are added.
 */
#ifndef WARD_TESTS_PROOFTEXT_H
#define WARD_TESTS_PROOFTEXT_H

#include "case.h"

/* Make the words the module's proof. False with a message if one has no meaning. */
bool proof_assemble(const struct corpus_case *c, const char *words, struct ward_buf *module);

#endif
