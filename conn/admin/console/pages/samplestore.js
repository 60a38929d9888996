import { keep, recall } from "./store.js";

// Samples: jobs that this browser keeps.

export const samples = () => recall("samples", []);
export const keepSample = (sample) => keep("samples", [...samples().filter((s) => s.name !== sample.name), sample]);
export const dropSample = (name) => keep("samples", samples().filter((s) => s.name !== name));
