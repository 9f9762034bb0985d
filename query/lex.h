/* SPDX-License-Identifier: Apache-2.0 */
/* Characters to tokens. */
#ifndef WARD_QUERY_LEX_H
#define WARD_QUERY_LEX_H

#include "arena.h"
#include "text.h"

enum query_token_kind { TOKEN_END, TOKEN_NAME, TOKEN_INT, TOKEN_REAL, TOKEN_DURATION, TOKEN_TEXT, TOKEN_OP };

struct query_token {
	enum query_token_kind kind;
	struct query_span span;
	uint64_t integer; /* INT; DURATION: nanoseconds */
	double real;
	const char *text; /* NAME; TEXT, with its escapes resolved, which may hold no zero byte; OP: as it is written */
};

struct query_lexer {
	const struct query_text *text;
	struct query_arena *arena;
	struct query_error *err;
	uint32_t at;
};

/* The next token. After an error it is END. */
struct query_token query_lex(struct query_lexer *l);

#endif
