/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flame graph: one HTML page that names no address. Stacks are added to a tree, which is kept until the end; a node
 * is a frame below its caller. The page has the tree as numbers, and a script that draws it: a click makes a frame as
 * wide as the page, a search marks frames. Frames of less than a 5,000th of all would be narrower than a pixel: they
 * aren't in the page, their number is, and their weight is in their callers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"

enum { NARROWEST = 5000, DEEPEST = 1024 };

struct flame_node {
	uint32_t name, parent, first_child, next; /* next: of the same caller; 0: none, as 0 is the root */
	int64_t total, self;
};

struct flame {
	struct export base;
	struct intern names, places; /* a place is a name below a node; its number + 1 is the node's */
	struct flame_node *node;
	size_t n, room;
	uint64_t cut; /* stacks that were deeper than DEEPEST */
};

static const char style[] =
	"body{font:13px/1.4 system-ui,sans-serif;margin:1.5em;color:#1b1f24;background:#fff}\n"
	"h1{font-size:1.2em;margin:0 0 .3em}#bar{display:flex;gap:1em;align-items:center;margin-bottom:.6em}\n"
	"#graph{position:relative}#graph div{position:absolute;height:17px;overflow:hidden;white-space:nowrap;\n"
	"font:11px/17px ui-monospace,monospace;border-radius:2px;box-shadow:inset 0 0 0 .5px #fff;padding-left:3px;\n"
	"box-sizing:border-box;cursor:pointer;color:#1b1f24}#graph div.found{background:#c46be0!important}\n"
	"#graph div.above{opacity:.55}#note{min-height:1.4em;font-family:ui-monospace,monospace}\n"
	"input{font:inherit;padding:.2em .5em}\n"
	"@media(prefers-color-scheme:dark){body{color:#dde1e6;background:#16181c}#graph div{box-shadow:inset 0 0 0 "
	".5px "
	"#16181c}}\n";

/*
 * nodes: [name, parent, total, self] by number; a node's caller comes before it. A frame's place is computed for the
 * node that is shown: its callers are as wide as the page.
 */
static const char script[] =
	"const W=document.getElementById('graph'),note=document.getElementById('note');\n"
	"const kids=nodes.map(()=>[]);nodes.forEach((n,i)=>{if(i)kids[n[1]].push(i)});\n"
	"let at=0,word='';\n"
	"const share=i=>(100*nodes[i][2]/nodes[0][2]).toFixed(2)+' %';\n"
	"const text=i=>names[nodes[i][0]]+': '+nodes[i][2].toLocaleString('en')+' '+unit+', '+share(i)+', itself '+\n"
	"nodes[i][3].toLocaleString('en');\n"
	"function hue(s){let h=0;for(const c of s)h=(h*31+c.codePointAt(0))%997;return 8+h%48}\n"
	"function put(i,x,w,d,above){if(w<0.05)return;const e=document.createElement('div'),s=names[nodes[i][0]];\n"
	"e.style.left=x+'%';e.style.width=w+'%';e.style.top=18*d+'px';e.style.background='hsl('+hue(s)+' 85% 68%)';\n"
	"e.textContent=s.slice(s.indexOf('!')+1);e.title=text(i);if(above)e.className='above';\n"
	"if(word&&s.toLowerCase().includes(word))e.classList.add('found');\n"
	"e.onclick=()=>{at=i;draw()};e.onmouseover=()=>{note.textContent=text(i)};W.append(e)}\n"
	"function draw(){W.textContent='';let up=[],deep=0;for(let i=at;i;i=nodes[i][1])up.unshift(nodes[i][1]);\n"
	"up.forEach((i,d)=>put(i,0,100,d,true));const todo=[[at,0,100,up.length]];\n"
	"while(todo.length){const[i,x,w,d]=todo.pop();put(i,x,w,d,false);deep=Math.max(deep,d);let l=x;\n"
	"for(const k of kids[i]){const v=w*nodes[k][2]/nodes[i][2];if(v>=0.05)todo.push([k,l,v,d+1]);l+=v}}\n"
	"W.style.height=18*(deep+1)+'px';let sum=0;if(word)(function add(i){\n"
	"if(names[nodes[i][0]].toLowerCase().includes(word))sum+=nodes[i][2];else kids[i].forEach(add)})(0);\n"
	"document.getElementById('sum').textContent=word?(100*sum/nodes[0][2]).toFixed(2)+' % in what was "
	"found':''}\n"
	"document.getElementById('find').oninput=e=>{word=e.target.value.toLowerCase();draw()};\n"
	"document.getElementById('all').onclick=()=>{at=0;draw()};draw();\n";

/* ---- the tree ---- */

static uint32_t add_node(struct flame *f, uint32_t parent, uint32_t name)
{
	if (f->n == f->room) {
		size_t room = f->room ? f->room * 2 : 256;
		struct flame_node *node = room < UINT32_MAX ? reallocarray(f->node, room, sizeof(*node)) : NULL;
		if (!node) {
			f->base.failed = true;
			return 0;
		}
		f->node = node;
		f->room = room;
	}
	uint32_t number = (uint32_t)f->n++;
	f->node[number] = (struct flame_node){.name = name, .parent = parent};
	if (number) {
		f->node[number].next = f->node[parent].first_child;
		f->node[parent].first_child = number;
	}
	return number;
}

static uint32_t name_number(struct flame *f, const char *name)
{
	bool is_new;
	int64_t number = intern_text(&f->names, name, &is_new);
	f->base.failed |= number == INTERN_FAILED;
	return f->base.failed ? 0 : (uint32_t)number;
}

static uint32_t frame_name(struct flame *f, const struct export_frame *frame)
{
	char *name = NULL;
	uint32_t number = 0;
	if (!frame->is_inlined)
		return name_number(f, frame->function);
	if (asprintf(&name, "%s (inlined)", frame->function) < 0)
		f->base.failed = true;
	else
		number = name_number(f, name);
	free(name);
	return number;
}

static uint32_t find_child(struct flame *f, uint32_t parent, const struct export_frame *frame)
{
	const uint32_t key[] = {parent, frame_name(f, frame)};
	bool is_new;
	int64_t place = intern_bytes(&f->places, key, sizeof(key), &is_new);
	if (f->base.failed || place == INTERN_FAILED) {
		f->base.failed = true;
		return 0;
	}
	return is_new ? add_node(f, parent, key[1]) : (uint32_t)place + 1;
}

static void flame_stack(export *e, const struct export_stack *stack)
{
	struct flame *f = (struct flame *)e;
	int64_t value = stack->values[0];
	uint32_t at = 0;
	size_t depth = 0;
	if (value <= 0)
		return; /* nothing can be drawn of that */
	for (size_t i = stack->n; !f->base.failed && i-- > 0 && depth++ < DEEPEST;) {
		f->node[at].total += value;
		at = find_child(f, at, &stack->frames[i]);
	}
	if (f->base.failed)
		return;
	f->cut += stack->n > DEEPEST;
	f->node[at].total += value;
	f->node[at].self += value;
}

static void flame_begin(export *e)
{
	struct flame *f = (struct flame *)e;
	add_node(f, 0, name_number(f, "all"));
}

/* ---- the page ---- */

static void put_html(FILE *file, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&': fputs("&amp;", file); break;
		case '<': fputs("&lt;", file); break;
		case '>': fputs("&gt;", file); break;
		default: fputc(*text, file);
		}
}

static bool is_shown(const struct flame *f, size_t i)
{
	return i == 0 || f->node[i].total > f->node[0].total / NARROWEST;
}

/* Nodes get numbers without gaps; a caller that isn't shown has no children that are. Returns how many are left out. */
static size_t put_nodes(struct flame *f)
{
	uint32_t *number = calloc(f->n, sizeof(*number)), next = 0;
	size_t hidden = 0;
	if (!number) {
		f->base.failed = true;
		return 0;
	}
	for (size_t i = 0; i < f->n; i++) {
		const struct flame_node *n = &f->node[i];
		if (!is_shown(f, i)) {
			hidden++;
			continue;
		}
		number[i] = next++;
		fprintf(f->base.file, "%s[%u,%u,%" PRId64 ",%" PRId64 "]", i ? ",\n" : "", n->name, number[n->parent],
			n->total, n->self);
	}
	free(number);
	return hidden;
}

static void put_names(struct flame *f)
{
	for (size_t i = 0; i < f->names.n; i++) {
		fputs(i ? ",\n" : "", f->base.file);
		export_json_string(f->base.file, intern_text_at(&f->names, i));
	}
}

static void flame_end(export *e)
{
	struct flame *f = (struct flame *)e;
	const struct export_measure *m = &e->about.measures[0];
	FILE *file = e->file;
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	      "script-src 'unsafe-inline'\">\n<title>",
		file);
	put_html(file, e->about.title);
	fprintf(file, "</title>\n<style>\n%s</style></head>\n<body>\n<h1>", style);
	put_html(file, e->about.title);
	fputs("</h1>\n<div id=\"bar\"><input id=\"find\" placeholder=\"search\"><button id=\"all\">all</button>\n"
	      "<span id=\"sum\"></span></div>\n<div id=\"note\"></div>\n<div id=\"graph\"></div>\n<script>\n"
	      "const unit=",
		file);
	export_json_string(file, strcmp(m->unit, "count") == 0 ? m->name : m->unit);
	fputs(",names=[\n", file);
	put_names(f);
	fputs("],\nnodes=[\n", file);
	size_t hidden = put_nodes(f);
	fprintf(file, "];\n%s</script>\n", script);
	if (hidden)
		fprintf(file, "<p>%zu frames of less than a %dth of all are in their callers.</p>\n", hidden,
			NARROWEST);
	if (f->cut)
		fprintf(file, "<p>%" PRIu64 " stacks were deeper than %d frames; the innermost are cut off.</p>\n",
			f->cut, DEEPEST);
	fputs("</body></html>\n", file);
}

static void flame_release(export *e)
{
	struct flame *f = (struct flame *)e;
	intern_free(&f->names);
	intern_free(&f->places);
	free(f->node);
}

const struct export_format export_flame = {.name = "flame",
	.viewers = "any browser",
	.size = sizeof(struct flame),
	.begin = flame_begin,
	.stack = flame_stack,
	.end = flame_end,
	.release = flame_release};
