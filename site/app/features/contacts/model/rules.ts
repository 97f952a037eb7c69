import type { ContactMethodJson, NotificationRuleJson } from '@nightbell/proto';

/** What a rule can be for. Low severity is the low urgency, everything else the high one. */
export const urgencies = [
  { value: 'high', word: 'Critical, high and medium' },
  { value: 'low', word: 'Low' },
] as const;

/** The delays that are offered, in seconds. */
export const delays = [0, 60, 120, 300, 600, 900, 1800, 3600].map((seconds) => ({
  value: String(seconds),
  word: delayWords(seconds),
}));

/** "At once", "After 5 min", "After 1 h 30 min": when somebody is told after a page begins. */
export function delayWords(seconds: number): string {
  if (seconds <= 0) return 'At once';
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'min'],
    [seconds % 60, 's'],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return `After ${words.join(' ')}`;
}

/** The rules for an urgency, the soonest first. */
export function rulesFor(urgency: string, rules: readonly NotificationRuleJson[]): NotificationRuleJson[] {
  return rules
    .filter((rule) => rule.urgency === urgency)
    .sort((a, b) => (a.delay_seconds ?? 0) - (b.delay_seconds ?? 0));
}

/** How somebody is told of an urgency that no rule is for: the same words as the rules of the server. */
export function fallbackWords(rules: readonly NotificationRuleJson[]): string {
  return rules.length > 0
    ? 'No rule for these: the other rules count for them too.'
    : 'No rule: everything that reaches you is told at once.';
}

/** Whether a contact method is left out because the rules name only others. */
export function isUnused(contact: ContactMethodJson, rules: readonly NotificationRuleJson[]): boolean {
  return !contact.shared && rules.length > 0 && !rules.some((rule) => rule.contact_method_id === contact.id);
}
