import { duration } from '~/lib/time/words';

/** How a figure changed; `better` says whether that is good news. */
export interface Change {
  lead: string;
  rest: string;
  better: boolean;
}

/** The change of a number of incidents: "2 fewer than last week". Null while one is not known. */
export function countChange(now: number | undefined, before: number | undefined): Change | null {
  if (now === undefined || before === undefined) return null;
  if (now === before) return { lead: 'As many', rest: 'as last week', better: false };
  const fewer = now < before;
  return {
    lead: `${Math.abs(now - before)} ${fewer ? 'fewer' : 'more'}`,
    rest: 'than last week',
    better: fewer,
  };
}

/** The change of an average time: "1m 30s faster than last week". Null when one week had none. */
export function timeChange(now: number | undefined, before: number | undefined): Change | null {
  if (now === undefined || before === undefined) return null;
  if (now === before) return { lead: 'As fast', rest: 'as last week', better: false };
  const faster = now < before;
  const lead = `${short(Math.abs(now - before))} ${faster ? 'faster' : 'slower'}`;
  return { lead, rest: 'than last week', better: faster };
}

// "10m 0s" is ten minutes.
function short(seconds: number): string {
  return duration(seconds).replace(/ 0[smh]$/, '');
}
