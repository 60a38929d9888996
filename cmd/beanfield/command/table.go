package command

import "slices"

// table lists all commands, in the order of the list.
var table = slices.Concat(jobCommands, tubeCommands, serverCommands, clusterCommands, dataCommands, selfCommands)
