package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// copyright and licences are where the stage has, for a target, the notices of what is linked in, and the list of it.
func copyright(t target) string { return "copyright-" + t.String() }

func licences(t target) string { return "licences-" + t.String() }

// head begins the notices, and the list.
const head = `Copyright: the authors of beanfield. They have not chosen a licence yet: ask them before
you pass it on.

The program contains the work of others. Their notices follow.
`

// notices writes, for a target, the copyright notices of what is linked into the program, because their licences ask
// for that, and a list: module, version, licence. Debian wants no copies of licences that every Debian system has, so
// it gets a file of its own.
func (r *release) notices(t target) error {
	list := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}|{{.Dir}}{{end}}{{end}}", "./cmd/beanfield")
	list.Dir, list.Env = r.top, r.environment(t)
	linked, err := list.Output()
	if err != nil {
		return fmt.Errorf("what is linked in for %s: %w", t, err)
	}
	env, err := output(r.top, "go", "env", "GOROOT", "GOVERSION")
	if err != nil {
		return err
	}
	root, goVersion, _ := strings.Cut(env, "\n")
	modules := strings.FieldsFunc(string(linked), func(r rune) bool { return r == '\n' })
	slices.Sort(modules)
	modules = append([]string{"std@" + goVersion + "|" + root}, slices.Compact(modules)...)
	n := notices{list: fmt.Appendf(nil, "beanfield %s: no licence has been chosen yet\n", r.version)}
	n.all, n.debian = []byte(head), []byte(head)
	for _, m := range modules {
		title, dir, _ := strings.Cut(m, "|")
		if err := n.add(strings.Replace(title, "@", " ", 1), dir); err != nil {
			return err
		}
	}
	if t == r.packaged() {
		err = errors.Join(r.write("copyright", n.all), r.write("copyright.debian", n.debian))
	}
	return errors.Join(err, r.write(copyright(t), n.all), r.write(licences(t), n.list))
}

var (
	noticeName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)
	apache     = regexp.MustCompile(`(?s)\s*Apache License\s+Version 2.0, January 2004.*END OF TERMS AND CONDITIONS`)
)

const debiansApache = `
Licensed under the Apache License, Version 2.0. On Debian systems its text is in
/usr/share/common-licenses/Apache-2.0.
`

// notices are those of some modules, and the list of these.
type notices struct{ all, debian, list []byte }

// add adds those in the directory of a module.
func (n *notices) add(title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var text []byte
	for _, e := range entries {
		if e.IsDir() || !noticeName.MatchString(e.Name()) {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		text = append(text, b...)
		const form = "\n---- %s, %s\n\n%s\n"
		n.all = fmt.Appendf(n.all, form, title, e.Name(), bytes.TrimSpace(b))
		n.debian = fmt.Appendf(n.debian, form, title, e.Name(),
			bytes.TrimSpace(apache.ReplaceAll(b, []byte(debiansApache))))
	}
	names := licencesIn(text)
	if len(names) == 0 {
		return fmt.Errorf("%s has no licence that is known here, in %s: read it, and add it to tools/package/notices.go",
			title, dir)
	}
	n.list = fmt.Appendf(n.list, "%s: %s\n", title, strings.Join(names, " AND "))
	return nil
}

// known are licences by their names in SPDX, and by words that only they have.
var known = []struct {
	name  string
	words *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`Apache License,?\s+Version 2\.0`)},
	{"BSD-2-Clause", regexp.MustCompile(`Redistribution and use in source and binary forms`)},
	{"MIT", regexp.MustCompile(`Permission is hereby granted, free of charge, to any person`)},
	{"MPL-2.0", regexp.MustCompile(`Mozilla Public License,?\s+[Vv]ersion 2\.0`)},
}

// thirdClause makes three clauses of two.
var thirdClause = regexp.MustCompile(`[Nn]either\s+the\s+name`)

// licencesIn finds those that a text has.
func licencesIn(text []byte) (names []string) {
	for _, l := range known {
		switch {
		case !l.words.Match(text):
		case l.name == "BSD-2-Clause" && thirdClause.Match(text):
			names = append(names, "BSD-3-Clause")
		default:
			names = append(names, l.name)
		}
	}
	return names
}
