// Asks for the overview before all other files have come: every page needs it, and the server
// takes a while for it if it has many tubes.

export const early = fetch(new URL("api/v1/overview", location.origin + location.pathname), { cache: "no-store" });
early.catch(() => {}); // whoever uses it hears of it
