/* A queue with a tail pointer to the last link, and a free list: an address with more added to it is tested against several variables. */
#include <ward/probe.h>
#include <string.h>
struct job { struct job *next; uint64_t id; };
struct ward_state { uint64_t h; };
static struct job jobs[12]; static struct job *freel, *head, **tailp;
WARD_ENTRY("x!done")
void probe_617(const struct ward_event *ev, struct ward_state *st)
{
	struct job *k = &jobs[ev->arg[0] % 12];
	if (!tailp) tailp = &head;
	*tailp = k; tailp = &k->next;
	struct job *j = head;
	if (j) { head = j->next; if (!head) tailp = &head; j->next = freel; freel = j; st->h += j->id; }
}
