import { sampleIncident } from '../sample/incident';

/** Seconds since the sample incident began, which rings since `rung`, in milliseconds as `now`; it stops when the next person is paged. */
export function sampleAge(rung: number, now: number): number {
  return Math.min(sampleIncident.age + Math.floor((now - rung) / 1000), sampleIncident.nextAt);
}

/** How long the next person may still sleep, in seconds. */
export function sampleLeft(age: number): number {
  return Math.max(0, sampleIncident.nextAt - age);
}
