package lanes

// without leaves rules out. Only tests do, to see that each is needed.
type without struct {
	place   bool // P2: a refusal tells where the lane ends
	repeat  bool // P3: what is in doubt is not appended again
	looking bool // P4: newer epochs that are read do not end an ownership
	doubt   bool // P5: what is not found is not there
	expect  bool // P6: an epoch's record lands wherever the lane ends
	nonce   bool // P6: any record of the epoch is the own one
	purged  bool // P4, P6: an epoch whose first record is gone is not noticed
	union   bool // P7: a new owner has its record on lane 0 only
	parts   bool // P7: a new owner goes on with turns of which there are parts
	last    bool // P8: a purge may take everything that was read
	chain   bool // P9: what is newer is folded, whether it chains or not
}
