// As kinds.c, without handlers.
package main

import (
	"bufio"
	"fmt"
	"os"
)

//go:noinline
func work(n uint64) uint64 {
	return n*3 + 1
}

func run() uint64 {
	sum := uint64(0)
	for i := uint64(0); i < 1000; i++ {
		sum += work(i)
	}
	return sum
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		other := make(chan uint64)
		go func() { other <- run() }()
		own := run()
		fmt.Printf("%d %d faults 0 traps 0\n", <-other, own)
	}
}
