// SPDX-License-Identifier: Apache-2.0
// Keeps much of Go busy, on the first thread: calls through interfaces, closures, maps, sorting, formatting, panics
// that are recovered, and a stack that grows; while other goroutines and the collector run.
package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"sort"
	"strings"
)

type node interface{ weigh(depth int) int }
type leaf struct{ n int }
type branch struct{ parts []node }

//go:noinline
func (l leaf) weigh(depth int) int { return l.n + depth }

//go:noinline
func (b *branch) weigh(depth int) int {
	all := 0
	for _, p := range b.parts {
		all += p.weigh(depth + 1)
	}
	return all
}

func grow(depth int) node {
	if depth == 0 {
		return leaf{3}
	}
	b := &branch{}
	for i := 0; i < 3; i++ {
		b.parts = append(b.parts, grow(depth-1))
	}
	return b
}

//go:noinline
func fails(depth, n int) int {
	defer func() { total += depth }()
	if depth == 0 {
		if n%10 == 0 {
			panic(n)
		}
		return n
	}
	return fails(depth-1, n) + 1
}

//go:noinline
func recovers(depth, n int) (answer int) {
	defer func() {
		if recover() != nil {
			answer = -1
		}
	}()
	return fails(depth, n)
}

//go:noinline
func deep(depth int) int {
	var room [64]int
	room[depth%64] = depth
	if depth == 0 {
		return room[0]
	}
	return deep(depth-1) + room[depth%64]
}

var total int
var pattern = regexp.MustCompile(`([a-z]+)(\d*)(x|y)*`)

//go:noinline
func collections(n int) {
	by := map[string]int{}
	var names []string
	for i := 0; i < 100; i++ {
		name := fmt.Sprintf("%x", (i*7919+n)%1000)
		by[name] += i
		names = append(names, name)
	}
	sort.Slice(names, func(a, b int) bool { return strings.Compare(names[a], names[b]) < 0 })
	text, _ := json.Marshal(by)
	total += len(pattern.FindString(string(text)))
}

func main() {
	runtime.LockOSThread() // this is the first thread
	tree := grow(5)
	numbers := make(chan int, 10)
	go func() {
		for n := 0; ; n++ {
			numbers <- n
		}
	}()
	for n := range numbers {
		total += tree.weigh(0)
		total += recovers(n%20, n)
		if n%100 == 0 {
			done := make(chan int)
			go func() { done <- deep(2000) }()
			total += <-done
		}
		total += deep(n % 50)
		collections(n)
	}
}
