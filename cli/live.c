/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward trace --live: draw what a probe has kept so far, once a second.
 *
 * It uses the terminal's alternate screen, so the first screen is there again afterwards. Lines aren't broken: what is
 * wider than the terminal, or below its end, isn't shown. Each frame is written over the last one in one piece, from
 * the upper left corner, so nothing flickers. The terminal is restored when the trace ends, for whatever reason, and
 * while the trace is suspended by Ctrl-Z.
 */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli.h"

enum { BAR = 30, DEFAULT_ROWS = 24 };

static volatile sig_atomic_t suspend;

static void on_suspend(int sig)
{
	(void)sig;
	suspend = 1;
}

/* the second screen, without cursor and without line breaks of its own */
static const char TAKE[] = "\033[?1049h\033[?25l\033[?7l";
static const char GIVE[] = "\033[?7h\033[?25h\033[?1049l"; /* and back */

/* How the keyboard was, if its keys are ours now. */
static struct termios keyboard;
static volatile sig_atomic_t keyboard_taken;

static void give_keyboard(void)
{
	if (keyboard_taken)
		tcsetattr(STDIN_FILENO, TCSANOW, &keyboard);
	keyboard_taken = 0;
}

/* Each key comes at once, and isn't shown. Signals are made as before. In the background they are others'. */
static void take_keyboard(void)
{
	struct termios raw;
	if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() || tcgetattr(STDIN_FILENO, &keyboard) != 0)
		return;
	raw = keyboard;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 1;
	raw.c_cc[VTIME] = 0;
	keyboard_taken = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

int cli_live_key(struct cli_live *l)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	unsigned char key;
	if (!l->on || !keyboard_taken || poll(&in, 1, 0) != 1 || !(in.revents & POLLIN) ||
		read(STDIN_FILENO, &key, 1) != 1)
		return -1;
	return key;
}

/* Ctrl-\ ends us at once, but for that. The other signals that people end us with are the trace's. */
static void on_quit(int sig)
{
	give_keyboard();
	if (write(STDERR_FILENO, GIVE, sizeof(GIVE) - 1) < 0)
		_exit(128 + sig);
	raise(sig); /* as it was before, when this has returned */
}

static void take_terminal(struct cli_live *l)
{
	struct sigaction action = {.sa_handler = on_suspend}; /* no SA_RESTART: waiting ends */
	sigaction(SIGTSTP, &action, &l->before);
	if (l->before.sa_handler == SIG_IGN) /* a shell without job control */
		sigaction(SIGTSTP, &l->before, NULL);
	sigaction(SIGQUIT, &(struct sigaction){.sa_handler = on_quit, .sa_flags = (int)SA_RESETHAND}, &l->before_quit);
	if (l->before_quit.sa_handler == SIG_IGN)
		sigaction(SIGQUIT, &l->before_quit, NULL);
	if (l->keys)
		take_keyboard();
	fputs(TAKE, stderr);
	fflush(stderr);
	l->on = true;
}

void cli_live_end(struct cli_live *l)
{
	if (!l->on)
		return;
	give_keyboard();
	fputs(GIVE, stderr);
	fflush(stderr);
	sigaction(SIGTSTP, &l->before, NULL);
	sigaction(SIGQUIT, &l->before_quit, NULL);
	l->on = false;
}

bool cli_live_possible(void)
{
	const char *term = getenv("TERM");
	return isatty(STDERR_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

/* As if we had never caught it: we stop here, and go on from here. */
static void suspend_trace(struct cli_live *l)
{
	suspend = 0;
	cli_live_end(l);
	raise(SIGTSTP);
	l->drawn = 0;
}

static unsigned rows_of_terminal(void)
{
	struct winsize size;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row ? size.ws_row : DEFAULT_ROWS;
}

void cli_live_progress(struct cli_output *out, double elapsed, double duration)
{
	fprintf(out->file, "%.0f s", elapsed);
	if (duration <= 0)
		return;
	unsigned full = elapsed < duration ? (unsigned)(elapsed / duration * BAR) : BAR;
	fprintf(out->file, " of %.0f s  ", duration);
	for (unsigned i = 0; i < BAR; i++)
		fputs(i < full ? out->unicode ? "█" : "#" : out->unicode ? "░" : ".", out->file);
}

static void print_frame(struct cli_live *l, struct cli_output *out, const struct cli_view *v, double elapsed)
{
	struct ward_session_stats stats;
	ward_snapshot *snapshot = NULL;
	ward_session_stats(v->session, &stats);
	double past = elapsed - l->at;
	uint64_t more = stats.events - l->events;
	cli_print_clean(out->file, v->title);
	fputs("  ", out->file);
	cli_live_progress(out, elapsed, v->duration);
	fprintf(out->file, "\n%" PRIu64 " events in %u %s%s", stats.events, stats.threads, v->of,
		stats.threads == 1 ? "" : "s");
	if (l->drawn > 0 && past > 0 && stats.events >= l->events)
		fprintf(out->file, ", %.0f a second", (double)more / past);
	fprintf(out->file, ", %" PRIu64 " dropped; Ctrl-C ends\n\n", stats.dropped);
	l->at = elapsed;
	l->events = stats.events;
	if (v->schema && cli_take_snapshot(v->session, v->schema, v->drain, &snapshot, NULL) == WARD_OK)
		cli_print_snapshot(out, snapshot);
	cli_print_unshown(out, v->schema);
	ward_snapshot_free(snapshot);
}

/* Line by line, as many as there is room for, each cleared behind its end, and what was below them. */
static void write_frame(const char *text)
{
	unsigned rows = rows_of_terminal();
	fputs("\033[H", stderr);
	for (unsigned row = 0; row < rows && *text; row++) {
		size_t n = strcspn(text, "\n");
		bool last = row + 1 == rows || !text[n] || !text[n + 1];
		fwrite(text, 1, n, stderr);
		fputs(last ? "\033[0m\033[K" : "\033[0m\033[K\r\n", stderr);
		text += n + (text[n] != 0);
	}
	fputs("\033[J", stderr);
	fflush(stderr);
}

void cli_live_show(struct cli_live *l, const char *text)
{
	if (suspend)
		suspend_trace(l);
	if (!l->on)
		take_terminal(l);
	write_frame(text);
}

void cli_live_draw(struct cli_live *l, const struct cli_view *v, double elapsed)
{
	struct cli_output out;
	char *text = NULL;
	size_t size;
	if (suspend)
		suspend_trace(l);
	if (l->drawn > 0 && elapsed < l->drawn + 1)
		return;
	FILE *file = open_memstream(&text, &size);
	if (!file)
		return; /* the next one, perhaps */
	cli_output_init(&out, stderr, false);
	out.file = file;
	out.names = v->names;
	out.clock = v->clock;
	print_frame(l, &out, v, elapsed);
	if (fclose(file) == 0)
		cli_live_show(l, text);
	free(text);
	l->drawn = elapsed > 0 ? elapsed : 1e-9;
}
