package main

import (
	"fmt"
	"os"
)

func main() {
	verbs := map[string]func(args []string) error{"test": test, "thorough": thorough, "evidence": evidence}
	if len(os.Args) < 2 || verbs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: suite test|thorough|evidence [ARGUMENT...]: see doc.go")
		os.Exit(2)
	}
	if err := verbs[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}
