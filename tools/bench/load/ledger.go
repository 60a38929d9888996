//go:build linux

package load

// A Ledger remembers which job ids were handed out, one bit each, so that a job
// handed out twice is noticed while the load runs. Servers give ids roughly in
// order, so the page used last is nearly always the page needed next, and a
// full page is replaced by a mark, so a long run needs little memory.
type Ledger struct {
	pages  map[uint64]*ledgerPage
	last   *ledgerPage
	lastNo uint64
}

const ledgerPageBits = 16

type ledgerPage struct {
	bits [1 << ledgerPageBits / 64]uint64
	set  int
}

// fullPage stands for any page whose every bit is set.
var fullPage = &ledgerPage{set: 1 << ledgerPageBits}

func NewLedger() *Ledger { return &Ledger{pages: map[uint64]*ledgerPage{}} }

// Mark notes that id was handed out and returns false if it had been before.
func (l *Ledger) Mark(id uint64) bool {
	no := id >> ledgerPageBits
	p := l.last
	if p == nil || no != l.lastNo {
		if p = l.pages[no]; p == nil {
			p = new(ledgerPage)
			l.pages[no] = p
		}
		l.last, l.lastNo = p, no
	}
	if p == fullPage {
		return false
	}
	i, bit := id&(1<<ledgerPageBits-1)/64, uint64(1)<<(id%64)
	if p.bits[i]&bit != 0 {
		return false
	}
	p.bits[i] |= bit
	if p.set++; p.set == 1<<ledgerPageBits {
		l.pages[no], l.last = fullPage, fullPage
	}
	return true
}
