package client_test

import (
	"reflect"
	"testing"

	wire "beanfield/conn/beanstalk/client"
	"beanfield/conn/client"
	"beanfield/storage/must"
)

// methods are those that send the commands which beanstalkd does not have.
var methods = map[string]string{
	"put-in-tube": "Put", "put-with": "Put", "put-batch": "PutBatch",
	"reserve-batch": "ReserveBatch", "reserve-with": "ReserveTagged",
	"delete-batch": "DeleteBatch", "release-batch": "ReleaseBatch", "bury-batch": "BuryBatch",
	"touch-batch": "TouchBatch",
	"truncate":    "Truncate", "list-jobs": "Jobs", "move-jobs": "MoveJobs", "change-jobs": "ChangeJobs",
	"schedules": "Schedules", "policies": "Policies", "policy": "Policy", "set-policies": "SetPolicies",
	"capabilities": "Has", "call-off": "Reserve", // whose context ends
}

// There is a method for each command of the server.
func TestEveryCommandHasAMethod(t *testing.T) {
	server := beanfield(t)
	c := must.Get(wire.Dial(wire.Options{Server: server, Timeout: patience}))
	defer c.HangUp()
	conn := reflect.TypeFor[*client.Conn]()
	for _, verb := range must.Get(c.Capabilities()) {
		if _, ok := conn.MethodByName(methods[verb]); !ok {
			t.Errorf("%s has no method", verb)
		}
	}
	for verb := range methods {
		if verb != "capabilities" && !dial(t, server).Has(verb) {
			t.Errorf("the server does not have %s", verb)
		}
	}
}
