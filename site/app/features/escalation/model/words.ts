const units = [
  { seconds: 86_400, one: 'day', many: 'days' },
  { seconds: 3600, one: 'h', many: 'h' },
  { seconds: 60, one: 'min', many: 'min' },
  { seconds: 1, one: 's', many: 's' },
];

/** A chosen length of time in full words, its two largest parts: "5 min", "1 h 30 min", "2 days". Zero is "0 min". */
export function lengthOf(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const unit of units) {
    const count = Math.floor(rest / unit.seconds);
    rest %= unit.seconds;
    if (count > 0) parts.push(`${count} ${count === 1 ? unit.one : unit.many}`);
  }
  return parts.slice(0, 2).join(' ') || '0 min';
}

/** Words joined as people do: "critical, high and medium"; with another last word: "A, B or C". */
export function listed(words: readonly string[], last = 'and'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
