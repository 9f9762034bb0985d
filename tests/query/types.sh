#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Queries that know the types of a program: types.sh WARD SHOP.
. "$(dirname "$0")/../cli/lib.sh"
shop=$2
cd "$tmp"
cp "$shop" shop
rows() { # TEXT, WANTED…: the rows of 100 orders
	local text=$1
	shift
	run query -q --csv "$text" -- ./shop 100
	printf '%s\r\n' "$@" >wanted
	check "$text" cmp -s wanted out
}
holds() { jq -se "$1" out >/dev/null; }
wrong() { # TEXT, PATTERN: of what is said of it
	run query -q "$1" -- ./shop 100
	check "$1: $2" grep -q -- "$2" err
}
order='Function("shop!order")'

# Parameters by their names, with their own signs.
rows "$order.CountBy(count)" count,count -2,25 -1,25 0,25 1,25
rows "$order.Where(count < 0).Count()" count 50
rows "$order.CountBy(path)" path,count /tmp/a,34 /tmp/b,33 /var/c,33
rows "$order.Where(path == \"/tmp/b\").Count()" count 33
rows "$order.Where(path != \"/tmp/b\").Count()" count 67
rows "$order.CountBy(Str(path, 8))" Key,count /tmp/a,34 /tmp/b,33 /var/c,33
rows "$order.Where(path != 0 && (ulong)path > 4096).Count()" count 100
rows "$order.Where(!path).Count()" count 0
rows "$order.Where(urgent).Count()" count 50
rows "$order.CountBy(urgent)" urgent,count false,50 true,50
rows 'from e in Function("shop!order") where !e.urgent group e by e.count into g select new { g.Key, n = g.Count() }' \
	Key,n -2,25 0,25
rows 'Function("shop!deliver").Where(Parameter("time") > 97).Count()' count 2
rows "$order.Select(new { n = count, path }).Take(2)" n,path -2,/tmp/a -1,/tmp/b
rows "$order.Sum(Read<int>(total))" sum 9900

# Texts: what they begin with, and how long they are.
rows "$order.Where(path.StartsWith(\"/tmp/\")).Count()" count 67
rows "$order.Where(!item->name.StartsWith(\"/tmp/\")).Count()" count 40
rows "$order.Where(path.StartsWith(\"\")).Count()" count 100
rows "$order.CountBy(path.Length)" Length,count 6,100
rows "$order.CountBy(item->tag.Length)" Length,count 0,10 5,90
rows "$order.CountBy(path).Where(path.StartsWith(\"/tmp/\") && path.Length == 6)" path,count /tmp/a,34 /tmp/b,33
rows 'Call("shop!order").Where(e => e.entry.path.StartsWith("/var") && e.entry.path.Length == 6).Count()' count 33

# Enumerations by name.
rows "$order.CountBy(color)" color,count 5,25 BLUE,25 GREEN,25 RED,25
rows "$order.Where(color == color.RED).Count()" count 25
rows "$order.Where(item->color != color.RED).Count()" count 65
rows 'Function("shop!order").Where(e => e.color == "BLUE" || "GREEN" == e.color).Count()' count 50
rows "$order.CountBy(color).Where(color == \"GREEN\")" color,count GREEN,25
rows "$order.CountBy(color + 1)" Key,count 0,25 1,25 6,25 8,25
rows "$order.Select(new { color }).Take(3)" color RED GREEN BLUE
run query -q --json "$order.CountBy(color)" -- ./shop 100
check "names in JSON" holds '.[-1].rows | map(.color) == [5, "BLUE", "GREEN", "RED"]'

# Members of what pointers lead to: numbers, bit-fields, texts, structures inside, pointers of pointers.
rows "$order.Sum(item->number)" sum -2870
rows "$order.Where(item.number > 0).Count()" count 10
rows "$order.CountBy(item->kind)" kind,count 0,23 1,10 2,13 3,10 4,12 5,10 6,12 7,10
rows "$order.Stat(item->level)" count,sum,min,max,mean 100,-102,-16,15,-1.02
rows "$order.CountBy(item.tag)" tag,count ,10 tag-0,50 tag-1,40
rows "$order.Where(item->tag == \"tag-1\").Count()" count 40
rows "$order.CountBy(item->name)" name,count ,10 /tmp/a,30 /tmp/b,30 /var/c,30
rows "$order.Sum(item->next->number)" sum 13410
rows "$order.Max(item->id)" max 98000
rows "$order.Sum(item->at.y)" sum -4410
rows "$order.CountBy(item->color)" color,count 5,20 BLUE,25 GREEN,20 RED,35
rows "$order.Where(item->sold && item->number % 2 == 0).Count()" count 10

# R10: the same by one read; and by several, where what is between can't be read.
one="$order.Stat(item->number + item->level + item->at.x)" \
	edge='Function("shop!edge").CountBy(new { item->number, item->at.x })'
rows "$one" count,sum,min,max,mean 100,1438,-16,199,14.380000000000001
run query -q --csv --no-rewrite R10 "$one" -- ./shop 100
check "without R10" cmp -s wanted out
rows "$edge" number,x,count 77,0,100
run query -q --csv --no-rewrite R10 "$edge" -- ./shop 100
check "at the edge, without R10" cmp -s wanted out

# Results of the function's own type.
rows 'Return("shop!order").CountBy(ret)' ret,count 5,25 BLUE,25 GREEN,25 RED,25
rows 'Return("shop!label").CountBy(ret)' ret,count ,50 odd,50
rows 'Return("shop!label").Where(ret == 0).Count()' count 50
rows 'Return("shop!deliver").Min(ret)' min -99
rows 'Return("shop!deliver").Where(ret < -97).CountBy(Parameter("time"))' Key,count 98,1 99,1

# A static function, behind a structure that is passed by value.
rows 'Return("shop!is_late").CountBy(ret)' ret,count false,52 true,48
rows 'Function("shop!is_late").Where(days == 7).Count()' count 12

# Both ends of a call, and two functions: each has its own.
rows 'Call("shop!order").Where(e => e.entry.item->number > -5).CountBy(e => e.entry.path)' path,count /tmp/a,6 \
	/tmp/b,5 /var/c,4
rows 'Call("shop!order").CountBy(e => e.entry.color)' color,count 5,25 BLUE,25 GREEN,25 RED,25
rows 'Call("shop!order").CountBy(e => e.ret)' ret,count 5,25 BLUE,25 GREEN,25 RED,25
rows 'Function("shop!order").Join(Function("shop!cancel"), tid, tid).Sum(end.count + begin.count)' sum 4900
rows 'Function("shop!order").Join(Function("shop!cancel"), tid, tid).Sum(end.item->x)' sum 4950
rows 'Function("shop!order").Join(Function("shop!cancel"), tid, tid).Sum(begin.item->number)' sum -2870

# What isn't known is said, with the place.
wrong "$order.CountBy(cuont)" '^hint: did you mean count? it has count, path, item, color, urgent, total, time'
wrong 'Function("shop!deliver").Sum(price)' "^hint: it is a number with a fraction"
wrong 'Function("shop!is_late").Sum(item.number)' "^hint: it is a structure that is passed by value"
wrong 'Functions("shop!order", "shop!cancel").Sum(count)' \
	'^query:1:44: error: count is argument 0 of shop!order, signed char count, and argument 0 .*, long int count$'
rows 'Functions("shop!order", "shop!cancel").Count()' count 200
strip -o bare "$shop"
run query -q 'Function("bare!order").CountBy(path)' -- ./bare 100
check "a stripped file" grep -q "no parameters are known: its file has no debug information" err
run query -q --csv 'Function("bare!order").CountBy(Str(1))' -- ./bare 100
check "whose arguments have numbers" grep -q '^/tmp/a,34' out

# Where they are known, --explain shows them.
run query --explain 'Functions("shop!order", "shop!label").Count()' -- ./shop 1
check "signatures" grep -q '^  *const char \*shop!label(int number)$' out
order_type='enum color shop!order(signed char count, const char \*path, struct item \*item, enum color color'
check "of each" grep -q "^types  *$order_type, _Bool urgent, int \\*total)\$" out
run query --explain 'Function("shop!order").Count()'
check "and why they are not" grep -q '^types  *not known: .*of which process' out

run list -v ./shop 'shop!*l*'
check "a list has parameters" grep -q 'shop!label .*(int number)$' out
check "and of others none" grep -q 'shop!register_tm_clones  *0x[0-9a-f]*  *jump$' out
run list ./shop 'shop!label'
check "without -v it hasn't" grep -qv '(int number)' out

# Of a live process as well: it reads before it begins.
mkfifo input
./shop 100 - <input &
pid=$!
started+=("$pid")
exec 9>input
while [ -d "/proc/$pid" ] && [ "$(cat "/proc/$pid/comm")" != shop ]; do sleep 0.01; done
"$ward" query --csv "$order.CountBy(item.tag)" -p "$pid" >live 2>err 9>&- &
query=$!
started+=("$query")
while [ -d "/proc/$query" ] && ! grep -q attached err; do sleep 0.01; done
exec 9>&-
wait "$query"
check "of a live process" diff live <(printf '%s\r\n' tag,count ,10 tag-0,50 tag-1,40)
summary
