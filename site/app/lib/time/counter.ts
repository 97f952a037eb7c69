import { two } from '../words';

// Alone, because the front page needs nothing else of time.

const minute = 60;
const hour = 60 * minute;

/** A length of time as a counter: "04:12", "1:04:12". Never negative. */
export function clock(seconds: number): string {
  const total = Math.max(0, Math.floor(seconds));
  const short = `${two(Math.floor((total % hour) / minute))}:${two(total % minute)}`;
  return total < hour ? short : `${Math.floor(total / hour)}:${short}`;
}
