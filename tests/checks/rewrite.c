/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a copy of a source file of the verifier in which each check can be turned off.
 *
 * The verifier itself needs no change for this: the copy is made from its source as it is. So a new check is in the
 * next copy without any work of its author. The copy does what the original does until a site is turned off (site.h).
 *
 * A check is a condition that decides whether something is refused or granted, and each part of it that alone keeps
 * something out:
 *
 *   if (a || b && c) <refuse>        a alone, and (b && c): forced to be false
 *   if (a && (b || c)) <grant>       a alone, and (b || c): forced to be true
 *   return a && b;                   in a function that returns bool: a alone, b alone: forced to be true
 *
 * To refuse is to report, to return false or a reason, or to give up what is known (wv_num_any, …). To grant is to
 * return true, to return no reason, or to return from a function that refuses further down. A condition that does
 * neither is a choice. So is the value of a variable, and every condition in arithmetic on abstract numbers, where no
 * outcome refuses anything. A choice is forced both ways. A statement is a step, which can be left out: what it
 * remembers, forgets, sums or reports is then missing. The tests must catch each check (run.c); choices and steps are
 * counted.
 *
 * This reads C as the verifier writes it: tokens, statements, and the operators !, && and ||. It leaves alone what it
 * doesn't understand, and doesn't look into macros.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TOKENS = 40000, MAX_SITES = 4000 };

struct token {
	size_t at, end;
	bool word, text; /* an identifier or keyword; a string */
};

struct site {
	size_t at, end; /* of what is wrapped; a step: where the statement begins, twice */
	char kind;      /* 'c' check, 'o' choice, 's' step */
	bool to;
	size_t shown, shown_end, function;
};

struct copy {
	char *in;
	size_t size;
	struct token token[MAX_TOKENS + 1]; /* one more, empty, at the end */
	size_t n;
	struct site site[MAX_SITES];
	size_t n_sites;
	size_t function;                         /* the token of its name */
	bool returns_bool, returns_why, refuses; /* of the function at hand */
	bool numbers;                            /* it refuses nothing: what it does is held against arithmetic */
	bool all_numbers;                        /* so do nearly all functions of the file */
};

static void die(const char *what)
{
	fprintf(stderr, "rewrite: %s\n", what);
	exit(1);
}

/* ---- Tokens ---- */

static size_t skip_directive(const struct copy *c, size_t i)
{
	while (i < c->size && c->in[i] != '\n')
		i += c->in[i] == '\\' ? 2 : 1;
	return i;
}

static size_t skip_comment(const struct copy *c, size_t i)
{
	char *end = strstr(c->in + i + 2, "*/");
	return end ? (size_t)(end - c->in) + 2 : c->size;
}

static size_t skip_quoted(const struct copy *c, size_t i)
{
	char quote = c->in[i++];
	while (i < c->size && c->in[i] != quote)
		i += c->in[i] == '\\' ? 2 : 1;
	return i + 1;
}

static void add_token(struct copy *c, size_t at, size_t end, bool word, bool text)
{
	if (c->n == MAX_TOKENS)
		die("too many tokens");
	c->token[c->n++] = (struct token){at, end, word, text};
}

static size_t operator_length(const char *s)
{
	static const char *const two[] = {"&&", "||", "->", "==", "!=", "<=", ">=", "<<", ">>", "++", "--",
		"+=", "-=", "|=", "&=", "^=", "%=", "*="};
	for (size_t i = 0; i < sizeof(two) / sizeof(two[0]); i++)
		if (!strncmp(s, two[i], 2))
			return 2;
	return 1;
}

static void read_tokens(struct copy *c)
{
	bool fresh = true; /* nothing but space on this line so far */
	for (size_t i = 0; i < c->size;) {
		char ch = c->in[i];
		size_t end = i + 1;
		if (isspace((unsigned char)ch)) {
			fresh |= ch == '\n';
			i++;
			continue;
		}
		if (ch == '#' && fresh) {
			i = skip_directive(c, i);
			continue;
		}
		fresh = false;
		if (ch == '/' && c->in[i + 1] == '*') {
			i = skip_comment(c, i);
			continue;
		}
		bool word = isalpha((unsigned char)ch) || ch == '_', quoted = ch == '"' || ch == '\'';
		if (quoted)
			end = skip_quoted(c, i);
		else if (isalnum((unsigned char)ch) || ch == '_')
			while (isalnum((unsigned char)c->in[end]) || c->in[end] == '_')
				end++;
		else
			end = i + operator_length(c->in + i);
		add_token(c, i, end, word, ch == '"');
		i = end;
	}
	c->token[c->n] = (struct token){c->size, c->size, false, false};
}

static bool is(const struct copy *c, size_t t, const char *word)
{
	size_t n = c->token[t].end - c->token[t].at;
	return t < c->n && strlen(word) == n && !memcmp(c->in + c->token[t].at, word, n);
}

static bool among(const struct copy *c, size_t t, const char *const *words)
{
	for (; *words; words++)
		if (is(c, t, *words))
			return true;
	return false;
}

static bool opens(const struct copy *c, size_t t)
{
	return is(c, t, "(") || is(c, t, "[") || is(c, t, "{");
}

static bool closes(const struct copy *c, size_t t)
{
	return is(c, t, ")") || is(c, t, "]") || is(c, t, "}");
}

/* The token after the bracket that closes the one at `t`. */
static size_t past_bracket(const struct copy *c, size_t t)
{
	int depth = 0;
	for (; t < c->n; t++) {
		depth += opens(c, t) - closes(c, t);
		if (!depth)
			return t + 1;
	}
	die("a bracket without its partner");
	return c->n;
}

/* The next token in [from, to) that is one of the words and in no bracket, or `to`. */
static size_t find_outside(const struct copy *c, size_t from, size_t to, const char *const *words)
{
	for (size_t t = from; t < to; t = opens(c, t) ? past_bracket(c, t) : t + 1)
		if (among(c, t, words))
			return t;
	return to;
}

/* ---- Sites ---- */

/* Tokens [from, to) as a condition that is forced. */
static void add_site(struct copy *c, size_t from, size_t to, char kind, bool value)
{
	size_t at = c->token[from].at, end = c->token[to - 1].end;
	if (c->n_sites == MAX_SITES)
		die("too many sites");
	c->site[c->n_sites++] = (struct site){at, end, kind, value, at, end, c->function};
}

static void add_step(struct copy *c, size_t from, size_t to)
{
	size_t at = c->token[from].at;
	if (c->n_sites == MAX_SITES)
		die("too many sites");
	c->site[c->n_sites++] = (struct site){at, at, 's', true, at, c->token[to - 1].end, c->function};
}

static const char *const or_[] = {"||", NULL}, *const and_[] = {"&&", NULL}, *const question[] = {"?", NULL},
			 *const comma[] = {",", NULL}, *const semicolon[] = {";", NULL}, *const equals[] = {"=", NULL},
			 *const colon[] = {":", NULL};

/* Brackets around the whole of [*from, *to) don't count; *value turns with each `!`. */
static void strip(const struct copy *c, size_t *from, size_t *to, bool *value)
{
	while (*from < *to) {
		if (is(c, *from, "(") && past_bracket(c, *from) == *to) {
			++*from;
			--*to;
		} else if (is(c, *from, "!") && is(c, *from + 1, "(") && past_bracket(c, *from + 1) == *to) {
			*value = !*value;
			++*from;
		} else {
			break;
		}
	}
}

/*
 * Is it a chain of the operator that gives `value` as soon as one of its parts does: || for false, && for true? Each
 * part alone then keeps something out.
 */
static bool separable(const struct copy *c, size_t from, size_t to, bool value)
{
	strip(c, &from, &to, &value);
	bool has_or = find_outside(c, from, to, or_) < to, has_and = find_outside(c, from, to, and_) < to;
	if (find_outside(c, from, to, question) < to)
		return false;
	if (has_or && !value)
		return true;
	if (has_and && !has_or && value)
		return true;
	const char *const *op = has_or ? or_ : and_;
	if (!has_or && !has_and)
		return false;
	for (size_t part = from; part < to;) {
		size_t end = find_outside(c, part, to, op);
		if (separable(c, part, end, value))
			return true;
		part = end + 1;
	}
	return false;
}

/* Sites for the parts of the condition [from, to) by which it isn't `value`. */
static void split(struct copy *c, size_t from, size_t to, char kind, bool value)
{
	size_t whole_from = from, whole_to = to;
	bool whole_value = value;
	if (from >= to)
		return;
	strip(c, &from, &to, &value);
	if (!separable(c, from, to, value)) {
		add_site(c, whole_from, whole_to, kind, whole_value);
		return;
	}
	bool has_or = find_outside(c, from, to, or_) < to;
	const char *const *op = has_or ? or_ : and_;
	bool each = has_or != value; /* else only those parts that can be taken apart */
	for (size_t part = from; part < to;) {
		size_t end = find_outside(c, part, to, op);
		if (each || separable(c, part, end, value))
			split(c, part, end, kind, value);
		part = end + 1;
	}
}

/* ---- Statements ---- */

static const char *const reporting[] = {
	"wv_report", "file_error", "layout_error", "note_error", "proof_malformed", "decode_refuse", NULL};
static const char *const giving_up[] = {
	"wv_num_any", "wv_any_of", "wv_val_uninit", "any_number", "WV_DIVIDES_BY_ZERO", "WV_DIVIDES_TOO_BIG", NULL};
/* Statements that only make text, or tell somebody who looks on. */
static const char *const no_steps[] = {"snprintf", "vsnprintf", "va_start", "va_end", "wv_val_print", "wv_insn_print",
	"free", "o", "claim_explain", "(", NULL};
static const char *const declares[] = {"struct", "const", "static", "unsigned", "int", "enum", "char", "bool", "size_t",
	"uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t", "u128", "s128",
	"type", "va_list", NULL};

static bool reports(const struct copy *c, size_t from, size_t to)
{
	for (size_t t = from; t < to; t++)
		if (among(c, t, reporting))
			return true;
	return false;
}

static bool refuses(const struct copy *c, size_t from, size_t to)
{
	for (size_t t = from; t < to; t++) {
		bool gives = is(c, t, "return") && (is(c, t + 1, "false") || c->token[t + 1].text ||
							   (is(c, t + 1, "NULL") && !c->returns_why));
		if (gives || among(c, t, reporting) || among(c, t, giving_up) ||
			(is(c, t, "=") && c->token[t + 1].text) ||
			(is(c, t, "return") && (is(c, t + 1, "WV_NOREG") || is(c, t + 1, "WV_NO_LOOP"))))
			return true;
	}
	return false;
}

/*
 * The statement that [from, to) is, as far as it grants: it leaves the function, or the round of a loop, without a
 * refusal.
 */
static bool grants(const struct copy *c, size_t from, size_t to)
{
	for (size_t t = from; t < to; t++) {
		bool leaves = (is(c, t, "return") && is(c, t + 1, ";")) || is(c, t, "continue");
		if ((leaves && c->refuses) ||
			(is(c, t, "return") && (is(c, t + 1, "true") || (is(c, t + 1, "NULL") && c->returns_why))))
			return true;
	}
	return false;
}

/*
 * Functions whose "no" means that something can't be, so that nothing need be checked of it; never to say it costs
 * precision only, and whether it is said wrongly the oracles ask. And what is but quicker, or for tests.
 */
static bool only_precise(const struct copy *c)
{
	static const char *const part[] = {"sync", "align_", "learn_bits", "meet", "assume", "refine", "narrow",
		"with_carry", "_valid", "is_any", "same_", "print"};
	char name[64];
	size_t n = c->token[c->function].end - c->token[c->function].at;
	snprintf(name, sizeof(name), "%.*s", (int)n, c->in + c->token[c->function].at);
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		if (strstr(name, part[i]) && strcmp(name, "same_loc") != 0)
			return true;
	return !strcmp(name, "same");
}

static bool is_within(const struct copy *c)
{
	return is(c, c->function, "wv_num_within") || is(c, c->function, "congruence_within") ||
	       is(c, c->function, "wv_num_has");
}

static bool is_declaration(const struct copy *c, size_t from)
{
	if (among(c, from, declares))
		return true;
	return c->token[from].word && c->token[from + 1].word; /* Elf64_Ehdr x */
}

/* bool a = …, b = …; */
static void take_booleans(struct copy *c, size_t from, size_t to)
{
	for (size_t part = from + 1; part < to;) {
		size_t end = find_outside(c, part, to, comma), value = find_outside(c, part, end, equals) + 1;
		if (value < end && !is(c, value, "{") && end > value + 1) {
			split(c, value, end, 'o', true);
			split(c, value, end, 'o', false);
		}
		part = end + 1;
	}
}

static size_t statement(struct copy *c, size_t t);

static size_t block(struct copy *c, size_t t)
{
	size_t end = past_bracket(c, t);
	for (t++; t < end - 1;)
		t = statement(c, t);
	return end;
}

static size_t conditional(struct copy *c, size_t t)
{
	size_t from = t + 2, to = past_bracket(c, t + 1) - 1;
	size_t then_end = statement(c, to + 1), other = then_end;
	bool refused = refuses(c, to + 1, then_end), granted = grants(c, to + 1, then_end);
	if (is(c, then_end, "else"))
		other = statement(c, then_end + 1);
	bool other_refuses = other > then_end && refuses(c, then_end + 1, other);
	if (c->numbers) {
		split(c, from, to, 'o', true);
		split(c, from, to, 'o', false);
	} else if (refused)
		split(c, from, to, 'c', false);
	else if (granted || other_refuses)
		split(c, from, to, 'c', true);
	else {
		split(c, from, to, 'o', true);
		split(c, from, to, 'o', false);
	}
	return other;
}

/* One statement at `t`; returns the token after it. */
static size_t statement(struct copy *c, size_t t)
{
	if (is(c, t, "{"))
		return block(c, t);
	if (is(c, t, "if"))
		return conditional(c, t);
	if (is(c, t, "for") || is(c, t, "while") || is(c, t, "switch")) {
		size_t body = past_bracket(c, t + 1);
		return is(c, body, ";") ? body + 1 : statement(c, body);
	}
	if (is(c, t, "case") || is(c, t, "default"))
		return statement(c, find_outside(c, t, c->n, colon) + 1);
	size_t end = find_outside(c, t, c->n, semicolon);
	if (is(c, t, "return")) {
		if (c->returns_bool && end > t + 2 && !reports(c, t, end)) {
			split(c, t + 1, end, c->numbers ? 'o' : 'c', true);
			if (c->numbers)
				split(c, t + 1, end, 'o', false);
		}
	} else if (is(c, t, "bool")) {
		take_booleans(c, t, end);
	} else if (!is(c, t, "break") && !is(c, t, "continue") && !is(c, t, ";") && !is_declaration(c, t) &&
		   !among(c, t, no_steps)) {
		add_step(c, t, end);
	}
	return end + 1;
}

/* A function's body is the bracket after its parameters; its name stands before them. */
static void functions(struct copy *c)
{
	size_t start = 0;
	for (size_t t = 0; t < c->n;) {
		if (is(c, t, ";") || is(c, t, "}")) {
			start = ++t;
		} else if (is(c, t, "{")) {
			size_t end = past_bracket(c, t);
			if (t > 0 && is(c, t - 1, ")")) {
				size_t open = t - 1;
				while (open > start && !(is(c, open, "(") && past_bracket(c, open) == t))
					open--;
				c->function = open - 1;
				c->returns_bool = is(c, c->function - 1, "bool");
				c->returns_why = is(c, c->function - 1, "*") && is(c, c->function - 2, "char");
				c->refuses = refuses(c, t, end);
				c->numbers = only_precise(c) || (c->all_numbers && !is_within(c));
				block(c, t);
			}
			start = t = end;
		} else {
			t++;
		}
	}
}

/* ---- The copy ---- */

/* Something to insert: the end of a site before its beginning, the outer beginning before the inner. */
struct edit {
	size_t at;
	bool begins;
	size_t end, index;
	bool step;
};

static int by_place(const void *x, const void *y)
{
	const struct edit *a = x, *b = y;
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->begins != b->begins)
		return a->begins ? 1 : -1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void print_text(FILE *out, const struct copy *c, size_t from, size_t to)
{
	bool space = false;
	putc('"', out);
	for (size_t i = from; i < to; i++) {
		if (isspace((unsigned char)c->in[i])) {
			space = true;
			continue;
		}
		if (space)
			putc(' ', out);
		space = false;
		if (c->in[i] == '"' || c->in[i] == '\\')
			putc('\\', out);
		putc(c->in[i], out);
	}
	putc('"', out);
}

static unsigned line_of(const struct copy *c, size_t at)
{
	unsigned line = 1;
	for (size_t i = 0; i < at; i++)
		line += c->in[i] == '\n';
	return line;
}

static void write_body(FILE *out, const struct copy *c, const char *table)
{
	static struct edit edits[2 * MAX_SITES];
	size_t n = 0, at = 0;
	for (size_t i = 0; i < c->n_sites; i++) {
		const struct site *s = &c->site[i];
		bool step = s->kind == 's';
		edits[n++] = (struct edit){s->at, true, s->end, i, step};
		if (!step)
			edits[n++] = (struct edit){s->end, false, 0, i, false};
	}
	qsort(edits, n, sizeof(edits[0]), by_place);
	for (size_t i = 0; i < n; i++) {
		fwrite(c->in + at, 1, edits[i].at - at, out);
		at = edits[i].at;
		if (edits[i].step)
			fprintf(out, "if (!ward_site_done(&%s[%zu])); else ", table,
				edits[i].index); /* an else that follows is not its own */
		else if (edits[i].begins)
			fprintf(out, "ward_site_is(&%s[%zu], (", table, edits[i].index);
		else
			fputs("))", out);
	}
	fwrite(c->in + at, 1, c->size - at, out);
}

static void write_table(FILE *out, const struct copy *c, const char *table, const char *name)
{
	fprintf(out, "\n#ifndef %s_defined\n#define %s_defined\n__attribute__((weak)) struct ward_site %s[] = {\n",
		table, table, table);
	for (size_t i = 0; i < c->n_sites; i++) {
		const struct site *s = &c->site[i];
		fprintf(out, "\t{\"%s\", %u, '%c', %d, ", name, line_of(c, s->at), s->kind, s->to);
		print_text(out, c, c->token[s->function].at, c->token[s->function].end);
		fputs(", ", out);
		print_text(out, c, s->shown, s->shown_end);
		fputs("},\n", out);
	}
	fprintf(out,
		"};\n__attribute__((constructor)) static void %s_enter(void)\n{\n\tward_site_enter(%s, "
		"%zu);\n}\n#endif\n",
		table, table, c->n_sites);
}

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t n = f ? getdelim(&text, &room, 0, f) : -1;
	if (n < 0)
		die(path);
	fclose(f);
	*size = (size_t)n;
	return text;
}

int main(int argc, char **argv)
{
	static struct copy c;
	char table[256];
	if (argc != 3) {
		fprintf(stderr, "usage: ward-rewrite SOURCE COPY\n");
		return 2;
	}
	c.in = read_file(argv[1], &c.size);
	const char *slash = strrchr(argv[1], '/'), *name = slash ? slash + 1 : argv[1];
	c.all_numbers = !strcmp(name, "num.c") || !strcmp(name, "bits.c");
	read_tokens(&c);
	functions(&c);
	snprintf(table, sizeof(table), "ward_sites_%s", name);
	for (char *p = table; *p; p++)
		*p = isalnum((unsigned char)*p) ? *p : '_';
	FILE *out = fopen(argv[2], "w");
	if (!out)
		die(argv[2]);
	if (c.n_sites)
		fprintf(out, "#include \"site.h\"\nextern struct ward_site %s[];\n", table);
	fprintf(out, "#line 1 \"%s\"\n", argv[1]);
	write_body(out, &c, table);
	if (c.n_sites)
		write_table(out, &c, table, name);
	free(c.in);
	return fclose(out) != 0;
}
