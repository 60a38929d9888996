package console

// steps are those of one user, in the order in which they stand here. What no script says is a function.
var steps = []struct {
	name, script string
	do           func(*browser)
}{
	{"overview", "", overview},
	{"tubes", `
show #/tubes
await a page of tubes | document.querySelectorAll("tbody tr").length === 50
click thead | Buried
await mail first | document.querySelector("tbody th").textContent === "mail" && document.querySelector("tbody td.c-buried").textContent === "7"
click main | Next
await the second page | document.querySelector(".pager").textContent.includes("51 to 100 of 100,007")
write input[type=search] | *99.events
await what the filter shows | document.querySelector(".facts").textContent === "1,000 of 100,007 tubes" && document.querySelector("tbody th").textContent === "tenant-00099.events"
write input[type=search] | THUMB
await a paused tube | document.querySelectorAll("tbody tr").length === 1 && document.querySelector(".mark").textContent.startsWith("paused, 59 minutes")
`, nil},
	{"hostile", `
show #/tube/odd
await the body | document.querySelector(".body pre").textContent.includes("<script>document.title='lost'</script>\\u0001\\u001b[31m")
is 0 | document.querySelectorAll("main img, main script").length
click .tabs | Hex
await bytes | document.querySelector(".body pre").textContent.startsWith("00000000  3c 69 6d 67")
is true | document.title === "odd · beanfield"
`, nil},
	{"put", `
show #/tube/new
await no tube | document.querySelector(".facts").textContent.startsWith("There is no such tube")
click main | Put a job
field Data | {"a":[1,{"b":null}],"c":"<b>"}
field Delay, seconds | 500
field Keep in this browser as a sample named | my sample
click dialog | Put
said is in new
await the job | document.querySelector(".t-delayed b").textContent === "1" && document.querySelector("article .j-key").textContent === "a"
click main | Put a job
eval (() => { const s = document.querySelector("dialog select"); s.value = "0"; s.dispatchEvent(new Event("change")) })()
field Delay, seconds | 0
click dialog | Put
await both jobs | document.querySelector(".t-ready b").textContent === "1" && document.querySelector(".t-delayed b").textContent === "1"
`, nil},
	{"one job", `
show #/tube/new
click article[data-state=delayed] | Make ready
state new 2 0 0
click article[data-state=ready] | Bury
state new 1 0 1
click article[data-state=ready] | Release
field Delay, seconds | 700
click dialog | Release
state new 0 1 1
click article[data-state=buried] | Delete
click dialog | Cancel
click article[data-state=buried] | Delete
click dialog | Delete
state new 0 1 0
click article[data-state=delayed] | Copy
click dialog | Put
state new 1 1 0
`, nil},
	{"kick and pause", `
show #/tube/mail
state mail 57 16 7
click main | Kick 1
state mail 58 16 6
click main | Kick N
field How many | 2
click dialog | Kick
said 2 jobs are ready
state mail 60 16 4
click main | Kick all
await what it does | document.querySelector("dialog p").textContent === "The 4 buried jobs will be ready."
click dialog | Kick all of them
said Kick all in mail: 4 done
state mail 64 16 0
click main | Pause
field Seconds | 100
click dialog | Pause
await the pause | document.querySelector("h1 .mark").textContent.startsWith("paused, 1 minute")
click main | Unpause
await the end of the pause | document.querySelector("h1 .mark").hidden
`, nil},
	{"search", `
show #/search
field Tube | orders
field State | all
field Body contains | bean-01
click main | Show
await what is found | document.querySelectorAll("article").length === 10 && document.querySelector("section .facts").textContent.startsWith("10 found, 60 looked at")
eval (() => { window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return "#/search" } })()
click main | Save as CSV
await a file | saved.length === 1
eval (async () => { const text = await saved[0].text(); if (text.split("\r\n").length !== 12 || !text.includes('""order"":1010')) throw new Error(text) })()
`, nil},
	{"search all", `
show ?all#/search
field Body contains | onerror
click main | Show
await how far it is | !document.querySelector("progress").hidden || document.querySelector("article")
await the one body of all tubes | document.querySelectorAll("article").length === 1 && document.querySelector("article h3 a").hash === "#/tube/odd" && document.querySelector("progress").hidden
field Tube | *.events
click main | Show
await that there is none in these | /^No such job among 100,[0-9]{3}$/.test(document.querySelector("section .facts").textContent)
field Body contains | x
click main | Show
await the first of many | document.querySelectorAll("article").length === 20
click main | More
await more of them | document.querySelectorAll("article").length === 40
field Body contains | nowhere
click main | Show
click main | Stop
await the stop | document.querySelector("section .facts").textContent.endsWith(" looked at, stopped") || document.querySelector("section .facts").textContent.startsWith("No such job among")
`, nil},
	{"move and purge", `
show #/tube/orders
state orders 48 12 0
click main | Move jobs
field delayed |
field To tube (new or existing) | elsewhere
click dialog | Move them
said 48 done
state orders 0 12 0
click main | Purge
await how many | document.querySelector("dialog .sum").textContent === "Delete 12 jobs, and those that come meanwhile."
click dialog | Delete them
said 12 done
show ?2#/tube/elsewhere
state elsewhere 48 0 0
await where a job has been | document.querySelector("article .been").textContent.includes("left orders, moved by somebody")
`, nil},
	{"keys", `
show
press g
press t
press /
await the filter | location.hash === "#/tubes" && document.activeElement.type === "search" && document.activeElement.value === ""
`, nil},
	{"samples", `
show #/tube/elsewhere
click article[data-state=ready] | Keep
field Name | an order
click dialog | Keep
said Kept as an order
show ?s#/samples
await both samples | [...document.querySelectorAll("tbody th")].map((e) => e.textContent).join() === "my sample,an order"
eval document.querySelector("[aria-label='Select my sample']").click()
field Times | 30
click main | Put selected
said Put a batch of 30 jobs: 30 done
eval document.querySelector("[aria-label='Select all samples']").click()
eval document.querySelector("[aria-label='Select my sample']").click()
click main | Delete selected
await what is asked | document.querySelector("dialog p").textContent.startsWith("an order:")
click dialog | Delete
await one sample | document.querySelectorAll("tbody th").length === 1
show ?s2#/tube/new
await the batch | document.querySelector(".t-delayed b").textContent === "31" && document.querySelector(".t-ready b").textContent === "1"
`, nil},
	{"listed", `
post put | {"tube":"listed","data":"even"}
post put | {"tube":"listed","data":"odd"}
post put | {"tube":"listed","data":"even"}
post put | {"tube":"listed","data":"odd"}
post put | {"tube":"listed","data":"even"}
show ?listed#/search
field Tube | listed
field Body contains | even
click main | Show
await three jobs | document.querySelectorAll("article").length === 3
click article | Move
field To tube (new or existing) | listed.one
click dialog | Move
await what has become of it | document.querySelector("article").textContent.includes("in listed.one")
click main | Show
await two jobs | document.querySelectorAll("article").length === 2
click main | Move these
field To tube (new or existing) | listed.two
field Delay, seconds | 77
click dialog | Move
said Move to listed.two: 2 done
await none is left | document.querySelector("section .facts").textContent.startsWith("No such job")
field Body contains |
click main | Show
await the others | document.querySelectorAll("article").length === 2
click main | Delete these
click dialog | Delete
said Delete: 2 done
show ?listed2#/tube/listed.two
state listed.two 0 2 0
`, nil},
	{"bodies", "", bodies},
	{"purge of tubes", `
show #/tubes
write input[type=search] | tenant-0010*.events
await ten tubes | document.querySelector(".facts").textContent.startsWith("10 of 100,0")
click main | Purge these
await how many | document.querySelector("dialog .sum").textContent === "Delete 10 jobs, and those that come meanwhile."
click dialog | Delete them
said Purge 10 tubes: 10 done
await no tubes | document.querySelector(".facts").textContent.startsWith("0 of ")
`, nil},
	{"policies", `
show ?policies#/policies
await the schedule | document.querySelector("table[aria-label=schedules] tbody").textContent.includes("nightly")
click main | Change…
field Tables as in the file: [[tube]], [[schedule]] | [[tube]]\nmatch = "mail"\nmax_job = 3
click dialog | Set them
await the mistake | document.querySelector("dialog [role=alert]").textContent.includes("max_job")
field Tables as in the file: [[tube]], [[schedule]] | [[tube]]\nmatch = "mail"\nmax_jobs = 1000\nexpire = "24h"\n[[schedule]]\nname = "weekly"\ncron = "@weekly"\ntube = "reports"
click dialog | Set them
said set mail, schedule weekly
await the schedule of run time | document.querySelector("table[aria-label=schedules] tbody").textContent.includes("weekly")
await the policy | document.querySelector("table[aria-label=policies] tbody").textContent.includes("max_jobs = 1000, expire = \"24h\"")
show ?policy#/tube/mail
await the policy of the tube | document.body.textContent.includes("mail (run time): max_jobs = 1000")
`, nil},
	{"slow server", `
show
eval window.held = window.fetch; window.fetch = () => new Promise(() => {}); location.hash = "#/tubes"
await that the page waits | document.querySelector("h1").textContent === "Tubes" && document.getElementById("wait").checkVisibility() && document.getElementById("wait").textContent === "Loading…"
eval window.fetch = () => Promise.reject(new TypeError("Failed to fetch")); dispatchEvent(new Event("again"))
await why | document.getElementById("wait").textContent.startsWith("the server does not answer")
eval window.fetch = window.held; dispatchEvent(new Event("again"))
await the tubes | document.querySelectorAll("tbody tr").length === 50 && document.getElementById("wait").hidden
`, nil},
	{"one machine", `
show ?one#/cluster
await what it is | document.querySelector("main .missing").textContent.includes("no node of a cluster") && document.getElementById("link").textContent === "live"
show ?one#/tube/50%
await a name that is half an escape | document.querySelector("h1").textContent.includes("50%")
`, nil},
	{"machine", `
show ?machine#/server
await memory, processor and descriptors | (() => { const f = Object.fromEntries([...document.querySelectorAll("dl.jobfacts div")].map((e) => [e.firstChild.textContent, e.lastChild.textContent])); return /^[0-9.]+ MB$/.test(f.Memory) && / % of /.test(f.Processor) && /^[0-9,]+ of [0-9,]+$/.test(f.Descriptors) && f["Last backup"].startsWith("none") })()
await the listeners | document.querySelectorAll("table[aria-label=Listeners] tbody tr").length === 3
`, nil},
	{"service", "", service},
	{"phone", "", phone},
	{"accessibility", "", accessibility},
	{"keyboard", `
post put | {"tube":"by.keys","data":"first"}
post put | {"tube":"by.keys","data":"second"}
show ?keyboard#/tube/by.keys
state by.keys 2 0 0
tab main button | Pause
press Enter
await a dialog with the focus | document.querySelector("dialog[open]").contains(document.activeElement)
heard dialog
press Escape
await the focus where it was | !document.querySelector("dialog") && document.activeElement.textContent === "Pause"
tab article button | Delete
press Enter
await the question | document.querySelector("dialog[open]")
tab dialog button | Delete
press Enter
said is deleted
await the focus beside the jobs | document.activeElement.getAttribute("aria-label") === "Next jobs"
await the next job | document.querySelector("article .body").textContent.includes("second")
tab nav a | Tubes
press Enter
await the page of tubes, with the focus | location.hash === "#/tubes" && document.activeElement.id === "main"
`, nil},
	{"dialogs", `
put keys 0 1
put keys 0 2
put keys 5000 3
show ?dialogs#/tube/keys
state keys 2 1 0
open Move jobs
await all that the tube has, chosen | [...document.querySelectorAll("dialog input[type=checkbox]")].map((e) => e.checked).join() === "true,true,false" && document.querySelector("dialog .sum").textContent === "Move 3 jobs, and those that come meanwhile."
write dialog input:not([type]) | -bad
press Enter
await what is wrong with -bad | document.querySelector("dialog[open] [role=alert]:not([hidden])").textContent.includes("A tube's name has")
write dialog input:not([type]) | b d
press Enter
await what is wrong with b d | document.querySelector("dialog[open] [role=alert]:not([hidden])").textContent.includes("A tube's name has")
write dialog input:not([type]) | keys
press Enter
await what is wrong with keys | document.querySelector("dialog[open] [role=alert]:not([hidden])").textContent.includes("in this tube already")
write dialog input:not([type]) | keys.moved
await no reason any more | document.querySelector("dialog[open] [role=alert]").hidden
hold
field delayed |
await fewer jobs | document.querySelector("dialog .sum").textContent.startsWith("Move 2 jobs")
eval document.querySelector("dialog input:not([type])").focus()
press Enter
said Move to keys.moved: 2 done
state keys 0 1 0
open Purge
press Escape
await that nothing is done, and the focus where it was | !document.querySelector("dialog") && document.activeElement.textContent === "Purge"
state keys 0 1 0
open Purge
await one job | document.querySelector("dialog .sum").textContent.startsWith("Delete 1 job,")
put keys 6000 4
await another one | document.querySelector("dialog .sum").textContent.startsWith("Delete 2 jobs,")
press Enter
said Purge of keys: 2 done
open Put a job
eval document.querySelectorAll("dialog input")[0].focus()
press Enter
press Enter
said is in keys
press Escape
await one job | !document.querySelector("dialog") && document.querySelector(".t-ready b").textContent === "1" && document.querySelector(".t-total b").textContent === "5"
open Put a job
eval document.querySelector("dialog textarea").value = "x".repeat(131072)
click dialog | Put
await why it is refused, beside what was typed | document.querySelector("dialog[open] [role=alert]").textContent.includes("limits.max_job_size") && document.querySelector("dialog textarea").value.length === 131072
click dialog | Cancel
await the end of the dialog | !document.querySelector("dialog")
`, nil},
	{"kicks", `
put kicked 5000 1
put kicked 5000 2
show ?kicks#/tube/kicked
state kicked 0 2 0
open Kick all
await what it would do | document.querySelector("dialog p").textContent === "The 2 delayed jobs will be ready. No job is buried."
press Escape
await the end of the dialog | !document.querySelector("dialog")
click article[data-state=delayed] | Bury
state kicked 0 1 1
open Kick N
await the buried one | document.querySelector("dialog p").textContent === "The 1 buried job will be ready."
post kick | {"tube":"kicked","count":1}
await that it has gone | document.querySelector("dialog p").textContent === "There are no buried jobs any more." && document.querySelector("dialog .primary").disabled
press Enter
eval document.querySelector("dialog form").requestSubmit()
said 0 jobs are ready
state kicked 1 1 0
`, nil},
	{"past", "", past},
	{"latency", "", latency},
	{"connections", "", connections},
	{"drain", `
show ?3#/server
await the shards | document.querySelectorAll("tbody tr").length > 0
click main | Drain the server
click dialog | Drain
await the server drains | document.getElementById("link").textContent === "draining"
`, nil},
}
