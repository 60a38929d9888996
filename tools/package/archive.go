package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// entry is a file of an archive: a name in the stage, or a directory if that is empty.
type entry struct {
	name, from string
	mode       int64
}

// onLinux is what only archives for Linux have.
var onLinux = []string{"beanfield.service", "beanfield.socket", "sysusers.conf", "tmpfiles.conf", "beanfield.toml",
	"kubernetes.yaml"}

// extensions give client libraries the commands of beanfield's own.
var extensions = []string{"extensions/README.md", "extensions/beanfield.js", "extensions/beanfield.php",
	"extensions/beanfield.py", "extensions/beanfield.rb"}

// archives packs the program for systems without packages, and for a container.
func (r *release) archives() error {
	for _, t := range r.targets {
		inside := fmt.Sprintf("beanfield-%s/", r.version)
		entries := []entry{{inside, "", 0o755}, {inside + "beanfield", program(t), 0o755},
			{inside + "copyright", copyright(t), 0o644}, {inside + "licences", licences(t), 0o644}}
		names := []string{"beanfield.1", "beanfield.bash", "_beanfield", "beanfield.fish", "config.example.toml"}
		if t.os == "linux" {
			names = append(names, onLinux...)
		}
		for _, name := range append(names, extensions...) {
			entries = append(entries, entry{inside + name, name, 0o644})
		}
		name := fmt.Sprintf("beanfield-%s-%s", r.version, t)
		list, err := os.ReadFile(filepath.Join(r.stage, licences(t)))
		if err = errors.Join(err, os.WriteFile(filepath.Join(r.out, name+".licences"), list, 0o644),
			r.archive(name+".tar.gz", entries)); err != nil {
			return err
		}
	}
	return r.archive(fmt.Sprintf("beanfield-%s-container-%s.tar.gz", r.version, r.arch), []entry{
		{"Dockerfile", "Containerfile", 0o644},
		{"beanfield", program(r.packaged()), 0o755},
		{"container.toml", "container.toml", 0o644}, {"copyright", "copyright", 0o644},
		{"state/", "", 0o750}, {"state/data/", "", 0o750}, {"state/backups/", "", 0o750},
	})
}

// archive writes one with the entries in their order, all of them root's and as old as the
// release.
func (r *release) archive(name string, entries []entry) error {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: e.mode, ModTime: time.Unix(r.time, 0), Typeflag: tar.TypeDir,
			Format: tar.FormatPAX}
		var b []byte
		if e.from != "" {
			var err error
			if b, err = os.ReadFile(filepath.Join(r.stage, e.from)); err != nil {
				return err
			}
			h.Typeflag, h.Size = tar.TypeReg, int64(len(b))
		}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	small, err := squeeze(out.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, name), small, 0o644)
}
