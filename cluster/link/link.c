/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ward-agent-link: all bytes of the network end here, in a process without rights. It hands what coordinators say on
 * to ward-agent, as bytes, and what that says on to the bus. It holds the machine's credentials and nothing else.
 * Whoever takes it over can do what the bus could: drop, delay, repeat.
 */
#include <errno.h>
#include <getopt.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#include "cluster/base/error.h"
#include "cluster/base/notify.h"
#include "cluster/bus/bus.h"
#include "cluster/wire/channel.h"
#include "cluster/wire/subject.h"

enum { USAGE = 2, ROUND = 256, WAIT_MS = 100, MOST_SETTINGS = 64 << 10 };

struct link {
	const char *socket, *creds;
	int64_t jitter_ms; /* 0: as the bus has it */
	struct channel channel;
	bus *bus;
	uint64_t connects; /* as of the last state that was told the agent */
	bool is_connected;
	struct link_settings settings;
};

static volatile sig_atomic_t stopped;

static void stop_handler(int signal)
{
	(void)signal;
	stopped = 1;
}

static int error_print(const struct ward_error *err)
{
	fprintf(stderr, "ward: %s: %s\n", err->what, err->why);
	if (*err->hint)
		fprintf(stderr, "hint: %s\n", err->hint);
	return err->status == WARD_E_USAGE ? USAGE : 3;
}

/* ---- rights ---- */

/* Become that user, and have no capability, now and after an exec. */
static bool rights_drop(const char *user)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};
	struct passwd *p = user ? getpwnam(user) : NULL;

	if (user && (!p || setgroups(0, NULL) != 0 || setresgid(p->pw_gid, p->pw_gid, p->pw_gid) != 0))
		return false;
	for (int c = 0; prctl(PR_CAPBSET_READ, c) >= 0; c++)
		prctl(PR_CAPBSET_DROP, c); /* without the right to there is none to drop */
	if (user && setresuid(p->pw_uid, p->pw_uid, p->pw_uid) != 0)
		return false;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_DUMPABLE, 0) == 0 &&
	       syscall(SYS_capset, &head, none) == 0;
}

/* ---- the agent's side ---- */

static bool agent_connect(struct link *l)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd;

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", l->socket);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	channel_open(&l->channel, fd, false);
	l->connects = 0;
	return true;
}

static void agent_send(struct link *l, enum channel_kind kind, const void *bytes, size_t size)
{
	struct channel_message m = {.kind = kind, .bytes = bytes, .size = size};
	channel_send(&l->channel, &m);
}

/* ---- the bus's side ---- */

static void urls_free(struct link_settings *s)
{
	while (s->n_urls)
		free(s->urls[--s->n_urls]);
}

/* Lines "url URL", "name NAME", "ca FILE". */
static bool settings_read(struct link_settings *s, const char *text, size_t n)
{
	urls_free(s);
	*s->name = *s->ca = 0;
	while (n) {
		const char *end = memchr(text, '\n', n);
		size_t length = end ? (size_t)(end - text) : n;
		char line[LINK_LINE];
		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		if (strncmp(line, "url ", 4) == 0 && s->n_urls < LINK_URLS && (s->urls[s->n_urls] = strdup(line + 4)))
			s->n_urls++;
		else if (strncmp(line, "name ", 5) == 0 && strlen(line + 5) < sizeof(s->name))
			strcpy(s->name, line + 5);
		else if (strncmp(line, "ca ", 3) == 0)
			snprintf(s->ca, sizeof(s->ca), "%s", line + 3);
		text += length + (end != NULL);
		n -= length + (end != NULL);
	}
	return *s->name && s->n_urls;
}

bool link_subscribe(bus *b, const char *name, struct ward_error *err)
{
	static const enum cluster_subject_kind own[] = {CLUSTER_ORDER, CLUSTER_GOT};
	char text[CLUSTER_SUBJECT];

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		struct cluster_subject s = {.kind = own[i]};
		strcpy(s.name, name);
		cluster_subject_write(&s, text);
		if (bus_subscribe(b, text, err))
			return false;
	}
	return bus_subscribe(b, "ward.order.all", err) == 0 && bus_subscribe(b, "ward.beat.*", err) == 0;
}

static void bus_begin(struct link *l)
{
	struct ward_error err;
	struct bus_nats_options o = {.urls = (const char *const *)l->settings.urls,
		.n_urls = l->settings.n_urls,
		.creds = l->creds,
		.ca = *l->settings.ca ? l->settings.ca : NULL,
		.name = l->settings.name,
		.jitter_ms = l->jitter_ms};

	bus_close(l->bus);
	l->bus = NULL;
	l->connects = 0;
	l->is_connected = false;
	if (bus_nats_open(&o, &l->bus, &err) || !link_subscribe(l->bus, l->settings.name, &err))
		error_print(&err);
}

/* To the subject of its kind. */
static void message_publish(struct link *l, const struct channel_message *m)
{
	static const enum cluster_subject_kind kinds[CHANNEL_KINDS] = {[CHANNEL_HELLO] = CLUSTER_HELLO,
		[CHANNEL_WANT] = CLUSTER_WANT,
		[CHANNEL_NOTE] = CLUSTER_NOTE,
		[CHANNEL_PART] = CLUSTER_PART,
		[CHANNEL_RECORD] = CLUSTER_RECORD};
	struct cluster_subject s = {.kind = kinds[m->kind], .shard = m->shard};
	char text[CLUSTER_SUBJECT];

	memcpy(s.query, m->query, CLUSTER_ID);
	strcpy(s.name, l->settings.name);
	cluster_subject_write(&s, text);
	if (l->bus)
		bus_publish(l->bus, text, m->bytes, m->size, NULL); /* what isn't sent now, is said again */
}

static bool agent_take(struct link *l)
{
	struct channel_message m;

	for (int i = 0; i < ROUND; i++)
		switch (channel_take(&l->channel, &m)) {
		case CHANNEL_PIECE: break;
		case CHANNEL_NOTHING: return true;
		case CHANNEL_END: channel_close(&l->channel); return false;
		case CHANNEL_MESSAGE:
			if (m.kind != CHANNEL_SETTINGS)
				message_publish(l, &m);
			else if (settings_read(&l->settings, m.bytes, m.size))
				bus_begin(l);
		}
	return true;
}

/* All that comes by these subjects is signed by coordinators, or isn't taken. */
static void bus_read(struct link *l)
{
	struct bus_message m;

	for (int i = 0; i < ROUND && bus_take(l->bus, 0, &m, NULL) == 1; i++)
		agent_send(l, CHANNEL_SIGNED, m.data, m.size);
}

static void state_tell(struct link *l)
{
	struct bus_state s;
	unsigned char is_connected;

	bus_get_state(l->bus, &s);
	is_connected = s.connected;
	if (s.connects == l->connects && s.connected == l->is_connected)
		return;
	if (!s.connected)
		fprintf(stderr, "ward: bus: %s\n", *s.reason ? s.reason : "not connected");
	l->connects = s.connects;
	l->is_connected = s.connected;
	agent_send(l, CHANNEL_STATE, &is_connected, 1);
}

static void link_wait(struct link *l)
{
	struct bus_state s = {.fd = -1};

	if (l->bus)
		bus_get_state(l->bus, &s);
	struct pollfd p[] = {{.fd = l->channel.fd, .events = POLLIN}, {.fd = s.fd, .events = POLLIN}};
	poll(p, 2, WAIT_MS);
}

static void link_run(struct link *l)
{
	const struct timespec moment = {.tv_nsec = 200000000};

	cluster_notify("READY=1");
	while (!stopped) {
		cluster_notify("WATCHDOG=1");
		if (l->channel.fd < 0 && !agent_connect(l)) {
			nanosleep(&moment, NULL);
			continue;
		}
		link_wait(l);
		if (!agent_take(l)) /* a new agent says its settings anew */
			continue;
		if (l->bus) {
			state_tell(l);
			bus_read(l);
		}
	}
}

/* ---- the command line ---- */

static const char help[] =
	"usage: ward-agent-link [OPTION]...\n"
	"Carry messages between ward-agent and the bus.\n"
	"\n"
	"  --socket PATH  of ward-agent (default: /run/ward/link)\n"
	"  --creds FILE   the machine's certificate and key (default: bus.creds in $CREDENTIALS_DIRECTORY)\n"
	"  --user NAME    become this user first\n"
	"  --jitter SEC   spread reconnects over so long, so that not all machines come at once (default: 30)\n"
	"  --check        say what is wrong with the credentials, and with the bus; the agent's settings come on\n"
	"                 standard input\n"
	"  -h, --help     this help\n";

/* ward-agent --check runs this. */
static int settings_check(struct link *l)
{
	char text[MOST_SETTINGS];
	size_t n = fread(text, 1, sizeof(text), stdin);

	if (settings_read(&l->settings, text, n))
		return link_check(&l->settings, l->creds);
	fprintf(stderr, "ward: link: these are no settings\nhint: run ward-agent --check\n");
	return USAGE;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {{"socket", required_argument, NULL, 's'},
		{"creds", required_argument, NULL, 'c'}, {"user", required_argument, NULL, 'u'},
		{"jitter", required_argument, NULL, 'j'}, {"check", no_argument, NULL, 'k'},
		{"help", no_argument, NULL, 'h'}, {0}};
	struct sigaction stop = {.sa_handler = stop_handler};
	struct link l = {.socket = "/run/ward/link", .channel = {.fd = -1}};
	const char *user = NULL, *folder = getenv("CREDENTIALS_DIRECTORY");
	char creds[LINK_LINE], *end;
	double seconds;
	bool check = false;
	int option, status = 0;

	snprintf(creds, sizeof(creds), "%s/bus.creds", folder ? folder : "/etc/ward");
	l.creds = creds;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		switch (option) {
		case 's': l.socket = optarg; break;
		case 'c': l.creds = optarg; break;
		case 'u': user = optarg; break;
		case 'j':
			seconds = strtod(optarg, &end);
			if (end == optarg || *end || !(seconds >= 0.001 && seconds <= 3600)) {
				fprintf(stderr,
					"ward: link: '%s' is no time of up to an hour\nhint: see ward-agent-link "
					"--help\n",
					optarg);
				return USAGE;
			}
			l.jitter_ms = (int64_t)(seconds * 1000);
			break;
		case 'k': check = true; break;
		case 'h': fputs(help, stdout); return 0;
		default: fprintf(stderr, "hint: see ward-agent-link --help\n"); return USAGE;
		}
	if (optind < argc) {
		fprintf(stderr, "ward: link: unexpected argument '%s'\nhint: see ward-agent-link --help\n",
			argv[optind]);
		return USAGE;
	}
	sigaction(SIGTERM, &stop, NULL);
	sigaction(SIGINT, &stop, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (!rights_drop(user)) {
		fprintf(stderr, "ward: link: its rights can't be dropped: %s\n", strerror(errno));
		return 3;
	}
	if (check)
		status = settings_check(&l);
	else
		link_run(&l);
	bus_close(l.bus);
	channel_close(&l.channel);
	urls_free(&l.settings);
	return status;
}
