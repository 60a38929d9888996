package console

import "testing"

// policies changes them, is told of a mistake without losing what was typed, and sees them and the schedules.
func policies(_ *testing.T, b *browser, base string) {
	const field = "Tables as in the file: [[tube]], [[schedule]]"
	b.show(base + "?policies#/policies")
	b.await("the schedule", `document.querySelector("table[aria-label=schedules] tbody").textContent.includes("nightly")`)
	b.click("main", "Change…")
	b.field(field, "[[tube]]\nmatch = \"mail\"\nmax_job = 3")
	b.click("dialog", "Set them")
	b.await("the mistake", `document.querySelector("dialog [role=alert]").textContent.includes("max_job")`)
	b.field(field, "[[tube]]\nmatch = \"mail\"\nmax_jobs = 1000\nexpire = \"24h\"\n[[schedule]]\nname = "+
		"\"weekly\"\ncron = \"@weekly\"\ntube = \"reports\"")
	b.click("dialog", "Set them")
	b.said("set mail, schedule weekly")
	b.await("the schedule of run time",
		`document.querySelector("table[aria-label=schedules] tbody").textContent.includes("weekly")`)
	b.await("the policy", `document.querySelector("table[aria-label=policies] tbody").textContent.includes("max_jobs = 1000, expire = \"24h\"")`)
	b.show(base + "?policy#/tube/mail")
	b.await("the policy of the tube", `document.body.textContent.includes("mail (run time): max_jobs = 1000")`)
}
