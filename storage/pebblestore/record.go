package pebblestore

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"beanfield/storage"
)

// Keys are one byte of kind and the job's id, big endian, so that a scan meets
// jobs in the order of their ids. Records and updates are apart because they
// live differently: an update is small and often overwritten, and merging it
// into the tables must not drag bodies along.
const (
	keyRecord = 'r' // a job as it was put, with its body
	keyUpdate = 'u' // what changed since
	keyQueue  = 'q' // a queue, by the name of its tube instead of an id: see queues.go
	keyPiece  = 'v' // a piece of a large body: see pieces.go
	keyMaxID  = 'm' // the highest id ever, under id 0
	keyPlace  = 'p' // how far the store has folded its log, under id 0: see place.go
	keyLen    = 9
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
// for the queue service: see item.go. All other jobs are written as they always were.
const (
	recordVersion    = 1
	apartVersion     = 2
	itemVersion      = 3
	itemApartVersion = 4
	recordPrefix     = 5
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func putKey(k []byte, kind byte, id uint64) {
	k[0] = kind
	binary.BigEndian.PutUint64(k[1:keyLen], id)
}

func makeKey(kind byte, id uint64) (k [keyLen]byte) {
	putKey(k[:], kind, id)
	return k
}

func keyID(k []byte) (uint64, error) {
	if len(k) != keyLen {
		return 0, fmt.Errorf("%w: key of %d bytes", storage.ErrCorrupt, len(k))
	}
	return binary.BigEndian.Uint64(k[1:]), nil
}

// appendUpdate appends the value of an update, its checksum still missing.
func appendUpdate(dst []byte, j *storage.Job) []byte {
	if !changedItem(j) {
		return appendState(dst, recordVersion, j)
	}
	dst = appendState(dst, itemVersion, j)
	return appendItem(appendMoved(dst, j), j)
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

// appendRecord appends the value of a record up to its body.
func appendRecord(dst []byte, j *storage.Job) []byte {
	version, tags := byte(recordVersion), tagsOf(j)
	if len(tags) > 0 || changedItem(j) {
		version = itemVersion
	}
	dst = appendState(dst, version, j)
	dst = binary.AppendUvarint(dst, uint64(j.TTR))
	dst = binary.AppendVarint(dst, j.Created)
	dst = appendText(dst, j.Tube, storage.MaxName)
	if version == itemVersion {
		dst = appendItem(appendText(dst, tags, storage.MaxTags), j)
	}
	return dst
}

// appendApart appends all of a record whose body is stored apart.
func appendApart(dst []byte, j *storage.Job, sum uint32) []byte {
	start := len(dst)
	dst = appendRecord(dst, j)
	dst[start]++ // each version is followed by the one for bodies in pieces
	dst = binary.AppendUvarint(dst, uint64(j.Size))
	return binary.LittleEndian.AppendUint32(dst, sum)
}

// seal writes the checksum into a complete value.
func seal(key, value []byte) {
	binary.LittleEndian.PutUint32(value[1:], checksum(key, value))
}

func checksum(key, value []byte) uint32 {
	c := crc32.Update(0, castagnoli, key)
	c = crc32.Update(c, castagnoli, value[:1])
	return crc32.Update(c, castagnoli, value[recordPrefix:])
}

// unseal checks version and checksum and returns what follows them.
func unseal(key, value []byte) ([]byte, error) {
	if len(value) < recordPrefix {
		return nil, fmt.Errorf("%w: record of %d bytes", storage.ErrCorrupt, len(value))
	}
	if !known(value[0], key) {
		return nil, fmt.Errorf("%w: record has version %d, this build reads up to version %d",
			ErrVersion, value[0], itemApartVersion)
	}
	if got, want := checksum(key, value), binary.LittleEndian.Uint32(value[1:]); got != want {
		return nil, fmt.Errorf("%w: checksum is %08x, should be %08x", storage.ErrCorrupt, got, want)
	}
	return value[recordPrefix:], nil
}

// known says whether a value under a key may have a version.
func known(version byte, key []byte) bool {
	switch {
	case len(key) > 0 && key[0] == keyRecord:
		return version >= recordVersion && version <= itemApartVersion
	case len(key) > 0 && key[0] == keyUpdate:
		return version == recordVersion || version == itemVersion
	}
	return version == recordVersion
}

// apart says whether a record's body is stored in pieces.
func apart(value []byte) bool {
	return len(value) > 0 && (value[0] == apartVersion || value[0] == itemApartVersion)
}

// fields reads numbers one after the other and remembers the first fault.
type fields struct {
	rest []byte
	err  error
}

func (f *fields) fail(what string) {
	if f.err == nil {
		f.err = fmt.Errorf("%w: %s", storage.ErrCorrupt, what)
	}
}

func (f *fields) uvarint(limit uint64, what string) uint64 {
	v, n := binary.Uvarint(f.rest)
	if n <= 0 || v > limit {
		f.fail(what)
		return 0
	}
	f.rest = f.rest[n:]
	return v
}

func (f *fields) u32(what string) uint32 { return uint32(f.uvarint(1<<32-1, what)) }

func (f *fields) varint(what string) int64 {
	v, n := binary.Varint(f.rest)
	if n <= 0 {
		f.fail(what)
		return 0
	}
	f.rest = f.rest[n:]
	return v
}

// state reads what records and updates have in common.
func (f *fields) state(version byte, j *storage.Job) {
	last := storage.Buried
	if version >= itemVersion {
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

// decodeUpdate changes j as the update says. If the job was moved, it returns the name of
// the tube, which is still a part of the value: the caller makes the string.
func decodeUpdate(key, value []byte, j *storage.Job) (tube []byte, err error) {
	rest, err := unseal(key, value)
	if err != nil {
		return nil, err
	}
	f := fields{rest: rest}
	f.state(value[0], j)
	if value[0] == itemVersion || j.Item != nil {
		i := storage.Item{Tags: tagsOf(j)}
		if value[0] == itemVersion {
			tube = f.text(storage.MaxName, "tube")
			i.Moved = tube != nil
			f.item(&i)
		}
		setItem(j, &i)
	}
	if f.err == nil && len(f.rest) != 0 {
		f.fail("trailing bytes")
	}
	j.Updated = true
	return tube, f.err
}

// content is what decodeRecord finds besides the job. The slices point into the value,
// as those of the job's item do: the caller makes the string, because it has seen most
// names before.
type content struct {
	tube  []byte
	body  []byte // unless it is stored apart
	apart bool
	sum   uint32 // of a body that does
}

// decodeRecord fills j and returns the rest.
func decodeRecord(key, value []byte, j *storage.Job) (c content, err error) {
	rest, err := unseal(key, value)
	if err != nil {
		return c, err
	}
	id, err := keyID(key)
	if err != nil {
		return c, err
	}
	*j = storage.Job{ID: id}
	f := fields{rest: rest}
	f.state(value[0], j)
	j.TTR = f.u32("ttr")
	j.Created = f.varint("created")
	c.tube = f.text(storage.MaxName, "tube")
	if value[0] >= itemVersion {
		var i storage.Item
		i.Tags = f.text(storage.MaxTags, "tags")
		f.item(&i)
		setItem(j, &i)
	}
	if f.err != nil {
		return c, f.err
	}
	if c.apart = apart(value); c.apart {
		if j.Size = f.u32("size"); j.Size <= storage.LargeBody || len(f.rest) != 4 {
			f.fail("size")
			return c, f.err
		}
		c.sum = binary.LittleEndian.Uint32(f.rest)
		return c, nil
	}
	if uint64(len(f.rest)) > 1<<32-1 {
		return c, fmt.Errorf("%w: body", storage.ErrCorrupt)
	}
	c.body, j.Size = f.rest, uint32(len(f.rest))
	return c, nil
}

// diskSize is about what a job takes in the tables, apart from its updates. It does not
// change when a job moves to the rear queue.
func diskSize(j *storage.Job) int64 {
	return int64(j.Size) + int64(len(storage.Home(j.Tube))) + int64(len(tagsOf(j))) + 48
}

// maxIDLen is the length of the value under keyMaxID: version, checksum, id.
const maxIDLen = recordPrefix + 8

func maxIDValue(id uint64) []byte {
	key, value := makeKey(keyMaxID, 0), make([]byte, maxIDLen)
	encodeMaxID(key[:], value, id)
	return value
}

func encodeMaxID(key, value []byte, id uint64) {
	value[0] = recordVersion
	binary.BigEndian.PutUint64(value[recordPrefix:], id)
	seal(key, value)
}

func decodeMaxID(key, value []byte) (uint64, error) {
	rest, err := unseal(key, value)
	if err != nil {
		return 0, err
	}
	if len(rest) != 8 {
		return 0, fmt.Errorf("%w: highest id", storage.ErrCorrupt)
	}
	return binary.BigEndian.Uint64(rest), nil
}
