/* SPDX-License-Identifier: MIT-0 */
/*
 * A tracing runtime in less than a hundred lines. It shows how large the reads of this process and of another one
 * are.
 *
 *	ward cc reads.c -o reads.ward
 *	cc runtime.c $(pkg-config --cflags --libs ward) -o runtime
 *	./runtime reads.ward PID
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <ward/ward.h>

static int failed(const struct ward_error *err)
{
	fprintf(stderr, "runtime: %s: %s\n%s\n", err->what, err->why, err->hint);
	return 1;
}

static void print(const ward_snapshot *snapshot)
{
	for (size_t i = 0; i < ward_snapshot_fields(snapshot); i++) {
		const struct ward_field *f = ward_snapshot_field(snapshot, i);

		if (f->kind == WARD_FIELD_COUNT)
			printf("%s: %" PRIu64 "\n", f->name, f->value);
		for (size_t b = 0; f->kind == WARD_FIELD_LOG2 && b < f->n; b++)
			printf("%8" PRIu64 " .. %-8" PRIu64 " %" PRIu64 "\n", f->buckets[b].lo, f->buckets[b].hi,
				f->buckets[b].count);
	}
}

/* Something to be seen in this process. */
static void read_a_little(void)
{
	static char bytes[4096];
	int zero = open("/dev/zero", O_RDONLY);

	for (size_t n = 1; n <= sizeof(bytes); n *= 2)
		if (read(zero, bytes, n) < 0)
			perror("/dev/zero");
	close(zero);
}

static int trace(pid_t pid, const void *module, size_t size, const ward_schema *schema)
{
	/* What a module may cost and call is our policy; one that breaks it is refused, and nothing is touched. */
	struct ward_attach_options options = {.size = sizeof(options), .max_insns = 1000, .max_state = 1 << 16};
	ward_snapshot *snapshot;
	ward_session *session;
	struct ward_error err;

	if (ward_attach(pid, module, size, &options, &session, &err))
		return failed(&err);
	if (pid == getpid())
		read_a_little();
	else
		ward_wait(session, 1000); /* milliseconds, or until it ends */
	if (ward_detach(session, &err) || ward_snapshot_take(session, schema, &snapshot, &err)) {
		ward_session_free(session);
		return failed(&err);
	}
	printf("%s\n", pid == getpid() ? "this process" : "the other process");
	print(snapshot);
	ward_snapshot_free(snapshot);
	ward_session_free(session);
	return 0;
}

int main(int argc, char **argv)
{
	static char module[1 << 20];
	FILE *f = fopen(argc > 1 ? argv[1] : "reads.ward", "rb");
	size_t size = f ? fread(module, 1, sizeof(module), f) : 0;
	struct ward_error err;
	ward_schema *schema;
	int status;

	if (f)
		fclose(f);
	if (ward_schema_read(module, size, &schema, &err))
		return failed(&err);
	status = trace(getpid(), module, size, schema);
	if (status == 0 && argc > 2)
		status = trace(atoi(argv[2]), module, size, schema);
	ward_schema_free(schema);
	return status;
}
