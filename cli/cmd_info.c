/* SPDX-License-Identifier: Apache-2.0 */
/* ward info: what a module is and does, as the verifier sees it. */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "limits.h"

static const char help[] =
	"usage: ward info [OPTION]... PROBE.ward\n"
	"Verify a module and show its entries and their sites, worst-case cost, the registers and\n"
	"event fields that it uses, and what its state holds. All but the field names is computed from its\n"
	"machine code.\n"
	"\n"
	"  --json               one object a line\n" LIMIT_HELP "  -h, --help           this help\n"
	"\n"
	"example: ward info reads.ward\n";

enum { OPTION_JSON = OPTION_OWN };

/* An accepted module with what we know of it. */
struct info {
	const char *path;
	size_t size;
	const struct ward_module_facts *facts;
	const ward_schema *schema;
};

static unsigned event_field_count(void)
{
	unsigned n = 0;
#define EVENT_FIELD(name, count, text) n += count;
#include "ward/event.def"
#undef EVENT_FIELD
	return n;
}

static const char *need_name(unsigned i)
{
	return ward_need_name(UINT32_C(1) << i);
}

/* Names of the set bits, "none" if there are none. */
static void print_set(FILE *f, unsigned bits, unsigned n, const char *(*name)(unsigned))
{
	for (unsigned i = 0; i < n; i++)
		if (bits >> i & 1)
			fprintf(f, " %s", name(i));
	fprintf(f, bits ? "\n" : " none\n");
}

static void print_imports(const struct ward_module_facts *m, uint64_t mask)
{
	printf("  calls     ");
	for (size_t i = 0; i < m->n_imports; i++)
		if (mask >> i & 1)
			printf(" %s", ward_import_name(m->imports[i].import));
	printf(mask ? "\n" : " nothing outside\n");
}

static void print_guards(const ward_schema *schema)
{
	for (size_t i = 0; i < ward_schema_fields(schema); i++) {
		struct ward_field f = ward_schema_field(schema, i);
		if (f.kind == WARD_FIELD_STOP)
			printf("  %s:%" PRIu32 ": stops %s\n", f.name, f.line, cli_stop_text(&f));
	}
}

static int print_text(struct cli_output *out, const struct info *info)
{
	const struct ward_module_facts *m = info->facts;
	printf("%s: proven, %s profile, %zu bytes\n", info->path, m->profile == WARD_PROFILE_KERNEL ? "kernel" : "user",
		info->size);
	printf("  code       %" PRIu64 " bytes, %" PRIu64 " instructions\n", m->text.memsz, m->n_insns);
	printf("  constants  %" PRIu64 " bytes\n", m->rodata.memsz);
	printf("  data       %" PRIu64 " bytes, shared by all threads\n", m->data.memsz);
	printf("  state      %" PRIu32 " bytes for each thread\n", m->state_size);
	printf("  guards     %zu place%s in the source\n", cli_count_guards(info->schema),
		cli_count_guards(info->schema) == 1 ? "" : "s");
	for (size_t i = 0; i < m->n_entries; i++) {
		const struct ward_entry_facts *e = &m->entries[i];
		printf("\nentry ");
		cli_print_clean(stdout, e->name);
		printf("\n  site       ");
		cli_print_clean(stdout, *e->site ? e->site : "(give one with -f)");
		printf("%s\n", e->kind == 1 && !strstr(e->site, ":return") ? ":return" : "");
		printf("  at most    %" PRIu64 " instructions, %" PRIu32 " bytes of stack\n", e->max_insns,
			e->stack_bytes);
		printf("  clobbers  ");
		print_set(stdout, e->clobbers, 32, ward_register_name);
		printf("  reads     ");
		print_set(stdout, e->event_fields, event_field_count(), ward_event_field_name);
		printf("  writes     %s\n", e->writes_state ? "its state" : "nothing of its state");
		if (m->n_imports)
			print_imports(m, e->imports);
		printf("  needs     ");
		print_set(stdout, e->needs, 32, need_name);
	}
	if (cli_count_guards(info->schema)) {
		printf("\nguards\n");
		print_guards(info->schema);
	}
	int status =
		cli_print_state_table(info->schema, ward_schema_fields(info->schema) - cli_count_guards(info->schema));
	cli_print_unshown(out, info->schema);
	return status;
}

static struct json_object *make_set(unsigned bits, unsigned n, const char *(*name)(unsigned))
{
	struct json_object *list = json_object_new_array();
	for (unsigned i = 0; i < n; i++)
		if (bits >> i & 1)
			json_object_array_add(list, json_object_new_string(name(i)));
	return list;
}

static struct json_object *make_imports(const struct ward_module_facts *m, uint64_t mask)
{
	struct json_object *list = json_object_new_array();
	for (size_t i = 0; i < m->n_imports; i++)
		if (mask >> i & 1)
			json_object_array_add(list, json_object_new_string(ward_import_name(m->imports[i].import)));
	return list;
}

static void add_string(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, cli_json_string(value));
}

static void add_number(struct json_object *o, const char *key, uint64_t value)
{
	json_object_object_add(o, key, json_object_new_uint64(value));
}

static void print_json(struct cli_output *out, const struct info *info)
{
	const struct ward_module_facts *m = info->facts;
	struct json_object *o = json_object_new_object();
	add_string(o, "type", "module");
	add_string(o, "file", info->path);
	add_string(o, "profile", m->profile == WARD_PROFILE_KERNEL ? "kernel" : "user");
	add_number(o, "size", info->size);
	add_number(o, "text_bytes", m->text.memsz);
	add_number(o, "rodata_bytes", m->rodata.memsz);
	add_number(o, "data_bytes", m->data.memsz);
	add_number(o, "state_bytes", m->state_size);
	add_number(o, "insns", m->n_insns);
	add_number(o, "guards", cli_count_guards(info->schema));
	json_object_object_add(o, "imports", make_imports(m, UINT64_MAX));
	cli_json_line(out, o);
	for (size_t i = 0; i < m->n_entries; i++) {
		const struct ward_entry_facts *e = &m->entries[i];
		o = json_object_new_object();
		add_string(o, "type", "entry");
		add_string(o, "name", e->name);
		add_string(o, "site", e->site);
		add_string(o, "kind", e->kind == 1 ? "return" : "entry");
		add_string(o, "state_type", e->state_type);
		add_number(o, "max_insns", e->max_insns);
		add_number(o, "stack_bytes", e->stack_bytes);
		json_object_object_add(o, "clobbers", make_set(e->clobbers, 32, ward_register_name));
		json_object_object_add(
			o, "event_fields", make_set(e->event_fields, event_field_count(), ward_event_field_name));
		json_object_object_add(o, "writes_state", json_object_new_boolean(e->writes_state));
		json_object_object_add(o, "imports", make_imports(m, e->imports));
		json_object_object_add(o, "needs", make_set(e->needs, 32, need_name));
		cli_json_line(out, o);
	}
	for (size_t i = 0; i < ward_schema_fields(info->schema); i++) {
		struct ward_field f = ward_schema_field(info->schema, i);
		o = json_object_new_object();
		if (f.kind == WARD_FIELD_STOP) {
			add_string(o, "type", "guard");
			add_string(o, "file", f.name);
			add_number(o, "line", f.line);
			add_string(o, "reason", cli_stop_text(&f));
			cli_json_line(out, o);
			continue;
		}
		add_string(o, "type", "state_field");
		add_string(o, "field", f.name);
		add_string(o, "kind", ward_kind(f.kind)->name);
		add_number(o, "bytes", f.size);
		if (f.slots)
			add_number(o, "slots", f.slots);
		cli_json_line(out, o);
	}
	cli_json_unshown(out, info->schema);
}

static int show_module(const char *path, const struct ward_verify_options *limits, bool json)
{
	struct cli_bytes module;
	struct ward_verdict *verdict = NULL;
	ward_schema *schema = NULL;
	struct ward_error err;
	int status = cli_read_file(path, &module);
	if (status != CLI_OK)
		return status;
	status = cli_verify(path, &module, limits, &verdict);
	if (status == CLI_OK && ward_schema_read(module.data, module.size, &schema, &err) != WARD_OK)
		status = cli_library_error(&err);
	if (status == CLI_OK) {
		struct info info = {.path = path, .size = module.size, .facts = &verdict->module, .schema = schema};
		struct cli_output out;
		cli_output_init(&out, stdout, json);
		if (json)
			print_json(&out, &info);
		else
			status = print_text(&out, &info);
	}
	ward_schema_free(schema);
	ward_verdict_free(verdict);
	free(module.data);
	return status;
}

static int run_info(int argc, char **argv)
{
	static const struct option longs[] = {
		{"json", no_argument, NULL, OPTION_JSON},
		{"help", no_argument, NULL, 'h'},
		LIMIT_LONGS,
		{0},
	};
	struct limits limits;
	bool json = false;
	int c, status = limits_init(&limits, true) ? -1 : CLI_USAGE;
	while (status < 0 && (c = cli_getopt(&cmd_info, argc, argv, ":h", longs)) != CLI_OPT_DONE) {
		switch (c) {
		case CLI_OPT_HELP: status = CLI_OK; break;
		case CLI_OPT_BAD: status = CLI_USAGE; break;
		case OPTION_JSON: json = true; break;
		default:
			if (!limits_option(&cmd_info, c, optarg, &limits))
				status = CLI_USAGE;
		}
	}
	if (status < 0 && argc - optind != 1)
		status = cli_usage(&cmd_info, argc == optind ? "no module given" : "one module at a time");
	if (status < 0)
		status = show_module(argv[optind], &limits.options, json);
	limits_free(&limits);
	return status;
}

const struct cli_command cmd_info = {"info", "show what a module does and costs at most", help, run_info};
