package router

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// A cursor is a Place for clients: enciphered, so that nobody learns from it how many jobs there are
// that he may not see, and with a key of this process, because places mean nothing after a restart. A
// cursor of another process, or for another tube, is none. It begins with a letter, so that no reader of YAML
// wants quotes around it.

// cursors makes cursors.
type cursors struct{ cipher.Block }

var cursorText = base64.RawURLEncoding.Strict()

const cursorHead = "c"

func newCursors() cursors {
	key := make([]byte, 16)
	_, _ = rand.Read(key) // never fails
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // the key's length is right
	}
	return cursors{block}
}

// Cursor is a place in a list of the jobs of a tube, or of all tubes with "".
func (r *Router) Cursor(tube string, p Place) string {
	block := make([]byte, aes.BlockSize)
	binary.BigEndian.PutUint64(block, uint64(p.Shard)<<32|uint64(p.Slot))
	binary.BigEndian.PutUint64(block[8:], xxhash.Sum64String(tube))
	r.cursors.Encrypt(block, block)
	return cursorHead + cursorText.EncodeToString(block)
}

// PlaceOf reads a cursor. It reports false if it is none of this process for this tube.
func (r *Router) PlaceOf(tube string, cursor []byte) (p Place, ok bool) {
	text, whole := bytes.CutPrefix(cursor, []byte(cursorHead))
	block, err := cursorText.AppendDecode(nil, text)
	if !whole || err != nil || len(block) != aes.BlockSize {
		return p, false
	}
	r.cursors.Decrypt(block, block)
	at := binary.BigEndian.Uint64(block)
	p = Place{Shard: int(at >> 32), Slot: uint32(at)}
	return p, binary.BigEndian.Uint64(block[8:]) == xxhash.Sum64String(tube) && p.Shard < len(r.shards)
}
