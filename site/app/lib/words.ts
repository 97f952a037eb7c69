// What the front page needs of lib/format too; the rest is no weight of its.

const minute = 60;
const hour = 60 * minute;

/** A length of time as a counter: "04:12", "1:04:12". Never negative. */
export function clock(seconds: number): string {
  const total = Math.max(0, Math.floor(seconds));
  const short = `${two(Math.floor((total % hour) / minute))}:${two(total % minute)}`;
  return total < hour ? short : `${Math.floor(total / hour)}:${short}`;
}

/** The word with a capital first letter. */
export function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** A number of two digits at least: "04". */
export function two(value: number): string {
  return String(value).padStart(2, '0');
}
