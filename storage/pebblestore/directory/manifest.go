package directory

import (
	"errors"
	"fmt"
	"io"

	"beanfield/storage/pebblestore/format"
)

const (
	ManifestName = "beanfield.json"
	manifestTemp = ManifestName + ".tmp"
)

// ReadManifest returns the manifest and whether there is one.
func (d *Dir) ReadManifest() (m format.Manifest, ok bool, err error) {
	path := d.Join(ManifestName)
	f, err := d.FS.Open(path)
	if Missing(err) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("storage: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return m, false, fmt.Errorf("storage: %s: %w", path, err)
	}
	m, err = format.DecodeManifest(path, text)
	if err == nil {
		d.Cluster = m.Cluster
	}
	return m, err == nil, err
}

// Usable returns the manifest of a directory that a store may open, and whether
// there is one. It touches nothing.
func (d *Dir) Usable() (m format.Manifest, ok bool, err error) {
	written, err := d.inspect()
	if err != nil || !written {
		return m, false, err
	}
	m, ok, err = d.ReadManifest()
	if err == nil && m.Filling {
		err = Error(d.Path, ErrUnfinished, "an import or a salvage into it was cut short or is still running; "+
			"if none is running, repeat it or remove the directory")
	}
	return m, ok, err
}

// WriteManifest replaces the manifest: a temporary file, its content forced to
// the disk, renamed over the old one, and the directory forced too.
func (d *Dir) WriteManifest(m format.Manifest) error {
	text, err := m.Encode()
	if err != nil {
		return err
	}
	temp := d.Join(manifestTemp)
	f, err := d.FS.Create(temp, Category)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("storage: %s: %w", temp, err)
	}
	if err := d.FS.Rename(temp, d.Join(ManifestName)); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return SyncDir(d.FS, d.Path)
}

// Free returns an error if the directory cannot be filled by an intake.
func (d *Dir) Free() error {
	written, err := d.inspect()
	if err != nil || !written {
		return err
	}
	m, _, err := d.ReadManifest()
	if err == nil && !m.Filling {
		err = fmt.Errorf("storage: %s is a data directory already: give a new or an empty directory", d.Path)
	}
	return err
}
