package queue

// What others ask for of the jobs 1 to 3, which a purge has ended.
const (
	endedJobs = `
		c peek 1 -> no
		c reserve-job 2 -> no
		c kick-job 3 -> no
		c delete 1 -> no
		c stats-job 2 -> no
		c delete-several 1 2 3 -> 0`
	goneJobs = endedJobs + `
		c kick 9 -> 0
		c use mail
		c peek-ready -> no
		c peek-delayed -> no
		c peek-buried -> no
		c use default`
)

// What is true of purges, with {ended} and {gone} for that.
var purgeScripts = map[string]string{
	"whatever state": `
		a put 5 0 60 -> 1
		a put 5 10 60 -> 2
		a put 5 0 60 -> 3
		b reserve-job 3 -> 3
		b bury 3 1
		c truncate mail -> 3
		a stats-tube mail -> total=3 ready=0 urgent=0 delayed=0 buried=0 deletes=3
		a totals -> ready=0 urgent=0 delayed=0 buried=0
		{gone}
		+11s
		b poll -> timeout
		restart
		{gone}
		c truncate mail -> no
		c totals -> ready=0 delayed=0 buried=0`,
	"some states": `
		a put 5 0 60 -> 1
		a put 5 0 60 -> 2
		a put 5 0 60 -> 3
		a put 5 9 60 -> 4
		a put 5 0 60 -> 5
		b reserve-job 5 -> 5
		b bury 5 1
		c truncate mail ready -> 3
		a stats-tube mail -> ready=0 urgent=0 delayed=1 buried=1 deletes=3
		{ended}
		restart
		{ended}
		c peek 4 -> 4
		c truncate mail ready -> 0
		a use mail
		a kick-job 5
		a kick-job 4
		restart
		{ended}
		c truncate mail delayed buried -> 0
		c truncate mail ready -> 2
		restart
		c peek 4 -> no
		c peek 5 -> no
		{gone}`,
	"states in a full tube": `
		policy mail jobs=4 full=oldest
		a put 5 0 60 20 -> 1
		a put 5 5 60 20 -> 2
		a put 5 0 60 20 -> 3
		a put 5 9 60 20 -> 4
		c truncate mail ready -> 2
		a put 5 0 60 20 -> 5
		a put 5 0 60 20 -> 6
		a put 5 0 60 20 -> 7
		c peek 5 -> no
		c truncate mail delayed -> 2
		{ended}
		a put 5 0 60 20 -> 8
		c peek 6 -> 6`,
	"what is held stays": `
		a put 5 0 60 -> 1
		a put 5 0 60 -> 2
		a put 5 0 60 -> 3
		a put 5 0 60 -> 4
		a put 5 0 60 -> 5
		b reserve-job 4 -> 4
		b reserve-job 5 -> 5
		c truncate mail -> 3
		b release 4 5 0
		restart
		{ended}
		b watch mail
		b poll -> 4
		b delete 4
		b poll -> 5
		b bury 5 0
		restart
		c truncate mail -> 1
		{gone}
		c peek 5 -> no`,
	"a purge after a purge": `
		a put 5 0 60 -> 1
		a put 5 0 60 -> 2
		a put 5 0 60 -> 3
		c truncate mail -> 3
		a put 5 0 60 -> 4
		a put 5 0 60 -> 5
		b reserve-job 4 -> 4
		c truncate mail -> 1
		a put 5 0 60 -> 6
		restart
		{ended}
		c peek 5 -> no
		c peek 4 -> 4
		c peek 6 -> 6
		c truncate mail -> 2`,
	"a tube that ends, and is made again": `
		a put 5 0 60 -> 1
		a put 5 0 60 -> 2
		a put 5 0 60 -> 3
		a put 5 0 60 -> 4
		a use default
		b ignore mail
		c truncate mail -> 4
		c stats-tube mail -> no
		a use mail
		restart
		{gone}
		c stats-tube mail -> no
		a use mail
		a put 5 0 60 -> 5
		c truncate mail -> 1
		restart
		{gone}
		c peek 4 -> no
		c peek 5 -> no`,
	"a tube made again whose jobs are older": `
		a use default
		a put 5 0 60 -> 1
		a use mail
		a put 5 0 60 -> 2
		a put 5 0 60 -> 3
		a put 5 0 60 -> 4
		a use default
		b ignore mail
		c truncate mail -> 3
		c stats-tube mail -> no
		a move default mail 1 -> 1
		c truncate mail -> 1
		restart
		{gone}
		c peek 4 -> no
		a put 5 0 60 -> 5
		a move default mail 5 -> 1
		c peek 5 -> 5
		c truncate mail -> 1`,
	"keys are free, and windows go on": `
		a put-with tube=mail key=k       -> 1
		a put-with tube=mail key=l for=9s -> 2
		a put-with tube=mail once=m      -> 3
		c truncate mail                  -> 3
		a put-with tube=mail key=k       -> 4
		a put-with tube=mail key=l       -> exists 2
		a put-with tube=mail once=m      -> 3
		{ended}
		restart
		a put-with tube=mail key=k       -> exists 4
		a put-with tube=mail key=l       -> exists 2
		a put-with tube=mail once=m      -> 3
		+9s
		a put-with tube=mail key=l       -> 5
		{ended}`,
	"a full tube has room": `
		policy mail jobs=3 bytes=60
		a put 5 0 60 20 -> 1
		a put 5 5 60 20 -> 2
		a put 5 0 60 20 -> 3
		a put 5 0 60 20 -> noroom
		c truncate mail -> 3
		{gone}
		a put 5 0 60 20 -> 4
		a put 5 0 60 20 -> 5
		a put 5 0 60 20 -> 6
		a put 5 0 60 20 -> noroom`,
	"a paused tube, and one who waits": `
		a put 5 0 60 -> 1
		a put 5 0 60 -> 2
		a put 5 0 60 -> 3
		a pause mail 10
		b reserve -> waiting
		c truncate mail -> 3
		+10s
		{gone}
		a put 5 0 60 -> 4 => b:4`,
	"a log without room": `
		a put 5 0 60 -> 1
		a put 5 0 60 -> 2
		a put 5 0 60 -> 3
		log packed
		c truncate mail -> 3
		{gone}
		log room`,
}
