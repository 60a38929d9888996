package format

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"beanfield/storage"
)

// The first byte of every value is its version. The layout after it:
//
//	4 bytes   CRC-32C, little endian, of the key, the version and all that follows
//	uvarint   state, pri, delay
//	varint    deadline
//	uvarint   bury rank, reserves, timeouts, releases, buries, kicks
//
// and in a record, not in an update:
//
//	uvarint   ttr
//	varint    created
//	uvarint   length of the tube's name, then the name
//	the rest  the body
//
// In a record of version apartVersion the body is in pieces, and here are only its
// length, a uvarint, and its CRC-32C, 4 bytes, little endian. The CRC is needed because a
// piece may be left of another job that was never put, and whose id was given again. A
// piece is the prefix and its part of the body.
//
// The versions itemVersion and itemApartVersion are those of jobs that have something
// for the queue service, and optionsVersion and optionsApartVersion those of jobs that have options or
// a route: see item.go and options.go. All other jobs are written as they always were.
const (
	RecordVersion       = 1
	apartVersion        = 2
	itemVersion         = 3
	itemApartVersion    = 4
	optionsVersion      = 5
	optionsApartVersion = 6
	HeadLen             = 5
)

// The versions of queues: see queue.go.
const (
	queueVersion = 1
	noteVersion  = 2
)

// AppendHead begins a value that is neither a record nor an update nor a queue. Its checksum
// is still missing.
func AppendHead(dst []byte) []byte { return append(dst, RecordVersion, 0, 0, 0, 0) }

// AppendUpdate appends the value of an update, its checksum still missing.
func AppendUpdate(dst []byte, j *storage.Job) []byte {
	version := byte(RecordVersion)
	switch {
	case isRare(j.Item):
		version = optionsVersion
	case changedItem(j):
		version = itemVersion
	}
	if dst = appendState(dst, version, j); version == RecordVersion {
		return dst
	}
	tube := ""
	if j.Item != nil && j.Item.Moved {
		tube = j.Tube
	}
	return appendItem(appendText(dst, tube, storage.MaxName), version, j, hasOptions|hasRoute|hasSince)
}

// appendItem appends what the versions for items and options have at the end.
func appendItem(dst []byte, version byte, j *storage.Job, may uint64) []byte {
	var i storage.Item
	if j.Item != nil {
		i = *j.Item
	}
	f := fields{b: dst}
	f.item(&i)
	if version == optionsVersion {
		f.options(j, &i, may)
	}
	return f.b
}

// appendState appends what records and updates have in common.
func appendState(dst []byte, version byte, j *storage.Job) []byte {
	dst = append(dst, version, 0, 0, 0, 0)
	dst = binary.AppendUvarint(dst, uint64(j.State))
	dst = binary.AppendUvarint(dst, uint64(j.Pri))
	dst = binary.AppendUvarint(dst, uint64(j.Delay))
	dst = binary.AppendVarint(dst, j.Deadline)
	dst = binary.AppendUvarint(dst, j.BuryRank)
	for _, c := range [...]uint32{j.Reserves, j.Timeouts, j.Releases, j.Buries, j.Kicks} {
		dst = binary.AppendUvarint(dst, uint64(c))
	}
	return dst
}

// AppendRecord appends the value of a record up to its body.
func AppendRecord(dst []byte, j *storage.Job) []byte {
	version, tags := byte(RecordVersion), TagsOf(j)
	switch {
	case isRare(j.Item), keysOf(j) != nil:
		version = optionsVersion
	case len(tags) > 0 || changedItem(j):
		version = itemVersion
	}
	dst = appendState(dst, version, j)
	dst = binary.AppendUvarint(dst, uint64(j.TTR))
	dst = binary.AppendVarint(dst, j.Created)
	dst = appendText(dst, j.Tube, storage.MaxName)
	if version != RecordVersion {
		dst = appendItem(appendText(dst, tags, storage.MaxTags), version, j, hasOptions|hasRoute|hasKeys|hasSince)
	}
	return dst
}

// AppendApart appends all of a record whose body is stored apart.
func AppendApart(dst []byte, j *storage.Job, sum uint32) []byte {
	start := len(dst)
	dst = AppendRecord(dst, j)
	dst[start]++ // each version is followed by the one for bodies in pieces
	dst = binary.AppendUvarint(dst, uint64(j.Size))
	return binary.LittleEndian.AppendUint32(dst, sum)
}

// Seal writes the checksum into a complete value.
func Seal(key, value []byte) {
	binary.LittleEndian.PutUint32(value[1:], checksum(key, value))
}

func checksum(key, value []byte) uint32 {
	c := crc32.Update(0, Castagnoli, key)
	c = crc32.Update(c, Castagnoli, value[:1])
	return crc32.Update(c, Castagnoli, value[HeadLen:])
}

// Unseal checks version and checksum and returns what follows them.
func Unseal(key, value []byte) ([]byte, error) {
	if len(value) < HeadLen {
		return nil, fmt.Errorf("%w: record of %d bytes", storage.ErrCorrupt, len(value))
	}
	if !known(value[0], key) {
		return nil, fmt.Errorf("%w: record has version %d, this build reads up to version %d",
			ErrVersion, value[0], optionsApartVersion)
	}
	if got, want := checksum(key, value), binary.LittleEndian.Uint32(value[1:]); got != want {
		return nil, fmt.Errorf("%w: checksum is %08x, should be %08x", storage.ErrCorrupt, got, want)
	}
	return value[HeadLen:], nil
}

// known says whether a value under a key may have a version.
func known(version byte, key []byte) bool {
	switch {
	case len(key) > 0 && key[0] == KeyRecord:
		return version >= RecordVersion && version <= optionsApartVersion
	case len(key) > 0 && key[0] == KeyUpdate:
		return version == RecordVersion || version == itemVersion || version == optionsVersion
	case len(key) > 0 && key[0] == KeyQueue:
		return version == queueVersion || version == noteVersion
	}
	return version == RecordVersion
}

// Apart says whether a record's body is stored in pieces.
func Apart(value []byte) bool {
	return len(value) > 0 && (value[0] == apartVersion || value[0] == itemApartVersion ||
		value[0] == optionsApartVersion)
}

// state reads what records and updates have in common.
func (f *fields) state(version byte, j *storage.Job) {
	last := storage.Buried
	switch {
	case version >= optionsVersion:
		last = storage.Spent
	case version >= itemVersion:
		last = storage.Passed
	}
	j.State = storage.JobState(f.uvarint(uint64(last), "state"))
	if j.State < storage.Ready {
		f.fail("state")
	}
	j.Pri = f.u32("priority")
	j.Delay = f.u32("delay")
	j.Deadline = f.varint("deadline")
	j.BuryRank = f.uvarint(1<<64-1, "bury rank")
	j.Reserves = f.u32("reserves")
	j.Timeouts = f.u32("timeouts")
	j.Releases = f.u32("releases")
	j.Buries = f.u32("buries")
	j.Kicks = f.u32("kicks")
}

// DecodeUpdate changes j as the update says. If the job was moved, it returns the name of
// the tube, which is still a part of the value: the caller makes the string.
func DecodeUpdate(key, value []byte, j *storage.Job) (tube []byte, err error) {
	rest, err := Unseal(key, value)
	if err != nil {
		return nil, err
	}
	f := fields{b: rest, reads: true}
	f.state(value[0], j)
	if value[0] >= itemVersion || j.Item != nil {
		i := storage.Item{Tags: TagsOf(j), Keys: keysOf(j)}
		if value[0] >= itemVersion {
			text(&f, &tube, storage.MaxName, "tube")
			i.Moved = tube != nil
			f.item(&i)
		}
		if value[0] == optionsVersion {
			f.options(j, &i, hasOptions|hasRoute|hasSince)
		}
		setItem(j, &i)
	}
	j.Updated = true
	return tube, f.end()
}

// Content is what decodeRecord finds besides the job. The slices point into the value,
// as those of the job's item do: the caller makes the string, because it has seen most
// names before.
type Content struct {
	Tube  []byte
	Body  []byte // unless it is stored apart
	Apart bool
	Sum   uint32 // of a body that does
}

// DecodeRecord fills j and returns the rest.
func DecodeRecord(key, value []byte, j *storage.Job) (c Content, err error) {
	rest, err := Unseal(key, value)
	if err != nil {
		return c, err
	}
	id, err := KeyID(key)
	if err != nil {
		return c, err
	}
	*j = storage.Job{ID: id}
	f := fields{b: rest, reads: true}
	f.state(value[0], j)
	j.TTR = f.u32("ttr")
	j.Created = f.varint("created")
	text(&f, &c.Tube, storage.MaxName, "tube")
	if value[0] >= itemVersion {
		var i storage.Item
		text(&f, &i.Tags, storage.MaxTags, "tags")
		f.item(&i)
		if value[0] >= optionsVersion {
			f.options(j, &i, hasOptions|hasRoute|hasKeys|hasSince)
		}
		setItem(j, &i)
	}
	if j.Hops() != storage.HopsOf(id) {
		f.fail("journey")
	}
	if f.err != nil {
		return c, f.err
	}
	if c.Apart = Apart(value); c.Apart {
		if j.Size = f.u32("size"); j.Size <= storage.LargeBody || len(f.b) != 4 {
			f.fail("size")
			return c, f.err
		}
		c.Sum = binary.LittleEndian.Uint32(f.b)
		return c, nil
	}
	if uint64(len(f.b)) > 1<<32-1 {
		return c, fmt.Errorf("%w: body", storage.ErrCorrupt)
	}
	c.Body, j.Size = f.b, uint32(len(f.b))
	return c, nil
}

// DiskSize is about what a job takes in the tables, apart from its updates. It does not
// change when a job moves to the rear queue.
func DiskSize(j *storage.Job) int64 {
	if j.State == storage.Spent {
		return 100
	}
	return int64(j.Size) + int64(len(storage.Home(j.Tube))) + int64(len(TagsOf(j))) + 48
}

// CheckBody says whether what was read is what was put with the job.
func CheckBody(j *storage.Job, sum uint32, size int, got uint32) error {
	if size != int(j.Size) || got != sum {
		return fmt.Errorf("%w: the body of job %d has %d bytes and checksum %08x, should have %d and %08x",
			storage.ErrCorrupt, j.ID, size, got, j.Size, sum)
	}
	return nil
}
